"""A program that is a single file, asked again without its tests."""

from bot.verification.testing.alone import contradiction
from bot.verification.values import Observed
from tests.support.cases import cases


@cases
def test_what_ends_otherwise_without_its_tests_is_not_believed(
    bare: list[Observed], again: list[Observed], tested: list[Observed], problem: str
) -> None:
    assert contradiction(1, bare, again, tested) == problem
