"""`bouncer setup` and `bouncer doctor` against the fake GitHub and a real database."""

import os
import re
import subprocess
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests
from click.testing import CliRunner, Result

from bot import settings_file
from bot.cli import main
from bot.commands import setup
from bot.commands.doctor_lines import CheckOutcome, passes
from bot.commands.doctor_running import extra_lines
from bot.settings import Settings, load
from bot.statements.keys import make_key
from bot.telemetry import traces
from fake_github import FakeGitHub
from tests.commands.doctors import SECRET, examine, healthy, sandboxed
from tests.support.cases import cases
from tests.support.databases import Databases
from tests.support.postgres import Server
from tests.support.waiting import eventually
from tests.webhooks.serving import bouncer, environment

__all__ = ["healthy", "sandboxed"]


PUBLIC = "https://bouncer.example.com"
REPO = "acme/widgets"


@pytest.fixture
def kept(fake_github: FakeGitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The settings file of an environment that knows of no App."""
    for name in [name for name in os.environ if name.startswith("BOUNCER_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv(settings_file.VARIABLE, str(tmp_path / "app.env"))
    monkeypatch.setenv("BOUNCER_GITHUB_WEB_URL", fake_github.web_url)
    monkeypatch.setenv("BOUNCER_GITHUB_API_URL", fake_github.url)
    monkeypatch.setenv("BOUNCER_PACKAGE_INDEX", f"{fake_github.web_url}/simple")
    monkeypatch.setenv("BOUNCER_PORT", "0")
    monkeypatch.setattr("bot.commands.doctor.sandbox_lines", lambda settings: (passes("sandbox", "looked at"),))
    monkeypatch.chdir(tmp_path)  # the database will lie below
    return tmp_path / "app.env"


def take_over(github: FakeGitHub, folder: Path, *options: str) -> Result:
    key = folder / "key.pem"
    key.write_text(github.private_key)
    app = ("--app-id", str(github.app.id), "--private-key", str(key))
    return CliRunner().invoke(main, ["setup", "--public-url", PUBLIC, *app, *options], catch_exceptions=False)


@pytest.mark.sqlite("the default database, which is a file")
def test_an_app_is_taken_over_kept_and_checked_on_a_machine_that_is_new_to_it(
    kept: Path, fake_github: FakeGitHub, fake_installation: int, tmp_path: Path
) -> None:
    found = take_over(fake_github, tmp_path)
    assert found.exit_code == 0, found.output
    assert f"Kept in {kept}" in found.output
    assert "pass  database: reachable, migrated and writable\n" in found.output
    assert f"pass  webhook: deliveries go to {PUBLIC}/webhook\n" in found.output
    assert not re.search(r"^(fail|warn)", found.output, re.MULTILINE), found.output
    assert "Start it with `bouncer run`" in found.output and "`bouncer report` then links to" in found.output
    assert f"{fake_github.web_url}/apps/{fake_github.app.slug}/installations/new" in found.output
    now = load()
    assert (now.app_id, now.public_url) == (fake_github.app.id, PUBLIC)
    assert fake_github.app.webhook_url == f"{PUBLIC}/webhook"
    assert fake_github.app.webhook_secret not in found.output and "PRIVATE KEY" not in found.output
    again = take_over(fake_github, tmp_path)
    assert (again.exit_code, "there is an App already" in again.output) == (2, True)


def test_printed_credentials_are_variables_and_nothing_is_kept(
    kept: Path, fake_github: FakeGitHub, fake_installation: int, tmp_path: Path
) -> None:
    found = take_over(fake_github, tmp_path, "--print")
    assert found.exit_code == 0, found.output
    lines = dict(line.split("=", 1) for line in found.output.splitlines() if line.startswith("BOUNCER_"))
    assert lines["BOUNCER_APP_ID"] == str(fake_github.app.id)
    assert lines["BOUNCER_PRIVATE_KEY"].startswith("-----BEGIN") and "\\n" in lines["BOUNCER_PRIVATE_KEY"]
    assert lines["BOUNCER_WEBHOOK_SECRET"] == fake_github.app.webhook_secret
    assert not kept.exists()


@cases
def test_what_cannot_work_is_said_with_the_mend(
    options: list[str], says: str, kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wrong.pem").write_text("x")
    Path("odd.pem").write_bytes(b"\xff")
    if says.startswith("cannot listen"):
        monkeypatch.setattr(setup, "make_server", refuse)
    found = CliRunner().invoke(main, ["setup", *options], catch_exceptions=False)
    assert (found.exit_code, says in found.output) == (2, True), found.output
    assert not kept.exists()


def refuse(*given: object, **more: object) -> None:
    """As werkzeug does where a port is taken: it says so itself, and exits."""
    raise SystemExit(1)


def test_a_new_app_of_an_organisation_at_an_enterprise_server_by_the_pages_on_this_machine(
    fake_github: FakeGitHub, databases: Databases, tmp_path: Path
) -> None:
    given = {"webhook_secret": "", "settings_file": str(tmp_path / "app.env")}
    owner = ("--github", fake_github.web_url, "--organization", "tea-house")
    console = tmp_path / "console"
    with console.open("wb") as output:
        process = subprocess.Popen(
            bouncer("setup", "--public-url", PUBLIC, "--print", *owner),
            env=environment(databases.empty(), **given),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        link = eventually(lambda: next((word for word in console.read_text().split() if "token=" in word), ""))
        with requests.Session() as person:
            page = person.get(link, timeout=120).text
            action = unescape(re.findall(r'action="([^"]+/apps/new[^"]*)"', page)[0])
            manifest = unescape(re.findall(r'name="manifest" value="([^"]+)"', page)[0])
            confirm = person.post(action, data={"manifest": manifest}, timeout=120).text
            form = {name: unescape(value) for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', confirm)}
            done = person.post(f"{fake_github.web_url}/settings/apps", data=form, timeout=120)
            assert urlsplit(done.url).path == "/setup/done" and "is ready" in done.text
        eventually(lambda: "Waiting for that" in console.read_text())
        assert process.poll() is None
        fake_github.install("acme", [REPO])
        assert process.wait(300) == 0
    finally:
        process.kill()
    said = console.read_text()
    assert f"BOUNCER_APP_ID={fake_github.app.id}" in said and f"BOUNCER_PUBLIC_URL={PUBLIC}" in said
    assert f"BOUNCER_GITHUB_API_URL={fake_github.web_url}/api/v3" in said
    assert (fake_github.app.webhook_url, fake_github.app.owner.login) == (f"{PUBLIC}/webhook", "tea-house")


def test_nothing_fails_where_nothing_is_wrong(sandboxed: FakeGitHub, tmp_path: Path) -> None:
    found = examine()
    assert [line for lines in found.values() for line in lines if line.outcome is not CheckOutcome.PASS] == []
    assert {"webhook secret", "private key", "github", "clock", "permissions", "events", "webhook", "database"} <= set(
        found
    )
    assert "tried to break out" in found["sandbox"][0].says
    assert "a small test worked" in found["verification"][0].says
    assert not (tmp_path / "cache").exists(), "a doctor changes nothing"


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


@cases
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


def test_everything_that_is_not_set_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.commands.doctor.sandbox_lines", lambda settings: ())
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
