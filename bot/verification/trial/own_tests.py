"""What is asked of the change's own tests after their run: are they steady, and what bears them.

For the last its pieces are taken out one by one, while every name stays there: which of them do its tests look at?
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from bot.verification.defects.defect import DefectKind, counterparts, defects, places
from bot.verification.patch_evidence import ProgramHunk, Red, Turned
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
    it, but with the base's body there, or with one that breaks off where there is none."""

    where: str
    path: str
    without: bytes


def pieces(product: Changed) -> tuple[Piece, ...]:
    """The first pieces of these files; methods and inner functions are pieces of their own. Python alone."""
    python = ((path, *both) for path, both in sorted(product.items()) if path.endswith(".py"))
    found = (each for path, old, new in python for each in _of_file(path, old or b"", new or b""))
    return tuple(islice(found, MOST))


def _of_file(path: str, before: bytes, after: bytes) -> Iterator[Piece]:
    old, new = (places(defects(path, text)) for text in (before, after))
    new = {place: its for place, its in new.items() if its[-1].kind is DefectKind.RAISES}
    known = counterparts(new, old)
    around = {place.name[:at] for place in new for at, letter in enumerate(place.name) if letter == "."}
    for place, its in new.items():
        body = before[slice(*known[place][-1].span)] if place in known else its[-1].replacement
        if place.name not in around and _said(body) != _said(after[slice(*its[-1].span)]):
            yield Piece(f"{path}:{place.first}", path, replace(its[-1], replacement=body).apply(after))


def _said(body: bytes) -> list[bytes]:
    """Its lines without remarks and layout."""
    return [line.strip() for line in body.split(b"\n") if not line.strip().startswith(b"#")]
