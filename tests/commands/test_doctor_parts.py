"""What `bouncer doctor` says of the App at GitHub, models, deliveries, the public address, git and the sandbox."""

import json
import os
import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bot.commands import doctor_running
from bot.commands.doctor_github import _hook, delivery_line, port_line, public_line
from bot.commands.doctor_lines import CheckOutcome
from bot.github.deliveries import HookDelivery
from bot.github.events import HANDLED
from bot.github.registration import EVENTS, Registration
from bot.settings import Settings
from fake_github import FakeGitHub
from tests.commands.doctors import KEY, PUBLIC, SECRET, examine, healthy, outcomes, sandboxed
from tests.support.cases import cases
from tests.webhooks.serving import serving

__all__ = ["healthy", "sandboxed"]


def test_a_previous_secret_is_worth_a_warning(healthy: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_WEBHOOK_SECRET_PREVIOUS", SECRET)
    assert outcomes(examine()["webhook secret"]) == [CheckOutcome.PASS, CheckOutcome.WARN]


def test_a_missing_permission_fails_and_one_too_many_warns(healthy: FakeGitHub) -> None:
    healthy.app.permissions.update({"issues": "read", "actions": "write"})
    little, much = examine()["permissions"]
    assert (little.outcome, little.says) == (CheckOutcome.FAIL, "missing: issues: write")
    assert (much.outcome, much.says) == (CheckOutcome.WARN, "not needed: actions: write")


def test_a_missing_event_fails(healthy: FakeGitHub) -> None:
    healthy.app.events.remove("issues")
    (line,) = examine()["events"]
    assert (line.outcome, line.says) == (CheckOutcome.FAIL, "missing: issues")


def test_an_app_from_before_repositories_told_of_being_private_is_warned(healthy: FakeGitHub) -> None:
    healthy.app.events.remove("repository")
    (line,) = examine()["events"]
    assert (line.outcome, line.says.partition(",")[0]) == (CheckOutcome.WARN, "missing: repository")


def test_the_events_needed_are_those_handled() -> None:
    assert EVENTS | {"installation", "installation_repositories"} == HANDLED


@cases
def test_deliveries_go_to_this_server(hook: str | None, public: str, outcome: CheckOutcome, says: str) -> None:
    (line,) = _hook(Registration(200, "", None, hook_url=hook or "", hook_secret=True), public)
    assert (line.outcome, says in line.says) == (outcome, True), line


def test_a_webhook_that_leads_elsewhere_fails(healthy: FakeGitHub) -> None:
    healthy.app.webhook_url = "https://old.example/webhook"
    (line,) = examine()["webhook"]
    assert (line.outcome, f"Set {PUBLIC}/webhook on the App's" in line.mend) == (CheckOutcome.FAIL, True), line


def test_each_account_that_lets_the_app_do_too_little_is_named(healthy: FakeGitHub) -> None:
    (passed,) = examine()["installations"]
    assert (passed.outcome, passed.says) == (CheckOutcome.PASS, "1")
    accepted, suspended = (healthy.installations[healthy.install(owner, [])] for owner in ("tea-house", "coffee"))
    accepted.permissions = {**healthy.app.permissions, "checks": "read"}
    del accepted.permissions["statuses"]
    suspended.suspended = True
    _, *told = examine()["installations"]
    assert [(line.outcome, line.says) for line in told] == [
        (CheckOutcome.FAIL, "tea-house has not accepted: checks: write, statuses: write"),
        (CheckOutcome.WARN, "coffee has suspended the App"),
    ]
    assert "accept the request among the installed GitHub Apps in the settings of tea-house" in told[0].mend
    healthy.installations.clear()
    assert outcomes(examine()["installations"]) == [CheckOutcome.WARN]


def test_a_webhook_without_a_secret_fails(healthy: FakeGitHub) -> None:
    healthy.app.webhook_secret = ""
    assert outcomes(examine()["webhook"]) == [CheckOutcome.PASS, CheckOutcome.FAIL]


@cases
def test_a_wrong_clock_is_told(
    seconds: int, outcome: CheckOutcome, healthy: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Skewed(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return datetime.now(UTC) + timedelta(seconds=seconds)

    monkeypatch.setattr("bot.commands.doctor_github.datetime", Skewed)
    assert outcomes(examine()["clock"]) == [outcome]


class Models(BaseHTTPRequestHandler):
    """Lists two models to whoever has the key."""

    def do_GET(self) -> None:
        allowed = self.headers.get("Authorization") == f"Bearer {KEY}"
        body = json.dumps({"data": [{"id": "gpt-4.1"}, {"id": "small"}]} if allowed else {"error": KEY}).encode()
        status = 404 if self.path != "/v1/models" else 200 if allowed else 401
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def models(healthy: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Models) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}"
        settings = {"JUDGE": "openai", "MODEL_BASE_URL": f"{address}/v1", "MODEL_API_KEY": KEY, "MODEL_PRICE_IN": "2"}
        for name, value in {**settings, "MODEL_SPEND_PER_DAY": "5"}.items():
            monkeypatch.setenv(f"BOUNCER_{name}", value)
        yield address
        server.shutdown()


@cases
def test_the_model_is_asked_for_its_name_only(
    models: str, monkeypatch: pytest.MonkeyPatch, changes: dict[str, str], outcome: CheckOutcome, says: str
) -> None:
    for name, value in changes.items():
        monkeypatch.setenv(f"BOUNCER_{name}", value.format(address=models))
    (line,) = examine()["judge"]
    assert (line.outcome, says in line.says) == (outcome, True), line


@cases
def test_money_that_is_not_bounded_is_told(
    models: str, monkeypatch: pytest.MonkeyPatch, changes: dict[str, str], outcome: CheckOutcome
) -> None:
    for name, value in changes.items():
        monkeypatch.setenv(f"BOUNCER_{name}", value)
    assert outcomes(examine()["spend"]) == [outcome]


def test_a_key_sent_in_the_clear_is_worth_a_warning(models: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_MODEL_BASE_URL", "http://127.0.0.2:9/v1")
    assert outcomes(examine()["judge"]) == [CheckOutcome.WARN, CheckOutcome.FAIL]


FURTHER = [
    {"model": "small", "price_in": 1, "own_spend_per_day": 2},
    {"model": "claude-3", "base_url": "http://127.0.0.1:9/v1", "api_key": "k", "price_in": 1},
    {"model": "idle", "price_in": 1},
]


def test_each_model_is_examined_with_its_task(models: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_MODELS", json.dumps(FURTHER))
    monkeypatch.setenv("BOUNCER_FIRST_MODEL", "small")
    monkeypatch.setenv("BOUNCER_EVALUATOR_MODEL", "gpt-4.1")
    monkeypatch.setenv("BOUNCER_WRITER_MODEL", "claude-3")
    lines = examine()
    assert [line.says for line in lines["judge"]] == ["gpt-4.1 at 127.0.0.1: judges, checks reviews, is asked blind"]
    assert [(line.outcome, line.says) for line in lines["model"]] == [
        (CheckOutcome.PASS, "small at 127.0.0.1: is asked first"),
        (CheckOutcome.FAIL, "127.0.0.1 cannot be reached (ConnectionError)"),
        (CheckOutcome.WARN, "idle has no task"),
    ]
    assert "`base_url` of claude-3 in BOUNCER_MODELS" in lines["model"][1].mend
    assert "BOUNCER_VOTER_MODELS" in lines["model"][2].mend
    assert [line.says for line in lines["spend"]] == [
        "gpt-4.1: at most 5 a day",
        "small: at most 2 a day",
        "claude-3: at most 5 a day",
    ]


def test_a_further_model_without_prices_fails_under_a_ceiling(models: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_MODELS", '[{"model": "small"}]')
    monkeypatch.setenv("BOUNCER_VOTER_MODELS", "small")
    line = examine()["spend"][1]
    assert (line.outcome, "small: a ceiling without token prices" in line.says) == (CheckOutcome.FAIL, True)
    assert "`price_in` of small in BOUNCER_MODELS" in line.mend


def test_without_what_running_takes_it_fails_with_the_mend(
    sandboxed: FakeGitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("no directory")
    for name, value in {"EXECUTOR": "bubblewrap", "PACKAGE_INDEX": "http://127.0.0.1:9/simple"}.items():
        monkeypatch.setenv(f"BOUNCER_{name}", value)
    monkeypatch.setenv("PATH", "/nowhere")
    found = examine()
    told = {check: found[check][0] for check in ("git", "cache", "package index", "sandbox")}
    assert {line.outcome for line in told.values()} == {CheckOutcome.FAIL}
    assert "apt-get install git" in told["git"].mend
    assert "BOUNCER_CACHE_DIR" in told["cache"].mend
    assert "127.0.0.1:9 cannot be reached" in told["package index"].says
    assert "sudo apt-get install bubblewrap" in told["sandbox"].says
    assert "verification" not in found


@cases
def test_a_git_that_cannot_merge_as_bouncer_does_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, outcome: CheckOutcome
) -> None:
    (tmp_path / "git").write_text(f"#!/bin/sh\necho '{says}'\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert doctor_running.git_line().outcome is outcome


def test_a_small_verification_that_goes_wrong_fails(sandboxed: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.commands.doctor_running._WRONG", b"def half(number):\n    return number / 2\n")
    (line,) = examine("--offline")["verification"]
    assert line.outcome is CheckOutcome.FAIL


def attempt(status: int) -> HookDelivery:
    return HookDelivery(1, "guid", "issues", "opened", "2026-05-01T12:00:00Z", False, status, 1)


@pytest.mark.parametrize(
    ("newest", "silent", "outcome", "says", "mend"),
    [
        (None, True, CheckOutcome.PASS, "sent nothing yet", ""),
        (attempt(202), True, CheckOutcome.PASS, "arrived (202)", ""),
        (attempt(401), False, CheckOutcome.FAIL, "signs with another secret", "BOUNCER_WEBHOOK_SECRET"),
        (attempt(502), False, CheckOutcome.WARN, "did not arrive (502)", "Recent Deliveries"),
        (attempt(0), False, CheckOutcome.WARN, "did not arrive (0)", "the proxy"),
        (attempt(0), True, CheckOutcome.FAIL, "and Bouncer does not answer at its public address", "the proxy"),
    ],
)
def test_githubs_own_log_says_whether_deliveries_arrive(
    newest: HookDelivery | None, silent: bool, outcome: CheckOutcome, says: str, mend: str
) -> None:
    line = delivery_line(newest, silent=silent)
    assert (line.outcome, says in line.says, mend in line.mend) == (outcome, True, True), line


def test_a_server_that_nobody_reaches_fails(healthy: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """GitHub's newest delivery did not arrive, and nothing answers at the public address: an old tunnel's, say."""
    gone = "http://127.0.0.1:9"
    healthy.app.webhook_url = f"{gone}/webhook"
    monkeypatch.setenv("BOUNCER_PUBLIC_URL", gone)
    assert outcomes(examine()["deliveries"]) == [CheckOutcome.PASS]
    healthy.open_issue("acme/widgets", "It broke", "x")
    healthy.wait_for_webhooks()
    found = examine()
    assert outcomes(found["deliveries"]) == [CheckOutcome.FAIL]
    assert outcomes(found["public address"]) == outcomes(examine("--offline")["deliveries"]) == [CheckOutcome.WARN]


def test_a_wrong_secret_at_github_shows(healthy: FakeGitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The web process of this server really refuses what GitHub signs with another secret."""
    with serving(os.environ["BOUNCER_DATABASE_URL"], tmp_path, webhook_secret=SECRET) as web:
        monkeypatch.setenv("BOUNCER_PUBLIC_URL", web.address)
        healthy.app.webhook_url = f"{web.address}/webhook"
        for secret, outcome in (("another secret of GitHub's", CheckOutcome.FAIL), (SECRET, CheckOutcome.PASS)):
            healthy.app.webhook_secret = secret
            healthy.open_issue("acme/widgets", "It broke", "x")
            healthy.wait_for_webhooks()
            found = examine()
            assert outcomes(found["deliveries"]) == [outcome]
            assert outcomes(found["public address"]) == [CheckOutcome.PASS]
        healthy.app.webhook_url = f"{PUBLIC}/webhook"


def test_a_port_that_another_program_has_fails_and_bouncers_own_passes(healthy: FakeGitHub, tmp_path: Path) -> None:
    taken = urlsplit(healthy.web_url).port or 0
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free = probe.getsockname()[1]
    with serving(os.environ["BOUNCER_DATABASE_URL"], tmp_path, webhook_secret=SECRET) as web:
        own = urlsplit(web.address).port or 0
        found = [port_line(Settings(host="127.0.0.1", port=port)) for port in (taken, free, own)]
    assert outcomes(found) == [CheckOutcome.FAIL, CheckOutcome.PASS, CheckOutcome.PASS]
    assert "Address already in use" in found[0].says and "BOUNCER_PORT" in found[0].mend
    assert [says.says for says in found[1:]] == [
        f"127.0.0.1 port {free} is free",
        f"Bouncer listens on 127.0.0.1 port {own}",
    ]


@pytest.mark.parametrize(("path", "says"), [("", "is not Bouncer"), (None, "does not answer"), ("none", "none is set")])
def test_a_public_address_that_leads_elsewhere_is_warned_of(healthy: FakeGitHub, path: str | None, says: str) -> None:
    url = "" if path == "none" else "http://127.0.0.1:9" if path is None else healthy.web_url
    line = public_line(Settings(public_url=url))
    assert (line.outcome, says in line.says) == (CheckOutcome.WARN, True), line


def test_a_symbolic_search_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    line = doctor_running.search_line()
    assert (line.outcome, line.says.split()[0]) == (CheckOutcome.PASS, "CrossHair")
    monkeypatch.setattr(doctor_running, "crosshair_version", str)
    line = doctor_running.search_line()
    assert (line.outcome, "bouncer-bot[symbolic]" in line.says) == (CheckOutcome.PASS, True)
