"""What is a risk by who reads the file: CI, hooks, builders, services, editors, agents, git, package tools. Pure.

The table of readers is `bot/changes/readers.toml`. Where a file of data can be compared whole, comments and layout are
only shown, and so are newer versions of what was there, and more of them.
"""

from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from functools import partial
from itertools import zip_longest
from typing import Any

from packaging.version import InvalidVersion, Version

from bot.changes.kinds import is_test
from bot.changes.readers import NEWER, SENTENCES, FileReader, readers_of, suffix
from bot.changes.risks.data import read
from bot.changes.risks.lines import first
from bot.changes.risks.values import Holds, Risk
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Whole

LONGEST = 128 * 1024  # characters of a file that are looked at
_PROSE = (".md", ".rst", ".adoc", ".png", ".svg")
_DATA = (".yml", ".yaml", ".toml", ".json", ".jsonc", ".json5", ".code-workspace")
_CONDITIONS = ("if", "condition", "conditions", "when", "rules", "only", "except")
_EXACTLY = ("==", "@", ">=", "~=")
_LARGEST, _DEEPEST = 1_000_000, 60


def files(change: Change, whole: Whole) -> Iterator[Risk]:
    """What the table of readers says, and `unreadable_files`, `symbolic_link`, `made_executable`."""
    for file in change.files:
        told: set[str] = set()
        for path in () if file.kind is FileKind.RECORD else file.places:
            for row in _read_by(path):
                found = None if row.check in told else _weighed(file, row, whole)
                if found:
                    told.add(row.check)
                    yield Risk(row.check, found[0], path, first(file), row.names(path), found[1])
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
        yield Risk("git_changed", say, file.path, 0, (file.path,), beside=("submodule", "git submodule"))
    if file.link:
        say = "It is a symbolic link, which may lead anywhere."
        beside = ("symlink", "symbolic link", "symlinks", "symbolic links")
        yield Risk("symbolic_link", say, file.path, names=(file.path,), beside=beside)
    if file.executable:
        new = file.status is FileStatus.ADDED and file.kind is not FileKind.TEST and not file.binary
        holds, said = Holds.NEVER if new else Holds.ALWAYS, ("executable", "executable bit", "chmod")
        say = "It may be started as a program now."
        yield Risk("made_executable", say, file.path, first(file), (file.path,), holds, said)


def _weighed(file: FileChange, row: FileReader, whole: Whole) -> tuple[str, Holds] | None:
    """What to say of a change of what this reader reads, and whether it asks for a person."""
    modified = file.status is FileStatus.MODIFIED and file.plain and not file.executable
    texts = whole(file) if modified and row.counts != "all" else None
    if file.status is FileStatus.ADDED and file.plain:
        texts = "", "\n".join(line for hunk in file.hunks for line in hunk.added)
    if row.holds and not (texts and _has(file.path, row, *texts)):
        return None
    fits = row.counts != "all" and texts and (modified or row.keys)
    same = _as_usual(file.path, row, *texts) if fits and texts else ""
    if same and row.keys:
        return None
    what = "what CI runs" if row.check == "ci_changed" else "it"
    return (f"{same} of {what}.", Holds.NEVER) if same else (row.says, Holds.ALWAYS)


def _as_usual(path: str, row: FileReader, before: str, after: str) -> str:
    """What to say of a change of data that leaves its reader to do what it did; empty for any other, or in doubt."""
    if suffix(path) not in _DATA or len(before) + len(after) > LONGEST or before == after or not _plain(before, after):
        return ""
    old, new = read(path, before) if before else {}, read(path, after)
    what = "comments and layout" if old == new else "versions to newer ones, names and limits"
    return f"It changes only {what}" if None not in (old, new) and _usual(row, (), old, new) else ""


def _has(path: str, row: FileReader, *texts: str) -> bool:
    """Whether it is such a file, before or after."""
    read_ = [read(path, text) for text in texts]
    documents = [each for data in read_ for each in (data if isinstance(data, list) else [data])]
    return any(isinstance(each, dict) and row.holds <= each.keys() for each in documents)


def _plain(before: str, after: str) -> bool:
    """Whether any reader of YAML ends the changed lines where they end, and no tag, nor the name of a part that stands
    elsewhere as well, is in them or may be another part's now."""
    texts = before.split("\n"), after.split("\n")
    changed, marks = {*texts[0]} ^ {*texts[1]}, {"&", "!"}
    old, new = ([line for line in text if line not in changed] for text in texts)
    said = "".join(line for line in changed if not line.lstrip().startswith("#"))
    return "".join(changed).isprintable() and marks.isdisjoint(said) and (marks.isdisjoint(after) or old == new)


def _usual(row: FileReader, keys: tuple[str, ...], old: Any, new: Any) -> bool:
    """Whether a part of a file of data is the same to this reader, but for newer versions, more of what there is in
    other versions, and what is free to change. keys: above it. `None`: it is not there."""
    sorts = {type(each) for each in (old, new) if each is not None}
    if old == new or len(keys) > _DEEPEST or len(sorts) > 1:
        return bool(old == new)
    if sorts == {dict} and (old or new):
        were, now = old or {}, new or {}
        return all(_usual(row, (*keys, key), were.get(key), now.get(key)) for key in were | now)
    if sorts == {list} and (old or new):
        return _in_order(partial(_usual, row, (*keys, "*")), old or [], new or [])
    path = "/".join(key.lower().replace("/", "|") for key in keys)
    value = "" if new is None else str(new or "none").lower()
    obeyed = not row.keys or any(fnmatch(key.lower(), glob) for key in keys for glob in row.keys)
    if not obeyed or row.leaves_free(path, f"{path}={value}"):
        return True
    return None not in (old, new) and _newer(next((key for key in keys[::-1] if key != "*"), ""), str(old), str(new))


def _in_order(same: Callable[[Any, Any], bool], old: list[Any], new: list[Any]) -> bool:
    """Whether each that was there still is, and any other is like one of them."""
    others, waiting = list[Any](), iter(new)
    for each in (each for each in old if not same(each, None)):
        for other in waiting:
            if same(each, other):
                break
            others.append(other)
        else:
            return False
    others += waiting
    return all(same(None, one) or any(same(each, one) or same(one, each) for each in old) for one in others)


def _newer(key: str, old: str, new: str) -> bool:
    """Whether a text says the same in newer versions."""
    if key.lower() in _CONDITIONS:
        return False
    if key == "uses":  # a commit may be anybody's, also under the name of the real project
        (was, _, old), (now, _, new) = (each.rpartition("@" if "@" in each else ":") for each in (old, new))
        return was == now and not_older(old, new)
    words, same = (each.replace("\n", " \n ").split(" ") for each in (old, new))
    version = key.lower().replace("_", "-").rpartition("-")[2] in NEWER
    pairs = list(zip_longest(words, same, fillvalue=""))
    return all(_newer_word(*pair, version=version, alone=len(pairs) == 1) for pair in pairs)


def _newer_word(old: str, new: str, *, version: bool, alone: bool) -> bool:
    """The same of a word: `tool==1.2`, `py312`; `2` where it is said to be a version, `1.2` where it stands alone. No
    other number is one for certain, nor is a commit or an address."""
    words = zip_longest(_words(old), _words(new), fillvalue="")
    pairs = [(old, new)] if old != new and not_older(old, new) else [pair for pair in words if pair[0] != pair[1]]
    named = alone or any(new.find(sign) > 0 for sign in _EXACTLY)
    return all(
        not_older(*pair) and (version or pair[1][:2] == "py" or (named and pair[1].count(".") in (1, 2)))
        for pair in pairs
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
    if text.startswith("py") and text[2:].isdecimal():
        text = f"{text[2]}.{text[3:]}"  # as tox says it
    try:
        found = Version(text.removesuffix(".x").removesuffix("t"))
    except InvalidVersion:
        return None
    short_commit = len(found.release) == 1 and (found.is_prerelease or found.is_postrelease)  # `12a3456`
    return None if short_commit or found.local or found.epoch or max(found.release) > _LARGEST else found


def _words(text: str) -> list[str]:
    return "".join(each if each.isalnum() or each in ".+" else f" {each} " for each in text).split()
