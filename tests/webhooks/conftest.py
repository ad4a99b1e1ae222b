"""A database of the product's, empty."""

from collections.abc import Iterator

import pytest

from bot.storage.database import Database
from tests.support.databases import Databases


@pytest.fixture
def url(databases: Databases) -> str:
    return databases.migrated()


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    opened = Database.open(url)
    yield opened
    opened.close()
