"""A machine on which `bouncer doctor` finds nothing wrong: the fake GitHub and a real database."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli import main
from bot.commands.doctor_github import public_line
from bot.commands.doctor_lines import CheckLine, CheckOutcome, passes
from bot.commands.doctor_running import sandbox_lines
from bot.settings import Settings
from fake_github import FakeGitHub
from tests.support.databases import Databases

SECRET = "0123456789abcdef0123456789abcdef"
KEY = "sk-this-must-never-show"
PUBLIC = "https://bouncer.example.com"


@pytest.fixture
def healthy(
    fake_github: FakeGitHub, databases: Databases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> FakeGitHub:
    """An environment in which nothing is wrong; nothing is run in it."""
    for name in [name for name in os.environ if name.startswith(("BOUNCER_", "OTEL_"))]:
        monkeypatch.delenv(name)  # it is of whoever runs the tests
    fake_github.app.webhook_url = f"{PUBLIC}/webhook"
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
    monkeypatch.setattr("bot.commands.doctor.sandbox_lines", lambda settings: (passes("sandbox", "looked at"),))
    reached = passes("public address", "leads to Bouncer")
    monkeypatch.setattr("bot.commands.doctor.public_line", lambda settings: real_public_line(settings, reached))
    return fake_github


@pytest.fixture
def sandboxed(healthy: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> FakeGitHub:
    """As `healthy`, and what has to run really runs."""
    monkeypatch.setattr("bot.commands.doctor.sandbox_lines", sandbox_lines)
    return healthy


def real_public_line(settings: Settings, reached: CheckLine) -> CheckLine:
    """What it says of an address that a test sets; no web process runs beside the other tests."""
    return reached if settings.public_url == PUBLIC else public_line(settings)


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
