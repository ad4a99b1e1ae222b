"""Does an issue ask that the program behave otherwise? Then a change that answers it has to show that. Pure."""

import re

from bot.issues.documentation import asks_for_documentation
from bot.issues.kind import asked_as
from bot.issues.security import is_vulnerability
from bot.markdown.visible import visible, visible_line
from bot.verdicts import IssueKind

_LABEL = re.compile(
    r"(?<![a-z])(?:chores?|refactor(?:ing)?|dependenc(?:y|ies)|ci|build|maintenance|clean ?-?up|tech(?:nical)?[ -]?debt"
    r"|internal|tests?|testing|infrastructure|question|discussion)(?![a-z])",
    re.I,
)
_FOR_SURE = re.compile(
    r"(?<![a-z])(?:bugs?|defects?|regressions?|crash(?:es)?|enhancements?|feature(?:[ -]requests?)?)(?![a-z])", re.I
)
# What is done for those who write the program, by the first word of a title or the one before its colon.
_TITLE = re.compile(
    r"^\W{0,9}(?:(?:chore|refactor|ci|build|style|tests?|deps?)\W{0,3}(?:\([^)]{0,40}\))?\W{0,3}:"
    r"|(?:refactor|clean(?:ing)? up|tidy|restructure|reorgani[sz]e|moderni[sz]e)\b"
    r"|(?:bump|upgrade|pin|unpin)\s{1,3}(?:\S{1,60}$|.{0,80}(?:\d|dependenc|\b(?:versions?|requirements?|packages?|latest)\b))"
    r"|(?:add|improve|write|increase|more|missing|extend)(?:\s{1,3}[\w-]{1,30}){0,3}\s{1,3}"
    r"(?:tests?|test coverage|type hints?|type annotations?|typing|ci|linting)\W*$)",
    re.I,
)
_MOST = 20_000  # characters of a report that are read
_MOST_TITLE = 300


def asks_for_behaviour(title: str, body: str, labels: tuple[str, ...]) -> bool:
    """Whether it is a bug or a wish for something a program does, and no work on documentation, tests or upkeep."""
    line = visible_line(title).text[:_MOST_TITLE]
    if asks_for_documentation(title, labels):
        return False
    prose = visible(body[:_MOST]).text
    broken = "Traceback (most recent call last)" in prose
    if broken or any(_FOR_SURE.search(label) for label in labels):
        return True
    if any(_LABEL.search(label) for label in labels) or _TITLE.search(line):
        return False
    return is_vulnerability(line, prose) or asked_as(line, prose, broken) is not IssueKind.QUESTION
