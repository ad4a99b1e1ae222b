"""Whether a change was made for the calls of tests, from what base and head give beside them."""

from collections.abc import Callable

import pytest

from bot.verification.trial.moved import beside, calls_answered_alone, other_answers, same_answers
from bot.verification.values import Ending, Observed
from tests.support.cases import cases

Fare = Callable[[str, int], object]


def old(zone: str, stops: int) -> object:
    return stops * (3 if zone == "A" else 8)


def mended(zone: str, stops: int) -> object:
    return old(zone.strip().upper(), stops)


def by_table(zone: str, stops: int) -> object:
    return {("a", 2): 6, ("A ", 5): 15}.get((zone, stops)) or old(zone, stops)


def by_hash(zone: str, stops: int) -> object:
    """However it is told which call it is."""
    return stops * 3 if hash((zone, stops)) in map(hash, (("a", 2), ("A ", 5))) else old(zone, stops)


def remembered(zone: str, stops: int) -> object:
    return {("A", 2): 6, ("C", 2): 16}.get((zone, stops)) or 0


def refuses(zone: str, stops: int) -> object:
    if not 0 < stops < 4:
        raise ValueError
    return mended(zone, stops)


def to_thousands(zone: str, stops: int) -> object:
    return 5 if stops % 1000 == 0 else old(zone, stops)


def does(program: Fare, call: str) -> Observed:
    try:
        return Observed(Ending.RETURNED, repr(eval(call, {"tram": type("tram", (), {"fare": staticmethod(program)})})))
    except Exception as error:  # noqa: BLE001
        return Observed(Ending.RAISED, type(error).__name__)


def both(head: Fare, calls: list[str]) -> dict[str, tuple[Observed, Observed]]:
    every = dict.fromkeys([*calls, *(each for call in calls for each in beside(call))])
    return {call: (does(old, call), does(head, call)) for call in every}


OWN, KEPT = ["tram.fare('a', 2)", "tram.fare('A ', 5)"], ["tram.fare('A', 2)", "tram.fare('C', 2)"]


@pytest.mark.parametrize(
    ("head", "calls", "alone"),
    [
        (by_table, OWN, OWN),
        (by_hash, OWN, OWN),
        (mended, OWN, []),
        (refuses, ["tram.fare('a', 2)"], []),
        (remembered, KEPT, KEPT),
        (remembered, KEPT[:1], []),  # one call may well be all that stays as it was
        (mended, KEPT, []),
        (old, KEPT, []),
        (to_thousands, ["tram.fare('B', 3000)"], []),  # beside it are no others, but further off
    ],
)
def test_calls_of_tests_that_are_answered_alone(head: Fare, calls: list[str], alone: list[str]) -> None:
    assert calls_answered_alone(calls, both(head, calls), "") == tuple(alone)


def test_other_answers_that_no_test_asks_for_are_named_by_how_they_end() -> None:
    calls = ["tram.fare('a', 2)", "tram.fare('A', 2)"]
    found = other_answers(calls, both(refuses, calls))
    assert found[:2] == ["tram.fare('a', 3)", "tram.fare('a', 4)"]  # a lower fare, and a refusal
    assert "tram.fare('a', 1)" in found and not {*calls, "tram.fare('A', 3)"} & set(found)
    seen = both(mended, calls)  # a test that passes on either side makes the first call
    assert other_answers(calls, seen, calls[:1])[0] == calls[0] != other_answers(calls, seen)[0]
    assert other_answers(calls, both(old, calls)) == []
    absent = Observed(Ending.RAISED, "AttributeError")  # a new function
    assert other_answers(calls, {call: (absent, now) for call, (_, now) in both(mended, calls).items()}) == []


def test_answers_beside_a_changed_one_that_stay_are_named_first_where_nothing_of_their_sort_changes() -> None:
    def narrow(zone: str, stops: int) -> object:
        return mended(zone, stops) if stops == 2 else old(zone, stops)

    calls = OWN[:1]
    found = same_answers(calls, both(narrow, calls))
    assert found[:3] == ["tram.fare('a', -2)", "tram.fare('b', 2)", "tram.fare('a', 3)"]  # by each argument in turn
    assert same_answers(calls, both(mended, calls))[0] == "tram.fare('b', 2)"
    assert same_answers(["tram.fare('b', 2)"], both(mended, ["tram.fare('b', 2)"])) == []
    assert "tram.fare('A', -2)" in same_answers(KEPT[:1], both(mended, KEPT[:1]))  # for `tram.fare('a', 2)` is other
    assert same_answers(calls, both(old, calls)) == []


def test_what_is_asked_for_by_its_text_is_no_sign() -> None:
    def irregular(zone: str, stops: int = 1) -> object:
        return 1 if zone == "sheep" else old(zone, stops)

    calls = ["tram.fare('sheep')"]
    every = [*calls, *beside(calls[0])]
    seen = {call: (does(lambda zone, stops=1: old(zone, stops), call), does(irregular, call)) for call in every}
    assert calls_answered_alone(calls, seen, "") == tuple(calls)
    assert calls_answered_alone(calls, seen, "It knows no sheep.") == ()


def test_a_number_that_is_asked_for_is_an_example_and_its_answer_alone_a_sign() -> None:
    def for_the_example(zone: str, stops: int) -> object:
        return 61 if (zone, stops) == ("A", 20) else old(zone, stops)

    calls = ["tram.fare('A', 20)"]
    seen = both(for_the_example, calls)
    assert calls_answered_alone(calls, seen, "fare('A', 20) gives 60, and should give 61.") == tuple(calls)


@cases
def test_the_calls_beside_one(call: str, some: set[str]) -> None:
    assert some <= set(beside(call))


DEEP = f"m.f({'[' * 2000}{']' * 2000})"


@pytest.mark.parametrize("call", ["m.f()", "m.f(0, '', None, True)", "m.f(x)", "getattr(", "1", DEEP])
def test_nothing_lies_beside_a_call_without_telling_values(call: str) -> None:
    assert beside(call) == ()
