"""`bouncer worker` and `bouncer run` as processes: how they start, refuse, are killed and end."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from unittest.mock import Mock

import pytest
import requests
from click.testing import CliRunner

from bot.commands import run
from bot.commands import worker as command
from bot.commands.run import ChildProcess, supervise
from fake_github import FakeGitHub
from tests.crash.fleet import free_port
from tests.support.cases import cases
from tests.support.closed import assert_closed
from tests.support.databases import Databases
from tests.support.github import REPOSITORY
from tests.support.processes import command as command_of
from tests.support.waiting import eventually
from tests.telemetry.collector import Collector, collecting
from tests.workflows.house import LABEL, VAGUE, VAGUE_TITLE

Start = Callable[..., "Bouncer"]
Refused = Callable[[Mapping[str, str]], str]


class Bouncer:
    """One `bouncer` process and what it printed."""

    def __init__(self, command: str, environment: dict[str, str], log: Path) -> None:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("BOUNCER_")}
        self.log, self.environment = log, environment
        with log.open("ab") as sink:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "bot", command], env=clean | environment, stdout=sink, stderr=sink
            )

    def printed(self) -> str:
        return self.log.read_text()

    def says(self, text: str) -> None:
        eventually(lambda: text in self.printed() or self.process.poll() is not None, seconds=60)
        assert text in self.printed(), self.printed()

    def ends(self, seconds: float = 60) -> int:
        return self.process.wait(seconds)


@pytest.fixture
def start(databases: Databases, tmp_path: Path, fake_environment: dict[str, str]) -> Iterator[Start]:
    started: list[Bouncer] = []
    url = databases.empty()

    def begin(command: str, **changes: str) -> Bouncer:
        environment = fake_environment | {"BOUNCER_DATABASE_URL": url} | changes
        log = tmp_path / f"{command}-{len(started)}.log"
        started.append(Bouncer(command, environment, log))
        return started[-1]

    yield begin
    for bouncer in started:
        if bouncer.process.poll() is None:
            bouncer.process.terminate()
            bouncer.process.wait(300)


NEW_FOR_APP = "A new, empty database for an App"
WRONG_APP = {"BOUNCER_APP_ID": "17"}


@cases
def test_a_worker_that_cannot_work_says_why(
    refused: Refused,
    fake_environment: dict[str, str],
    databases: Databases,
    changes: dict[str, str],
    said: str,
) -> None:
    printed = refused({**fake_environment, "BOUNCER_DATABASE_URL": databases.empty(), **changes})
    assert said in printed
    assert "not a key" not in printed


def test_a_worker_closes_its_caches_and_where_the_log_is_json_so_is_what_it_refuses_for(
    refused: Refused,
    fake_environment: dict[str, str],
    databases: Databases,
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
) -> None:
    url, cache = databases.empty(), tmp_path / "cache"
    changes = {"BOUNCER_DATABASE_URL": url, "BOUNCER_CACHE_DIR": str(cache), "BOUNCER_LOG_FORMAT": "json"}
    lines = refused({**fake_environment, **WRONG_APP, **changes})
    assert_closed(cache)
    told = [json.loads(line)["message"] for line in lines.splitlines() if line != "Working."]
    assert any("bouncer doctor" in message for message in told)
    assert caplog.text.count(NEW_FOR_APP) == url.startswith("sqlite")


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> Refused:
    """Has a worker of an environment refuse to work, and gives what it says; here, since to start one takes seconds."""
    monkeypatch.setattr(command, "signal", Mock())
    monkeypatch.setattr(command, "os", Mock(_exit=sys.exit))

    def refuse(environment: Mapping[str, str]) -> str:
        done = CliRunner().invoke(command.worker, env=dict(environment))
        assert done.exit_code == 2, done.output
        assert "Traceback" not in done.output
        return done.output

    return refuse


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as found:
        yield found


def test_run_is_the_whole_product_and_outlives_its_children(
    start: Start, refused: Refused, fake_github: FakeGitHub, collector: Collector
) -> None:
    port, metrics = free_port(), free_port()
    ports = {"BOUNCER_PORT": str(port), "BOUNCER_METRICS_PORT": str(metrics)}
    both = start("run", OTEL_EXPORTER_OTLP_ENDPOINT=collector.url, **ports)
    both.says("Listening on")
    both.says("Working.")
    assert both.printed().count(NEW_FOR_APP) == both.environment["BOUNCER_DATABASE_URL"].startswith("sqlite")
    assert "BOUNCER_WORKER_ID" in refused(both.environment | {"BOUNCER_METRICS_PORT": "0"}), "two workers of one id"
    os.kill(child_of(both.process.pid, "worker"), signal.SIGKILL)
    both.says("`bouncer worker` ended (status -9); starting it again.")
    fake_github.app.webhook_url = f"http://127.0.0.1:{port}/webhook"
    number = fake_github.open_issue(REPOSITORY, VAGUE_TITLE, VAGUE)
    eventually(lambda: LABEL in fake_github.issue(REPOSITORY, number).labels, seconds=60)
    worker = child_of(both.process.pid, "worker")
    assert_watched(port, metrics)
    both.process.send_signal(signal.SIGTERM)
    assert both.ends() == 0
    assert command_of(worker) == b""
    assert "Traceback" not in both.printed()
    with pytest.raises(requests.ConnectionError):
        requests.get(f"http://127.0.0.1:{port}/healthz", timeout=120)
    assert_one_trace(collector, fake_github)


def assert_watched(web: int, worker: int) -> None:
    """Both show what they did, and that they live."""
    answered, judged = shown(web), eventually(lambda: (seen := shown(worker)).get(JUDGED) and seen, seconds=60)
    assert answered["bouncer_acknowledgement_seconds_count"] >= 1
    assert 0 < answered["bouncer_acknowledgement_seconds_sum"] < 60 * answered["bouncer_acknowledgement_seconds_count"]
    assert 0 <= time.time() - judged["bouncer_worker_heartbeat_timestamp_seconds"] < 60
    assert 0 < judged['bouncer_github_rate_limit_remaining{resource="core"}'] < 10**6
    assert judged['bouncer_runs_total{outcome="failed",workflow="issue"}'] == 0


JUDGED = 'bouncer_verdicts_total{decision="bounce",door="issues"}'


def shown(port: int) -> dict[str, float]:
    """Each sample by its name and labels."""
    lines = requests.get(f"http://127.0.0.1:{port}/metrics", timeout=120).text.splitlines()
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))}


def assert_one_trace(collector: Collector, github: FakeGitHub) -> None:
    """From the receipt in one process to the calls of GitHub in the other, and without a word of the issue."""
    spans = {span.id: span for span in collector.spans}
    root = next(each for each in collector.named("receive issues") if each.told["bouncer.subject"] == f"{REPOSITORY}#1")
    mine = [span for span in collector.spans if span.trace == root.trace]
    assert (root.service, root.parent) == ("bouncer-web", "")
    assert {"dispatch", "issue", "step ask", "GitHub call"} <= {span.name for span in mine}
    assert {span.service for span in mine if span is not root} == {"bouncer-worker"}
    assert all(span.parent in spans for span in mine if span is not root)
    call = collector.named("GitHub call")[0]
    assert call.told["bouncer.method"] and call.told["bouncer.status"].isdigit()
    sent = b"".join(collector.raw)
    assert VAGUE.encode() not in sent and VAGUE_TITLE.encode() not in sent
    assert github.private_key.splitlines()[1].encode() not in sent and b"/repos/" not in sent


class Program(ChildProcess):
    """Anything in a command's place: what `bouncer run` does with its children is the same for all."""

    __slots__ = ()

    def start(self) -> None:
        self.process = subprocess.Popen([sys.executable, "-I", "-S", "-c", self.command])
        self.started = time.monotonic()


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(("dies", "status", "starts"), [("raise SystemExit(2)", 2, 1), ("raise SystemExit(3)", 1, 4)])
def test_run_ends_when_a_part_cannot_start(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, dies: str, status: int, starts: int, form: str
) -> None:
    """At once where a setting is to blame, which the part has named; else after some attempts."""
    monkeypatch.setenv("BOUNCER_LOG_FORMAT", form)
    lives, ends = Program("import signal; signal.pause()", {}), Program(dies, {})

    def nobody_ends_it(_seconds: float) -> bool:
        assert ends.process is not None
        ends.process.wait()  # which it waits for, however long that takes
        return False

    ending = Mock(wait=nobody_ends_it)
    assert supervise([lives, ends], ending) == status
    assert lives.process is not None and lives.process.poll() == -signal.SIGTERM
    lines = capfd.readouterr().err.splitlines()
    told = [json.loads(line)["message"] for line in lines] if form == "json" else lines
    assert [line.startswith("bouncer run: `bouncer ") for line in told] == [True] * len(told)
    assert sum("starting it again" in line for line in told) == starts - 1


@pytest.mark.parametrize("status", [1, 2])
def test_run_gives_up_nothing_that_has_worked(monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    """Its database may be away for hours, or GitHub refuse the App for one."""
    ends = Program(f"raise SystemExit({status})", {})
    starts = 0

    def five_times(_seconds: float) -> bool:
        nonlocal starts
        assert ends.process is not None
        ends.process.wait()
        starts += 1
        monkeypatch.setattr(run, "SETTLED", 0.0 if starts == 1 else 60.0)
        return starts > 10

    assert supervise([ends], Mock(wait=five_times)) == 0
    assert starts > 10


def child_of(pid: int, command: str) -> int:
    """The child process that runs this command."""
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        if command in Path(f"/proc/{child}/cmdline").read_text().split("\0"):
            return int(child)
    raise AssertionError(f"no {command} under {pid}")
