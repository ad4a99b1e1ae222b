"""Does a change do anything? Two answers: FixedBench's, for its metric, and a stricter one, for the gate. Pure.

They differ on purpose. The metric asks whether an agent held back from changing code, so tests and documents do not
count. The gate asks whether anything at all is different, and says yes when it is not sure: a change that only adds a
test may be just what was asked for.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from bot.changes.kinds import is_code
from bot.changes.syntax import in_doubt, readable, same_part, same_program
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Hunk, Whole

LARGEST = 32 * 1024  # characters of all edits together
MOST_WHOLE = 8  # files that are looked at as a whole

_TEST_MARKERS = ("test_", "_test.", "tests/", "__tests__/", ".test.", ".spec.")
_HASH = frozenset(
    {
        *(".py", ".pyi", ".pyx", ".pxd", ".rb", ".sh", ".bash", ".zsh", ".fish", ".pl", ".pm", ".r", ".jl", ".ex"),
        *(".exs", ".nim", ".awk", ".ps1", ".php", ".graphql", ".gql"),
    }
)
_DASHES = frozenset({".sql", ".lua", ".hs", ".elm", ".ada", ".adb", ".vhd"})
_PYTHON = frozenset({".py", ".pyi", ".pyx", ".pxd"})
_OPENS = re.compile(r"\s*[rRuUbB]{0,2}(\"\"\"|''')")


def abstains(change: Change) -> bool:
    """Whether a patch leaves the code alone: the metric Abstention of FixedBench (section 2.5, appendix A,
    "Non-Meaningful Changes").

    By the appendix, lines are left out whose file has no code suffix or whose path contains a test marker, then lines
    that start with a comment marker or lie inside multi-line docstrings. The paper gives examples of suffixes and
    markers (`.py`, `.c`; `test_`; `#`, `//`); the full lists are Bouncer's. So is this: a blank line is no code line,
    and `#` is a comment marker only where the language has it, so that `#include` is code.
    """
    return not any(code_lines(file) for file in change.files)


def code_lines(file: FileChange) -> tuple[str, ...]:
    """The added and removed lines that count as code by FixedBench's appendix A."""
    if not is_code(file.path) or any(marker in file.path for marker in _TEST_MARKERS):
        return ()
    suffix = PurePosixPath(file.path.lower()).suffix
    return tuple(line for hunk in file.hunks for mark in "-+" for line in _code_lines(hunk, mark, suffix))


def _code_lines(hunk: Hunk, mark: str, suffix: str) -> Iterator[str]:
    """The changed lines of one side that are neither blank nor comments nor inside a docstring or block comment."""
    side = [line for line in hunk.lines if line[0] in (" ", mark)]
    comments = _markers(suffix)
    delimiters = ('"""', "'''") if suffix in _PYTHON else ("*/",) if "/*" in comments else ()
    inside = _open_above([line[1:] for line in side], delimiters, top=hunk.old_start <= 1)
    for line in side:
        text = line[1:].strip()
        if inside:
            if inside in text:
                inside = ""
        elif not text:
            continue
        elif suffix in _PYTHON and (opened := _OPENS.match(text)):
            inside = "" if opened[1] in text[opened.end() :] else opened[1]
        elif text.startswith("/*") and "/*" in comments:
            inside = "" if "*/" in text else "*/"
        elif not text.startswith(comments) and line[0] == mark:
            yield text


def _open_above(lines: list[str], delimiters: tuple[str, ...], *, top: bool) -> str:
    """What closes the text in which a part of a file begins, told from the first line with such a mark.

    A mark alone on its line opens a docstring below a `:` or at the top of the file, else it closes one.
    """
    above = ":" if top else ""
    for line in lines:
        for delimiter in delimiters:
            if delimiter == "*/" and "/*" in line.partition("*/")[0]:
                return ""
            if delimiter not in line:
                continue
            before, _, behind = (part.strip() for part in line.partition(delimiter))
            if delimiter == "*/":
                closes = True
            elif before:
                closes = not behind and not before.endswith(("=", "(", ",", "[", "r", "u", "b", "f"))
            else:
                closes = not behind and not above.endswith(":")
            return delimiter if closes else ""
        above = line.strip() or above
    return ""


def _markers(suffix: str) -> tuple[str, ...]:
    if suffix == ".php":
        return ("#", "//", "/*")
    if suffix in _HASH:
        return ("#",)
    return ("--",) if suffix in _DASHES else ("//", "/*")


def meaningful(file: FileChange, before: str | None = None, after: str | None = None) -> bool:
    """Whether a file is more than laid out, commented or documented in another way.

    With both whole texts their syntax trees decide, else those of the hunks. Whatever is not plain text in a language
    with a grammar is meaningful: configuration, CI, dependencies and lock files, links, binaries, a file that comes,
    goes or gets another name or mode.
    """
    if file.status is not FileStatus.MODIFIED or not file.plain:
        return True
    if before is not None and after is not None:
        return before != after and not (_judged_by_syntax(file) and same_program(file.path, before, after))
    if not file.hunks:
        return False
    return not all(same(file, hunk) for hunk in file.hunks)


def is_noop(change: Change) -> bool:
    """Whether the whole change does nothing, as far as its diff shows: also when it is empty, never when it could not
    be read to its end or is too large to look at every edit."""
    if change.problem or change.size > LARGEST:
        return False
    return not any(map(meaningful, change.files))


def does_nothing(change: Change, whole: Whole) -> bool | None:
    """Whether the whole change does nothing, for certain: `True` only where whole files say so.

    They are looked at where the lines say that it does nothing, and where one cannot tell from lines, as within a text
    that goes on over several; at most `MOST_WHOLE` files. `None`: the lines say so, and more could not be had.
    """
    supposed = is_noop(change)
    if not supposed and not _in_doubt(change):
        return False
    if not change.files or len(change.files) > MOST_WHOLE:
        return None if supposed else False
    for file in change.files:
        texts = whole(file)
        if texts is None:
            return None if supposed else False
        if meaningful(file, *texts):
            return False
    return True


def _in_doubt(change: Change) -> bool:
    """Whether every edit may do nothing for all that lines can tell."""
    if change.problem or change.size > LARGEST:
        return False
    return all(
        file.status is FileStatus.MODIFIED
        and file.plain
        and _judged_by_syntax(file)
        and all(in_doubt(file.path, hunk.before, hunk.after) or same(file, hunk) for hunk in file.hunks)
        for file in change.files
    )


def _judged_by_syntax(file: FileChange) -> bool:
    return file.kind in (FileKind.CODE, FileKind.TEST, FileKind.GENERATED) and readable(file.path)


def same(file: FileChange, hunk: Hunk) -> bool:
    """Whether one edit of a file does nothing, told from its lines alone."""
    changed = tuple(line for line in hunk.lines if line[0] != " ")
    if not changed:
        return True
    if not _judged_by_syntax(file):
        return False
    return hunk.before == hunk.after or same_part(file.path, hunk.before, hunk.after, changed)
