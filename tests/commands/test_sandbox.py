"""`bouncer sandbox`: real jobs in the real sandbox, and what is said where there is none."""

import json
import sys

import pytest
from click.testing import CliRunner, Result

from bot.cli import main
from bot.commands import sandbox
from bot.sandbox.protocol import Outcome, Status


def bouncer(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["sandbox", *arguments], catch_exceptions=False)


def test_probe_says_what_is_enforced() -> None:
    told = bouncer("probe", "--executor", "bubblewrap")
    assert told.exit_code == 0
    assert "usable  bubblewrap 0." in told.stdout
    assert "memory (total)" in told.stdout
    assert told.stdout.endswith("Untrusted code runs in: bubblewrap\n")


def test_probe_as_json() -> None:
    found = json.loads(bouncer("probe", "--json", "--executor", "bubblewrap").stdout)
    assert found["used"] == "bubblewrap"
    assert found["executors"][0]["usable"] is True


def test_without_a_sandbox_nothing_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    told = bouncer("probe", "--executor", "bubblewrap")
    assert told.exit_code == 125
    assert "sudo apt-get install bubblewrap" in told.stdout
    assert told.stdout.endswith("No executor can isolate here, so nothing is run.\n")
    told = bouncer("run", "--json", "--executor", "bubblewrap", "--", "touch", "/tmp/never")
    assert told.exit_code == 125
    assert "sudo apt-get install bubblewrap" in json.loads(told.stdout)["error"]


def test_run_shows_the_output_and_exits_as_the_command_does() -> None:
    told = bouncer("run", "--", "sh", "-c", "echo out; echo err >&2; echo x > /results/a; exit 5")
    assert (told.exit_code, told.stdout) == (5, "out\n")
    said = told.stderr.splitlines()
    assert said[:2] == ["err", "bouncer: result a, 2 bytes"]
    assert said[2].startswith("bouncer: bubblewrap: exit status 5 after ")
    assert "network" in said[2]


def test_run_as_json() -> None:
    told = json.loads(bouncer("run", "--json", "--", "python3", "-c", "print('a\\x1b[2J')").stdout)
    assert (told["status"], told["exit_code"], told["stdout"]) == ("exited", 0, "a\x1b[2J\n")
    assert "host files" in told["limits_enforced"]


@pytest.mark.parametrize(
    ("command", "status"), [("sleep 60", 124), ("yes", 137), ("ln -s / /results/x", 137), ("no-such-command", 127)]
)
def test_what_is_stopped_has_an_exit_status_of_its_own(command: str, status: int) -> None:
    told = bouncer("run", "--wall", "0.8", "--", "sh", "-c", f"exec {command}")
    assert told.exit_code == status


def test_a_terminal_is_never_sent_control_characters(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    sandbox._show("x", Outcome(Status.EXITED, 0, b"a\x1b[2Jb\xff\n\tc\xe2\x80\xae", b"", {}, 0.0, ()))
    assert capsys.readouterr().out == "a\ufffd[2Jb\ufffd\n\tc\ufffd"


@pytest.mark.parametrize("arguments", [["run"], ["run", "--wall", "0", "--", "true"], ["probe", "--executor", "bare"]])
def test_bad_input_is_told_plainly(arguments: list[str]) -> None:
    told = bouncer(*arguments)
    assert told.exit_code == 2
    assert "Usage" in told.stderr


def test_a_null_character_is_told_plainly() -> None:
    assert bouncer("run", "--", "a\0b").exit_code == 2


def test_a_setting_that_cannot_be_read_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_EXECUTOR", "bare")
    for command in (["probe"], ["run", "--", "true"]):
        told = bouncer(*command)
        assert told.exit_code == 2
        assert "BOUNCER_EXECUTOR" in told.stderr


def test_seconds_are_a_number() -> None:
    """`nan` compares as within every range."""
    told = bouncer("run", "--wall", "nan", "--", "true")
    assert told.exit_code == 2
    assert "nan is not in the range 0.1<=x<=3600." in told.stderr
