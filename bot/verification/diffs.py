"""A unified diff, laid over a program: exactly where it says, or not at all.

A diff comes from strangers. It is parsed in this process, touches no file, names only paths inside the program, and
what Bouncer cannot represent (links, submodules, binary content) is refused rather than half applied.
"""

import re
from collections.abc import Callable

from bot.changes.read import LARGEST, LINK, NOWHERE, SUBMODULE, FilePatch, names, patches
from bot.changes.values import FileStatus

Read = Callable[[str], bytes | None]


class DiffError(Exception):
    """The diff cannot be read, is not safe or does not fit; the message says where, and the mend."""


def looks_like_a_diff(text: str) -> bool:
    """Whether a file without a telling name holds a unified diff, or what git prints of a commit."""
    return bool(re.search(r"^(diff --(git|cc|combined) |--- .*\n\+\+\+ |commit [0-9a-f]{40}$)", text, re.MULTILINE))


def apply(diff: bytes, read: Read, *, only_file: str = "") -> dict[str, bytes | None]:
    """The files that the diff changes: path -> new content, `None` for a deleted one.

    `read` gives the content of a path in the program, or `None` where there is no such file. With `only_file` the
    program is that one file, which the diff may call what it likes. Raises `DiffError`.
    """
    if len(diff) > LARGEST:
        raise DiffError(f"it is larger than {LARGEST // 2**20} MiB. Give the changed directory instead.")
    found = _parsed(diff)
    if only_file and len(found) > 1:
        raise DiffError("it changes several files, but the original is one file. Give a directory as the original.")
    changed: dict[str, bytes | None] = {}
    for patch in found:
        source, target = (only_file, only_file) if only_file else _paths(patch, read)
        if {source, target} & changed.keys():
            raise DiffError(f"{target or source} is changed twice. Give each file once.")
        before = read(source) if source else None
        _check(patch, source, target, before, read)
        after = _patched(patch, before or b"", source or target)
        if source and source != target and patch.move is not FileStatus.COPIED:
            changed[source] = None
        if target:
            changed[target] = after
    return changed


def _parsed(diff: bytes) -> list[FilePatch]:
    # Bytes that are not UTF-8 travel as surrogates and come out as they went in. Only a newline ends a line.
    text = diff.decode("utf-8", "surrogateescape")
    if any(line.startswith("+++ ") and line.endswith("\r") for line in text.split("\n")):
        text = text.replace("\r\n", "\n")  # saved with Windows line ends, its own header lines included
    found, problem = patches(text)
    if problem:
        raise DiffError(f"it is not a whole unified diff. {problem} Make it with `git diff`.")
    if not found:
        raise DiffError("there is no change in it. Make it with `git diff`.")
    return found


def _paths(patch: FilePatch, read: Read) -> tuple[str, str]:
    """Where it reads and where it writes; empty for a file that is added or deleted."""
    source, target = names(patch)
    source = "" if source == NOWHERE or patch.status is FileStatus.ADDED else source
    target = "" if target == NOWHERE or patch.status is FileStatus.DELETED else target
    if source and target and source != target and not patch.move:
        source = target = source if is_inside(source) and read(source) is not None else target  # `diff -u old new`
    for path in (source, target):
        if path and not is_inside(path):
            raise DiffError("it names a path outside the program. Make it at the root of the repository.")
    return source, target


def is_inside(path: str) -> bool:
    """Whether the path stays inside the program, and out of git's own directory."""
    parts = path.split("/")
    return bool(path) and "\0" not in path and not {"", ".", ".."} & set(parts) and parts[0].lower() != ".git"


def _check(patch: FilePatch, source: str, target: str, before: bytes | None, read: Read) -> None:
    """Raises for what cannot be represented, and for files that are there or not there against the diff's word."""
    path = target or source
    if patch.binary:
        raise DiffError(f"{path}: a binary change is not in a unified diff. Give the changed directory instead.")
    if patch.modes & {LINK, SUBMODULE}:
        raise DiffError(f"{path} is a link or a submodule, which Bouncer does not follow. Leave it out of the diff.")
    if source and before is None:
        raise DiffError(f"there is no file {source} to change. Make the diff against what you give as its base.")
    if target and target != source and read(target) is not None:
        raise DiffError(f"{target} is to be created, but exists. Make the diff against what you give as its base.")


def _patched(patch: FilePatch, before: bytes, path: str) -> bytes:
    lines = before.decode("utf-8", "surrogateescape").split("\n")
    lines = [*(f"{line}\n" for line in lines[:-1]), *filter(None, lines[-1:])]
    done: list[str] = []
    position = 0
    for number, hunk in enumerate(patch.hunks, 1):
        old, new = ([line[1:] for line in hunk.lines if line[0] != mark] for mark in "+-")
        start = hunk.old_start - (1 if old else 0)
        if not position <= start <= len(lines) or lines[start : start + len(old)] != old:
            where = f"change {number} of {path}, at line {hunk.old_start}"
            raise DiffError(f"{where}, does not fit the file. Make the diff against what you give as its base.")
        done += lines[position:start] + new
        position = start + len(old)
    rest = lines[position:]
    if patch.target == NOWHERE and (done or rest):
        raise DiffError(f"{path} is to be deleted, but contains more than the diff removes. Make a new diff.")
    return "".join(done + rest).encode("utf-8", "surrogateescape")
