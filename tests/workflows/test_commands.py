"""Each command is declared whole: a word, who may give it, and a line in the help of its place."""

import re

import pytest

from bot.issues.commands import Right
from bot.issues.messages import Note
from bot.rendering.issue_messages import message_text
from bot.rendering.pull_messages import help_note
from bot.workflows.commands import WINGS, handlers
from tests.rendering.samples import HELP

TRIAGE, WRITE, OVERRIDE, ANYBODY = Right.TRIAGE, Right.WRITE, Right.OVERRIDE, Right.ANYBODY


def test_who_may_say_what() -> None:
    assert {wing: {word: each.right for word, each in handlers(wing).items()} for wing in WINGS} == {
        "issue": {
            "accept": TRIAGE,
            "brief": WRITE,
            "fixed": TRIAGE,
            "help": ANYBODY,
            "pause": TRIAGE,
            "recheck": Right.REPORTER,
            "resume": TRIAGE,
        },
        "pull": {
            "explain": ANYBODY,
            "override": OVERRIDE,
            "override-cancel": OVERRIDE,
            "person": OVERRIDE,
            "recheck": WRITE,
        },
        "review": {"answer": WRITE, "help": ANYBODY, "recheck": WRITE},
    }


@pytest.mark.parametrize("wing", WINGS)
def test_each_has_a_line_in_the_help_of_its_place_and_nothing_else_has(wing: str) -> None:
    text = message_text(Note("help", HELP), "en") if wing == "issue" else help_note()
    told = {
        word for line in text.splitlines() if line.startswith("- ") for word in re.findall(r"`/bouncer ([a-z-]+)", line)
    }
    if wing == "issue":
        assert told == set(handlers("issue"))
    else:
        assert set(handlers(wing)) <= told == {*handlers("pull"), *handlers("review")}
