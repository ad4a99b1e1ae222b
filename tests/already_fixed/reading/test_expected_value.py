"""The value that prose says should come of an example."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.already_fixed.reading.expected_value import ShownOutput, wanted
from tests.support.cases import cases
from tests.support.properties import patient


@cases
def test_the_value_that_prose_says_should_come(prose: str, value: str) -> None:
    assert wanted(prose, ShownOutput("half(3)", "1", names={"quarter"})) == value


@settings(patient, max_examples=30)
@given(st.text(max_size=400))
def test_what_prose_says_is_read_whatever_it_is(prose: str) -> None:
    assert isinstance(wanted(prose, ShownOutput("half(3)", "1")), str)


NUMBER = ShownOutput("halves.half(3)", "1")


@pytest.mark.parametrize(
    ("prose", "shown", "value"),
    [
        # of what the example gives
        ("But it should have been `1.5`", NUMBER, "1.5"),
        ("The result of `halves.half(3)` should be `1.5`.", NUMBER, "1.5"),
        ("I think the last line should print 1.5", NUMBER, "1.5"),
        ("`half(3)` should return `1.5`", NUMBER, "1.5"),
        ("`half` should return `1.5` here", NUMBER, "1.5"),
        ("The half of three is `1`, but should be `1.5`.", NUMBER, "1.5"),
        ("The halving at 3 could give 1.5 instead of 1.", NUMBER, "1.5"),
        ("Its expected value is `1.5`", NUMBER, "1.5"),
        ("```instead of the expected `Half(2)`", ShownOutput("half(4)", "Half(1)"), "Half(2)"),
        ("It should be `green`.", ShownOutput("print(half(4))", "red"), "green"),
        ("It should be `x**2`.", ShownOutput("half(x)", "2*x"), "x**2"),
        ("Instead of returning `1.5` it fails.", ShownOutput("half(3)"), "1.5"),
        ("`half(3)` is wrong. It should be `1.5`.", NUMBER, "1.5"),
        ("I get a `HalfError`. It should be `1.5`.", ShownOutput("half(3)"), "1.5"),
        ("```\nwhich should be `[1, 2]`, see above", ShownOutput("half(3)"), "[1, 2]"),
        # of something else
        ("The default mode should be `2`", NUMBER, ""),
        ("The default `mode` should be `down`.", NUMBER, ""),
        ("The value of the argument should be `2`.", NUMBER, ""),
        ("`half(5)` should return `2.5`", NUMBER, ""),
        ("`quarter` should return `2.5`", NUMBER, ""),
        ("The check should be `x > 1`.", NUMBER, ""),
        ("Python should be 3.8 at least", NUMBER, ""),
        ("It calls `trunc(3)` instead of `floor(3)`.", NUMBER, ""),
        ("We use `==` rather than `is`.", NUMBER, ""),
        ("The mode is `up`, but should be `3`.", NUMBER, ""),
        ("I never expected `1`", NUMBER, ""),
        ("We divide by `int(n)`. It should be `2.0`.", ShownOutput("half(3)"), ""),
        ("As a workaround one can use `3 / 2` instead of `half(3)`.", NUMBER, ""),
        ("half is wrong here, one can use `3 / 2` instead of `half(3)`.", NUMBER, ""),
        # of something that could not come
        ("this should be `fixed`", NUMBER, ""),
        ("It should return `self`.", NUMBER, ""),
        ("It should return `self`.", ShownOutput("half(3)"), ""),
        ("It should be `--strict`", ShownOutput("half(3)"), ""),
        ("It should be `isinstance(x, int)`", ShownOutput("half(3)"), ""),
        ("This should be `self.number`", NUMBER, ""),
        ("It should be `much nicer`", NUMBER, ""),
    ],
)
def test_only_a_sentence_about_what_the_example_gives_counts(prose: str, shown: ShownOutput, value: str) -> None:
    assert wanted(prose, shown) == value
