"""What a call gives in a test and bare, and which of it is the code's own doing."""

from bot.verification.trial.replay import differ, first_calls
from bot.verification.values import Ending, Observed, RecordedCall
from tests.support.cases import cases


def seen(text: str) -> Observed:
    ending, _, value = text.partition(" ")
    return Observed(Ending(ending), value)


@cases
def test_what_differs_in_a_test_and_bare(tested: str, bare: str, says: bool) -> None:
    assert differ(seen(tested), seen(bare)) is says


def test_of_many_calls_each_function_has_its_first_ones() -> None:
    made = [RecordedCall("t", "a.py", "a", each) for each in ("a.f(1)", "a.f(2)", "a.f(1)", "a.g(1)")]
    assert [each.expression for each in first_calls(made)] == ["a.f(1)", "a.g(1)", "a.f(2)"]
