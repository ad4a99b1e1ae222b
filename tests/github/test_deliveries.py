"""The App's delivery log: what was missed can be asked for again."""

from datetime import timedelta

import pytest

from bot.github.app import GitHubApp
from bot.github.errors import NotFound
from fake_github import FakeGitHub
from tests.github.conftest import Hours

REPO = "acme/widgets"


def test_deliveries_since_a_moment_over_all_pages(fake_github: FakeGitHub, github_app: GitHubApp, hours: Hours) -> None:
    fake_github.open_issue(REPO, "Old", "")
    hours.time += 3600
    since = hours.as_datetime().replace(microsecond=0)
    numbers = [fake_github.open_issue(REPO, str(place), "") for place in range(130)]
    fake_github.wait_for_webhooks()
    found = github_app.deliveries(since)
    assert len(found) == len(numbers)
    assert [item.id for item in found] == sorted((item.id for item in found), reverse=True)
    assert {(item.event, item.action, item.status_code, item.is_delivered) for item in found} == {
        ("issues", "opened", 502, False)
    }
    assert len(github_app.deliveries(since - timedelta(hours=2))) == len(numbers) + 1
    assert github_app.deliveries(since + timedelta(hours=1)) == ()


def test_a_redelivery_has_the_same_guid(fake_github: FakeGitHub, github_app: GitHubApp, hours: Hours) -> None:
    fake_github.open_issue(REPO, "It broke", "")
    fake_github.wait_for_webhooks()
    (missed,) = github_app.deliveries(hours.as_datetime() - timedelta(minutes=1))
    github_app.redeliver(missed.id)
    fake_github.wait_for_webhooks()
    again, first = github_app.deliveries(hours.as_datetime() - timedelta(minutes=1))
    assert first == missed
    assert (again.guid, again.redelivery, again.id != first.id) == (first.guid, True, True)
    assert again.installation_id == next(iter(fake_github.installations))
    with pytest.raises(NotFound):
        github_app.redeliver(1)
