"""What is asked of the change's own tests after their run: are they steady, and what bears them.

For the last its pieces are taken out one by one, while every name stays there: which of them do its tests look at?
"""

import ast
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from bot.verification.patch_evidence import ProgramHunk, Red, Turned
from bot.verification.syntax import Node, canonical_text, nodes_of, source_of, starts, statements, tree_of
from bot.verification.testing.witnesses import check_replaced
from bot.verification.trial.judging_files import Changed, JudgingFiles, file_of
from bot.verification.trial.outcomes import Row
from bot.verification.trial.own import Own, suite_of
from bot.verification.trial.setup import LEAST, TrialSetup
from bot.verification.values import Suite, TestRun


def borne(
    trial: TrialSetup, found: tuple[Turned, ...], own: Suite, judges: JudgingFiles
) -> tuple[tuple[ProgramHunk, ...], tuple[Turned, ...]]:
    """Tests that are red for want of a name that nobody asked for: each counts where a piece of the change bears
    it, which shows when that is taken out and the name stays."""
    open_ = {each.test for each in found if each.red is Red.MISSING and not each.counts}
    if not open_ or own.command is not None or any(each.counts for each in found):
        return (), found
    tests = replace(own, select=tuple(sorted({file_of(name) for name in open_})))
    begun = [
        (piece, trial.run(replace(trial.head, files={**trial.head.files, piece.path: piece.without}), tests))
        for piece in pieces(judges.touched)
        if trial.end - time.monotonic() > LEAST
    ]
    red = {piece.where: open_ - run.result().passing.keys() for piece, run in begun if not run.result().unavailable}
    borne = frozenset[str]().union(*red.values())
    hunks = tuple(ProgramHunk(where, bool(tests)) for where, tests in red.items())
    return hunks, tuple(replace(each, counts=each.counts or each.test in borne) for each in found)


def run_twice(
    trial: TrialSetup, tests: Own, own: TestRun | None, suite: Suite | None, before: TestRun
) -> Mapping[str, Row]:
    """Its own tests with how they end on its own head, and what is red there once more."""
    if own is None or suite is None:
        return {}
    tests = tests if suite.command else tests.less(before)  # a command as a whole is red and green at once
    failing, again = tests.failing(own), None
    if failing and trial.end - time.monotonic() >= LEAST:
        files = dict.fromkeys((*suite.select, *(file_of(each.name) for each in failing)))
        asked = suite if suite.command else suite_of(files, trial.head, suite)
        again = check_replaced(before, trial.run(trial.head, asked, reverse=True).result())
    return tests.rows(own=own, again=None if again and again.problem else again)


MOST = 8  # pieces of one change


@dataclass(frozen=True, slots=True)
class Piece:
    """One function that the change adds or whose body it changes. where: `path:line`; without: its file as the head has
    it, but with the base's body there, or with one that says that there is none."""

    where: str
    path: str
    without: bytes


def pieces(product: Changed) -> tuple[Piece, ...]:
    """The first pieces of these files; methods and inner functions are pieces of their own. Python alone."""
    found = (
        piece
        for path, (before, after) in sorted(product.items())
        if path.endswith(".py") and after is not None
        for piece in _of_file(path, before or b"", after)
    )
    return tuple(piece for piece, _ in zip(found, range(MOST), strict=False))


def _of_file(path: str, before: bytes, after: bytes) -> Iterator[Piece]:
    old, new = _functions(before), _functions(after)
    lines = after.decode(errors="replace").splitlines(keepends=True)
    around = {other[:at] for other, _ in new for at, letter in enumerate(other) if letter == "."}
    for (name, number), node in sorted(new.items(), key=lambda each: each[1].lineno):
        there = old.get((name, number))
        if there is not None and _said(there) == _said(node):
            continue
        if name in around:
            continue  # the functions in it are pieces of their own
        without = _replaced(lines, node, statements(there) if there else [_NOTHING])
        if without is not None:
            yield Piece(f"{path}:{node.lineno}", path, without)


_NOTHING = ast.Raise(ast.Name("NotImplementedError", ast.Load()), None)


def _functions(source: bytes) -> Mapping[tuple[str, int], Node]:
    """By name; of several with the same one, such as a property's parts, each by its place among them."""
    found: dict[tuple[str, int], Node] = {}
    so_many = Counter[str]()
    for name, node in nodes_of(tree_of(source)):
        found[name, so_many[name]] = node
        so_many[name] += 1
    return found


def _said(node: Node) -> list[str]:
    return [canonical_text(each) for each in statements(node)]


def _replaced(lines: list[str], node: Node, body: list[ast.stmt]) -> bytes | None:
    """The lines of a file with another body in a function; `None` where it stands in the line of its head, or is too
    deep to be written down."""
    first, last = node.body[0], node.body[-1]
    start = starts(first)
    head = lines[start - 1][: first.col_offset]
    if head.strip() or start == node.lineno:
        return None
    text = source_of(ast.Module(body or [ast.Pass()], []))
    if text is None:
        return None
    instead = "".join(f"{head}{line}\n" for line in text.split("\n"))
    return "".join([*lines[: start - 1], instead, *lines[last.end_lineno or last.lineno :]]).encode()
