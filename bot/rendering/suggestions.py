"""What a bounce hands back to whoever tries next: how to see it fail, and a fix that was found right."""

import re
import shlex
from collections.abc import Iterable

from bot.changes.values import Change
from bot.github.values import LineNote
from bot.plain_text import visible_text
from bot.pulls.suggestions import fix_suggestions
from bot.rendering.comment import render
from bot.rendering.escape import block

LONGEST = 8_000  # characters of what is to be pasted and run
_TEST = re.compile(r"[\w.][\w@+=,./-]*\.py::\S.*", re.ASCII)


def pytest_line(failing: Iterable[str]) -> str:
    """The command that runs these tests of the repository; empty where none of them is pytest's."""
    names = [name for name in failing if not name.startswith("test_bouncer_")]
    plain = [name for name in names if len(name) <= 300 and name.isprintable() and _TEST.fullmatch(name)]
    return shlex.join(["python", "-m", "pytest", *plain]) if plain else ""


def pasteable(text: str, limit: int = LONGEST) -> str:
    """The text, when a code block shows it to the letter; else nothing, since half of it helps nobody."""
    return text if len(text) <= limit and visible_text(text) == text else ""


def suggestion_notes(fix: str, change: Change) -> tuple[LineNote, ...]:
    """A fix that was found right, as comments for a review: all of it, or nothing."""
    found = tuple(
        LineNote(each.path, each.first, each.last, suggestion(each.text)) for each in fix_suggestions(fix, change)
    )
    return found if all(each.body for each in found) else ()


def suggestion(text: str) -> str:
    """GitHub's block that offers to replace lines with the text, empty to delete them; nothing where it cannot be shown
    to the letter."""
    if text and not pasteable(text):
        return ""
    shown = block(text.removesuffix("\n"), "suggestion")
    return shown if text else shown.replace("\n\n", "\n", 1)


def fix_review(head: str, count: int) -> str:
    """The body of the review that holds the suggestions."""
    return f"{fix_marker(head)}\n{render('fix', head=head, count=count)}"


def fix_marker(head: str) -> str:
    """The first line of the one review of a commit."""
    return f"<!-- bouncer:fix {head} -->"
