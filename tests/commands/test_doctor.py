"""`bouncer doctor` against the fake GitHub, a real database and a small model endpoint."""

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
from click.testing import CliRunner

from bot.cli import main
from bot.commands import doctor_running
from bot.commands.doctor import CheckLine, CheckOutcome, _hook, passes
from bot.commands.doctor_extras import extra_lines
from bot.commands.doctor_web import delivery_line, port_line, public_line
from bot.fake_github import FakeGitHub
from bot.github.delivered import HookDelivery
from bot.github.events import HANDLED
from bot.github.registration import EVENTS, Registration
from bot.settings import Settings
from bot.statements.keys import make_key
from bot.telemetry import traces
from tests.support.databases import Databases
from tests.support.postgres import Server
from tests.webhooks.serving import serving

SECRET = "0123456789abcdef0123456789abcdef"
KEY = "sk-this-must-never-show"
PUBLIC = "https://bouncer.example.com"


@pytest.fixture
def healthy(
    fake_github: FakeGitHub, databases: Databases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> FakeGitHub:
    """An environment in which nothing is wrong."""
    monkeypatch.delenv("BOUNCER_TEST_DATABASE", raising=False)  # it is the tests', and no setting
    fake_github.webhook_url = f"{PUBLIC}/webhook"
    fake_github.app.webhook_secret = SECRET
    given = {
        "DATABASE_URL": databases.migrated(),
        "CACHE_DIR": f"{tmp_path}/cache",
        "PACKAGE_INDEX": f"{fake_github.web_url}/simple",
        "PORT": "0",
        "PUBLIC_URL": PUBLIC,
    }
    given = {f"BOUNCER_{name}": value for name, value in given.items()}
    for name, value in {**fake_github.environment(), **given}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("bot.commands.doctor.sandbox_lines", ran_once)
    reached = passes("public address", "leads to Bouncer")
    monkeypatch.setattr("bot.commands.doctor.public_line", lambda settings: real_public_line(settings, reached))
    return fake_github


def real_public_line(settings: Settings, reached: CheckLine) -> CheckLine:
    """What it says of an address that a test sets; no web process runs beside the other tests."""
    return reached if settings.public_url == PUBLIC else public_line(settings)


RAN: dict[tuple[str, ...], tuple[CheckLine, ...]] = {}


def ran_once(settings: Settings) -> tuple[CheckLine, ...]:
    """What really ran on this machine: once for all tests that are about something else."""
    key = (settings.executor, os.environ["PATH"], doctor_running._WRONG.decode())
    if key not in RAN:
        RAN[key] = doctor_running.sandbox_lines(settings)
    return RAN[key]


def examine(*options: str) -> dict[str, list[CheckLine]]:
    """The lines by check; checks on the way that the exit status tells and that no secret shows."""
    result = CliRunner().invoke(main, ["doctor", "--json", *options], catch_exceptions=False)
    document = json.loads(result.stdout)
    lines = [
        CheckLine(item["check"], CheckOutcome(item["outcome"]), item["says"], item["mend"])
        for item in document["checks"]
    ]
    failed = any(line.outcome is CheckOutcome.FAIL for line in lines)
    assert document["ok"] is not failed
    assert result.exit_code == (2 if failed else 0)
    for line in lines:
        assert line.outcome is CheckOutcome.PASS or line.mend or line.check in ("private key", "database"), line
    for secret in (SECRET, KEY, "PRIVATE KEY-----", "MII"):
        assert secret not in result.output
    found: dict[str, list[CheckLine]] = {}
    for line in lines:
        found.setdefault(line.check, []).append(line)
    return found


def outcomes(lines: list[CheckLine]) -> list[CheckOutcome]:
    return [line.outcome for line in lines]


def test_nothing_fails_where_nothing_is_wrong(healthy: FakeGitHub, tmp_path: Path) -> None:
    found = examine()
    assert {line.outcome for lines in found.values() for line in lines} == {CheckOutcome.PASS}
    assert {"webhook secret", "private key", "github", "clock", "permissions", "events", "webhook", "database"} <= set(
        found
    )
    assert "tried to break out" in found["sandbox"][0].says
    assert "ran as it should" in found["verification"][0].says
    assert not (tmp_path / "cache").exists(), "a doctor changes nothing"


def attempt(status: int) -> HookDelivery:
    return HookDelivery(1, "guid", "issues", "opened", "2026-05-01T12:00:00Z", False, status, 1, 1)


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
    healthy.webhook_url = f"{gone}/webhook"
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
        healthy.webhook_url = f"{web.address}/webhook"
        for secret, outcome in (("another secret of GitHub's", CheckOutcome.FAIL), (SECRET, CheckOutcome.PASS)):
            healthy.app.webhook_secret = secret
            healthy.open_issue("acme/widgets", "It broke", "x")
            healthy.wait_for_webhooks()
            found = examine()
            assert outcomes(found["deliveries"]) == [outcome]
            assert outcomes(found["public address"]) == [CheckOutcome.PASS]
        healthy.webhook_url = f"{PUBLIC}/webhook"


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


def test_without_what_running_takes_it_fails_with_the_mend(
    healthy: FakeGitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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


@pytest.mark.parametrize(
    ("says", "outcome"),
    [
        ("git version 2.34.1", CheckOutcome.FAIL),
        ("git version 2.9.5 (Apple Git-1)", CheckOutcome.FAIL),
        ("git version 2.38.0", CheckOutcome.PASS),
        ("git version 3.0.rc1", CheckOutcome.PASS),
        ("a git", CheckOutcome.FAIL),
    ],
)
def test_a_git_that_cannot_merge_as_bouncer_does_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, outcome: CheckOutcome
) -> None:
    (tmp_path / "git").write_text(f"#!/bin/sh\necho '{says}'\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert doctor_running.git_line().outcome is outcome


def test_a_small_verification_that_goes_wrong_fails(healthy: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.commands.doctor_running._WRONG", b"def half(number):\n    return number / 2\n")
    (line,) = examine("--offline")["verification"]
    assert line.outcome is CheckOutcome.FAIL


def test_the_lines_for_people_say_the_same(healthy: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_MODLE", "x")
    result = CliRunner().invoke(main, ["doctor"])
    assert result.exit_code == 0
    assert "warn  settings: BOUNCER_MODLE is not a setting\n      Did you mean BOUNCER_MODEL?\n" in result.stdout
    assert "pass  github: 127.0.0.1 knows the App as Bouncer\n" in result.stdout


def test_a_setting_that_cannot_be_read_ends_it(healthy: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_PORT", "many")
    found = examine()
    assert list(found) == ["settings"]
    assert found["settings"][0].says.startswith("BOUNCER_PORT: ")


@pytest.mark.parametrize(
    ("name", "value", "check", "outcome", "says"),
    [
        ("BOUNCER_WEBHOOK_SECRET", "", "webhook secret", CheckOutcome.FAIL, "is not set"),
        ("BOUNCER_WEBHOOK_SECRET", "short", "webhook secret", CheckOutcome.WARN, "shorter than 16"),
        ("BOUNCER_PRIVATE_KEY", "not a key", "private key", CheckOutcome.FAIL, "contains no private key"),
        ("BOUNCER_PRIVATE_KEY", "", "private key", CheckOutcome.FAIL, "is missing"),
        ("BOUNCER_APP_ID", "99", "github", CheckOutcome.FAIL, "refuses the App (401"),
        ("BOUNCER_GITHUB_API_URL", "http://127.0.0.1:9", "github", CheckOutcome.FAIL, "cannot be reached"),
        ("BOUNCER_GITHUB_API_URL", "github.com", "github", CheckOutcome.FAIL, "is no web address"),
        (
            "BOUNCER_DATABASE_URL",
            "sqlite:////proc/no/such.db",
            "database",
            CheckOutcome.FAIL,
            "there is no /proc/no/such.db",
        ),
        ("BOUNCER_DATABASE_URL", "mysql://x", "database", CheckOutcome.FAIL, "knows SQLite and PostgreSQL"),
    ],
)
def test_each_setting_that_is_wrong_is_named(
    healthy: FakeGitHub,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    value: str,
    check: str,
    outcome: CheckOutcome,
    says: str,
) -> None:
    monkeypatch.setenv(name, value)
    (line,) = examine()[check]
    assert (line.outcome, says in line.says) == (outcome, True), line


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


@pytest.mark.parametrize(
    ("hook", "public", "outcome", "says"),
    [
        (None, PUBLIC, CheckOutcome.FAIL, "no address to send deliveries to"),
        ("https://x.example/", PUBLIC, CheckOutcome.FAIL, "deliveries go to https://x.example/, and not to"),
        ("https://old.example/webhook", PUBLIC, CheckOutcome.FAIL, f"and not to {PUBLIC}/webhook"),
        ("http://bouncer.example.com/webhook", PUBLIC, CheckOutcome.FAIL, f"and not to {PUBLIC}/webhook"),
        (f"{PUBLIC}/webhook", f"{PUBLIC}/tea/", CheckOutcome.FAIL, f"and not to {PUBLIC}/tea/webhook"),
        (f"{PUBLIC}/tea/webhook", f"{PUBLIC}/tea/", CheckOutcome.PASS, f"deliveries go to {PUBLIC}/tea/webhook"),
        ("https://Bouncer.Example.com/webhook", PUBLIC, CheckOutcome.PASS, "deliveries go to"),
        (f"{PUBLIC}/tea/webhook", "", CheckOutcome.WARN, "BOUNCER_PUBLIC_URL is not set"),
        ("https://x.example/", "", CheckOutcome.FAIL, "deliveries go to https://x.example/"),
    ],
)
def test_deliveries_go_to_this_server(hook: str | None, public: str, outcome: CheckOutcome, says: str) -> None:
    (line,) = _hook(Registration(200, "", None, hook_url=hook or "", hook_secret=True), public)
    assert (line.outcome, says in line.says) == (outcome, True), line


def test_a_webhook_that_leads_elsewhere_fails(healthy: FakeGitHub) -> None:
    healthy.webhook_url = "https://old.example/webhook"
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


@pytest.mark.parametrize(
    ("seconds", "outcome"),
    [(0, CheckOutcome.PASS), (40, CheckOutcome.WARN), (-40, CheckOutcome.WARN), (300, CheckOutcome.FAIL)],
)
def test_a_wrong_clock_is_told(
    healthy: FakeGitHub, monkeypatch: pytest.MonkeyPatch, seconds: int, outcome: CheckOutcome
) -> None:
    class Skewed(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return datetime.now(UTC) + timedelta(seconds=seconds)

    monkeypatch.setattr("bot.commands.doctor.datetime", Skewed)
    assert outcomes(examine()["clock"]) == [outcome]


def test_a_database_that_is_not_migrated_fails(
    healthy: FakeGitHub, databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOUNCER_DATABASE_URL", databases.empty())
    (line,) = examine()["database"]
    assert line.outcome is CheckOutcome.FAIL
    assert "bouncer migrate" in line.says + line.mend


@pytest.mark.sqlite("a file that is not there")
def test_a_file_that_is_not_there_fails_and_is_not_made(
    healthy: FakeGitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOUNCER_DATABASE_URL", f"sqlite:///{tmp_path}/fresh.db")
    (line,) = examine()["database"]
    assert (line.outcome, line.mend) == (CheckOutcome.FAIL, "Run `bouncer migrate`.")
    assert not (tmp_path / "fresh.db").exists(), "a doctor writes nothing"


@pytest.mark.sqlite("its files")
@pytest.mark.parametrize("name", ["bouncer.db", "bouncer-inbox.db"])
def test_a_file_that_refuses_writes_fails(healthy: FakeGitHub, name: str) -> None:
    directory = Path(os.environ["BOUNCER_DATABASE_URL"].removeprefix("sqlite:///")).parent
    # A version-1 header byte for writing makes SQLite treat the file as read-only, for root as well.
    with (directory / name).open("r+b") as file:
        file.seek(18)
        file.write(b"\x03")
    (line,) = examine()["database"]
    assert line.outcome is CheckOutcome.FAIL


@pytest.mark.postgres
def test_a_server_that_refuses_writes_fails(
    healthy: FakeGitHub, postgres: Server, postgres_databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres_databases.migrated()
    postgres.execute(f"ALTER DATABASE {url.rpartition('/')[2]} SET default_transaction_read_only = on")
    monkeypatch.setenv("BOUNCER_DATABASE_URL", url)
    (line,) = examine()["database"]
    assert (line.outcome, "read-only transaction" in line.says) == (CheckOutcome.FAIL, True), line


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


@pytest.mark.parametrize(
    ("changes", "outcome", "says"),
    [
        ({}, CheckOutcome.PASS, "gpt-4.1 at 127.0.0.1"),
        ({"MODEL": "smal"}, CheckOutcome.FAIL, "does not list the model smal"),
        ({"MODEL_API_KEY": "wrong"}, CheckOutcome.FAIL, "refuses the key (401)"),
        ({"MODEL_BASE_URL": "{address}/other"}, CheckOutcome.WARN, "does not list its models (404)"),
        ({"MODEL_BASE_URL": "http://127.0.0.1:9/v1"}, CheckOutcome.FAIL, "cannot be reached (ConnectionError)"),
    ],
)
def test_the_model_is_asked_for_its_name_only(
    models: str, monkeypatch: pytest.MonkeyPatch, changes: dict[str, str], outcome: CheckOutcome, says: str
) -> None:
    for name, value in changes.items():
        monkeypatch.setenv(f"BOUNCER_{name}", value.format(address=models))
    (line,) = examine()["judge"]
    assert (line.outcome, says in line.says) == (outcome, True), line


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({}, CheckOutcome.PASS),
        ({"MODEL_SPEND_PER_DAY": "0"}, CheckOutcome.WARN),
        ({"MODEL_PRICE_IN": "0"}, CheckOutcome.FAIL),
        ({"MODEL_PRICE_IN": "0", "MODEL_SPEND_PER_DAY": "0"}, CheckOutcome.WARN),
    ],
)
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
    assert [line.says for line in lines["judge"]] == ["gpt-4.1 at 127.0.0.1: judges, checks reviews"]
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


def test_everything_that_is_not_set_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.commands.doctor.sandbox_lines", ran_once)
    for name in ("APP_ID", "PRIVATE_KEY", "PRIVATE_KEY_PATH", "WEBHOOK_SECRET"):
        monkeypatch.delenv(f"BOUNCER_{name}", raising=False)
    told = CliRunner().invoke(main, ["doctor"]).stdout
    assert "fail  app: No App is set up yet\n      Start `bouncer run` with BOUNCER_SETUP=1" in told
    assert "webhook secret" not in told, "before there is an App, that is no mend"
    monkeypatch.setenv("BOUNCER_CLIENT_ID", "Iv1.half-an-app")
    told = CliRunner().invoke(main, ["doctor"]).stdout
    assert all(f"fail  {check}:" in told for check in ("webhook secret", "private key", "app id"))


def test_statements_and_traces_are_looked_at_where_they_are_switched_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (*traces.ENDPOINTS, *traces.PROTOCOLS):
        monkeypatch.delenv(name, raising=False)
    assert list(extra_lines(Settings())) == []
    with_key = Settings(statement_key_path=tmp_path / "key.pem")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://me:{SECRET}@collector:4318")
    missing, sent = extra_lines(with_key)
    assert missing.outcome is CheckOutcome.FAIL and "No such file or directory" in missing.says and missing.mend
    assert sent == passes("traces", "sent to collector:4318")
    make_key(tmp_path / "key.pem")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    signed, refused = extra_lines(with_key)
    assert signed.outcome is CheckOutcome.PASS and signed.says.startswith("signed with the key ")
    assert refused.outcome is CheckOutcome.WARN and "4318" in refused.mend
