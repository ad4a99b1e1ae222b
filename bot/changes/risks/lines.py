"""The lines of product code that a change adds, with their numbers. Pure.

A line inside a docstring counts like code: from a hunk alone nobody can tell for certain where a text begins.
"""

from collections.abc import Callable, Iterator
from itertools import groupby
from posixpath import basename

from bot.changes.kinds import is_code, is_named_as_test
from bot.changes.readers import suffix
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Hunk, Whole

LONGEST = 2_000  # characters of a line that are looked at
_MOST_LINES = 20_000  # of a file
_HAD = (FileStatus.MODIFIED, FileStatus.RENAMED, FileStatus.COPIED)  # something before

_IMPORTS = frozenset({"import", "from", "import_module", "__import__"})
_REMARKS = {".py": ("#",), ".pyi": ("#",), ".pyx": ("#",), ".rb": ("#",), ".sh": ("#",), ".php": ("#", "//")}
_ELSEWHERE = ("//",)
ANY_REMARK = ("#", "//", "/*", "*", "--")  # in one language or another
_CODE = (FileKind.CODE, FileKind.GENERATED, FileKind.TEST)
# Folders at the root for what nobody installs.
_BESIDE = frozenset({"doc", "docs", "docs_src", "example", "examples", "benchmark", "benchmarks"})


def product(change: Change) -> Iterator[FileChange]:
    """Code that is not called as a test: wherever it lies, the product may import it already. What such code of the
    change imports is product, too, whatever it is called."""
    files = [file for file in change.files if file.plain]
    front = [file for file in files if file.kind in _CODE and is_code(file.path) and not is_named_as_test(file.path)]
    found = {file.path for file in front}
    called: dict[str, list[FileChange]] = {}
    for file in files:
        if file.path not in found:
            called.setdefault(_module(file.path), []).append(file)
    while front:
        imports = (words(text) for _, text in added(front.pop()))
        for name in (name for its in imports if not _IMPORTS.isdisjoint(its) for name in its):
            front += (more := called.pop(name, []))
            found |= {file.path for file in more}
    yield from (file for file in files if file.path in found)


def words(text: str) -> list[str]:
    """The words and numbers of a line of code."""
    return "".join(each if each.isalnum() or each == "_" else " " for each in text).split()


def _module(path: str) -> str:
    """What an import calls a Python file; empty for another."""
    return basename(path.removesuffix(".py").removesuffix("/__init__")) if path.endswith(".py") else ""


def is_product(file: FileChange) -> bool:
    """Whether the file's code is delivered, or may be."""
    beside = file.path.partition("/")[0].lower() in _BESIDE and "/" in file.path
    return is_code(file.path) and file.kind in (FileKind.CODE, FileKind.GENERATED) and not beside


def remarks(path: str) -> tuple[str, ...]:
    """What begins a line that is a remark and nothing else."""
    return _REMARKS.get(suffix(path), _ELSEWHERE)


def added(file: FileChange) -> Iterator[tuple[int, str]]:
    """Number and text of the new lines that say something: no remarks on a line of their own."""
    marks = remarks(file.path)
    for number, mark, text in numbered(*file.hunks):
        said = text.lstrip()
        if mark == "+" and said and not said.startswith(marks):
            yield number, text[:LONGEST]


def numbered(*hunks: Hunk) -> Iterator[tuple[int, str, str]]:
    """Line number after the change, mark and text. A line that is gone has the number of the one that follows."""
    for hunk in hunks:
        number = hunk.new_start
        for line in hunk.lines:
            yield max(number, 1), line[:1], line[1:]
            number += line[:1] != "-"


def new_lines(file: FileChange) -> set[int]:
    """The numbers of the lines that are new."""
    return {number for number, mark, _ in numbered(*file.hunks) if mark == "+"}


def rows_after(file: FileChange, whole: Whole, *, apart: bool = False) -> Iterator[list[tuple[int, str]]]:
    """The lines after the change, with their numbers: of the file, and of each hunk that is not in what is looked at of
    it. whole: asked where the diff may not show in what a line stands. apart: of such a hunk also each run of new lines
    by itself, since a line around them may begin or end a text that only the whole file shows."""
    texts = whole(file) if file.status in _HAD else None
    known = texts[1].split("\n")[:_MOST_LINES] if texts is not None else []
    if known:
        yield list(enumerate(known, 1))
    for hunk in file.hunks:
        after = [row for row in numbered(hunk) if row[1] != "-"]
        if not after or after[-1][0] <= len(known):
            continue
        yield [(number, text) for number, _, text in after]
        for mark, run in groupby(after, lambda row: row[1]) if apart else ():
            if mark == "+":
                yield [(number, text) for number, _, text in run]


def both(file: FileChange, whole: Whole) -> tuple[str, str]:
    """The file before and after, or as much of it as the diff shows. whole: asked for what was there before."""
    texts = whole(file) if file.status is FileStatus.MODIFIED else None
    shown = ("\n".join(getattr(hunk, side) for hunk in file.hunks) for side in ("before", "after"))
    return texts or (next(shown), next(shown))


def moved(file: FileChange, *others: FileChange) -> Callable[[str], bool]:
    """Tells of a line whether it stands among the removed ones, blanks around it apart: moved code is not new. others:
    from which it may come as well."""
    there = frozenset(map(str.strip, old_lines(file, *others)))
    return lambda text: text.strip() in there


def old_lines(*files: FileChange) -> Iterator[str]:
    """The lines that are removed."""
    return (text for file in files for hunk in file.hunks for text in hunk.removed)


def first(file: FileChange) -> int:
    """The first changed line; 0 where the file has none."""
    return next((number for number, mark, _ in numbered(*file.hunks) if mark != " "), 0)
