"""Where to look for what a report is about: the repository's files in its stack traces, and what candidates changed."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from bot.already_fixed.revisions import code_of, parent
from bot.already_fixed.values import Place
from bot.github import git
from bot.github.errors import GitHubError
from bot.history.report import frames
from bot.history.values import Candidate

MOST = 12
_CANDIDATES, _FILES = 3, 4  # candidates, and the files of each
_BYTES = 8_000_000  # of a list of paths
_LONGEST = 100_000  # characters of a report


def places(directory: Path, head: str, text: str, candidates: Sequence[Candidate]) -> tuple[Place, ...]:
    """At most `MOST`, each path once; what the stack traces name goes first. text: the report's. Raises nothing."""
    try:
        listed = git.read(directory, "ls-tree", "-r", "-z", "--name-only", head, most=_BYTES)
    except GitHubError:
        return ()
    known = {path.decode("utf-8", "replace") for path in listed.split(b"\0") if path}
    found = dict(in_traces(text, known))
    for candidate in candidates[:_CANDIDATES]:
        for path in _changed(directory, candidate.commit):
            if path in known:
                found.setdefault(path, f"changed by commit {candidate.commit[:10]}")
    return tuple(Place(path, what) for path, what in list(found.items())[:MOST])


def in_traces(text: str, known: Iterable[str]) -> dict[str, str]:
    """The known paths that stack traces name, innermost frame first, each with the function, if one is told.

    Where something is installed its files lie below other directories: what counts is how a path ends.
    """
    by_name: dict[str, list[str]] = {}
    for path in known:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)
    found: dict[str, str] = {}
    innermost = frames(text[:_LONGEST])[::-1]
    for frame in sorted(innermost, key=lambda frame: not frame.function):
        if path := _of(frame.file, by_name):
            found.setdefault(path, f"{frame.function} in the stack trace".lstrip())
    return found


def _of(named: str, by_name: dict[str, list[str]]) -> str:
    """The longest known path with which this one ends; empty where none fits, or only by a name that several have."""
    alike = by_name.get(named.rpartition("/")[2], [])
    whole = [path for path in alike if f"/{named}".endswith(f"/{path}")]
    if whole:
        return max(whole, key=len)
    inside = [path for path in alike if f"/{path}".endswith(f"/{named.lstrip('./')}")]
    return inside[0] if len(inside) == 1 else ""


def _changed(directory: Path, commit: str) -> list[str]:
    """The code that a commit changes against its first parent."""
    before = parent(directory, commit)
    try:
        return code_of(directory, before, commit)[:_FILES] if before else []
    except GitHubError:
        return []
