"""A repository that is made private and stays quiet: no delivery says so, and its pages must not stay open."""

from datetime import timedelta

import pytest
from flask.testing import FlaskClient

from bot.storage.repositories import Repositories
from bot.workflows.visibility import AT_ONCE, EVERY, Visibility
from tests.workflows.house import House
from webhooks.app import create_app


def page(house: House, repo: str) -> str:
    """The address of the page of an issue there."""
    number = house.open(repo)
    return "/verdicts/" + house.spoken(repo, number).partition("/verdicts/")[2].partition(")")[0]


def web(house: House) -> FlaskClient:
    return create_app(house.settings).test_client()


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
    look.tick(house.clock())
    known = Repositories(house.database)
    assert all(known.is_private(house.github.repo(repo).id) for repo in (before, last))


def test_what_a_delivery_said_meanwhile_stays(house: House) -> None:
    repo = house.repository()
    page(house, repo)
    known, there = house.services.repositories, house.github.repo(repo)
    (found,) = known.known([there.id])
    assert known.reached(found.installation_id, [], found.heard_at) == 0, "GitHub was asked before"
    assert known.known([there.id]) == (found,)
