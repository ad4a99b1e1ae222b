"""The code that a patch changes, as FixedBench's metric counts it. The gate asks for more: `bot.changes.meaning`."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from bot.changes.kinds import is_code
from bot.changes.values import Change, FileChange, Hunk

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
