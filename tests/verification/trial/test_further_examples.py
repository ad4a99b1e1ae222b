"""Examples that a text shows and that no test asks for."""

from hypothesis import given
from hypothesis import strategies as st

from bot.verification.trial.further_examples import calls_of_values, further_examples, wrong_answers
from bot.verification.values import Ending, Observed
from tests.support.cases import cases


@cases
def test_examples_in_the_same_words(asked: str, answers: dict[str, str], shown: dict[str, str]) -> None:
    seen = [(call, Observed(Ending.RETURNED, value)) for call, value in answers.items()]
    assert further_examples(asked, seen) == shown


def test_what_raises_shows_nothing() -> None:
    assert further_examples("IV is 4, XC is 90", [("m.value('IV')", Observed(Ending.RAISED, "4"))]) == {}


@cases
def test_answers_that_a_text_calls_wrong(asked: str, right: dict[str, str]) -> None:
    assert wrong_answers(asked) == right


@cases
def test_calls_with_the_values_of_a_text(asked: str, calls: list[str], found: list[str]) -> None:
    assert calls_of_values(asked, calls) == found


@given(st.text(st.sampled_from("0123456789'\"`.-, instead of\n(ab)"), max_size=200))
def test_any_text_can_be_asked(asked: str) -> None:
    wrong_answers(asked)
    calls_of_values(asked, ["t.fare('A', 2)", "t.fare('A', x=0.5)"])
