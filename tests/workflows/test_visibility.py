"""Pages close at once where a delivery says that their repository is private, and open again once GitHub says so. One
that is made private and stays quiet sends no delivery, and its pages must not stay open either."""

from datetime import timedelta
from unittest.mock import Mock, patch

import pytest
from flask.testing import FlaskClient
from sqlalchemy.exc import OperationalError

from bot.github.errors import NoToken
from bot.github.values import Repository
from bot.storage.repositories import Repositories
from bot.workflows.visibility import AGAIN, AT_ONCE, EVERY, Visibility, record_of
from fake_github.webhooks import SentDelivery
from tests.webhooks.sending import signed
from tests.workflows.house import House
from webhooks.app import create_app


def page(house: House, repo: str) -> str:
    """The address of the page of an issue there."""
    number = house.open(repo)
    return "/verdicts/" + house.spoken(repo, number).partition("/verdicts/")[2].partition(")")[0]


def web(house: House) -> FlaskClient:
    return create_app(house.settings).test_client()


def opened(house: House) -> tuple[str, FlaskClient, str]:
    """A public repository whose turn to be asked about is over, with a page that is open."""
    repo = house.repository()
    client, address = web(house), page(house, repo)
    house.tick(minutes=2)
    assert client.get(address).status_code == 200
    return repo, client, address


def arrives(house: House, client: FlaskClient, *sent: SentDelivery) -> None:
    """At the real door; those that are not named here are lost."""
    house.lose()
    clock = Mock(now=lambda zone: house.clock())
    with patch("bot.storage.inbox.datetime", clock), patch("webhooks.receive.datetime", clock):
        for each in sent:
            headers = signed(each.body, secret=house.github.app.webhook_secret, event=each.event, guid=each.guid)
            assert client.post("/webhook", data=each.body, headers=headers).status_code == 202


def changed(house: House, repo: str, *, private: bool) -> SentDelivery:
    house.clock.advance(seconds=1)
    house.github.make_private(repo, private=private)
    return house.github.deliveries[-1]


def a_moment_later(house: House) -> None:
    """The worker takes its turns."""
    house.clock.advance(seconds=1)
    house.worker.turn()
    house.worker.housekeep()


def test_pages_close_at_once_and_open_again(house: House) -> None:
    repo, client, address = opened(house)
    arrives(house, client, changed(house, repo, private=True))
    assert client.get(address).status_code == 403, "before any worker came to it"
    a_moment_later(house)
    assert client.get(address).status_code == 403
    arrives(house, client, changed(house, repo, private=False))
    assert client.get(address).status_code == 403, "GitHub was not asked yet"
    a_moment_later(house)
    assert client.get(address).status_code == 200


def test_a_worker_closes_what_the_door_does_not(house: House) -> None:
    repo, client, address = opened(house)
    changed(house, repo, private=True)
    house.settle()  # past the door
    assert client.get(address).status_code == 403


def test_a_door_that_cannot_close_takes_the_delivery_all_the_same(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, client, address = opened(house)

    def locked(*given: object) -> None:
        raise OperationalError("UPDATE repositories", None, Exception("database is locked"))

    monkeypatch.setattr(Repositories, "close", locked)
    arrives(house, client, changed(house, repo, private=True))
    assert client.get(address).status_code == 200
    a_moment_later(house)
    assert client.get(address).status_code == 403


@pytest.mark.parametrize("late", ["publicized", "opened"])
@pytest.mark.parametrize("private", [True, False])
def test_what_comes_late_opens_nothing_that_is_private_by_now(house: House, late: str, private: bool) -> None:
    """A delivery from the day on which it was public, out of order. What is public by now opens again."""
    repo, client, address = opened(house)
    closed = changed(house, repo, private=True)
    old = changed(house, repo, private=False)
    if late == "opened":
        house.github.open_issue(repo, "It breaks", "Help.")
        old = house.github.deliveries[-1]
    assert old.payload["repository"]["private"] is False
    newest = [changed(house, repo, private=True)] if private else []
    arrives(house, client, closed, *newest)
    house.worker.turn()
    arrives(house, client, old)
    house.settle()
    assert client.get(address).status_code == 403
    for seconds in (1, AGAIN.total_seconds(), EVERY.total_seconds()):
        house.clock.advance(seconds=seconds)
        house.worker.housekeep()
        assert client.get(address).status_code == (403 if private else 200), seconds


def test_pages_that_an_old_delivery_closed_open_again_in_minutes(house: House) -> None:
    repo, client, address = opened(house)
    closed = changed(house, repo, private=True)
    changed(house, repo, private=False)
    arrives(house, client, closed)
    a_moment_later(house)
    assert client.get(address).status_code == 403, "nothing says that it is public"
    house.tick(minutes=6)
    assert client.get(address).status_code == 200
    arrives(house, client, closed)
    assert client.get(address).status_code == 200, "it was received before"


def test_what_github_does_not_answer_is_asked_again(house: House) -> None:
    repo, client, address = opened(house)
    arrives(house, client, changed(house, repo, private=True))
    arrives(house, client, changed(house, repo, private=False))
    house.github.fail(422, times=2, route="/repos/{owner}/{repo}")
    a_moment_later(house)
    house.tick(minutes=6)
    assert client.get(address).status_code == 403
    house.tick(minutes=6)
    assert client.get(address).status_code == 200


def test_a_name_that_is_anothers_by_now_opens_nothing(house: House) -> None:
    hidden, other = house.repository(private=True), house.repository()
    known, (there, public) = house.services.repositories, map(house.github.repo, (hidden, other))
    (found,) = known.get_many([there.id])
    said = record_of(Repository(there.id, public.full_name, private=False), found.installation_id, house.clock())
    house.services.doubts.add(said, house.clock())
    assert Visibility(house.services).ask(house.clock()) == 0
    assert known.get_many([there.id]) == (found,)


def test_pages_close_within_the_hour_and_open_again_without_any_delivery(house: House) -> None:
    repo = house.repository()
    client, address = web(house), page(house, repo)
    house.tick(minutes=2)
    before = len(house.github.deliveries)
    for private, status in ((True, 403), (False, 200)):
        house.github.repo(repo).private = private
        assert client.get(address).status_code == 403 + 200 - status, "nobody told yet"
        house.clock.advance(minutes=61)
        house.worker.housekeep()
        assert client.get(address).status_code == status
    assert len(house.github.deliveries) == before


@pytest.mark.parametrize("way", ["no longer covered", "suspended", "uninstalled"])
def test_where_github_shows_it_no_more_a_page_is_not_open(house: House, way: str) -> None:
    """Whether it is private now, nobody can know. The delivery about it is lost."""
    repo = house.repository()
    client, address = web(house), page(house, repo)
    assert client.get(address).status_code == 200
    covering = house.github.installation_of(house.github.repo(repo))
    assert covering is not None
    if way == "no longer covered":
        covering.repositories.clear()
    elif way == "suspended":
        covering.suspended = True
    else:
        del house.github.installations[covering.id]
    house.clock.advance(minutes=61)
    house.worker.housekeep()
    assert client.get(address).status_code == 403
    house.services.installations.remove(covering.id)  # for the other tests


def test_after_a_short_refusal_pages_come_back_in_minutes(house: House) -> None:
    repo, client, address = opened(house)
    covering = house.github.installation_of(house.github.repo(repo))
    assert covering is not None
    for suspended, minutes, status in ((True, 61, 403), (True, 6, 403), (False, 11, 200)):
        covering.suspended = suspended
        house.clock.advance(minutes=minutes)
        house.worker.housekeep()
        assert client.get(address).status_code == status


def test_a_lasting_refusal_is_asked_about_less_and_less(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    covering = house.github.installation_of(house.github.repo(house.repository()))
    assert covering is not None
    look, first, asked = Visibility(house.services), house.clock(), list[int]()
    for minutes in range(0, 260, 5):

        def refused(installation_id: int, minutes: int = minutes) -> tuple[Repository, ...]:
            if installation_id == covering.id:
                asked.append(minutes)
            raise NoToken("suspended")

        monkeypatch.setattr(house.services.github, "installation_repositories", refused)
        look.tick(first + timedelta(minutes=minutes))
    assert asked == [0, 5, 15, 35, 75, 135, 195, 255]


def test_who_is_no_longer_suspended_need_not_wait(house: House) -> None:
    repo, client, address = opened(house)
    covering = house.github.installation_of(house.github.repo(repo))
    assert covering is not None
    house.github.suspend(covering.id)
    house.settle()
    for _ in range(5):
        house.tick(hours=1)
    assert client.get(address).status_code == 403
    house.github.suspend(covering.id, suspended=False)
    house.settle()
    house.tick(minutes=1)
    assert client.get(address).status_code == 200


def test_each_installation_is_asked_once_an_hour(house: House) -> None:
    names = [house.repository() for _ in range(3)]
    look, first = Visibility(house.services), house.clock()
    house.github.forget_calls()
    for minutes in (0, 1, 30, 59):
        look.tick(first + timedelta(minutes=minutes))
    many = len(house.services.installations.ids())
    assert len(names) <= many <= AT_ONCE
    assert house.github.calls()["GET", "/installation/repositories"] == many
    look.tick(first + EVERY)
    assert house.github.calls()["GET", "/installation/repositories"] == 2 * many


def test_trouble_with_one_keeps_no_other_from_being_asked(house: House) -> None:
    before, last = house.repository(), house.repository()
    look = Visibility(house.services)
    for repo in (before, last):
        house.github.repo(repo).private = True
    house.github.fail(422, times=1, route="/installation/repositories")
    with pytest.raises(Exception, match="422"):
        look.tick(house.clock())
    known, ids = Repositories(house.database), [house.github.repo(repo).id for repo in (before, last)]
    for minutes, private in ((0, [False, True]), (5, [True, True])):
        look.tick(house.clock() + timedelta(minutes=minutes))
        assert sorted(map(known.is_private, ids)) == private


def test_what_a_delivery_said_meanwhile_stays(house: House) -> None:
    repo = house.repository()
    page(house, repo)
    known, there = house.services.repositories, house.github.repo(repo)
    (found,) = known.get_many([there.id])
    assert known.store_reach(found.installation_id, [], found.heard_at) == 0, "GitHub was asked before"
    assert known.get_many([there.id]) == (found,)
