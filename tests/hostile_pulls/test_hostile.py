"""No trick gets a change merged that breaks a test, and no honest change of the same shape is bounced.

`make hostile` runs every one; without it one trick of each family stands for all, one that takes few runs, and a few
twins. What tests lost, and an honest change of a house tested by pytest, have tests of their own.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile_pulls.catalogue import COVERED, FAMILIES, HOUSES, INSTALLED, NOT_HERE, PACKAGES
from tests.hostile_pulls.judging import cache_for_all, judged
from tests.hostile_pulls.values import House, Pull
from tests.support.lengths import EVERY_TRICK
from tests.support.sandbox import Remembering
from tests.verification.environments.house import index

LEAST = 80
pytestmark = pytest.mark.usefixtures("equal_jobs_run_once")  # the base's own tests, for each house
TRICKS = [pull for family in FAMILIES for pull in family.hostile if EVERY_TRICK or pull.stands]
TWINS = [pull for family in FAMILIES for pull in family.honest if EVERY_TRICK or pull.stands]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("houses")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cache_for_all(tmp_path_factory)


@pytest.fixture(scope="module")
def packages() -> Iterator[str]:
    """An index of what pytest needs, and of what a change may want."""
    with index(PACKAGES, INSTALLED) as address:
        yield address


def by_chance(pull: Pull) -> bool:
    """Whether another order of its tests may end otherwise. Of the rest, one look less is one less that notices it."""
    return EVERY_TRICK or pull.family == "unsteady"


@pytest.mark.parametrize("house", HOUSES if EVERY_TRICK else HOUSES[:1], ids=lambda house: house.name)
def test_without_a_trick_the_broken_house_is_bounced(house: House, place: Path, cache: Path) -> None:
    assert judged(Pull("control", "broken", house, house.broken), place, cache).conclusion == "failure"


@pytest.mark.parametrize("pull", [*TRICKS, *TWINS], ids=str)
def test_no_trick_is_merged_and_no_honest_twin_bounced(
    pull: Pull, place: Path, cache: Path, packages: str, equal_jobs_run_once: Remembering
) -> None:
    equal_jobs_run_once.orders = by_chance(pull)
    ended = judged(pull, place, cache, packages)
    fails = ended.merges if pull in TRICKS else ended.conclusion == "failure"
    assert not fails, f"{ended.conclusion}: {ended.reasons}"


def test_every_house_has_a_name_of_its_own() -> None:
    """By which its repository is found again."""
    pulls = [pull for family in FAMILIES for pull in (*family.hostile, *family.honest)]
    named = {pull.house.name: pull.house for pull in pulls}
    assert all(named[pull.house.name].files == pull.house.files for pull in pulls)


def test_every_family_has_its_tricks_and_the_catalogue_names_families() -> None:
    names = {family.name for family in FAMILIES}
    assert all(sum(pull.stands for pull in family.hostile) == 1 for family in FAMILIES)
    assert sum(len(family.hostile) for family in FAMILIES) >= LEAST
    assert {name for covering in COVERED.values() for name in covering} <= names
    assert not set(COVERED) & set(NOT_HERE)
