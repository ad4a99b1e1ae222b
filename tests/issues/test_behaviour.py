"""Which issues ask that a program behave otherwise. In doubt one does: else tests alone would answer it."""

import pytest

from bot.issues.kind import asked_as, asks_for_behaviour
from bot.verdicts import IssueKind
from tests.support.cases import cases


@cases
def test_what_asks_for_behaviour(title: str, asks: bool) -> None:
    assert asks_for_behaviour(title, "It is so since the last release.", ()) is asks


@pytest.mark.parametrize("title", ["help", "Help needed", "help me", "Q: width", "[question] w"])
def test_who_asks_for_help_asks_a_question(title: str) -> None:
    assert asked_as(title, "", broken=False) is IssueKind.QUESTION


@cases
def test_a_label_that_says_so_outweighs_the_others(title: str, body: str, labels: tuple[str, ...], asks: bool) -> None:
    assert asks_for_behaviour(title, body, labels) is asks
