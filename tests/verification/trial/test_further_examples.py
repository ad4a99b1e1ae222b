"""Examples that a text shows in the words of those that tests demand."""

from bot.verification.trial.further_examples import further_examples
from bot.verification.values import Ending, Observed
from tests.support.cases import cases


@cases
def test_examples_in_the_same_words(asked: str, answers: dict[str, str], shown: dict[str, str]) -> None:
    seen = [(call, Observed(Ending.RETURNED, value)) for call, value in answers.items()]
    assert further_examples(asked, seen) == shown


def test_what_raises_shows_nothing() -> None:
    assert further_examples("IV is 4, XC is 90", [("m.value('IV')", Observed(Ending.RAISED, "4"))]) == {}
