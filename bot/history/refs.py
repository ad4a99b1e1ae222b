"""Branches and version tags of a repository, and which version came first. Effects in `refs` alone."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from bot.github import git

_MOST = 5000  # refs that are read
_BYTES = 4_000_000
_VERSION = re.compile(
    r"(?:[A-Za-z][\w.-]{0,60}?[-_@/])?[vV]?(\d{1,6}(?:[._]\d{1,8}){1,4})"
    r"(?:[-._]?(a|alpha|b|beta|c|rc|pre|preview|dev|post|final)[-._]?(\d{0,8}))?"
)
_BEFORE = {"dev": -5, "a": -4, "alpha": -4, "b": -3, "beta": -3, "c": -2, "rc": -2, "pre": -2, "preview": -2, "post": 1}


@dataclass(frozen=True, slots=True)
class Refs:
    """Full SHAs of commits by name. tags: those that are versions, and nothing else."""

    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)


def refs(directory: Path) -> Refs:
    """Of a git directory, bare or with a work tree. Raises a `GitHubError`."""
    form = "--format=%(refname)%00%(objecttype)%00%(objectname)%00%(*objecttype)%00%(*objectname)"
    words = ("for-each-ref", f"--count={_MOST}", "--sort=-creatordate", form)
    output = git.read(directory, *words, "refs/heads", "refs/remotes", "refs/tags", most=_BYTES)
    branches, tags = {}, {}
    for line in output.decode(errors="replace").splitlines():
        parts = line.split("\0")
        if len(parts) != 5:
            continue  # the last one, cut
        name, sort, sha, peeled_sort, peeled = parts
        if "commit" not in (sort, peeled_sort):
            continue  # a tag of a tree or a file
        commit = sha if sort == "commit" else peeled
        if not name.startswith("refs/tags/"):
            branches[name.split("/", 2)[2]] = commit
        elif version(short := name.removeprefix("refs/tags/")):
            tags[short] = commit
    return Refs(branches, tags)


@lru_cache(maxsize=10_000)
def version(tag: str) -> tuple[tuple[int, ...], int, int] | None:
    """What orders a version among others; `None` for a tag that is none."""
    match = _VERSION.fullmatch(tag)
    if match is None:
        return None
    numbers = [int(part) for part in re.split(r"[._]", match[1])]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers), _BEFORE.get(match[2] or "", 0), int(match[3] or 0)


def first(tags: Iterable[str]) -> str | None:
    """The oldest of these versions; a preliminary one only where there is no other."""
    ordered = sorted((key, tag) for tag in tags if (key := version(tag)))
    final = [tag for key, tag in ordered if key[1] >= 0]
    return next(iter(final or [tag for _, tag in ordered]), None)


def tag_of(tags: Iterable[str], said: str) -> str | None:
    """The tag of the version that a report names (`6.2.5`, `v6.2.5`, `pytest 6.2.5`); `None` where there is none."""
    found = re.search(r"\d{1,6}(?:\.\d{1,8}){1,4}(?:[-.]?(?:a|b|rc|dev|post)\d{0,8})?", said[:200])
    wanted = version(found[0]) if found else None
    return next((tag for tag in tags if wanted and version(tag) == wanted), None)
