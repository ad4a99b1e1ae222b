"""Whether a text is prose that nothing but people reads: by where it lies, and by whether a program may read it.

A file's name says little: a program may read `notice.txt` as well as `words.txt`. What people alone read lies where
they look for it, and no code, test or configuration names it, its folder, or all files of its ending. Who opens it
under a name that is composed is seen where the tests run.
"""

import functools
import re
from collections.abc import Callable, Iterable
from posixpath import basename, dirname, splitext

from bot.changes.kinds import is_code, is_documentation_folder, kind_of
from bot.changes.readers import PROSE, globs
from bot.changes.risks.lines import remarks
from bot.changes.values import FileKind
from bot.child_process import run_bounded

Lines = tuple[tuple[str, str], ...]  # each with its path
# The lines of the tree that hold one of these texts; `None` where that cannot be known.
Mentions = Callable[[tuple[str, ...]], Lines | None]

MOST = 50  # files of one change that are looked for
_LINE = 2_000  # characters of a line that are looked at
_DEEPEST = 10  # folders in one another

_STEERS_TESTS = re.compile(r"doctest|pytest|unittest|testpaths|\"[\w:-]{0,40}test[\w:-]{0,40}\"\s*:")
_RECIPES, _FOR_READERS = globs(*PROSE["recipes"]), globs(*PROSE["shown"])


def has_readers(paths: Iterable[str], mentions: Mentions, *, packed: bool = False) -> bool:
    """Whether a program of the tree may read one of these, which lie where prose lies, as far as its text tells. What
    cannot be known is no no. packed: what a manifest or a build file names is read, and what nothing names is not."""
    found = tuple(dict.fromkeys(paths))
    if len(found) > MOST or not all(path.isprintable() and path.count("/") < _DEEPEST for path in found):
        return True
    lines = mentions(tuple(_names(found))) if found else ()
    return (
        lines is None or run_bounded(sum(len(line) for _, line in lines), _any_reads, found, lines, packed) is not False
    )


def _any_reads(files: tuple[str, ...], lines: Lines, packed: bool) -> bool:
    """Whether one of these lines of the tree may read one of these files. packed: as above."""
    named = {text: list(map(re.compile, patterns)) for text, patterns in _names(files).items()}
    counts = functools.cache(_counts)

    def reads(where: str, line: str) -> bool:
        line = line[:_LINE]
        near = [pattern for text, patterns in named.items() if text in line for pattern in patterns]
        if not any(pattern.search(line) for pattern in near):
            return False
        behind = line.partition(":")[2].strip().partition(" ")[2]  # the first word of a script of `package.json`
        runs = basename(where) == "package.json" and any(pattern.search(behind) for pattern in near)
        runs = runs or _RECIPES(where.lower()) or bool(_STEERS_TESTS.search(line))
        return counts(where, runs=runs, packed=packed) and not _is_remark(where, line)

    return any(reads(where, line) for where, line in lines)


def _names(paths: Iterable[str]) -> dict[str, dict[str, None]]:
    """Texts to look for, each with the patterns of what has to stand around it: a file by its name; all of its ending;
    all of its folder, in quotes as code has it, or with the beginning of a name that is composed."""
    found: dict[str, dict[str, None]] = {}
    for path in paths:
        name, ending, folder = basename(path), splitext(path)[1], dirname(path)
        found.setdefault(name, {})[rf"(?<![\w.-]){re.escape(name)}(?!\w)"] = None
        if ending:
            found.setdefault(f"*{ending}", {})[rf"\*{re.escape(ending)}(?!\w)"] = None
        outermost = path.partition("/")[0]
        while folder:
            bare = re.escape(folder)
            quoted = rf"['\"](?:\.{{1,2}}/)*{bare}/?(?:[^'\"/]*\*[^'\"]*)?['\"]"
            starts = (f'"{outermost}', f"'{outermost}", f"./{outermost}", *(f"{folder}/{each}" for each in "{%$"))
            for before in starts:
                found.setdefault(before, {})[rf"{quoted}|(?<![\w.-]){bare}/[{{%$]"] = None
            folder = dirname(folder)
    return found


def _counts(path: str, *, runs: bool, packed: bool) -> bool:
    """Whether what names something there may be a program, or may steer one. Manifests and build files mostly name what
    is shown, packed or written. runs: the line is about tests, or is run. packed: those count as well."""
    if is_documentation_folder(path) or _FOR_READERS(path.lower()):
        return False
    kind = kind_of(path)
    if kind in (FileKind.DOCUMENTATION, FileKind.LOCK):
        return False
    if basename(path.lower()) == "manifest.in":
        return packed
    return runs or packed or kind not in (FileKind.CI, FileKind.DEPENDENCIES)


def _is_remark(path: str, line: str) -> bool:
    line = line.lstrip()
    return line.startswith(remarks(path) if is_code(path) else ("#",)) and not line.startswith("//go:")
