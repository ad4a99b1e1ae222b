"""One worker a test module: starting the engine takes a second, and every test has repositories of its own."""

from collections.abc import Iterator

import pytest

from tests.support.databases import Databases
from tests.support.github import KEY
from tests.workflows.hours import forget_what_waits
from tests.workflows.house import House, Looked


@pytest.fixture(scope="module")
def shared_house(databases: Databases) -> Iterator[House]:
    house = House(databases.migrated(), KEY)
    yield house
    house.close()


@pytest.fixture
def house(shared_house: House) -> Iterator[House]:
    yield shared_house
    shared_house.judge.away = None
    shared_house.github.traffic.clear()
    forget_what_waits(shared_house)  # else it meets the faults of a later test, where half a minute passes until that
    shared_house.forget()


@pytest.fixture
def looked(house: House) -> Iterator[Looked]:
    """What a look for a fix finds, until the test ends."""
    yield house.examiner
    house.examiner.forget()
