"""`GET /welcome/TOKEN`: what would have been said, and GitHub's pages filled in; strangers' titles stay text."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape

import pytest

from bot.storage.database import Database
from bot.storage.tokens import new_token
from bot.storage.welcomes import Welcome, WelcomeIssue, Welcomes, welcome_pages
from bot.verdicts import IssueKind
from tests.webhooks.judged import heard_of, vague
from tests.webhooks.test_receive import settings
from webhooks.app import create_app
from webhooks.headers import HEADERS

PUBLIC = "https://bouncer.example.com"


@pytest.fixture
def store(url: str) -> Iterator[Welcomes]:
    """Of a server that knows the repository as a public one."""
    database = Database.open(url)
    heard_of(database, "acme/widgets", 7)
    yield Welcomes(database)
    database.close()


def made(*issues: WelcomeIssue) -> Welcome:
    return Welcome(7, 1, "acme/widgets", new_token(), "main", datetime(2026, 5, 1, tzinfo=UTC), issues)


def held(number: int, title: str = "It broke") -> WelcomeIssue:
    return WelcomeIssue(number, title, vague(), ("balanced", "strict"))


def page(url: str, store: Welcomes, welcome: Welcome) -> str:
    store.save(welcome)
    found = create_app(settings(url, public_url=PUBLIC)).test_client().get(f"/welcome/{welcome.token}")
    assert found.status_code == 200, found.text
    assert found.headers["Content-Security-Policy"] == HEADERS["Content-Security-Policy"]
    assert found.headers["Cache-Control"] == "private, no-store"
    return unescape(found.text)


def test_it_shows_what_would_have_been_held_and_the_policy_to_begin_with(url: str, store: Welcomes) -> None:
    strict = replace(held(8), held_by=("strict",))
    welcome = made(held(9), strict, WelcomeIssue(5, "Weekly numbers", None, left_alone="a bot opened it"))
    text = page(url, store, welcome)
    assert "It would have held 1 of the last 3 issues" in text
    assert "The report leaves out steps to reproduce." in text and "What do you do?" in text
    assert "balanced</th><td>1 of 3" in text and "strict</th><td>2 of 3" in text and "lenient</th><td>0 of 3" in text
    assert "(a bot opened it)" in text
    assert "https://github.com/acme/widgets/new/main?filename=.github%2Fbouncer.yml&value=" in text
    assert "https://github.com/acme/widgets/issues/new?title=" in text
    assert f"{PUBLIC}/welcome/{welcome.token}".replace(":", "%3A").replace("/", "%2F") in text


def test_a_repository_without_issues_is_welcome_too(url: str, store: Welcomes) -> None:
    text = page(url, store, made())
    assert "There is no issue to show yet" in text and "Add it on GitHub" in text
    assert "issues/new?" not in text


def test_issues_that_are_all_left_alone_are_issues_all_the_same(url: str, store: Welcomes) -> None:
    text = page(url, store, made(WelcomeIssue(5, "Ours", None, left_alone="its author is exempt")))
    assert "It would have held 0 of the last 1 issue<" in text and "(its author is exempt)" in text
    assert "says enough to act on, or is left alone." in text


def test_titles_of_strangers_stay_text(url: str, store: Welcomes) -> None:
    welcome = made(held(9, "<script>alert(1)</script>"))
    store.save(welcome)
    found = create_app(settings(url)).test_client().get(f"/welcome/{welcome.token}").text
    assert "<script>" not in found and "&lt;script&gt;" in found


def test_of_what_reads_like_a_vulnerability_nothing_is_shown(url: str, store: Welcomes) -> None:
    issue = replace(held(9), verdict=vague("how to exploit it", kind=IssueKind.VULNERABILITY))
    assert "exploit" not in page(url, store, made(issue))


@pytest.mark.parametrize("token", ["x", "a" * 32, "../x", "%00"])
def test_other_addresses_lead_nowhere(url: str, store: Welcomes, token: str) -> None:
    store.save(made())
    assert create_app(settings(url)).test_client().get(f"/welcome/{token}").status_code == 404


@pytest.mark.parametrize("repo_id", [8, 9])
def test_that_of_a_private_or_unknown_one_is_not_for_whoever_knows_the_address(
    url: str, store: Welcomes, repo_id: int
) -> None:
    database = Database.open(url)
    heard_of(database, "acme/secret", 8, private=True)
    database.close()
    welcome = replace(made(held(9)), repo_id=repo_id)
    store.save(welcome)
    found = create_app(settings(url)).test_client().get(f"/welcome/{welcome.token}")
    assert (found.status_code, "It broke" in found.text) == (403, False)


def test_the_addresses_by_repository(store: Welcomes) -> None:
    welcome = made()
    store.save(welcome)
    assert welcome_pages(store.all(), PUBLIC) == {"acme/widgets": f"{PUBLIC}/welcome/{welcome.token}"}
    assert welcome_pages(store.all(), "") == welcome_pages(store.all(), PUBLIC, "other/one") == {}
    assert list(welcome_pages(store.all(), PUBLIC, "ACME/widgets")) == ["acme/widgets"]
