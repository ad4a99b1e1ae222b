"""Which examples of a specification count."""

from bot.judges.code import SpecTest
from bot.verification.specified import Examples, uncontested
from tests.support.cases import cases


@cases
def test_an_example_that_a_test_contradicts_counts_for_nobody(asserted: dict[str, str], counts: bool) -> None:
    example = SpecTest("half(4) gives 2", "half(4)", "2")
    assert uncontested(Examples((example,)), asserted).demanded == ((example,) if counts else ())
