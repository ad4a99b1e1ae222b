"""Tests of the base's that the change rewrites, renames or removes and that fail with it: what the old and the new one
demand, and what the issue says of that."""

import ast
import re
from collections.abc import Iterable
from difflib import SequenceMatcher, unified_diff

from bot.verification.syntax import parse
from bot.verification.testing.sources import UNREADABLE
from bot.verification.trial.bodies import Bodies, function_of
from bot.verification.trial.judges import file_of
from bot.verification.values import Contradiction, Fate, Settled, TestResult

ALIKE = 0.6  # of two sources, as git's rename detection has it for files; shorter names decide before
MOST_SHOWN = 1500  # characters of what one test demands
_MOST_COMPARED = 200  # tests that an old one may have become
_TELLING = 2  # characters of a literal, below which it may occur anywhere


def contradiction(
    test: str, failed: TestResult | None, old: Bodies, new: Bodies, candidates: Iterable[str], asked: str
) -> Contradiction:
    """A test of the base's that fails, and that the change did not leave alone. candidates: tests that only the change
    has. asked: the specification, by others than the author."""
    if new.has(test):
        fate, now = Fate.REWRITTEN, test
    else:
        now = renamed(test, old, new, candidates)
        fate = Fate.RENAMED if now else Fate.REMOVED
    before, after = old.source(test), new.source(now) if now else ""
    return Contradiction(
        test,
        fate,
        now,
        *_apart(before, after),
        message=failed.message if failed else "",
        settled=settled(before, after, asked),
    )


def renamed(test: str, old: Bodies, new: Bodies, candidates: Iterable[str]) -> str:
    """What the test is called now; empty where nothing is like it. The same name elsewhere comes before a like body."""
    own, best, score = function_of(test), "", 0.0
    source = old.source(own)
    for each in list(dict.fromkeys(map(function_of, candidates)))[:_MOST_COMPARED]:
        same_file, same_name = file_of(each) == file_of(own), each.rpartition("::")[2] == own.rpartition("::")[2]
        like = SequenceMatcher(None, _body(source), _body(new.source(each)), autojunk=False).ratio()
        rank = like + same_name + 0.1 * same_file
        if (same_name or like >= ALIKE) and rank > score:
            best, score = each, rank
    return best


def settled(old: str, new: str, asked: str) -> Settled:
    """Which of two demands the specification asks for: the values and exceptions that only one of them expects occur in
    it. Every new expectation has to; a value that an assertion merely mentions says nothing."""
    before, after = _expected(old), _expected(new)
    fresh, gone = [each for each in after if each not in before], [each for each in before if each not in after]
    wants_new = bool(fresh) and all(any(_occurs(value, asked) for value in each) for each in fresh)
    only_old = {value for each in gone for value in each} - {value for each in after for value in each}
    wants_old = any(_occurs(value, asked) for value in only_old)
    if wants_new == wants_old:
        return Settled.OPEN
    return Settled.NEW if wants_new else Settled.OLD


def _expected(source: str) -> list[frozenset[str]]:
    """The values that each assertion of a test expects, as they are written: what stands right beside a comparison, in
    `assertEqual` and its like, and what `raises` names."""
    try:
        tree = parse(source)
    except UNREADABLE:
        return []
    found = []
    for node in ast.walk(tree):
        parts: list[ast.expr] = []
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare):
            parts = [node.test.left, *node.test.comparators]
        elif isinstance(node, ast.Assert):
            found.append(frozenset[str]())
            continue
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name == "raises" or name.startswith("assert"):
                parts = [*node.args, *(each.value for each in node.keywords)]
        if parts:
            found.append(frozenset(text for part in parts for text in _values(part)))
    return found


def _values(node: ast.expr) -> list[str]:
    """Literals, and the names of exceptions; those inside lists, tuples and dictionaries as well."""
    match node:
        case ast.Constant(value=str() as text):
            return [text]
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return [repr(number)]
        case ast.Name(id=name) if name.endswith(("Error", "Exception", "Warning")):
            return [name]
        case ast.Attribute(attr=name) if name.endswith(("Error", "Exception", "Warning")):
            return [name]
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return [text for part in parts for text in _values(part)]
        case ast.Dict(keys=keys, values=values):
            return [text for part in (*keys, *values) if part is not None for text in _values(part)]
    return []


def _occurs(value: str, asked: str) -> bool:
    if len(value) < _TELLING:
        return False
    return re.search(rf"(?<![\w.]){re.escape(value)}(?![\w]|\.\d)", asked) is not None


def _body(source: str) -> str:
    """Without the line of its name, which is compared apart."""
    return source.partition(":\n")[2][:4000]


def _apart(old: str, new: str) -> tuple[str, str]:
    """The differing lines of two sources, with the lines around them; both whole where they are short."""
    if len(old) <= MOST_SHOWN and len(new) <= MOST_SHOWN:
        return old, new
    lines = list(unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=2))[2:]
    sides = ("\n".join(line[1:] for line in lines if line[:1] in (" ", mark)) for mark in "-+")
    before, after = (side[:MOST_SHOWN] for side in sides)
    return before, after
