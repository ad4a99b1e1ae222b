"""Blind judges decide a difference only when all agree, quote the specification, and one program does as they say."""

from dataclasses import replace
from typing import Any

import pytest

from bot.judges.code import BlindAnswer, Interface, SpecTest
from bot.judges.protocol import Answered, NoJudgement
from bot.verification.fix_guided.specified import BlindJury, confirms, settle
from bot.verification.values import Difference, Ending, Generator, Observed, Side

SPECIFICATION = "Return the larger half. Of an odd number the middle one belongs to the first half."
CLAUSE = "Of an odd number the middle one belongs to the first half."
INTERFACE = Interface("solution", ("half(numbers)",))
CALL = "half([1, 2, 3])"
DIFFERENCE = Difference(CALL, Observed(Ending.RETURNED, "[1, 2]"), Observed(Ending.RETURNED, "[1]"), Generator.MUTATION)


def demand(expected: str = "[1, 2]", clause: str = CLAUSE) -> Answered[Any]:
    return Answered(SpecTest(clause, CALL, expected), "somebody")


SILENT = Answered(None, "somebody")


class Oracle:
    """Gives its answers in order."""

    name = "oracle"

    def __init__(self, *answers: Answered[Any] | NoJudgement) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, str]] = []

    def demands(self, specification: str, interface: Interface, call: str) -> Answered[Any] | NoJudgement:
        self.asked.append((specification, call))
        return self.answers.pop(0)


def settled(difference: Difference, *answers: Answered[Any] | NoJudgement) -> Difference:
    return settle(difference, heard(Oracle(*answers), len(answers)))


def heard(oracle: Oracle, times: int) -> tuple[BlindAnswer, ...]:
    return BlindJury((oracle,) * times).ask(SPECIFICATION, INTERFACE, CALL)


@pytest.mark.parametrize(("expected", "side"), [("[1, 2]", Side.ORIGINAL), ("[1]", Side.FIX)])
def test_two_that_agree_decide(expected: str, side: Side) -> None:
    oracle = Oracle(demand(expected), demand(expected.replace(" ", "")))
    found = settle(DIFFERENCE, heard(oracle, 2))
    assert (found.favours, found.quote) == (side, CLAUSE)
    assert found.why == (f"2 judges who saw only the specification and the input expect what the {side} does.")
    assert oracle.asked == [(SPECIFICATION, CALL)] * 2


@pytest.mark.parametrize(("expected", "side"), [("[1, 2]", Side.ORIGINAL), ("[1]", Side.FIX)])
def test_what_is_printed_beside_a_value_hides_it_from_no_judge(expected: str, side: Side) -> None:
    """What is printed alone decides nothing: judges are asked for values."""
    tells = replace(DIFFERENCE, original=Observed(Ending.RETURNED, "Printed('half\\n', [1, 2])"))
    assert settled(tells, demand(expected), demand(expected)).favours is side
    alike = replace(tells, fix=Observed(Ending.RETURNED, "[1, 2]"))
    assert settled(alike, demand(expected), demand(expected)).favours is None


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
def test_otherwise_it_stays_undecided(demands: tuple[Answered[Any], ...]) -> None:
    assert settled(DIFFERENCE, *demands) == DIFFERENCE


def test_a_difference_in_what_they_leave_behind_is_not_decided_by_the_result() -> None:
    same = Observed(Ending.RETURNED, "[1, 2]", "([1, 2],)")
    difference = replace(DIFFERENCE, fix=same)
    assert settled(difference, demand(), demand()) == difference


def test_what_cannot_be_compared_does_not_make_the_other_right() -> None:
    difference = replace(DIFFERENCE, fix=Observed(Ending.RETURNED, "Half(of=3)"))
    assert settled(difference, demand(), demand()) == difference


def test_an_exception_that_is_demanded_decides() -> None:
    difference = replace(DIFFERENCE, fix=Observed(Ending.RAISED, "ValueError"))
    assert settled(difference, demand("raises ValueError")).favours is Side.FIX


@pytest.mark.parametrize("first", [SILENT, NoJudgement("oracle", "The model is away.", True)])
def test_asking_ends_when_nothing_can_come_of_it(first: Answered[Any] | NoJudgement) -> None:
    oracle = Oracle(first, demand())
    assert settle(DIFFERENCE, heard(oracle, 2)) == DIFFERENCE
    assert len(oracle.asked) == 1


def test_with_no_judges_nobody_is_asked() -> None:
    assert settled(DIFFERENCE) == DIFFERENCE


@pytest.mark.parametrize(
    ("demands", "confirmed"),
    [
        ((demand("[1]"), demand("[1]")), True),
        ((demand(), demand()), False),  # they demand something else than the claim
        ((demand("[1]"), demand()), None),
        ((demand("[1]"), SILENT), None),
        ((), None),
    ],
)
def test_a_claim_is_confirmed_by_all_who_never_saw_it(
    demands: tuple[Answered[Any], ...], confirmed: bool | None
) -> None:
    oracle = Oracle(*demands)
    claim = SpecTest("What the reviewer quotes.", CALL, "[1]")
    assert confirms(claim, heard(oracle, len(demands))) is confirmed
    assert set(oracle.asked) <= {(SPECIFICATION, CALL)}


def test_what_each_said_is_told() -> None:
    """Also where it settles nothing."""
    away = NoJudgement("oracle", "The model is away.", True)
    assert heard(Oracle(demand(" [1,2]"), SILENT), 3) == (
        BlindAnswer("somebody", CALL, "[1, 2]", CLAUSE),
        BlindAnswer("somebody", CALL),
    )
    assert heard(Oracle(demand(clause="what nobody wrote")), 1) == (BlindAnswer("somebody", CALL),)
    assert heard(Oracle(away), 2) == (BlindAnswer("oracle", CALL, problem="The model is away."),)
