"""The settings file: written whole, for its owner alone, and read below the environment."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot import settings_file
from bot.settings import load
from bot.settings_file import SettingsError


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of this process, which is not there yet."""
    for name in [name for name in os.environ if name.startswith("BOUNCER_")]:
        monkeypatch.delenv(name)
    path = tmp_path / "config" / "app.env"
    monkeypatch.setenv(settings_file.VARIABLE, str(path))
    return path


def test_what_is_written_is_read_and_only_its_owner_may(path: Path) -> None:
    assert load().app_id is None
    settings_file.write(
        path, {"BOUNCER_APP_ID": "12", "BOUNCER_PRIVATE_KEY": "-----BEGIN-----\nMII+/=#\n-----END-----\n"}
    )
    found = load()
    assert (found.app_id, found.has_app) == (12, True)
    assert found.private_key and found.private_key.get_secret_value() == "-----BEGIN-----\\nMII+/=#\\n-----END-----"
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert [file.name for file in path.parent.iterdir()] == ["app.env"]


def test_the_environment_beats_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings_file.write(path, {"BOUNCER_APP_ID": "12", "BOUNCER_PORT": "9000"})
    monkeypatch.setenv("BOUNCER_APP_ID", "13")
    assert (load().app_id, load().port, load(port=9001).port) == (13, 9000, 9001)


def test_a_variable_that_is_set_to_nothing_says_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings_file.write(
        path, {"BOUNCER_WEBHOOK_SECRET": "kept", "BOUNCER_MODELS": '[{"model": "${HOME}"}]', "OTHER": "1"}
    )
    monkeypatch.setenv("BOUNCER_WEBHOOK_SECRET", "")
    found = load()
    assert found.webhook_secret and found.webhook_secret.get_secret_value() == "kept"
    assert found.models[0].model == "${HOME}"


def test_other_lines_stay_and_an_old_mode_is_mended(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("# mine\nBOUNCER_LOG_LEVEL=DEBUG\nBOUNCER_APP_ID=1\n")
    path.chmod(0o644)
    settings_file.write(path, {"BOUNCER_APP_ID": "2"})
    assert path.read_text() == "# mine\nBOUNCER_LOG_LEVEL=DEBUG\nBOUNCER_APP_ID=2\n"
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_file_lies_in_the_home_and_not_where_a_command_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(settings_file.VARIABLE, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    stranger = tmp_path / "repository"
    (stranger / ".config" / "bouncer").mkdir(parents=True)
    (stranger / ".config" / "bouncer" / "app.env").write_text("BOUNCER_PORT=1\n")
    (stranger / ".env").write_text("BOUNCER_PORT=2\n")
    monkeypatch.chdir(stranger)
    assert settings_file.place() == tmp_path / "home" / ".config" / "bouncer" / "app.env"
    assert load().port == 8000


def test_an_empty_name_means_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(settings_file.VARIABLE, " ")
    assert (settings_file.place(), settings_file.values()) == (None, {})


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", "ü".encode("latin-1")])
def test_a_file_that_is_no_text_is_refused_with_the_mend(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(SettingsError, match=r"is no text\. Name another file with BOUNCER_SETTINGS_FILE"):
        load()
    with pytest.raises(SettingsError, match="cannot be written"):
        settings_file.write(path, {"A": "b"})
    assert path.read_bytes() == content


def test_a_wrong_value_in_the_file_is_named_and_not_repeated(path: Path) -> None:
    settings_file.write(path, {"BOUNCER_PORT": "hunter2"})
    with pytest.raises(SettingsError, match="BOUNCER_PORT") as refused:
        load()
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("where", ["a file", "nothing"])
def test_where_it_cannot_be_written_is_said_before(tmp_path: Path, where: str) -> None:
    (tmp_path / "a file").write_text("")
    path = tmp_path / where / "app.env" if where == "a file" else Path("/proc/nothing/app.env")
    with pytest.raises(SettingsError, match=r"cannot be written: .*Name another file"):
        settings_file.check_writable(path)


def test_looking_whether_it_can_be_written_changes_nothing(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("BOUNCER_PORT=1\n")
    settings_file.check_writable(path)
    assert path.read_text() == "BOUNCER_PORT=1\n"
    assert [file.name for file in path.parent.iterdir()] == ["app.env"]


@given(
    st.dictionaries(
        st.from_regex(r"BOUNCER_[A-Z_]{1,12}", fullmatch=True),
        st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), min_size=1),
        min_size=1,
    )
)
def test_each_value_takes_one_line(values: dict[str, str]) -> None:
    told = settings_file.lines({name: f"{value}\n{value}" for name, value in values.items()})
    assert len(told) == len(values)
    assert not any("\n" in line for line in told)
