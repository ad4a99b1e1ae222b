"""`bouncer run`: what is asked before anything is started. The rest: tests/workflows/test_processes.py."""

import json
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli import main
from bot.commands import run
from bot.commands.run import ChildProcess


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[ChildProcess]]:
    """What it would have started."""
    found: list[ChildProcess] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}

    def supervise(children: list[ChildProcess], ending: object) -> int:
        found.extend(children)
        return 0

    monkeypatch.setattr(run, "supervise", supervise)
    yield found
    for number, handler in before.items():
        signal.signal(number, handler)


def test_a_taken_port_is_one_line_with_the_mend_and_nothing_starts(started: list[ChildProcess]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        found = CliRunner().invoke(main, ["run", "--host", "127.0.0.1", "--port", str(port)])
    assert (found.exit_code, started) == (1, [])
    assert found.output == (
        f"bouncer run: cannot listen on 127.0.0.1 port {port} (Address already in use). Stop what listens there, or "
        "choose another with --port or BOUNCER_PORT.\n"
    )


def test_an_address_of_another_machine_is_no_taken_port(started: list[ChildProcess]) -> None:
    found = CliRunner().invoke(main, ["run", "--host", "192.0.2.1", "--port", "0"])
    assert (found.exit_code, started) == (1, [])
    assert found.output.endswith(
        "). Give an address of this machine with --host or BOUNCER_HOST, such as 127.0.0.1 or 0.0.0.0.\n"
    )


def test_a_setting_that_cannot_be_read_is_said_once(
    started: list[ChildProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOUNCER_PORT", "many")
    found = CliRunner().invoke(main, ["run"])
    assert (found.exit_code, started, found.output.count("BOUNCER_PORT")) == (2, [], 1)


@pytest.mark.parametrize("command", ["run", "serve"])
@pytest.mark.parametrize("by_file", [False, True], ids=["environment", "settings file"])
def test_where_the_log_is_json_so_is_a_refusal(
    tmp_path: Path, started: list[ChildProcess], monkeypatch: pytest.MonkeyPatch, command: str, by_file: bool
) -> None:
    """Also one because of another setting, of which the rest cannot be read."""
    kept = tmp_path / "app.env"
    kept.write_text("BOUNCER_LOG_FORMAT=json\n" if by_file else "")
    monkeypatch.setenv("BOUNCER_SETTINGS_FILE", str(kept))
    monkeypatch.setenv("BOUNCER_LOG_FORMAT", "" if by_file else "json")
    monkeypatch.setenv("BOUNCER_PORT", "many")
    found = CliRunner().invoke(main, [command])
    told = json.loads(found.stderr)
    assert (found.exit_code, started, found.stdout) == (2, [], "")
    assert told["level"] == "error" and told["message"].startswith(f"bouncer {command}: BOUNCER_PORT: ")
    assert {"time", "logger"} < set(told)


def test_other_commands_say_no_in_plain_text_whatever_the_log_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_LOG_FORMAT", "json")
    monkeypatch.setenv("BOUNCER_PORT", "many")
    assert CliRunner().invoke(main, ["migrate"]).stderr.startswith("bouncer migrate: BOUNCER_PORT: ")


def test_a_wrong_format_is_refused_in_plain_text(started: list[ChildProcess], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_LOG_FORMAT", "xml")
    assert CliRunner().invoke(main, ["run"]).stderr.startswith("bouncer run: BOUNCER_LOG_FORMAT: ")


def test_on_a_free_port_both_are_started_with_what_was_given(started: list[ChildProcess]) -> None:
    assert CliRunner().invoke(main, ["run", "--host", "127.0.0.1", "--port", "0"]).exit_code == 0
    assert [child.command for child in started] == ["serve", "worker"]
    assert {child.environment["BOUNCER_PORT"] for child in started} == {"0"}
