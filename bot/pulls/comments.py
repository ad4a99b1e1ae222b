"""Whether a change touches nothing but comments and layout of Python, by Python's own parser. Pure except the files it
is given.

`bot.changes.meaning` leaves docstrings out and reads many languages, to say that a change does nothing that was asked
for. This says that nothing has to run, so it is stricter: a docstring may be read as the program runs, a comment of
another language may be code to its compiler (`// \\u000a` in Java), and a program may read a file that lies among data.
Comments for linters and type checkers (`# type: ignore`, `# noqa`, `# pragma: no cover`) are comments.
"""

import ast
import re
from pathlib import PurePosixPath

from bot.changes.meaning import MOST_WHOLE
from bot.changes.risks.lines import is_product, suffix
from bot.changes.risks.testing import steers
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Whole
from bot.child_process import run_bounded
from bot.verification.syntax import parse

_READ = frozenset(
    {"data", "fixtures", "testdata", "cases", "corpus", "samples", "snippets", "template", "templates", "skeleton"}
)  # folders of what programs read, copy or compare
# Comments that a compiler, or what sets a script up, obeys.
_OBEYED = re.compile(r"#\s{0,9}(?:///|(?:cython|distutils)\s{0,9}:|(?:pythran|transonic)\b)")
_CODING = re.compile(r"coding[:=]")
_UTF_8 = re.compile(r".*coding[:=][ \t]{0,9}utf-?8(?![\w.-]).*", re.I)


def only_comments(change: Change, whole: Whole, *, noop: bool) -> bool:
    """What cannot be known is no yes. noop: its files were compared, and found the same except for docstrings at most;
    else they are asked for only where the lines say that nothing but comments differ."""
    if change.problem or not 0 < len(change.files) <= MOST_WHOLE or not all(map(_is_code, change.files)):
        return False
    return (noop or all(map(_may_be, change.files))) and all(_is_same(whole(file)) for file in change.files)


def _is_code(file: FileChange) -> bool:
    """Whether it is plain Python of the product, which nothing but Python reads."""
    text = file.plain and not file.executable
    plain = text and file.status is FileStatus.MODIFIED and file.kind is FileKind.CODE
    folders = PurePosixPath(file.path.lower()).parts[:-1]
    named = suffix(file.path) in (".py", ".pyi") and "{" not in file.path
    return plain and named and is_product(file) and not steers(file) and _READ.isdisjoint(folders)


def _may_be(file: FileChange) -> bool:
    return all(_before_comments(hunk.removed) == _before_comments(hunk.added) for hunk in file.hunks)


def _before_comments(lines: tuple[str, ...]) -> list[str]:
    return [code for line in lines if (code := line.partition("#")[0].rstrip())]


def _is_same(texts: tuple[str, str] | None) -> bool:
    return texts is not None and run_bounded(sum(map(len, texts)), same_to_python, *texts) is True


def same_to_python(before: str, after: str) -> bool:
    """Whether Python makes the same of two files, docstrings among it."""
    if _OBEYED.search(before) or _OBEYED.search(after) or _begins(before) != _begins(after):
        return False
    if not all(map(_UTF_8.fullmatch, _begins(before)[1:])):
        return False  # its comments may be code in that encoding
    try:
        return ast.dump(parse(before)) == ast.dump(parse(after))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False


def _begins(text: str) -> tuple[str, ...]:
    """What of its first two lines is more than a comment: the program that starts it, and its encoding."""
    lines = text.split("\n", 2)[:2]
    starts = lines[0] if lines[0].startswith("#!") else ""
    return starts, *(line for line in lines if _CODING.search(line))
