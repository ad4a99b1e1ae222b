"""Whether a text asks for just these values."""

from bot.changes.asked_values import asks_for_values
from tests.support.cases import cases


@cases
def test_values_that_are_asked_for_alone(text: str, given: list[str], answer: list[str], asked: bool) -> None:
    assert asks_for_values(text, given, answer) is asked
