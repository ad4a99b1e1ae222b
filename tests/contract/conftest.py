"""Without GitHub's description these tests would prove nothing."""

import pytest

from tests.support.contract import contract_available
from tests.support.needs import missing


@pytest.fixture(autouse=True)
def description() -> None:
    if not contract_available():
        missing("GitHub's published description")
