"""What is a risk by who reads the file: CI, hooks, builders, services, editors, agents, git, package tools. Pure.

The table of readers is `bot/changes/readers.toml`. Any change of what is read asks for a person, but for newer versions
of actions and hooks, which are only shown.
"""

import re
from collections.abc import Iterator
from fnmatch import fnmatch

from packaging.version import InvalidVersion, Version

from bot.changes.kinds import is_test
from bot.changes.readers import SENTENCES, FileReader, readers_of
from bot.changes.risks.data import Leaf, leaves, read
from bot.changes.risks.lines import first
from bot.changes.risks.values import Holds, Risk
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Hunk, Whole

_PROSE = (".md", ".rst", ".adoc", ".png", ".svg")
# An order of CI by its version: a commit may be anybody's, also under the name of the real project.
_ORDER = re.compile(r"""(\s*(?:- +)?(?:uses: +["']?[^\s"'@]{1,200}@|rev: +["']?))([\w.+-]{1,60})(["']?\s*)""")
_LARGEST = 1_000_000


def files(change: Change, whole: Whole) -> Iterator[Risk]:
    """What the table of readers says, and `unreadable_files`, `symbolic_link`, `made_executable`."""
    for file in change.files:
        told: set[str] = set()
        for path in file.places:
            for row in _read_by(path):
                found = None if row.check in told else _weighed(file, row, whole)
                if found:
                    told.add(row.check)
                    yield Risk(row.check, found[0], path, first(file), found[1])
        yield from _modes(file)


def _read_by(path: str) -> Iterator[FileReader]:
    """Prose beside orders is read by people alone, and what lies among tests is not what it looks like."""
    prose = path.lower().endswith(_PROSE)
    for row in readers_of(path):
        if row.check and not (prose and row.counts != "all" and not row.kind) and (row.tested or not is_test(path)):
            yield row


def _modes(file: FileChange) -> Iterator[Risk]:
    if file.binary:
        shown = file.kind in (FileKind.DOCUMENTATION, FileKind.TEST)  # does nothing by itself
        yield Risk("unreadable_files", SENTENCES["binary"], file.path, holds=Holds.NEVER if shown else Holds.ALWAYS)
    if file.submodule:
        say = "It changes which commit of another repository is included."
        yield Risk("git_changed", say, file.path)
    if file.link:
        say = "It is a symbolic link, which may lead anywhere."
        yield Risk("symbolic_link", say, file.path)
    if file.executable:
        new = file.status is FileStatus.ADDED and file.kind is not FileKind.TEST and not file.binary
        say = "It may be started as a program now."
        yield Risk("made_executable", say, file.path, first(file), Holds.NEVER if new else Holds.ALWAYS)


def _weighed(file: FileChange, row: FileReader, whole: Whole) -> tuple[str, Holds] | None:
    """What to say of a change of what this reader reads, and whether it asks for a person."""
    texts = whole(file) if file.status is FileStatus.MODIFIED and (row.keys or row.holds) else None
    if file.status is FileStatus.ADDED and file.plain:
        texts = "", "\n".join(line for hunk in file.hunks for line in hunk.added)
    if row.holds and not (texts and _has(file.path, row, *texts)):
        return None
    if row.counts == "orders" and _only_newer(file):
        return "It takes newer versions of what CI runs already.", Holds.NEVER
    if row.keys and texts and file.plain and not _obeys(file.path, row, *texts):
        return None
    return SENTENCES[row.says], Holds.ALWAYS


def _has(path: str, row: FileReader, *texts: str) -> bool:
    """Whether it is such a file, before or after."""
    read_ = [read(path, text) for text in texts]
    documents = [each for data in read_ for each in (data if isinstance(data, list) else [data])]
    return any(isinstance(each, dict) and row.holds <= each.keys() for each in documents)


def _obeys(path: str, row: FileReader, before: str, after: str) -> bool:
    """Whether something differs that this reader obeys. What cannot be read may be."""
    old, new = read(path, before) if before else {}, read(path, after)
    return old is None or new is None or _obeyed(old, row) != _obeyed(new, row)


def _obeyed(data: object, row: FileReader) -> list[Leaf]:
    below = (leaf for leaf in leaves(data) if any(fnmatch(key.lower(), glob) for key in leaf[0] for glob in row.keys))
    return sorted(below)


def _only_newer(file: FileChange) -> bool:
    """Whether all it changes is versions of actions and hooks that were there, none of them to an older one."""
    plain = file.status is FileStatus.MODIFIED and file.plain and not file.executable
    return plain and bool(file.hunks) and all(map(_is_newer, file.hunks))


def _is_newer(hunk: Hunk) -> bool:
    orders = [[_ORDER.fullmatch(line) for line in side] for side in (hunk.removed, hunk.added)]
    if len(orders[0]) != len(orders[1]):
        return False
    return all(
        old is not None and new is not None and old[1] == new[1] and old[3] == new[3] and not_older(old[2], new[2])
        for old, new in zip(*orders, strict=True)
    )


def not_older(before: str, after: str) -> bool:
    """Whether the second of two versions is as new as the first, or newer. What is none for certain is not: a commit,
    also a short one, may be anybody's. Nor is a tag of fewer numbers, which may move on: `v4` after `v4.1`."""
    old, new = _version(before), _version(after)
    return old is not None and new is not None and old.release <= new.release and old <= new


def is_older(before: str, after: str) -> bool:
    """Whether the second of two versions is certainly the older one."""
    old, new = _version(before), _version(after)
    return old is not None and new is not None and new < old


def _version(text: str) -> Version | None:
    try:
        found = Version(text)
    except InvalidVersion:
        return None
    short_commit = len(found.release) == 1 and (found.is_prerelease or found.is_postrelease)  # `12a3456`
    return None if short_commit or found.local or found.epoch or max(found.release) > _LARGEST else found
