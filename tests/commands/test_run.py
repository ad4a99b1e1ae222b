"""`bouncer run`: what is asked before anything is started. The rest: tests/workflows/test_processes.py."""

import signal
import socket
from collections.abc import Iterator

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


def test_on_a_free_port_both_are_started_with_what_was_given(started: list[ChildProcess]) -> None:
    assert CliRunner().invoke(main, ["run", "--host", "127.0.0.1", "--port", "0"]).exit_code == 0
    assert [child.command for child in started] == ["serve", "worker"]
    assert {child.environment["BOUNCER_PORT"] for child in started} == {"0"}
