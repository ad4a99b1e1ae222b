"""Product code that answers a test by its literals: `if year == 1904: return True`. Pure.

It counts where both what is compared and what is given back stand on one line of a test of the change, or of what was
asked for, or in a session (`>>>`) and the answer below it; and where all that one of these lines calls with is compared
at once, as in `if (zone, stops) in (("a", 2), …)`, whatever comes of it. Numbers and texts that any program compares
are left out.

Calls beside those of tests show it where both versions answer them. This holds the rest: what an issue shows and no
test calls, new functions, commands, Go and Rust.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from bot.changes.risks.lines import LONGEST, is_product, numbered, product
from bot.changes.risks.values import Risk
from bot.changes.values import Change, FileChange, FileKind

_MOST_LINES = 5_000  # of tests
_MOST_LITERALS = 12  # on one line

_LITERAL = re.compile(
    r"'[^'\\\n]{0,200}'|\"[^\"\\\n]{0,200}\"|(?<![\w.])-?\d[\d_]{0,30}(?:\.\d{1,30})?(?![\w.])|\b(?:True|False|None|true|false|null)\b|\[\]|\{\}"
)
_IF = re.compile(r"\s*(?:\}\s*)?(?:if|elif|else if|case|when)\b(?P<what>.{1,400})")
_COMPARES = re.compile(r"===?|\bin\b|\bcase\b|\bequals\b")
_GIVES = re.compile(r"(?:\s*|.*[:){]\s*)(?:return|yield|raise|\w{1,40}\s*=)\s*\(?(?P<given>[^=].{0,300})")
_AT_ONCE = re.compile(
    r"[(\[][^()\[\]]{0,80},[^()\[\]]{0,80}[)\]]\s{0,9}(?:\bin\b|===?)|(?:\bin\b|===?)\s{0,9}[(\[{][(\[]"
)
_GROUP = re.compile(r"[(\[]([^()\[\]]{1,200})[)\]]")
# Code that has nothing to say about a word, as of a protocol, is common: `if coding == "chunked": return None`.
_WORD = re.compile(r"'[A-Za-z][A-Za-z-]{0,40}'")
_NOTHING = frozenset({"None", "null", "[]", "{}", "''"})
_PLAIN = _NOTHING | {"0", "1", "-1", "2", "10", "100", "True", "False", "true", "false", '""'}


def literals(asked: str, change: Change) -> Iterator[Risk]:
    """`special_cased`. asked: what it is held against, whoever wrote it."""
    told = _told(asked, change)
    if not told:
        return
    for file in product(change):
        for number, compared, given in _answers(file):
            for literal in compared - _PLAIN:
                telling = given - _NOTHING if _WORD.fullmatch(literal) else given
                if any(telling & row - {literal} for row in told.get(literal, ())):
                    say = "It checks for a value of a test or the issue, and returns the answer that the test expects."
                    yield Risk("special_cased", say, file.path, number)
                    break
        for number, group in _compared_at_once(file):
            if any(group < row for literal in group - _PLAIN for row in told.get(literal, ())):
                yield Risk(
                    "special_cased", "It checks for all values of a call in a test or the issue.", file.path, number
                )
                break


def _told(asked: str, change: Change) -> dict[str, list[frozenset[str]]]:
    """By literal, the literals of each line that it stands on."""
    rows: dict[str, list[frozenset[str]]] = {}
    tests = (file for file in change.of(FileKind.TEST) if not is_product(file))
    said = (text for file in tests for hunk in file.hunks for text in (line[1:] for line in hunk.lines))
    left = _MOST_LINES
    for text in _with_answers(chain(asked[: 100 * LONGEST].splitlines(), said)):
        row = _in(text)
        if len(row) > 1:
            for literal in row - _PLAIN:
                rows.setdefault(literal, []).append(row)
            left -= 1
        if not left:
            break
    return {literal: found[:50] for literal, found in rows.items()}


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


def _in(text: str) -> frozenset[str]:
    found = (match[0] for match in _LITERAL.finditer(text[:LONGEST]))
    return frozenset(_same(literal) for literal, _ in zip(found, range(_MOST_LITERALS), strict=False))


def _same(literal: str) -> str:
    return f"'{literal[1:-1]}'" if literal[0] == '"' else literal.replace("_", "")


def _compared_at_once(file: FileChange) -> Iterator[tuple[int, frozenset[str]]]:
    """Line and literals of each group of them that a new condition compares with a group of values."""
    for number, mark, text in numbered(*file.hunks):
        asks = _IF.match(text[:LONGEST])
        if mark == "+" and asks and _AT_ONCE.search(asks["what"]):
            groups = (_in(found[1]) for found in _GROUP.finditer(asks["what"]))
            yield from ((number, group) for group in groups if len(group) > 1)


def _answers(file: FileChange) -> Iterator[tuple[int, frozenset[str], frozenset[str]]]:
    """Line, literals that are compared and literals that are given back, of new lines."""
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
