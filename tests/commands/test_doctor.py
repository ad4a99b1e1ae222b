"""`bouncer doctor` against the fake GitHub and a real database."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli import main
from bot.commands.doctor_lines import CheckOutcome, passes
from bot.commands.doctor_running import extra_lines
from bot.settings import Settings
from bot.statements.keys import make_key
from bot.telemetry import traces
from fake_github import FakeGitHub
from tests.commands.doctors import SECRET, examine, healthy, sandboxed
from tests.support.cases import cases
from tests.support.databases import Databases
from tests.support.postgres import Server

__all__ = ["healthy", "sandboxed"]


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
