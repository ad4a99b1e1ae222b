"""Commits as git stores them, so that SHAs are git's own and all can be fetched; and what lies between two of them."""

import difflib
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile

from fake_github.world import ZERO_SHA, Commit, FakePull, Repo, User

Objects = dict[str, bytes]  # SHA -> header and content, as git compresses it into a loose object
_Tree = dict[bytes, "bytes | _Tree"]


class Link(bytes):
    """The content of a symbolic link: where it points."""


class Submodule(bytes):
    """The commit another repository is taken at: its SHA in hexadecimal, which nobody stores here."""


def make_commit(
    files: Mapping[str, bytes], parent: str, message: str, author: User, at: datetime
) -> tuple[Commit, Objects]:
    """A commit, and all the objects it is made of. parent: `ZERO_SHA` for none."""
    objects: Objects = {}
    tree = _store_tree(_nested(files), objects)
    who = f"{author.login} <{author.email}> {int(at.timestamp())} +0000"
    parents = [] if parent == ZERO_SHA else [f"parent {parent}"]
    lines = [f"tree {tree}", *parents, f"author {who}", f"committer {who}", "", message, ""]
    sha = _store("commit", "\n".join(lines).encode(), objects)
    return Commit(sha, tree, parent, message, author, at, files), objects


def blob_sha(content: bytes) -> str:
    return _store("blob", content, {})


def _nested(files: Mapping[str, bytes]) -> _Tree:
    top: _Tree = {}
    for path, content in files.items():
        *folders, name = path.encode().split(b"/")
        inside = top
        for folder in folders:
            step = inside.setdefault(folder, {})
            if isinstance(step, bytes):
                raise ValueError(f"{path} lies inside a file")
            inside = step
        if isinstance(inside.get(name), dict):
            raise ValueError(f"{path} is a directory")
        inside[name] = content
    return top


def _store_tree(tree: _Tree, objects: Objects) -> str:
    entries = []
    for name, item in tree.items():
        if isinstance(item, Submodule):
            entries.append((name, b"160000 %b\0" % name, item.decode()))
        elif isinstance(item, Link):
            entries.append((name, b"120000 %b\0" % name, _store("blob", item, objects)))
        elif isinstance(item, bytes):
            entries.append((name, b"100644 %b\0" % name, _store("blob", item, objects)))
        else:
            entries.append((name + b"/", b"40000 %b\0" % name, _store_tree(item, objects)))
    content = b"".join(head + bytes.fromhex(sha) for _, head, sha in sorted(entries))
    return _store("tree", content, objects)


def _store(kind: str, content: bytes, objects: Objects) -> str:
    whole = f"{kind} {len(content)}\0".encode() + content
    sha = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
    objects[sha] = whole
    return sha


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


def since(repo: Repo, start: Commit | None, head: Commit) -> list[Commit]:
    """The commits from one of its ancestors to a commit, oldest first."""
    return list(takewhile(lambda commit: commit is not start, ancestry(repo, head)))[::-1]


def own_commits(repo: Repo, pull: FakePull) -> list[Commit]:
    """What a pull request adds to its base, oldest first."""
    base, head = repo.commits[pull.base], repo.commits[pull.head]
    return since(repo, merge_base(repo, base, head), head)


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
