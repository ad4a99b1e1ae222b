"""`bouncer judge issue https://…`: the issue is read from GitHub without a key, and judged."""

import json

import pytest
from click.testing import CliRunner

from bot.cli import main
from bot.demo.scenario import STORIES
from fake_github import FakeGitHub


@pytest.mark.parametrize(("key", "verdict"), [("vague", "BOUNCE"), ("clear", "ACCEPT")])
def test_a_public_issue_is_judged(
    fake_github: FakeGitHub, monkeypatch: pytest.MonkeyPatch, key: str, verdict: str
) -> None:
    monkeypatch.setenv("BOUNCER_GITHUB_API_URL", fake_github.url)
    monkeypatch.setenv("BOUNCER_GITHUB_WEB_URL", fake_github.web_url)
    fake_github.create_repository("acme/judged")
    story = next(story for story in STORIES if story.key == key)
    number = fake_github.open_issue("acme/judged", story.title, story.body)
    done = CliRunner().invoke(
        main, ["judge", "issue", f"{fake_github.web_url}/acme/judged/issues/{number}", "--json"], catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["verdict"] == verdict
    assert fake_github.writes("acme/judged") == []


def test_a_private_issue_is_not_told_from_an_absent_one(
    fake_github: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOUNCER_GITHUB_API_URL", fake_github.url)
    fake_github.create_repository("acme/secret", private=True)
    number = fake_github.open_issue("acme/secret", "Export is broken", "It does not work.")
    done = CliRunner().invoke(main, ["judge", "issue", f"https://github.com/acme/secret/issues/{number}", "--json"])
    assert (done.exit_code, list(json.loads(done.stdout))) == (2, ["error"])
    assert "there is no such issue, or it is private" in done.stderr
