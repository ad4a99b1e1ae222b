"""The way to GitHub: writes keep their distance, proxies are used, and missed deliveries are asked for again."""

import threading
from datetime import timedelta

import pytest

from bot.github.app import GitHubApp
from bot.github.channel import Clock, Pace
from bot.github.errors import NotFound, RateLimited, Unavailable
from bot.github.transport import Transport
from fake_github import FakeGitHub
from tests.github.conftest import Hours, make_app, make_client

REPO = "acme/widgets"


def test_writes_are_paced_and_reads_are_not(fake_github: FakeGitHub, hours: Hours) -> None:
    client = make_client(fake_github, make_app(fake_github, hours, gap=1.0))
    number = fake_github.open_issue(REPO, "It broke", "help")
    for _ in range(3):
        client.get_issue(number)
    assert hours.slept == []
    for text in "abc":
        client.create_comment(number, text)
        client.get_issue(number)
    assert hours.slept == pytest.approx([1.0, 1.0])
    hours.time += 5
    client.create_comment(number, "d")
    assert len(hours.slept) == 2


def test_repositories_of_one_installation_share_its_pace(fake_github: FakeGitHub, hours: Hours) -> None:
    fake_github.create_repository("acme/gadgets")
    fake_github.add_repositories(next(iter(fake_github.installations)), ["acme/gadgets"])
    app = make_app(fake_github, hours, gap=1.0)
    for name in (REPO, "acme/gadgets"):
        number = fake_github.open_issue(name, "It broke", "help")
        make_client(fake_github, app, name).create_comment(number, "Hello")
    assert hours.slept == pytest.approx([1.0])


def test_one_installations_limit_does_not_hold_up_another(fake_github: FakeGitHub, hours: Hours) -> None:
    fake_github.create_repository("other/thing")
    fake_github.install("other", ["other/thing"])
    app = make_app(fake_github, hours, gap=1.0, patience=10)
    ours, other = make_client(fake_github, app), make_client(fake_github, app, "other/thing")
    ours.about()
    fake_github.limit_rate(retry_after=600)
    with pytest.raises(RateLimited):
        ours.about()
    assert other.about().default_branch == "main"
    number = fake_github.open_issue("other/thing", "It broke", "help")
    other.create_comment(number, "Hello")
    assert hours.slept == []


def test_many_threads_each_get_a_turn_of_their_own() -> None:
    turns: list[float] = []
    lock = threading.Lock()

    def sleep(seconds: float) -> None:
        with lock:
            turns.append(seconds)

    pace = Pace(1.0, 100, Clock(wall=lambda: 0.0, ticks=lambda: 50.0, sleep=sleep))
    threads = [threading.Thread(target=pace.wait_for_turn, kwargs={"write": True}) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(turns) == [float(place) for place in range(1, 20)]


def test_a_turn_too_far_away_is_refused_and_not_reserved() -> None:
    hours = Hours()
    pace = Pace(6.0, 10.0, hours.clock)
    stuck = Pace(6.0, 10.0, Clock(wall=lambda: 0.0, ticks=lambda: 0.0, sleep=lambda seconds: None))
    stuck.wait_for_turn(write=True)
    stuck.wait_for_turn(write=True)
    for _ in range(2):
        with pytest.raises(RateLimited) as caught:
            stuck.wait_for_turn(write=True)
        assert caught.value.retry_after == 12.0
    pace.block(5)
    pace.block(3)
    pace.wait_for_turn(write=False)
    assert hours.slept == pytest.approx([5.0])


ELSEWHERE = "http://github.invalid/api/v3"


@pytest.fixture
def proxied(fake_github: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """The only way to GitHub leads over a proxy, as which the fake serves."""
    for name in ("http_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", fake_github.web_url)


@pytest.mark.usefixtures("proxied")
def test_the_proxy_of_the_environment_is_used() -> None:
    assert Transport(ELSEWHERE).send("GET", "/app", "").status == 401


@pytest.mark.usefixtures("proxied")
def test_none_is_used_for_an_address_that_wants_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "github.invalid")
    with pytest.raises(Unavailable, match="no connection"):
        Transport(ELSEWHERE).send("GET", "/app", "")


@pytest.mark.usefixtures("proxied")
def test_the_certificates_of_the_environment_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/etc/own.pem")
    assert Transport("https://github.invalid")._connection.verify == "/etc/own.pem"


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
