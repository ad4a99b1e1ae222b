"""Tests of the base's that the change rewrites, renames or removes and that fail with it: what the old and the new one
demand, and what the issue says of that."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import unified_diff
from itertools import pairwise

from bot.changes.kinds import is_code, is_data_of_tests, kind_of, steers_pytest
from bot.changes.readers import readers_of
from bot.changes.values import FileKind
from bot.verification.files.bodies import Bodies
from bot.verification.files.index import FileIndex
from bot.verification.patch_evidence import Contradiction, Fate, Settled
from bot.verification.syntax import text_cache
from bot.verification.testing.sources import file_of, function_of
from bot.verification.values import TestResult, TestRun

ALIKE = 0.6  # of the words of two sources and their neighbours; git's rename detection takes half of a file's lines
MOST_SHOWN = 1500  # characters of what one test demands
_MOST_COMPARED = 200  # tests that an old one may have become
_MOST_READ = 4_000  # characters of one test that are compared
_MOST_LINES = 500  # of one test, from which those that differ are picked
_WORD = re.compile(r"\w+")
_KEPT = 1_000_000  # characters of tests: the same ones are compared with many
_TELLING = 2  # characters of a literal, below which it may occur anywhere


def contradiction(
    test: str,
    failed: TestResult | None,
    old: Bodies,
    new: Bodies,
    candidates: Iterable[str],
    asked: str,
    *,
    there: bool = True,
) -> Contradiction:
    """A test of the base's that fails, and that the change did not leave alone. candidates: tests that only the change
    has. asked: the specification, by others than the author. there: a test of that name runs as pushed."""
    if there and new.has(test):
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
        settled=weigh_demands(old.expected(test), new.expected(now) if now else [], asked),
    )


def of_data(
    judges: FileIndex, gone: Collection[str], after: TestRun, pushed: TestRun | None, asked: str
) -> Iterator[Contradiction]:
    """Of the lost tests, what the change makes of those of which nothing but their data is otherwise: they pass as
    pushed, or are cases that no run of its data has, beside others of their test that it does have.

    The issue settles it where one value alone is replaced by another: who drops a row or asks of another one takes a
    test away. Of data that may be the product's as well nobody knows what it is for.
    """
    data = {path: both for path, both in judges.changed.items() if _is_data(path)}
    run = pushed or after
    opened = run.opened is None or not data.keys().isdisjoint(run.opened)
    alone = not judges.beside - data.keys() and not any(None in each for each in data.values())
    if not (data and opened and alone) or run.problem:
        return
    old, new = ("\n".join((both[side] or b"").decode(errors="replace") for both in data.values()) for side in (0, 1))
    replaced = _replaced(old, new) if judges.beside == data.keys() else None
    settled = Settled.OPEN
    if replaced:
        settled = weigh_demands([frozenset({replaced[0]})], [frozenset({replaced[1]})], asked)
    known, green = {each.name for each in run.results}, {*map(function_of, run.passing)}
    cases = {name for name in gone if "[" in name and name not in known and function_of(name) in green}
    failed = {result.name: result.message for result in after.results}
    for name in sorted(cases.union(pushed.passing.keys() & gone if pushed else ())):
        yield Contradiction(
            name, Fate.REWRITTEN, name, *_apart(old, new), message=failed.get(name, ""), settled=settled
        )


def _is_data(path: str) -> bool:
    """Whether it may be data of tests alone, and steers nothing."""
    if is_code(path) or steers_pytest(path) or any(row.steers for row in readers_of(path)):
        return False
    return is_data_of_tests(path) or kind_of(path) in (FileKind.TEST, FileKind.OTHER)


def _replaced(old: str, new: str) -> tuple[str, str] | None:
    """The one word of a text that another has in its place, each time; `None` where more differs, or blanks do."""
    before, after = (re.split(r"(\w+)", each) for each in (old, new))
    pairs = {(one, other) for one, other in zip(before, after, strict=False) if one != other}
    one = next(iter(pairs)) if len(pairs) == 1 and len(before) == len(after) else ("", "")
    return one if one[0].isalnum() and one[1].isalnum() else None


def renamed(test: str, old: Bodies, new: Bodies, candidates: Iterable[str]) -> str:
    """What the test is called now; empty where nothing is like it. The same name elsewhere comes before a like body."""
    own, best, score = function_of(test), "", 0.0
    source = _pieces(old.source(own))
    there = list(dict.fromkeys(map(function_of, candidates)))
    named = [each for each in there if each.rpartition("::")[2] == own.rpartition("::")[2]]
    for each in (named or there)[:_MOST_COMPARED]:
        same_file, same_name = file_of(each) == file_of(own), each.rpartition("::")[2] == own.rpartition("::")[2]
        other = _pieces(new.source(each))
        # The share of the pieces of both that they have in common (Dice's coefficient).
        like = 2 * len(source & other) / max(len(source) + len(other), 1)
        rank = like + same_name + 0.1 * same_file
        if (same_name or like >= ALIKE) and rank > score:
            best, score = each, rank
    return best


def weigh_demands(before: Sequence[frozenset[str]], after: Sequence[frozenset[str]], asked: str) -> Settled:
    """Which of two demands the specification asks for: the values and exceptions that only one of them expects occur in
    it. Every new expectation has to; a value that an assertion merely mentions says nothing."""
    fresh, gone = [each for each in after if each not in before], [each for each in before if each not in after]
    wants_new = bool(fresh) and all(any(_occurs(value, asked) for value in each) for each in fresh)
    only_old = {value for each in gone for value in each} - {value for each in after for value in each}
    wants_old = any(_occurs(value, asked) for value in only_old)
    if wants_new == wants_old:
        return Settled.OPEN
    return Settled.NEW if wants_new else Settled.OLD


def _occurs(value: str, asked: str) -> bool:
    if len(value) < _TELLING:
        return False
    return re.search(rf"(?<![\w.]){re.escape(value)}(?![\w]|\.\d)", asked) is not None


@text_cache(_KEPT)
def _pieces(source: str) -> frozenset[tuple[str, ...]]:
    """The words of a test and each two neighbours, without the line of its name, which is compared apart."""
    body = source.partition(":\n")[2] or source.partition("\n")[2] or source
    words = _WORD.findall(body[:_MOST_READ])
    return frozenset([*((word,) for word in words), *pairwise(words)])


def _apart(old: str, new: str) -> tuple[str, str]:
    """The differing lines of two sources, with the lines around them; both whole where they are short."""
    if len(old) <= MOST_SHOWN and len(new) <= MOST_SHOWN:
        return old, new
    one, other = (source.splitlines()[:_MOST_LINES] for source in (old, new))
    lines = list(unified_diff(one, other, lineterm="", n=2))[2:]
    sides = ("\n".join(line[1:] for line in lines if line[:1] in (" ", mark)) for mark in "-+")
    before, after = (side[:MOST_SHOWN] for side in sides)
    return before, after
