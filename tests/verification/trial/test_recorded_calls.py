"""Calls that were answered in their tests otherwise than they are bare; `test_contradictions.py` has what else recorded
calls show."""

from bot.verification.testing.inside.recorder import GIVEN
from bot.verification.trial.recorded_calls import answered_as_tested, as_recorded
from bot.verification.values import Ending, Observed, RecordedCall
from tests.support.cases import cases


def told(answer: str) -> Observed | None:
    """A value, the type of an exception behind `!`, what was printed or is longer than is recorded, or nothing."""
    if answer.startswith("!"):
        return Observed(Ending.RAISED, answer[1:])
    return Observed(Ending.RETURNED, answer.replace("…", "x" * GIVEN)) if answer else None


@cases
def test_what_a_head_gives_in_tests_alone(base: str, heads: list[str], bare: list[str], held: bool) -> None:
    """base, heads: as recorded in the test, empty where it made no call or nothing is known. bare: of both."""

    def call(answer: str) -> RecordedCall:
        given = told(answer)
        return RecordedCall("t", "a.py", "a", "a.f(1)", as_recorded(given) if given else None)

    of_base, of_head = (told(each) or Observed(Ending.TIMEOUT) for each in bare)
    seen = {"a.f(1)": (of_base, of_head)}
    assert bool(answered_as_tested([call(base)], [[call(each)] for each in heads], seen)) is held


def test_another_tests_call_tells_nothing_of_this_ones() -> None:
    base, other = (RecordedCall(test, "a.py", "a", "a.f(1)", told("4")) for test in ("t", "u"))
    seen = {"a.f(1)": (Observed(Ending.RETURNED, "4"), Observed(Ending.RETURNED, "6"))}
    assert answered_as_tested([base], [[base], [base]], seen) == {base: (told("4"), told("6"))}
    assert answered_as_tested([base], [[other], [other]], seen) == {}
    assert answered_as_tested([base], [[base], [base]], {}) == {}


@cases
def test_a_call_is_the_same_with_what_the_head_adds_behind(base: str, head: str, held: bool) -> None:
    first, other = (RecordedCall("t", "a.py", text[0], text, told("4")) for text in (base, head))
    seen = {base: (Observed(Ending.RETURNED, "4"), Observed(Ending.RETURNED, "6"))}
    assert bool(answered_as_tested([first], [[other], [other]], seen)) is held
