"""Traces, sent to a real receiver: what belongs together, what is never told, and that nobody waits for a collector."""

import logging
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import current_thread

import pytest

from bot.github.mirror import Mirrors
from bot.github.values import Repository
from bot.judges.openai.spend import InFlight, MemorySpend, Purse
from bot.sandbox.choose import MetricsExecutor
from bot.sandbox.protocol import Job, Status
from bot.telemetry import traces
from bot.telemetry.traces import Pool
from bot.verdicts import Usage
from fake_github import FakeGitHub
from tests.support.cases import cases
from tests.support.waiting import eventually
from tests.telemetry.collector import Collector, collecting
from tests.telemetry.test_metrics import Ready

GUID = "7f0c9a52-0000-4000-8000-000000000001"
SECRET = "sk-a-secret-that-is-in-an-error"


@pytest.fixture(autouse=True)
def quiet_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in (*traces.ENDPOINTS, *traces.PROTOCOLS, "OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER"):
        monkeypatch.delenv(name, raising=False)
    yield
    traces.shut_down()
    logging.getLogger("opentelemetry").setLevel(logging.NOTSET)


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    with collecting() as found:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", found.url)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "X-Team=pots")
        traces.set_up("bouncer-test")
        yield found


def answer(outcome: str = "queued") -> None:
    traces.trace_delivery("issues", time.time() - 1, outcome=outcome, delivery=GUID, subject="acme/shop#7")


def test_all_that_a_delivery_leads_to_hangs_from_its_receipt(collector: Collector) -> None:
    answer()
    executor = MetricsExecutor(Ready(statuses=[Status.WALL]))
    purse = Purse(MemorySpend(), 0.0, "a-model with x/1", InFlight())
    with traces.delivery_span("judging", GUID, subject="acme/shop#7", commit="a" * 40):
        with traces.span("step execute", step="execute"), Pool(1) as pool:
            pool.submit(lambda: (executor.run(Job(("true",))), current_thread().name)).result()
        with pytest.raises(ZeroDivisionError), purse.call(Usage(1, 0, 0, 0.0)):
            raise ZeroDivisionError(SECRET)
    answer("duplicate")
    traces.shut_down()
    (root, again) = collector.named("receive issues")
    (run,), (step,), (job,), (call,) = map(collector.named, ("judging", "step execute", "sandbox job", "model call"))
    assert {span.trace for span in collector.spans} == {root.trace} and root.parent == ""
    assert (again.parent, run.parent, step.parent, job.parent, call.parent) == (
        *(root.id, root.id, run.id, step.id, run.id),
    )
    assert run.told == {"bouncer.delivery": GUID, "bouncer.subject": "acme/shop#7", "bouncer.commit": "a" * 40}
    assert job.told == {"bouncer.executor": "told", "bouncer.status": "wall"}
    assert call.told == {"bouncer.model": "a-model", "error.type": "ZeroDivisionError"} and call.failed
    assert collector.headers == ["pots"] and root.service == "bouncer-test"
    assert SECRET.encode() not in b"".join(collector.raw), "an error's message is a stranger's"


def test_what_git_fetches_for_a_delivery_is_part_of_it(
    collector: Collector, fake_github: FakeGitHub, tmp_path: Path
) -> None:
    made = fake_github.create_repository("acme/shop", files={"till.py": "x = 1\n"})
    mirrors = Mirrors(tmp_path, fake_github.web_url, max_bytes=10**8, total_bytes=10**9)
    with traces.delivery_span("judging", GUID):
        for _ in range(2):  # the second time it is here
            mirrors.fetch(Repository(made.id, "acme/shop"), made.branches["main"])
    traces.shut_down()
    (run,), (fetch,) = collector.named("judging"), collector.named("git fetch")
    assert (fetch.trace, fetch.parent) == (run.trace, run.id)


def test_what_belongs_to_no_delivery_is_not_traced(collector: Collector) -> None:
    with traces.span("GitHub call", method="GET"), traces.delivery_span("reconcile", ""):
        traces.tell(status=200)
    answer()
    traces.shut_down()
    assert [span.name for span in collector.spans] == ["receive issues"]


def test_what_is_sampled_is_the_same_in_every_process(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    traces.shut_down()
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", "0.5")
    for service in ("web", "worker"):
        traces.set_up(service)
        for number in range(40):
            guid = f"{GUID[:-2]}{number:02}"
            if service == "web":
                traces.trace_delivery("issues", time.time(), outcome="queued", delivery=guid)
            else:
                with traces.delivery_span("issue", guid):
                    pass
        traces.shut_down()
    of_web, of_worker = ({span.trace for span in collector.spans if span.service == each} for each in ("web", "worker"))
    assert of_web == of_worker and 0 < len(of_web) < 40


def test_a_collector_that_is_away_is_said_once_and_nobody_waits(
    collector: Collector, caplog: pytest.LogCaptureFixture
) -> None:
    collector.broken = True
    with caplog.at_level(logging.INFO, "bot.telemetry"):
        for _ in range(2):
            answer()
            assert traces._tracing is not None
            traces._tracing._provider.force_flush()
        collector.broken = False
        answer()
        traces.shut_down()
    said = [record.getMessage() for record in caplog.records]
    assert [line.partition(",")[0] for line in said] == [
        "The collector takes no traces",
        "The collector takes traces again.",
    ]
    assert len(collector.spans) == 1


def test_an_address_where_nobody_listens_delays_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    traces.set_up("bouncer-test")
    answer()
    traces.shut_down(0.0)
    assert traces._tracing is None
    answer()
    eventually(lambda: not any("last-traces" in thread for thread in names()), seconds=30)


def names() -> list[str]:
    import threading

    return [thread.name for thread in threading.enumerate()]


@cases
def test_it_is_off_unless_it_is_asked_for_in_words_that_are_spoken(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, variables: dict[str, str], said: str
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    traces.set_up("bouncer-test")
    assert traces._tracing is None
    assert said in caplog.text and bool(caplog.text) == bool(said)


def test_without_the_extra_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:9/v1/traces")
    monkeypatch.delitem(sys.modules, "bot.telemetry.otlp", raising=False)
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    traces.set_up("bouncer-test")
    assert traces._tracing is None
    (record,) = caplog.records
    assert record.getMessage() == (
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set, but OpenTelemetry is not installed, so nothing is traced. "
        "Install it: pip install 'bouncer-bot[otel]'."
    )


def test_where_it_is_off_nothing_of_it_is_imported() -> None:
    """By web process and worker, whose imports these are."""
    program = (
        "import sys, bot.commands.worker, bot.commands.serve; from bot.telemetry import traces; traces.set_up('x');"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
