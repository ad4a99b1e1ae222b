"""Reports that are one sentence."""

import pytest

from bot.fixed.claims import Claim, claims
from bot.fixed.values import Expectation, Failure
from tests.fixed.report import only


@pytest.mark.parametrize(
    ("title", "prose", "claim"),
    [
        ("half(3) should return 1.5", "", Claim("half(3)", right="1.5")),
        ("half(3) returns 1 instead of 1.5", "", Claim("half(3)", "1", "1.5")),
        ("half(None) raises TypeError", "", Claim("half(None)", exception="TypeError")),
        ("half(3)", "It gives nonsense. The right answer is 3/2.", Claim("half(3)", right="3/2")),
        ("", "Evaluating `half(3)` yields `1`, but it should yield `1.5`.", Claim("half(3)", "1", "1.5")),
        ("", "`half(3)` gives\n`1` instead of `1.5`", Claim("half(3)", "1", "1.5")),
        ("", "`half(3)` should equal `3 / 2`", Claim("half(3)", right="3 / 2")),
        ("", "`half([])` raises a `TypeError: no` here.", Claim("half([])", exception="TypeError", message="no")),
        (
            "",
            "Calling `half([])` raises a `TypeError` instead of `[]`",
            Claim("half([])", right="[]", exception="TypeError"),
        ),
    ],
)
def test_a_report_that_is_one_sentence(title: str, prose: str, claim: Claim) -> None:
    assert claims(title, prose) == (claim,)


@pytest.mark.parametrize(
    ("title", "prose"),
    [
        ("half() raises TypeError", ""),  # only the name of the function
        ("", "`half()` raises `TypeError`"),
        ("Half of it should be done", ""),
        ("half(3) should not return 1", ""),
        ("", "`half(3)` is in `halves.py` and should not be `1`"),
        ("", "Have `half(3)` and `1`."),
        ("", "`half(...)` should return `1`"),
    ],
)
def test_no_claim(title: str, prose: str) -> None:
    assert claims(title, prose) == ()


def test_a_claim_is_a_reproduction_where_nothing_else_is() -> None:
    found = only("`half(3)` returns `1` but should return `1.5`.")
    assert found.steps == ("from halves import *", "half(3)")
    assert found.expectation == Expectation(Failure.PRINTS, wrong=("", "1"), right="1.5")
