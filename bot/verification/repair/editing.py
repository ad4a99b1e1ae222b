"""Edits by line: which files may be edited, and what an edit makes of a text. Pure."""

from dataclasses import dataclass

from bot.changes.kinds import kind_of
from bot.changes.values import FileKind
from bot.verification.repair.source import lines_of, numbered
from bot.verification.steering import steers
from bot.verification.testing.sources import steers_the_runner
from bot.verification.values import Suite

AROUND = 3  # lines shown before and after (Passerine, section III-B)


class NoEdit(Exception):
    """The edit cannot be made; the message is a phrase in Bouncer's own words."""


@dataclass(frozen=True, slots=True)
class Edited:
    """The whole new text, and the numbered lines that show what was done."""

    text: str
    shown: tuple[str, ...]


def edited(text: str, first: int, last: int, new: str) -> Edited:
    """The text with the lines from `first` to `last` replaced by those of `new`; everything else stays as it is.

    `last` one less than `first` replaces nothing and puts them before line `first`. Line ends are those of the text.
    Raises `NoEdit`.
    """
    lines = lines_of(text)
    if not (1 <= first <= len(lines) + 1 and first - 1 <= last <= len(lines)):
        raise NoEdit(f"the file has {len(lines)} lines, and there are no lines {first} to {last}")
    if "\0" in new:
        raise NoEdit("that is no text")
    carriage = "\r" if "\r\n" in text else ""
    put = [line.removesuffix("\r") + carriage for line in lines_of(new)]
    before, after = lines[: first - 1], lines[last:]
    result = [*before, *put, *after]
    unended = bool(after) and not text.endswith("\n")
    whole = "\n".join(result) + ("" if unended or not result else "\n")
    begin = max(first - AROUND, 1)
    shown = numbered([line.removesuffix("\r") for line in result[begin - 1 : first - 1 + len(put) + AROUND]], begin)
    return Edited(whole, shown)


def why_protected(path: str, suite: Suite) -> str:
    """Why the loop may not edit the file, as a phrase; empty when it may. A fix must not win by changing the tests."""
    kind = kind_of(path)
    if kind is FileKind.TEST or path in suite.files:
        return "tests are not edited: the fix must stand up to them as they are"
    if kind is FileKind.CI or path.lower().startswith(".github/"):
        return "what runs on every push is not edited"
    if steers_the_runner(path) or (suite.command is not None and steers(path, suite.command)):
        return "what says how the tests are run is not edited"
    return ""
