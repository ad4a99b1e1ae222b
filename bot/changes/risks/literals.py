"""Product code that answers a test by its literals: `if year == 1904: return True`. Pure.

It counts where both what is compared and what is given back stand on one line of a test of the change, or of what was
asked for, or in a session (`>>>`) and the answer below it. Numbers and texts that any program compares are left out.

Calls beside those of tests show it where both versions answer them. This holds the rest: what an issue shows and no
test calls, new functions, commands, Go and Rust. So in languages of which no call is made again, a condition for
several values of tests alone counts as well.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from bot.changes.asked_values import LITERAL, names_value
from bot.changes.readers import suffix
from bot.changes.risks.lines import LONGEST, added, both, numbered, product
from bot.changes.risks.values import Risk
from bot.changes.values import Change, FileChange, FileKind, Whole

_MOST_LINES = 5_000  # of tests
_MOST_LITERALS = 12  # on one line
_MOST_ROWS = 50  # of one literal
_SEVERAL = 2  # values
_OBSERVED = frozenset({".py", ".js", ".cjs", ".mjs"})  # of which calls are made again

_IF = re.compile(r"\s*(?:\}\s*)?(?:if|elif|else if|case|when)\b(?P<what>.{1,400})")
_COMPARES = re.compile(r"===?|\bin\b|\bcase\b|\bequals\b")
_GIVES = re.compile(r"(?:\s*|.*[:){]\s*)(?:return|yield|raise|\w{1,40}\s*=)\s*\(?(?P<given>[^=].{0,300})")
_PLAIN = frozenset(
    {"0", "1", "-1", "2", "10", "100", "True", "False", "true", "false", '""', "''", "None", "null", "[]", "{}"}
)


def literals(asked: str, change: Change, whole: Whole) -> Iterator[Risk]:
    """`special_cased`. asked: what it is held against, whoever wrote it."""
    tests, words = change.of(FileKind.TEST), asked[: 100 * LONGEST].lower()
    told = _told(chain(asked[: 100 * LONGEST].splitlines(), (line[1:] for line in _lines(tests))))
    new = (text for file in tests for _, text in added(file))
    tested = frozenset[str]().union(*map(_in, islice(new, _MOST_LINES))) - _PLAIN
    for file in product(change) if told else ():
        for number, compared, given in _answers(file):
            rows = ((literal, row) for literal in compared - _PLAIN for row in told.get(literal, ()))
            if any(given & row - {literal} for literal, row in rows):
                say = "It checks for a value of a test or the issue, and returns the answer that the test expects."
                yield Risk("special_cased", say, file.path, number)
        for number, text in () if suffix(file.path) in _OBSERVED else added(file):
            group = _in(_condition(text)) - _PLAIN
            if len(group & tested) < _SEVERAL:
                continue
            alone = {each for each in group if not _is_named(each, words)}
            several = len(alone) >= _SEVERAL and alone <= tested
            if several and alone.isdisjoint(_in(both(file, whole)[0], None)):
                say = "It checks for values of tests that nobody asked for by name."
                yield Risk("special_cased", say, file.path, number)
                break


def _is_named(literal: str, words: str) -> bool:
    """Whether a text in small letters has a value: a number as a word of its own."""
    word = literal.strip("'\"").lower()
    return names_value(words, word) if word.isdigit() else word in words


def _lines(files: Iterable[FileChange]) -> Iterator[str]:
    return (line for file in files for hunk in file.hunks for line in hunk.lines)


def _told(lines: Iterable[str]) -> dict[str, list[frozenset[str]]]:
    """By literal, the literals of each line that it stands on."""
    found: dict[str, list[frozenset[str]]] = {}
    for row in islice((row for row in map(_in, _with_answers(lines)) if len(row) > 1), _MOST_LINES):
        for literal in row - _PLAIN:
            if len(rows := found.setdefault(literal, [])) < _MOST_ROWS:
                rows.append(row)
    return found


def _condition(text: str) -> str:
    """What a line asks, without what it gives back; empty where it asks nothing."""
    asks = _IF.match(text[:LONGEST])
    return asks["what"].partition(" return")[0] if asks else ""


def _with_answers(lines: Iterable[str]) -> Iterator[str]:
    """Each line; and of a session what was entered together with the first line of its answer."""
    entered = ""
    for line in lines:
        yield line
        words = line.strip()
        if words.startswith(">>>"):
            entered = words
        elif entered and words.startswith("..."):
            entered = f"{entered} {words}"[:LONGEST]
        else:
            if entered and words:
                yield f"{entered} {words}"
            entered = ""


def _in(text: str, most: int | None = _MOST_LITERALS) -> frozenset[str]:
    """most: of a line; none for a whole file."""
    found = LITERAL.finditer(text if most is None else text[:LONGEST])
    return frozenset(_same(each[0]) for each in islice(found, most))


def _same(literal: str) -> str:
    return f"'{literal[1:-1]}'" if literal[0] == '"' else literal.replace("_", "")


def _answers(file: FileChange) -> Iterator[tuple[int, frozenset[str], frozenset[str]]]:
    """Line, literals that are compared and those that are given back, of new lines."""
    for hunk in file.hunks:
        waiting: tuple[int, frozenset[str]] | None = None
        for number, mark, text in numbered(hunk):
            if mark == "-":
                continue
            text = text[:LONGEST]
            gives = _GIVES.match(text)
            asks = _IF.match(text)
            if asks and _COMPARES.search(text) and mark == "+":
                waiting = number, _in(asks["what"])
                if (inline := re.search(r"[:)]\s*return\b(.{1,300})", text)) is not None:
                    yield number, _in(text[: inline.start()]), _in(inline[1])
            elif waiting and gives and mark == "+":
                yield *waiting, _in(gives["given"])
                waiting = None
            elif text.strip() and not asks:
                waiting = None
