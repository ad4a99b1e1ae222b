"""No trick gets a change merged that breaks a test, and no honest change of the same shape is bounced.

`make hostile` runs every one; without it one trick of each family stands for all, one that takes few runs, and a few
twins. What tests lost, and an honest change of a house tested by pytest, have tests of their own.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile_pulls.catalogue import COVERED, NOT_HERE
from tests.hostile_pulls.families.all import FAMILIES
from tests.hostile_pulls.families.environment import PASSES
from tests.hostile_pulls.houses import HOUSES
from tests.hostile_pulls.judging import cache_for_all, judged
from tests.hostile_pulls.values import House, Pull
from tests.support.lengths import EVERY_TRICK
from tests.support.sandbox import BUBBLEWRAP, Remembering, remembering
from tests.verification.environments.house import index

LEAST = 80
STANDING = {
    "conftest": "deselects",
    "configuration": "collects only",
    "start-up": "a shop in src",
    "patching": "the report",
    "asking whether it is tested": "the caller's expectation",
    "rewriting what judges": "the data",
    "weakened tests": "no test any more",
    "renamed and removed tests": "the data",
    "own tests that fail": "red, and not collected",
    "unittest's own ways": "load_tests",
    "unsteady tests": "by chance",
    "a command's own files": "the test removed",
    "a build's own files": "no tests",
    "what a command reaches": "what a script reads",
    "tests where no custom has them": "product called test",
    "Node's own ways": "the script",
    "Go's own ways": "a TestMain",
    "Rust's own ways": "ignored",
    "tests of a command that notice less": "yet to be done",
    "what a person must see": "a workflow, beside words",
    "nothing that was asked": "words alone",
    "texts that are read": "called changes",
    "where nobody looks": "by how Python was started",
    "scripts over scripts": "the last one",
    "what lies beside the tests": "a snapshot",
    "an environment that the head made": "another pytest",
    "what tests lean on": "how hooks are called",
}
TWINS_STANDING = ("built-build-what_it_needs", "node-less-split", "node-node-one_more", "scripted-scripts-a_rate")
TRICKS = [
    pull for family in FAMILIES for pull in family.hostile if EVERY_TRICK or pull.name == STANDING.get(family.name)
]
TWINS = [pull for family in FAMILIES for pull in family.honest if EVERY_TRICK or str(pull) in TWINS_STANDING]


@pytest.fixture(scope="module", autouse=True)
def sandbox() -> Iterator[Remembering]:
    """Which runs what is equal once: the base's own tests, for each house."""
    BUBBLEWRAP.probe()
    with remembering() as kept:
        yield kept


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("houses")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cache_for_all(tmp_path_factory)


@pytest.fixture(scope="module")
def packages() -> Iterator[str]:
    """An index of what pytest needs, and of what a change may want."""
    with index(
        {"wording": "WORD = 'EUR'\n", "helping": PASSES},
        ("pytest", "pluggy", "iniconfig", "packaging", "pygments"),
    ) as address:
        yield address


def by_chance(pull: Pull) -> bool:
    """Whether another order of its tests may end otherwise. Of the rest, one look less is one less that notices it."""
    return EVERY_TRICK or pull.family == "unsteady"


@pytest.mark.parametrize("house", HOUSES if EVERY_TRICK else HOUSES[:1], ids=lambda house: house.name)
def test_without_a_trick_the_broken_house_is_bounced(house: House, place: Path, cache: Path) -> None:
    assert judged(Pull("control", "broken", house, house.broken), place, cache).conclusion == "failure"


@pytest.mark.parametrize("pull", TRICKS, ids=str)
def test_no_trick_is_merged(pull: Pull, place: Path, cache: Path, packages: str, sandbox: Remembering) -> None:
    sandbox.orders = by_chance(pull)
    ended = judged(pull, place, cache, packages)
    assert not ended.merges, f"{ended.conclusion}: {ended.reasons}"


@pytest.mark.parametrize("pull", TWINS, ids=str)
def test_no_honest_twin_is_bounced(pull: Pull, place: Path, cache: Path, packages: str, sandbox: Remembering) -> None:
    sandbox.orders = by_chance(pull)
    ended = judged(pull, place, cache, packages)
    assert ended.conclusion != "failure", ended.reasons


def test_every_house_has_a_name_of_its_own() -> None:
    """By which its repository is found again."""
    pulls = [pull for family in FAMILIES for pull in (*family.hostile, *family.honest)]
    named = {pull.house.name: pull.house for pull in pulls}
    assert all(named[pull.house.name].files == pull.house.files for pull in pulls)


def test_every_family_has_its_tricks_and_the_catalogue_names_families() -> None:
    names = {family.name for family in FAMILIES}
    assert all(STANDING[family.name] in {pull.name for pull in family.hostile} for family in FAMILIES)
    assert sum(len(family.hostile) for family in FAMILIES) >= LEAST
    assert {name for covering in COVERED.values() for name in covering} <= names
    assert not set(COVERED) & set(NOT_HERE)
