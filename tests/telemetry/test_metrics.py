"""What is counted where it happens, and the port that shows it."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import requests

from bot.github.rate_limit import RateLimits
from bot.judges.openai.spend import CeilingReached, InFlight, MemorySpend, Purse
from bot.sandbox import choose as choosing
from bot.sandbox.protocol import Capabilities, Job, Outcome, Status
from bot.settings import Settings, SettingsError
from bot.telemetry import metrics
from bot.verdicts import Usage
from tests.crash.fleet import free_port
from tests.support.databases import Databases
from tests.support.waiting import eventually
from tests.telemetry.metered import grown
from tests.webhooks.sending import SECRET, encoded, payload, signed
from tests.webhooks.serving import serving


class Credential:
    """Stands for one installation's."""


def headers(remaining: str, reset: str = "1000", resource: str = "core") -> dict[str, str]:
    return {"x-ratelimit-remaining": remaining, "x-ratelimit-reset": reset, "x-ratelimit-resource": resource}


def test_the_installation_with_the_fewest_calls_left_is_shown() -> None:
    limits, one, other = RateLimits(), Credential(), Credential()
    limits.record(one, headers("4999"))
    limits.record(other, headers("12"))
    limits.record(other, headers("30", resource="search"))
    assert limits.smallest(now=999.0) == {"core": 12, "search": 30}
    limits.record(other, headers("4000"))
    assert limits.smallest(now=999.0)["core"] == 4000


def test_what_was_reset_meanwhile_or_belongs_to_nobody_is_left_out() -> None:
    limits, one, other = RateLimits(), Credential(), Credential()
    limits.record(one, headers("3", reset="1000"))
    limits.record(other, headers("5", reset="2000"))
    assert limits.smallest(now=1000.0) == {"core": 5}
    del other
    assert limits.smallest(now=1000.0) == {}


@pytest.mark.parametrize(
    "odd", [{}, headers(""), headers("many"), headers("3", reset="soon"), headers("3", resource="a-new-one")]
)
def test_headers_that_say_nothing_are_not_counted(odd: dict[str, str]) -> None:
    limits, one = RateLimits(), Credential()
    limits.record(one, odd)
    assert limits.smallest(now=0.0) == {}


def test_calls_tokens_and_money_of_a_model_are_counted() -> None:
    of = {"model": "counted"}
    answered, failed, ceiling = (
        grown("bouncer_model_calls_total", outcome=how, **of) for how in ("answered", "failed", "ceiling")
    )
    read, wrote = (grown("bouncer_model_tokens_total", way=way, **of) for way in ("in", "out"))
    spent = grown("bouncer_model_spend_total", **of)
    purse = Purse(MemorySpend(), 3.0, "counted with a-prompt/1", InFlight())
    with purse.call(Usage(1, 100, 100, 2.0)) as charge:
        charge.usage = Usage(1, 70, 30, 1.5)
    with pytest.raises(ZeroDivisionError), purse.call(Usage(1, 0, 0, 1.0)):
        raise ZeroDivisionError
    with pytest.raises(CeilingReached), purse.call(Usage(1, 0, 0, 2.0)):
        pass
    assert (answered(), failed(), ceiling()) == (1, 1, 1)
    assert (read(), wrote(), spent()) == (70, 30, 1.5)


@dataclass
class Ready:
    """An executor whose jobs end as they are told."""

    name: str = "told"
    statuses: list[Status] = field(default_factory=lambda: [Status.EXITED, Status.WALL, Status.EXITED])

    def probe(self) -> Capabilities:
        return Capabilities(self.name, "1", usable=True)

    def run(self, job: Job) -> Outcome:
        return Outcome(self.statuses.pop(), 0, b"", b"", {}, 7.0, ())


def test_jobs_of_the_chosen_executor_are_counted_by_status(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "candidates", lambda *_: iter([Ready()]))
    chosen = choosing.choose(Settings())
    assert not isinstance(chosen, Capabilities)
    exited, late = (grown("bouncer_sandbox_jobs_total", executor="told", status=how) for how in ("exited", "wall"))
    seconds = grown("bouncer_sandbox_seconds_sum", executor="told")
    for _ in range(3):
        chosen.run(Job(("true",)))
    assert (exited(), late(), seconds()) == (2, 1, 21.0)
    assert (chosen.name, chosen.probe().usable) == ("told", True)


def test_a_worker_shows_its_metrics_where_the_settings_say() -> None:
    settings = Settings(metrics_port=free_port())
    serving = metrics.serve(settings)
    assert serving is not None
    server, thread = serving
    try:
        shown = requests.get(f"http://127.0.0.1:{settings.metrics_port}/metrics", timeout=120).text
        with pytest.raises(SettingsError, match=f"127.0.0.1 port {settings.metrics_port}: Address already in use"):
            metrics.serve(settings)
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
    assert "# TYPE bouncer_verdicts_total counter" in shown
    assert "process_resident_memory_bytes" in shown
    assert "_created" not in shown


def test_without_a_port_nothing_listens() -> None:
    assert metrics.serve(Settings()) is None


GUID = "7f0c9a52-0000-4000-8000-000000000001"


def test_the_web_process_logs_json_when_it_is_told_to(tmp_path: Path, databases: Databases) -> None:
    body = encoded(payload())
    with serving(databases.empty(), tmp_path, log_format="json", log_level="DEBUG") as web:
        requests.post(f"{web.address}/webhook", data=body, headers=signed(body, guid=GUID), timeout=60)
        requests.post(f"{web.address}/webhook", data=b"{", headers=signed(body), timeout=60)
        text = eventually(lambda: "401 refused" in web.errors.read_text() and web.errors.read_text())
    lines = [json.loads(line) for line in text.splitlines()]
    assert any(line["logger"] == "gunicorn.error" for line in lines), "gunicorn has no form of its own"
    (told,) = [line for line in lines if line.get("delivery") == GUID]
    assert told["message"].startswith("202 queued: issues opened")
    assert told["subject"] == "acme/widgets#3"
    assert SECRET not in text
