"""`bouncer setup` against the fake GitHub: a new App, one that is taken over, and what cannot work."""

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
from bot.commands.doctor_lines import passes
from bot.settings import load
from fake_github import FakeGitHub
from tests.support.cases import cases
from tests.support.databases import Databases
from tests.support.waiting import eventually
from tests.webhooks.serving import bouncer, environment

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
            page = person.get(link, timeout=20).text
            action = unescape(re.findall(r'action="([^"]+/apps/new[^"]*)"', page)[0])
            manifest = unescape(re.findall(r'name="manifest" value="([^"]+)"', page)[0])
            confirm = person.post(action, data={"manifest": manifest}, timeout=20).text
            form = {name: unescape(value) for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', confirm)}
            done = person.post(f"{fake_github.web_url}/settings/apps", data=form, timeout=20)
            assert urlsplit(done.url).path == "/setup/done" and "is ready" in done.text
        eventually(lambda: "Waiting for that" in console.read_text())
        assert process.poll() is None
        fake_github.install("acme", [REPO])
        assert process.wait(60) == 0
    finally:
        process.kill()
    said = console.read_text()
    assert f"BOUNCER_APP_ID={fake_github.app.id}" in said and f"BOUNCER_PUBLIC_URL={PUBLIC}" in said
    assert f"BOUNCER_GITHUB_API_URL={fake_github.web_url}/api/v3" in said
    assert (fake_github.app.webhook_url, fake_github.app.owner.login) == (f"{PUBLIC}/webhook", "tea-house")
