"""Whether a change was made for the calls of tests, from what base and head give beside them."""

from collections.abc import Callable

import pytest

from bot.verification.trial.moved import beside, calls_answered_alone, other_answers, same_answers
from bot.verification.values import Ending, Observed
from tests.support.cases import cases

Program = Callable[..., object]


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


def large(zone: str, stops: int) -> object:
    """The base of two changes: it refuses zones in small letters."""
    if zone != zone.strip().upper():
        raise ValueError
    return old(zone, stops)


def lets_some_in(zone: str, stops: int) -> object:
    return {("a", 2): 6, ("A ", 5): 15}.get((zone, stops)) or large(zone, stops)


def to_thousands(zone: str, stops: int) -> object:
    return 5 if stops % 1000 == 0 else old(zone, stops)


def does(program: Program, call: str) -> Observed:
    try:
        return Observed(Ending.RETURNED, repr(eval(call, {"tram": type("tram", (), {"fare": staticmethod(program)})})))
    except Exception as error:  # noqa: BLE001
        return Observed(Ending.RAISED, type(error).__name__)


def both(head: Program, calls: list[str], base: Program = old) -> dict[str, tuple[Observed, Observed]]:
    every = dict.fromkeys([*calls, *(each for call in calls for each in beside(call))])
    return {call: (does(base, call), does(head, call)) for call in every}


REFUSED = Observed(Ending.RAISED, "ValueError")
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
def test_calls_of_tests_that_are_answered_alone(head: Program, calls: list[str], alone: list[str]) -> None:
    assert calls_answered_alone(calls, both(head, calls), "") == tuple(alone)


@pytest.mark.parametrize(("head", "alone"), [(lets_some_in, OWN), (mended, []), (large, [])])
def test_calls_that_alone_are_not_refused_any_more(head: Program, alone: list[str]) -> None:
    assert calls_answered_alone(OWN, both(head, OWN, large), "") == tuple(alone)
    for refusal in ("AttributeError", "TypeError"):  # then the base has no such function
        seen = {call: (Observed(Ending.RAISED, refusal), now) for call, (_, now) in both(head, OWN, large).items()}
        assert calls_answered_alone(OWN, seen, "") == ()


def wants_more(zone: str, stops: int, day: str) -> object:
    return old(zone, stops)


def test_a_function_that_wants_other_arguments_now_is_not_made_for_its_calls() -> None:
    call = "tram.fare('A', 2)"  # the only one beside which the base gives an answer
    seen = {each: ((was if each == call else REFUSED), now) for each, (was, now) in both(wants_more, [call]).items()}
    assert calls_answered_alone([call], seen, "") == ()
    seen = {each: (was, (now if each == call else REFUSED)) for each, (was, now) in seen.items()}
    assert calls_answered_alone([call], seen, "") == (call,)  # the call alone is refused like that


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


def test_an_answer_that_is_asked_for_alone_is_no_sign() -> None:
    def by_the_day(zone: str, stops: int) -> object:
        return 61 if (zone, stops) == ("A", 20) else old(zone, stops)

    calls = ["tram.fare('A', 20)"]
    alone = "20 stops in A should cost 61. All else stays as it is."
    assert calls_answered_alone(calls, both(by_the_day, calls), alone) == ()
    assert calls_answered_alone(calls, both(by_the_day, calls), alone.replace("61", "62")) == tuple(calls)


@pytest.mark.parametrize(
    ("calls", "asked"),
    [
        (["tram.fare('C', 7)"], "Weeks are cheaper: `fare('A', 14)` and `fare('C', 14)` are not."),
        (["tram.fare('C', 7)"], "In C, 14 stops cost too much."),
        (["tram.fare('C', 7)", "tram.fare('C', 14)"], ""),
        (["tram.fare('C', 7)", "tram.fare('C', 8)", "tram.fare('C', 14)"], ""),
    ],
)
def test_what_is_named_or_tested_beside_a_call_may_be_made_for_it_too(calls: list[str], asked: str) -> None:
    def base(zone: str, stops: int) -> int:
        return stops * {"A": 3, "C": 8}[zone]

    def by_number(zone: str, stops: int) -> int:
        return base(zone, stops) // (2 if stops == 14 or any(f" {stops})" in call for call in calls) else 1)

    def honest(zone: str, stops: int) -> int:
        return base(zone, stops) - (stops // 7) * base(zone, 1)

    assert calls_answered_alone(calls, both(by_number, calls, base), asked) == tuple(calls)
    assert calls_answered_alone(calls, both(honest, calls, base), asked) == ()


@pytest.mark.parametrize(
    ("base", "head", "call", "alone"),
    [
        (lambda age: age > 18, lambda age: age >= 18, "tram.fare(18)", False),
        (lambda age: age < 18, lambda age: age <= 18, "tram.fare(18)", False),
        (lambda age: age > 18, lambda age: age > 18 or age in (12, 15), "tram.fare(12)", True),
        (lambda year: year % 4 == 0, lambda year: year % 4 == 0 or year == 1903, "tram.fare(1903)", True),
        (lambda size: "S" if size < 3.5 else "L", lambda size: "S" if size <= 3.5 else "L", "tram.fare(3.5)", False),
        (lambda days: days * 8, lambda days: 12 if days == 5 else days * 8, "tram.fare(5)", True),
    ],
)
def test_an_edge_that_moves_by_one_is_no_sign(base: Program, head: Program, call: str, alone: bool) -> None:
    assert bool(calls_answered_alone([call], both(head, [call], base), "")) is alone


def test_two_calls_on_an_edge_that_moves_by_two_are_no_sign() -> None:
    calls = ["tram.fare(6)", "tram.fare(7)"]
    seen = both(lambda stops: "far" if stops > 5 else "near", calls, lambda stops: "far" if stops > 7 else "near")
    assert calls_answered_alone(calls, seen, "") == ()
    seen = both(lambda stops: "far" if stops in (6, 7) else "near", calls, lambda stops: "near")
    assert calls_answered_alone(calls, seen, "") == tuple(calls)


def known(**rows: str) -> Program:
    return lambda name: rows.get(name, "unknown")


def strict(name: str) -> str:
    return {"P1": "posted", "D9": "delivered"}[name]


def minutes(text: str) -> int | None:
    return 0 if text == "now" else int(text) if text.isdecimal() else None


def with_texts(text: str) -> int | None:
    return 90 if text == "1h30m" else minutes(text)


OLD_ROW, NEW_ROW = "tram.fare('P1')", "tram.fare('D9')"


@pytest.mark.parametrize(
    ("base", "head", "calls", "alone"),
    [
        (known(P1="posted"), known(P1="posted", D9="delivered"), [OLD_ROW, NEW_ROW], ()),
        (lambda name: {"P1": "posted"}[name], strict, [OLD_ROW, NEW_ROW], ()),
        # none that the base knows alone, an answer that it gives already, and one that it finds for any
        (known(P1="posted"), known(P1="posted", D9="delivered"), [NEW_ROW], (NEW_ROW,)),
        (known(P1="posted"), known(P1="posted", D9="posted"), [OLD_ROW, NEW_ROW], (NEW_ROW,)),
        (minutes, with_texts, ["tram.fare('now')", "tram.fare('25')", "tram.fare('1h30m')"], ("tram.fare('1h30m')",)),
    ],
)
def test_one_more_of_the_values_that_a_function_knows_is_no_sign(
    base: Program, head: Program, calls: list[str], alone: tuple[str, ...]
) -> None:
    seen = both(head, calls, base)
    assert calls_answered_alone(calls, seen, "") == alone
    assert calls_answered_alone(calls, seen, "D9 and 1h30m are missing.") == ()
    held = alone or (NEW_ROW,)  # where others asked, for nothing that they name
    assert calls_answered_alone(calls, seen, "Another status gives another answer.") == held


@cases
def test_the_calls_beside_one(call: str, some: set[str]) -> None:
    assert some <= set(beside(call))


DEEP, LONG = f"m.f({'[' * 2000}{']' * 2000})", f"m.f(0x{'F' * 3900})"


@pytest.mark.parametrize("call", ["m.f()", "m.f(0, '', None, True)", "m.f(x)", "getattr(", "1", DEEP, LONG])
def test_nothing_lies_beside_a_call_without_telling_values(call: str) -> None:
    assert beside(call) == ()
