"""No trick gets a change merged that breaks a test, and no honest change of the same shape is bounced.

`make hostile` runs every one; without it the first trick of each family stands for all, and some twins.
"""

import os
from pathlib import Path

import pytest

from tests.hostile_pulls.catalogue import COVERED, NOT_HERE
from tests.hostile_pulls.families.all import FAMILIES
from tests.hostile_pulls.houses import HOUSES
from tests.hostile_pulls.judging import judged
from tests.hostile_pulls.values import House, Pull
from tests.support.needs import missing
from tests.support.sandbox import usable_executors

ALL = os.environ.get("BOUNCER_HOSTILE") == "all"
LEAST = 80
TRICKS = [pull for family in FAMILIES for pull in family.hostile[: None if ALL else 1]]
TWINS = [pull for family in FAMILIES for pull in family.honest]


@pytest.fixture(autouse=True)
def _sandbox() -> None:
    if not usable_executors():
        missing("a sandbox")


@pytest.mark.parametrize("house", HOUSES if ALL else HOUSES[:1], ids=lambda house: house.name)
def test_without_a_trick_the_broken_house_is_bounced(house: House, tmp_path: Path) -> None:
    assert judged(Pull("control", "broken", house, house.broken), tmp_path).conclusion == "failure"


@pytest.mark.parametrize("pull", TRICKS, ids=str)
def test_no_trick_is_merged(pull: Pull, tmp_path: Path) -> None:
    ended = judged(pull, tmp_path)
    assert not ended.merges, f"{ended.conclusion}: {ended.reasons}"


@pytest.mark.parametrize("pull", TWINS if ALL else TWINS[::6], ids=str)
def test_no_honest_twin_is_bounced(pull: Pull, tmp_path: Path) -> None:
    ended = judged(pull, tmp_path)
    assert ended.conclusion != "failure", ended.reasons


def test_every_family_has_its_tricks_and_the_catalogue_names_families() -> None:
    names = {family.name for family in FAMILIES}
    assert all(family.hostile for family in FAMILIES)
    assert sum(len(family.hostile) for family in FAMILIES) >= LEAST
    assert {name for covering in COVERED.values() for name in covering} <= names
    assert not set(COVERED) & set(NOT_HERE)
