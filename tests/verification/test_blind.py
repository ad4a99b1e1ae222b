"""Blind judges decide a difference only when all agree, quote the specification, and one program does as they say."""

from dataclasses import replace

import pytest

from bot.judges.code import Demand, Interface, SpecTest
from bot.judges.protocol import NoJudgement
from bot.verdicts import Usage
from bot.verification.blind import ask_blind, settle
from bot.verification.values import Difference, Ending, Observed, Side

SPECIFICATION = "Return the larger half. Of an odd number the middle one belongs to the first half."
CLAUSE = "Of an odd number the middle one belongs to the first half."
INTERFACE = Interface("solution", ("half(numbers)",))
CALL = "half([1, 2, 3])"
DIFFERENCE = Difference(CALL, Observed(Ending.RETURNED, "[1, 2]"), Observed(Ending.RETURNED, "[1]"), "mutation")


def demand(expected: str = "[1, 2]", clause: str = CLAUSE) -> Demand:
    return Demand(SpecTest(clause, CALL, expected), "somebody", Usage(1))


SILENT = Demand(None, "somebody", Usage(1))


class Oracle:
    """Gives its answers in order."""

    name = "oracle"

    def __init__(self, *answers: Demand | NoJudgement) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, str]] = []

    def demands(self, specification: str, interface: Interface, call: str) -> Demand | NoJudgement:
        self.asked.append((specification, call))
        return self.answers.pop(0)


@pytest.mark.parametrize(("expected", "side"), [("[1, 2]", Side.ORIGINAL), ("[1]", Side.FIX)])
def test_two_that_agree_decide(expected: str, side: Side) -> None:
    oracle = Oracle(demand(expected), demand(expected.replace(" ", "")))
    found, usage = ask_blind(oracle, SPECIFICATION, INTERFACE, DIFFERENCE, 2)
    assert (found.favours, found.quote) == (side, CLAUSE)
    assert found.why == (f"2 judges who saw only the specification and the input expect what the {side} does.")
    assert usage.calls == 2
    assert oracle.asked == [(SPECIFICATION, CALL)] * 2


@pytest.mark.parametrize(
    "demands",
    [
        (),
        (demand(), demand("[1]")),
        (demand(), demand(clause="what nobody wrote anywhere")),
        (demand(), SILENT),
        (SILENT, SILENT),
        (demand("[2, 3]"), demand("[2, 3]")),
        (demand("the first two"), demand("the first two")),
    ],
)
def test_otherwise_it_stays_undecided(demands: tuple[Demand, ...]) -> None:
    assert settle(DIFFERENCE, demands, SPECIFICATION) == DIFFERENCE


def test_a_difference_in_what_they_leave_behind_is_not_decided_by_the_result() -> None:
    same = Observed(Ending.RETURNED, "[1, 2]", "([1, 2],)")
    difference = replace(DIFFERENCE, fix=same)
    assert settle(difference, (demand(), demand()), SPECIFICATION) == difference


def test_what_cannot_be_compared_does_not_make_the_other_right() -> None:
    difference = replace(DIFFERENCE, fix=Observed(Ending.RETURNED, "Half(of=3)"))
    assert settle(difference, (demand(), demand()), SPECIFICATION) == difference


def test_an_exception_that_is_demanded_decides() -> None:
    difference = replace(DIFFERENCE, fix=Observed(Ending.RAISED, "ValueError"))
    assert settle(difference, (demand("raises ValueError"),), SPECIFICATION).favours is Side.FIX


@pytest.mark.parametrize("first", [SILENT, NoJudgement("oracle", "The model is away.", True, Usage(1))])
def test_asking_ends_when_nothing_can_come_of_it(first: Demand | NoJudgement) -> None:
    oracle = Oracle(first, demand())
    assert ask_blind(oracle, SPECIFICATION, INTERFACE, DIFFERENCE, 2) == (DIFFERENCE, Usage(1))
    assert len(oracle.asked) == 1


def test_with_no_judges_nobody_is_asked() -> None:
    assert ask_blind(Oracle(), SPECIFICATION, INTERFACE, DIFFERENCE, 0) == (DIFFERENCE, Usage())
