"""One host for all programs of a module."""

from collections.abc import Iterator

import pytest

from tests.sandbox.contained import Host, a_host


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with a_host() as host:
        yield host
