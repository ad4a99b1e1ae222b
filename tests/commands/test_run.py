"""`bouncer run` and `bouncer init` ask before anything is started; whatever commands begin ends with them."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bot.cli import main
from bot.commands import run
from bot.commands.run import ChildProcess
from bot.policy_choices import Mode
from bot.policy_file import PATH, load
from tests.support.processes import command, descendants
from tests.support.waiting import eventually


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


WORKING = """
import sys, tempfile, time
from bot.commands.scratch import scratch
with scratch("It goes on."):
    with tempfile.TemporaryDirectory() as there:
        print(there, flush=True)
        if sys.argv[1:]:
            time.sleep(60)
"""


def start(home: Path, *words: str) -> subprocess.Popen[str]:
    environment = os.environ | {"TMPDIR": str(home)}
    return subprocess.Popen(
        [sys.executable, "-c", WORKING, *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(home: Path, how: signal.Signals) -> None:
    with start(home, "wait") as running:
        assert running.stdout
        assert Path(running.stdout.readline().strip()).is_dir()
        running.send_signal(how)
        assert running.wait(300) == -how
        assert running.stderr
        assert running.stderr.read().strip() == ("" if how is signal.SIGKILL else "It goes on.")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_at_once_and_nothing_stays(how: signal.Signals, tmp_path: Path) -> None:
    ended(tmp_path, how)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_command_left_is_put_away_by_the_next(tmp_path: Path) -> None:
    ended(tmp_path, signal.SIGKILL)
    (left,) = tmp_path.iterdir()
    with start(tmp_path, "wait") as other:
        assert other.stdout
        other.stdout.readline()
        (working,) = set(tmp_path.iterdir()) - {left}
        for each in (left, working):
            os.utime(each, times=(time.time() - 3600,) * 2)
        with start(tmp_path) as next_one:
            assert next_one.wait(300) == 0
        assert list(tmp_path.iterdir()) == [working]  # of which the lock is held
        other.terminate()


PROGRAM = "def half(n):\n    return n {} 2\n"
TESTS = "import time\nfrom half import half\n\n\ndef test_half():\n    time.sleep(60)\n    assert half(4) == 2\n"


@pytest.mark.parametrize(
    ("how", "setup", "at_work"),
    [
        (signal.SIGINT, "[]", b"Runs pytest in the process"),
        (signal.SIGTERM, "[sleep 60]", b"sleep\x0060"),
    ],
)
def test_nothing_runs_on(how: signal.Signals, setup: str, at_work: bytes, tmp_path: Path) -> None:
    for name, operator in (("p", "//"), ("f", "/")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "half.py").write_text(PROGRAM.format(operator))
        (tmp_path / name / ".github").mkdir()
        (tmp_path / name / ".github/bouncer.yml").write_text(f"verify:\n  setup: {setup}\n  test: pytest\n")
    (tmp_path / "test_half.py").write_text(TESTS)
    given = f"--original {tmp_path}/p --fix {tmp_path}/f --tests {tmp_path}/test_half.py --test-timeout 60"
    own = {"BOUNCER_CACHE_DIR": f"{tmp_path}/cache", "BOUNCER_JUDGE": "offline"}
    with subprocess.Popen(
        [sys.executable, "-m", "bot", "verify", *given.split()],
        env=os.environ | own,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as running:
        started: set[int] = set()

        def working() -> bool:
            assert running.poll() is None, running.communicate()
            started.update(descendants(running.pid))
            return any(at_work in command(process) for process in started)

        eventually(working, seconds=60)
        running.send_signal(how)
        assert running.wait(300) == -how
    eventually(lambda: not any(map(command, started)))
