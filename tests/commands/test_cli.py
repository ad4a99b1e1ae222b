"""`bouncer` itself: its help, and what it says where its output cannot go."""

import gc
import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from bot.cli import all_commands, main
from bot.commands import lazy
from bot.commands.issue_input import LARGEST
from tests.support.cases import cases

VAGUE = "It does not work 页面\nplease fix asap"


def bouncer(*arguments: object, stdout: int = subprocess.PIPE, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bot", *map(str, arguments)]
    return subprocess.run(
        command,
        env=os.environ | {"BOUNCER_JUDGE": "offline"} | environment,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        timeout=60,
        check=False,
    )


def test_help_lists_every_command_whole_and_in_order() -> None:
    told = CliRunner().invoke(main, ["--help"]).stdout
    commands = told.partition("Commands:\n")[2]
    assert [line.split()[0] for line in commands.splitlines()] == list(all_commands())
    assert "..." not in commands


@cases
def test_a_mistyped_command_is_told_the_one_it_resembles(typed: list[str], said: str) -> None:
    told = CliRunner().invoke(main, typed)
    assert told.exit_code == 2 and said in told.stderr
    assert "Did you mean" in told.stderr or "xyzzy" in typed


@pytest.mark.parametrize(("encoding", "form"), [("ascii", []), ("latin-1", ["--json"])])
def test_a_locale_that_lacks_characters_still_gets_the_rest(tmp_path: Path, encoding: str, form: list[str]) -> None:
    (tmp_path / "a.md").write_text(VAGUE, encoding="utf-8")
    done = bouncer("judge", "issue", tmp_path / "a.md", *form, PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, "")
    assert "BOUNCE" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full device")
@pytest.mark.parametrize(("form", "unbuffered"), [([], ""), (["--json"], "1")])
def test_a_full_disk_is_said_plainly(tmp_path: Path, form: list[str], unbuffered: str) -> None:
    """Also where Python keeps what is written until the end."""
    (tmp_path / "a.md").write_text(VAGUE, encoding="utf-8")
    with Path("/dev/full").open("w") as full:
        done = bouncer("judge", "issue", tmp_path / "a.md", *form, stdout=full.fileno(), PYTHONUNBUFFERED=unbuffered)
    said = "bouncer: No space left on device. Make room, or write elsewhere.\n"
    assert (done.returncode, done.stderr) == (1, said)


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_has_seen_enough_ends_it_without_a_word(tmp_path: Path, unbuffered: str) -> None:
    (tmp_path / "a.md").write_text(VAGUE, encoding="utf-8")
    read, write = os.pipe()
    os.close(read)
    done = bouncer("judge", "issue", tmp_path / "a.md", stdout=write, PYTHONUNBUFFERED=unbuffered)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("strictness", ["lenient", "STRICT"])
def test_strictness_is_written_as_in_a_policy(tmp_path: Path, strictness: str) -> None:
    (tmp_path / "a.md").write_text(VAGUE, encoding="utf-8")
    asked = ["judge", "issue", str(tmp_path / "a.md"), "--strictness", strictness]
    assert CliRunner().invoke(main, asked).exit_code == 0


def test_what_is_too_large_for_an_issue_is_refused_before_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"a" * (LARGEST + 1))
    for arguments, sent in (([str(tmp_path / "a.md")], None), (["-"], "a" * (LARGEST + 1))):
        done = CliRunner().invoke(main, ["judge", "issue", *arguments], input=sent)
        assert done.exit_code == 2
        assert "larger than 1 MiB" in done.stderr


def test_nothing_but_the_result_is_printed_where_nobody_watches(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"instance_id": "a", "problem_statement": VAGUE}), encoding="utf-8")
    done = bouncer("judge", "issues", tmp_path / "a.jsonl", "--out", tmp_path / "out.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert not done.stdout.startswith("\n")


def test_no_garbage_is_looked_for_while_a_command_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def imported(name: str) -> ModuleType:
        seen.append(gc.isenabled())
        return import_module(name)

    monkeypatch.setattr(lazy, "import_module", imported)
    assert CliRunner().invoke(main, ["migrate", "--help"]).exit_code == 0
    assert (seen, gc.isenabled()) == ([False], True)


@cases
def test_ctrl_c_is_said_in_a_line(place: str, arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it comes, while a command is still being imported too."""

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(place, stopped)
    told = CliRunner().invoke(main, arguments)
    assert (told.exit_code, said in told.stderr, "Traceback" in told.output) == (130, True, False), told.output
