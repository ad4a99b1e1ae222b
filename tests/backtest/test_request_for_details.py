"""Comments and labels, in our own words."""

import pytest

from bot.backtest.endings import asks_for_more, says_waiting
from tests.support.cases import cases

ASKING = (
    "Could you share a small example that shows this?",
    "Please provide the full traceback.",
    "Which version of the library is this?",
    "What is your use case?",
    "What do you mean by a broken table?",
    "How did you install it?",
    "I cannot reproduce this on Windows. Could you try with a fresh profile and tell us?",
    "It would be helpful to have the log of the failing run.",
    "You haven't described what you expect.",
    "We need more information to look into this.",
    "Can you clarify?",
    "It is unclear what you want to change.",
    "Without a reproduction we can't do much.",
    "Do you have a small example?",
    "Can you upload debug.txt?",
    "Does it happen with a new profile?",
    "Did you change the theme before it happened?",
    "Please send what you find as an attachment.",
    "Please use the bug report template next time and fill it in.",
)
NOT_ASKING = (
    "Thanks, this was fixed in the last release.",
    "Would you like to open a pull request with a test?",
    "Please add a unit test to your PR.",
    "Good idea! I will work on it next week.",
    "Duplicate of the issue below.",
    "I can reproduce this. The reason is the cache.",
    "> Could you share a log?\n\nHere it is.",
    "```\nPlease provide a config file.\n```\nThat message comes from the parser.",
    "This is by design.",
    "Is this still a problem with version 3?",
    "Are you still seeing this?",
    "Do you want to work on it?",
    "Could you send a patch?",
    "There should be more detail in the event log.",
    "",
)


@pytest.mark.parametrize("text", ASKING)
def test_it_asks(text: str) -> None:
    assert asks_for_more(text)


@pytest.mark.parametrize("text", NOT_ASKING)
def test_it_does_not_ask(text: str) -> None:
    assert not asks_for_more(text)


@cases
def test_what_a_label_says(label: str, waiting: bool) -> None:
    assert says_waiting(label) is waiting
