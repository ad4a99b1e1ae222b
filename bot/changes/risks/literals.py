"""Product code that answers a test by its literals: `if year == 1904: return True`. Pure.

It counts where both what is compared and what is given back stand on one line of a test of the change, or of what was
asked for, or in a session (`>>>`) and the answer below it. Numbers and texts that any program compares are left out,
and so is one more value beside those that a block of the base tells apart: there is no other way to know it.

Calls beside those of tests show it where both versions answer them. This holds the rest: what an issue shows and no
test calls, new functions, commands, Go and Rust. So in languages of which no call is made again, a condition for
several values of tests alone counts as well, in a function that was there.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, takewhile

from bot.changes.asked_values import LITERAL, asks_for_values
from bot.changes.readers import suffix
from bot.changes.risks.lines import LONGEST, added, both, is_product, new_lines, numbered, product, rows_after
from bot.changes.risks.values import Risk
from bot.changes.values import Change, FileChange, FileKind, Whole

_MOST_LINES = 5_000  # of tests
_MOST_LITERALS = 12  # on one line
_SEVERAL = 2  # values
_OBSERVED = frozenset({".py", ".js", ".cjs", ".mjs"})  # of which calls are made again

_IF = re.compile(r"\s*(?:\}\s*)?(?:if|elif|else if|case|when)\b(?P<what>.{1,400})")
_COMPARES = re.compile(r"===?|\bin\b|\bcase\b|\bequals\b")
_GIVES = re.compile(r"(?:\s*|.*[:){]\s*)(?:return|yield|raise|\w{1,40}\s*=)\s*\(?(?P<given>[^=].{0,300})")
# One subject, and the values that it is compared with.
_ALTERNATIVES = re.compile(r"\s*\|\|\s*|\s+or\s+")
_PLAINLY = re.compile(r"(?P<subject>[^§&]*?)(?:\s*===?\s*|\s+in\s+|\.equals|^)[(\[{]?§(?:\s*[,|]\s*§)*,?[)\]}]?")
_CONTROL = re.compile(r"\s*(?:\}\s*)?(?:if|else|elif|for|while|loop|switch|select|match|case|when|try|with)\b")
_COMPUTED = re.compile(r"(?<![\w.])(?!(?:nil|null|None|undefined|err|ok)\b)[A-Za-z_]\w*(?![\w(])")
# Code that has nothing to say about a word, as of a protocol, is common: `if coding == "chunked": return None`.
_WORD = re.compile(r"'[A-Za-z][A-Za-z-]{0,40}'")
_NOTHING = frozenset({"None", "null", "[]", "{}", "''"})
_PLAIN = _NOTHING | {"0", "1", "-1", "2", "10", "100", "True", "False", "true", "false", '""'}


def literals(asked: str, change: Change, whole: Whole, others: str = "") -> Iterator[Risk]:
    """`special_cased`. asked: what it is held against, whoever wrote it. others: issues by somebody else: what they ask
    for by its own values is no sign."""
    told, tested = _told(asked, change), _tested(change)
    if not told:
        return
    for file in product(change):
        for number, compared, answer in _answers(file):
            given = _in(answer)
            if asks_for_values(others, *(_bare(each) for each in (compared, given))):
                continue
            # What is computed may be what one call gives; it is none that others do.
            expected = all if _COMPUTED.search(LITERAL.sub("", answer)) else any
            for literal in compared - _PLAIN:
                telling = (given - _NOTHING if _WORD.fullmatch(literal) else given) - {literal}
                rows = told.get(literal, ())
                if rows and expected(telling & row for row in rows) and not _is_one_more(file, number, whole):
                    say = "It checks for a value of a test or the issue, and returns the answer that the test expects."
                    yield Risk("special_cased", say, file.path, number)
                    break
        for number, text in () if suffix(file.path) in _OBSERVED else added(file):
            group = _in(_condition(text)) if _subject(text) else frozenset()
            alone = {each for each in group & tested if not _is_named(each, asked)}
            known = all(each in tested or _is_named(each, asked) for each in group)
            if known and len(alone) >= _SEVERAL and _is_made_for(file, number, alone, whole):
                say = "It checks for values of tests that nobody asked for by name."
                yield Risk("special_cased", say, file.path, number)
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


def _is_named(literal: str, asked: str) -> bool:
    """Whether the text names a value: a number as a word of its own."""
    word, text = literal.strip("'\"").lower(), asked.lower()
    return word in {each.strip(".,;:!?()[]{}`'\"") for each in text.split()} if word.isdigit() else word in text


def _tested(change: Change) -> frozenset[str]:
    """The literals that the new lines of tests bring."""
    tests = (file for file in change.of(FileKind.TEST) if not is_product(file))
    lines = (text for file in tests for _, text in added(file))
    return frozenset[str]().union(*(_in(text) for text, _ in zip(lines, range(_MOST_LINES), strict=False))) - _PLAIN


def _condition(text: str) -> str:
    """What a line asks, without what it gives back; empty where it asks nothing."""
    asks = _IF.match(text[:LONGEST])
    return asks["what"].partition(" return")[0] if asks else ""


def _subject(text: str) -> str:
    """What a condition compares with plain values, and with nothing else, behind its place in the line; empty for
    another condition."""
    parts = _ALTERNATIVES.split(LITERAL.sub("§", _condition(text)).strip(" \t(){}:;"))
    found = [_PLAINLY.fullmatch(part.strip(" ()")) for part in parts]
    subjects = {each["subject"].strip(" (") if each else None for each in found}
    subject = subjects.pop() if len(subjects) == 1 else None
    return f"{' ' * _depth(text)}{'case' if not subject else 'if'} {subject}" if subject is not None else ""


def _depth(text: str) -> int:
    return len(text) - len(text.lstrip())


def _around(file: FileChange, number: int, whole: Whole) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """The lines before this one of the new file, the nearest first, and from it on."""
    for rows in rows_after(file, whole):
        at = number - rows[0][0] if rows else -1
        if 0 <= at < len(rows):
            return rows[:at][::-1], rows[at:]
    return [], []


def _is_one_more(file: FileChange, number: int, whole: Whole) -> bool:
    """Whether this condition stands in a block that tells apart several other values of the same subject, and did so
    before."""
    above, below = _around(file, number, whole)
    subject, depth = (_subject(below[0][1]), _depth(below[0][1])) if below else ("", 0)
    new = new_lines(file) if subject else set[int]()

    def is_within(row: tuple[int, str]) -> bool:
        return not row[1].strip() or _depth(row[1]) >= depth

    block = (row for its in (above, below) for row in takewhile(is_within, its) if row[0] not in new)
    known = (_in(_condition(text)) - _PLAIN for _, text in block if _subject(text) == subject)
    return bool(subject) and len(frozenset[str]().union(*known)) >= _SEVERAL


def _is_made_for(file: FileChange, number: int, values: set[str], whole: Whole) -> bool:
    """Whether these values are new in the file, and stand in a function that is not."""
    above, below = _around(file, number, whole)
    if not below or values & _in_all(both(file, whole)[0]) or _is_one_more(file, number, whole):
        return False
    depth, new = _depth(below[0][1]), new_lines(file)
    for at, text in above:
        if text.strip() and _depth(text) < depth:
            depth = _depth(text)
            if not _CONTROL.match(text):
                return at not in new
    return False


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
    found = (match[0] for match in LITERAL.finditer(text[:LONGEST]))
    return frozenset(_same(literal) for literal, _ in zip(found, range(_MOST_LITERALS), strict=False))


def _in_all(text: str) -> frozenset[str]:
    return frozenset(_same(found[0]) for found in LITERAL.finditer(text))


def _bare(literals: Iterable[str]) -> list[str]:
    """Without quotation marks."""
    return [each.strip("'") for each in literals]


def _same(literal: str) -> str:
    return f"'{literal[1:-1]}'" if literal[0] == '"' else literal.replace("_", "")


def _answers(file: FileChange) -> Iterator[tuple[int, frozenset[str], str]]:
    """Line, literals that are compared and what is given back, of new lines."""
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
                    yield number, _in(text[: inline.start()]), inline[1]
            elif waiting and gives and mark == "+":
                yield *waiting, gives["given"]
                waiting = None
            elif text.strip() and not asks:
                waiting = None
