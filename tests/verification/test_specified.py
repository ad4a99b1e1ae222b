"""Which examples of a specification count."""

import pytest

from bot.judges.code import SpecTest
from bot.verification.specified import Examples, uncontested


@pytest.mark.parametrize(
    ("asserted", "counts"),
    [
        ({}, True),
        ({"half(4)": "2"}, True),
        ({"half(4)": "2.0"}, True),
        ({"half(4)": "3"}, False),  # the text is wrong, or the tests are: nobody can be blamed by it
        ({"half(6)": "3"}, True),
        ({"half(4)": "what"}, True),
    ],
)
def test_an_example_that_a_test_contradicts_counts_for_nobody(asserted: dict[str, str], counts: bool) -> None:
    example = SpecTest("half(4) gives 2", "half(4)", "2")
    assert uncontested(Examples((example,)), asserted).demanded == ((example,) if counts else ())
