"""Writes keep their distance, and one installation's waits are its own."""

import threading

import pytest

from bot.github.channel import Clock, Pace
from bot.github.errors import RateLimited
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
