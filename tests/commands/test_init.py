"""`bouncer init`: a valid first policy, where there is none."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bot.cli import main
from bot.policy_choices import Mode
from bot.policy_file import PATH, load


def init(*options: str) -> Result:
    return CliRunner().invoke(main, ["init", *options], catch_exceptions=False)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return tmp_path


@pytest.mark.parametrize(("options", "mode"), [([], Mode.OBSERVE), (["--mode", "enforce"], Mode.ENFORCE)])
def test_it_writes_a_policy_that_is_valid(checkout: Path, options: list[str], mode: Mode) -> None:
    done = init(str(checkout), *options)
    assert (done.exit_code, "Commit it to the default branch" in done.output) == (0, True)
    assert load((checkout / PATH).read_bytes()).mode is mode


def test_here_is_meant_where_nothing_is_named(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(checkout)
    assert init().exit_code == 0
    assert (checkout / PATH).exists()


def test_a_file_that_is_there_stays(checkout: Path) -> None:
    init(str(checkout))
    (checkout / PATH).write_text("mode: advise\n")
    again = init(str(checkout))
    assert (again.exit_code, "is there already" in again.output) == (2, True)
    assert (checkout / PATH).read_text() == "mode: advise\n"


def test_a_folder_that_is_no_checkout_is_refused(tmp_path: Path) -> None:
    found = init(str(tmp_path))
    assert (found.exit_code, "is not the top of a git checkout" in found.output) == (2, True)
    assert not (tmp_path / PATH).exists()


def test_a_place_that_cannot_be_written_is_said_plainly(checkout: Path) -> None:
    (checkout / ".github").write_text("a file")
    found = init(str(checkout))
    assert (found.exit_code, "cannot be written" in found.output, "Traceback" in found.output) == (2, True, False)
