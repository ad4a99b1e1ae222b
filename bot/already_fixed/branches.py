"""The branch that still gets fixes for the version a report is about, such as `2.x`, and whether it got this one."""

import re
from collections.abc import Mapping
from pathlib import Path

from bot.already_fixed.revisions import is_ancestor
from bot.history.values import Candidate

_NUMBERS = re.compile(r"v?(\d{1,4}(?:\.\d{1,4}){0,2})(\.[x*])?")
_VERSION = re.compile(r"v?(\d{1,6}(?:\.\d{1,6}){1,3})")
_BESIDE = {
    *("maint", "maintenance", "stable", "release", "releases", "rel"),
    *("lts", "branch", "fixes", "bugfix", "support"),
}
_LONGEST = 100_000


def lacking(directory: Path, branches: Mapping[str, str], fix: Candidate | None, *, text: str, version: str) -> str:
    """The name of the branch that the report is about and that does not have the fix; empty where there is none.

    branches: commits by name. text: the report's. version: that it names, or empty. Raises nothing.
    """
    name = line_of(branches, text, version)
    if fix is None or name is None:
        return ""
    tip = branches[name]
    same = (fix.commit, *fix.members, *fix.back_ports)
    return "" if any(sha == tip or is_ancestor(directory, sha, tip) for sha in same) else name


def line_of(branches: Mapping[str, str], text: str, version: str) -> str | None:
    """The branch for later fixes of a version: the one that the report names, else the one whose numbers go furthest
    with the version's. `None` where there is none."""
    lines = {name: numbers for name in branches if (numbers := _numbers(name))}
    shown = text[:_LONGEST]
    named = [name for name in lines if re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w/*-]|\.\w)", shown)]
    found = _VERSION.match(version)
    said = tuple(map(int, found[1].split("."))) if found else ()
    fitting = [name for name, numbers in lines.items() if said[: len(numbers)] == numbers]
    return max(named or fitting, key=lambda name: (len(lines[name]), name), default=None)


def _numbers(name: str) -> tuple[int, ...]:
    """Those of a branch that is kept for a version; a number alone, such as an issue's, names none."""
    words = re.split(r"[-_/]", name.lower())
    found = [match for word in words if (match := _NUMBERS.fullmatch(word))]
    if len(found) != 1 or len(words) > 4 or not _BESIDE.issuperset(set(words) - {found[0][0]}):
        return ()
    numbers = tuple(map(int, found[0][1].split(".")))
    return numbers if found[0][2] or len(numbers) == 2 else ()
