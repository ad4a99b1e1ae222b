"""Which issues ask that a program behave otherwise. In doubt one does: else tests alone would answer it."""

import pytest

from bot.issues.behaviour import asks_for_behaviour
from bot.issues.kind import asked_as
from bot.verdicts import IssueKind


@pytest.mark.parametrize(
    ("title", "asks"),
    [
        ("Helper functions use the full width", True),
        ("Help text is wrong", True),
        ("Supported versions differ", True),
        ("The quarter is one short", True),
        ("[Help] where are the settings", False),
        ("Question about the settings", False),
        ("How do I set the width?", False),
        ("chore: tidy up", False),
        ("docs: say what width means", False),
        ("Pin code check accepts letters", True),
        ("Upgrade path broken: total() crashes", True),
        ("Pin numpy", False),
        ("Upgrade to Django 5", False),
        ("Bump the pinned versions", False),
    ],
)
def test_what_asks_for_behaviour(title: str, asks: bool) -> None:
    assert asks_for_behaviour(title, "It is so since the last release.", ()) is asks


@pytest.mark.parametrize("title", ["help", "Help needed", "help me", "Q: width", "[question] w"])
def test_who_asks_for_help_asks_a_question(title: str) -> None:
    assert asked_as(title, "", broken=False) is IssueKind.QUESTION


@pytest.mark.parametrize(
    ("title", "body", "labels", "asks"),
    [
        ("The width is wrong", "", ("build",), False),
        ("The width is wrong", "", ("build", "bug"), True),
        ("Bump the width to 2", "", ("regression",), True),
        ("Bump the width to 2", "Traceback (most recent call last)", (), True),
        ("How do I set the width?", "", ("feature request",), True),
        ("The width is wrong", "", ("documentation", "bug"), False),
        ("The width is wrong", "", ("debugging",), True),
        ("Tidy up", "", ("debugging",), False),
    ],
)
def test_a_label_that_says_so_outweighs_the_others(title: str, body: str, labels: tuple[str, ...], asks: bool) -> None:
    assert asks_for_behaviour(title, body, labels) is asks
