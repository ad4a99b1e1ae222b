"""Which database the tests use: SQLite, or PostgreSQL for every test that needs one (BOUNCER_TEST_DATABASE=postgresql).

A test that asks for one of the fixtures in `NEEDED_BY` is marked `database` by itself. One about SQLite itself says so,
`@pytest.mark.sqlite("why")`, and is skipped on PostgreSQL.
"""

import os
from collections.abc import Iterator
from typing import Protocol

import pytest

from bot.storage.database import Database
from tests.support.postgres import PostgresDatabases, Server
from tests.support.sqlite import SqliteDatabases

_KIND = os.environ.get("BOUNCER_TEST_DATABASE", "sqlite")
ON_POSTGRESQL = _KIND == "postgresql"
NEEDED_BY = frozenset({"databases", "database", "database_url", "postgres"})

_POSTGRES = pytest.param("postgres", marks=pytest.mark.postgres)
ONE = [_POSTGRES if ON_POSTGRESQL else "sqlite"]  # where the other database adds nothing to what `make test` shows
BOTH = ONE if ON_POSTGRESQL else ["sqlite", _POSTGRES]


class Databases(Protocol):
    """Makes databases; all of them go when the file's tests are over."""

    def empty(self) -> str:
        """The address of a new one."""

    def migrated(self) -> str:
        """The address of a new one with the newest tables."""

    def lose(self, url: str) -> None:
        """It is there no more, and nobody is connected."""


def pytest_configure() -> None:
    if _KIND not in ("sqlite", "postgresql"):
        raise pytest.UsageError(f"BOUNCER_TEST_DATABASE is sqlite or postgresql, not {_KIND}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        about_sqlite = item.get_closest_marker("sqlite")
        if about_sqlite or NEEDED_BY.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("database")
        if about_sqlite and ON_POSTGRESQL:
            item.add_marker(pytest.mark.skip(reason=f"About SQLite: {about_sqlite.args[0]}."))


def skipped_on_purpose(item: pytest.Item) -> bool:
    return ON_POSTGRESQL and item.get_closest_marker("sqlite") is not None


@pytest.fixture(scope="module")
def sqlite_databases() -> Iterator[Databases]:
    with SqliteDatabases() as made:
        yield made


@pytest.fixture(scope="module")
def postgres_databases(postgres: Server) -> Iterator[Databases]:
    with PostgresDatabases(postgres) as made:
        yield made


def _of_kind(request: pytest.FixtureRequest, kind: str) -> Databases:
    made: Databases = request.getfixturevalue(f"{kind}_databases")
    return made


@pytest.fixture(scope="module")
def databases(request: pytest.FixtureRequest) -> Databases:
    """Of the kind that this run of the tests uses."""
    return _of_kind(request, "postgres" if ON_POSTGRESQL else "sqlite")


@pytest.fixture(params=BOTH)
def database_url(request: pytest.FixtureRequest) -> str:
    """The address of an empty database; the test runs once on SQLite and once on PostgreSQL."""
    return _of_kind(request, request.param).empty()


@pytest.fixture(params=BOTH)
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    """A migrated database; the test runs once on SQLite and once on PostgreSQL."""
    opened = Database.open(_of_kind(request, request.param).migrated())
    yield opened
    opened.close()
