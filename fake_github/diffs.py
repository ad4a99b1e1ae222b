"""What lies between two commits, as GitHub counts and shows it."""

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile

from fake_github.world import Commit, FakePull, Repo


@dataclass(frozen=True)
class DiffEntry:
    """One changed file; `status` is `added`, `removed` or `modified`, `patch` its hunks, empty for a binary file."""

    path: str
    status: str
    content: bytes
    patch: str
    additions: int
    deletions: int


def ancestry(repo: Repo, commit: Commit) -> Iterator[Commit]:
    """The commit and those before it, newest first."""
    found: Commit | None = commit
    while found:
        yield found
        found = repo.commits.get(found.parent)


def merge_base(repo: Repo, one: Commit, other: Commit) -> Commit | None:
    known = {commit.sha for commit in ancestry(repo, one)}
    return next((commit for commit in ancestry(repo, other) if commit.sha in known), None)


def own_commits(repo: Repo, pull: FakePull) -> list[Commit]:
    """What a pull request adds to its base, oldest first."""
    start = merge_base(repo, repo.commits[pull.base], repo.commits[pull.head])
    own = takewhile(lambda commit: commit is not start, ancestry(repo, repo.commits[pull.head]))
    return list(own)[::-1]


def changes(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> list[DiffEntry]:
    return [
        _change(path, old.get(path), new.get(path)) for path in sorted({*old, *new}) if old.get(path) != new.get(path)
    ]


def _change(path: str, old: bytes | None, new: bytes | None) -> DiffEntry:
    status = "added" if old is None else "removed" if new is None else "modified"
    try:
        hunks = list(difflib.unified_diff(_lines(old or b""), _lines(new or b"")))[2:]
    except UnicodeDecodeError:
        hunks = []
    added, removed = (sum(line.startswith(sign) for line in hunks) for sign in "+-")
    return DiffEntry(path, status, new if new is not None else old or b"", "".join(hunks)[:-1], added, removed)


def _lines(content: bytes) -> list[str]:
    lines = content.decode().split("\n")
    whole = [f"{line}\n" for line in lines[:-1]]
    return [*whole, f"{lines[-1]}\n\\ No newline at end of file\n"] if lines[-1] else whole
