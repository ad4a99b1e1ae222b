"""What the offline patch judge counts in an issue and a change. Pure; reads text and diff alone, whoever wrote them.

Every feature is a plain count, or a share from 0 to 1, and none is negative. Lines are compared by their words, so that
no feature needs a parser for the language; words of programs are read as in most languages.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from math import log1p

from bot.changes.values import Change, FileChange, FileKind
from bot.markdown.tree import PartKind, parts

MOST_ISSUE = 20_000  # characters of an issue that are read
MOST_LINES = 2_000  # lines of a change that are read, of each sort
MOST_LITERALS = 500  # new literals that are looked for in the issue
LONGEST_LINE = 400
_LONG_ENOUGH = 13  # characters without blanks from which on a line is no accident

_APART = str.maketrans("._", "//")  # what stands between the words of a path
_PRODUCT = (FileKind.CODE, FileKind.CONFIGURATION, FileKind.DEPENDENCIES, FileKind.CI, FileKind.OTHER)

_WORD = re.compile(r"[A-Za-z_]\w*")
_IN_CODE = re.compile(r"(\.?)(?<!\w)([A-Za-z_]\w*)(\(|\.(?=[A-Za-z_]))?")
_INNER_CAPITAL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_SPAN = re.compile(r"`([^`\n]{1,120})`")
_LINKS = ("http://", "https://")
_LITERAL = re.compile(r"['\"]([^'\"\n]{3,60})['\"]")
_ATTRIBUTE = re.compile(r"\.([A-Za-z_]\w+)")
_DEFINED = re.compile(r"\b(?:def|class|function|func|fn|struct|interface)\s{1,9}(\w+)|\b(\w+)\s{0,9}=(?!=)")

# Words that stand in just any issue and any program.
_COMMON_WORDS = """
self def return if else elif for in not is and or none true false import from class the a an of to with as this that it
be are was on by when should can i you we my at but have has will would which there do does what so then than also just
only all any some no yes python code error issue use using used get set new fix bug version file line test example
expected actual null var let const function public private static void
"""
_COMMON = frozenset(_COMMON_WORDS.split())


@dataclass(frozen=True, slots=True)
class _Issue:
    """What was asked. said: how often each word stands in it. names: words that look like a program's."""

    text: str
    title: str
    squeezed: str
    said: Counter[str]
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Edit:
    """The product's files of a change, and their lines. touched: as they were, with what stands around them."""

    files: tuple[FileChange, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    touched: tuple[str, ...]


def features_of(issue: str, change: Change) -> dict[str, float]:
    """Every feature by its name, which says what it counts."""
    asked = _issue(issue[:MOST_ISSUE])
    files = change.of(*_PRODUCT)
    edit = _Edit(
        files,
        _bounded(line for file in files for hunk in file.hunks for line in hunk.added),
        _bounded(line for file in files for hunk in file.hunks for line in hunk.removed),
        _bounded(line for file in files for hunk in file.hunks for line in hunk.before.split("\n")),
    )
    return {**_asked(asked), **_shape(change, edit), **_place(asked, edit), **_words(asked, edit)}


def _asked(issue: _Issue) -> dict[str, float]:
    """How the issue is written: what is shown by code is often harder than what is told."""
    fences = [part for part in parts(issue.text) if part.kind is PartKind.FENCE]
    return {
        "words of the issue's title": float(len(issue.title.split())),
        "links in the issue": float(sum(map(issue.text.count, _LINKS))),
        "code blocks in the issue": float(len(fences)),
        "lines of code in the issue": float(sum(fence.end - fence.begin - 1 for fence in fences)),
    }


def _shape(change: Change, edit: _Edit) -> dict[str, float]:
    """Size, spread and sorts of files and lines."""
    added, removed = (sum(bool(line.strip()) for line in lines) for lines in (edit.added, edit.removed))
    return {
        "files touched": float(len(edit.files)),
        "places touched": float(sum(len(file.hunks) for file in edit.files)),
        "lines of tests added": float(sum(file.added for file in change.of(FileKind.TEST))),
        "share of lines that are new": added / (added + removed + 1),
    }


def _place(issue: _Issue, edit: _Edit) -> dict[str, float]:
    """Whether the issue speaks of the place that is touched."""
    paths = [file.path for file in edit.files]
    parts = {part.lower() for path in paths for part in path.split("/")[:-1]}
    stems = {_file_name(path).partition(".")[0].lower() for path in paths}
    words = _path_words(paths)
    return {
        "files named in the issue": float(sum(_file_name(path) in issue.text for path in paths)),
        "modules named in the issue": float(len(stems & issue.said.keys())),
        "folders named in the issue": float(len(parts & issue.said.keys())),
        "share of the path in the issue": len(words & issue.said.keys()) / (len(words) + 1),
    }


def _words(issue: _Issue, edit: _Edit) -> dict[str, float]:
    """Whether the issue and the code speak of the same things, and what neither has named before."""
    added, removed, touched = (_vocabulary(lines) for lines in (edit.added, edit.removed, edit.touched))
    met = touched | _path_words(file.path for file in edit.files)
    names = {name for name in issue.names if len(name) > 5 or "_" in name}
    title = _names(issue.title)
    text = "\n".join(edit.added)
    defined = {(one or other).lower() for one, other in _DEFINED.findall(text)}
    attributes = {name.lower() for name in _ATTRIBUTE.findall(text)} - touched - defined - issue.said.keys()
    literals = _literals(edit.added) - _literals(edit.touched)
    return {
        "share of the issue's names met": len(names & met) / (len(names) + 1),
        "names of the title not met": float(len(title) if not title & met else 0),
        "weight of the touched words in the issue": _weight(touched, issue.said),
        "weight of the removed words in the issue": _weight(removed, issue.said),
        "weight of the added words in the issue": _weight(added, issue.said),
        "share of new lines quoted from the issue": _quoted(edit.added, issue) / (len(edit.added) + 1),
        "touched lines quoted in the issue": float(_quoted(edit.touched, issue)),
        "new words the issue lacks": float(len(added - touched - issue.said.keys())),
        "new attributes the issue lacks": float(len(attributes)),
        "new literals the issue lacks": float(
            sum(literal not in issue.text for literal in islice(literals, MOST_LITERALS))
        ),
    }


def _issue(text: str) -> _Issue:
    title = text.lstrip().partition("\n")[0]
    said = Counter(word.lower() for word in _WORD.findall(text))
    return _Issue(text, title, _squeezed(text), said, frozenset(_names(text)))


def _names(text: str) -> set[str]:
    """Words that look like a program's: called, dotted, marked as code, with an underscore or a capital inside."""
    found = {word.lower() for span in _SPAN.findall(text) for word in _WORD.findall(span)}
    for before, word, after in _IN_CODE.findall(text):
        if before or after or "_" in word or _INNER_CAPITAL.search(word):
            found.add(word.lower())
    return {name for name in found if len(name) > 2} - _COMMON


def _vocabulary(lines: Iterable[str]) -> set[str]:
    return {word.lower() for line in lines for word in _WORD.findall(line)} - _COMMON


def _literals(lines: Iterable[str]) -> set[str]:
    return {literal for line in lines for literal in _LITERAL.findall(line)}


def _weight(words: set[str], said: Counter[str]) -> float:
    """How much the issue speaks of these words, by the word."""
    return sum(log1p(said[word]) for word in words if len(word) > 3) / (len(words) + 5)


def _quoted(lines: Iterable[str], issue: _Issue) -> int:
    return sum(len(line) >= _LONG_ENOUGH and line in issue.squeezed for line in map(_squeezed, lines))


def _path_words(paths: Iterable[str]) -> set[str]:
    return {word.lower() for path in paths for word in path.translate(_APART).split("/") if word}


def _file_name(path: str) -> str:
    return path.rpartition("/")[2]


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _bounded(lines: Iterator[str]) -> tuple[str, ...]:
    return tuple(line[:LONGEST_LINE] for line in islice(lines, MOST_LINES))
