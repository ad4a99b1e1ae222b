"""What is asked of the change's own tests after their run: are they steady, silenced, staged, and what bears them."""

import time
from collections.abc import Mapping
from dataclasses import replace

from bot.verification.patch_evidence import ProgramHunk, Red, Turned
from bot.verification.testing.locks import held_against
from bot.verification.testing.sources import steers_the_runner
from bot.verification.trial.bodies import Bodies
from bot.verification.trial.hunks import pieces
from bot.verification.trial.judges import Judges, file_of
from bot.verification.trial.own import Own, suite_of
from bot.verification.trial.setup import LEAST, TrialSetup
from bot.verification.trial.silenced import silenced
from bot.verification.trial.told_otherwise import only_when_tested
from bot.verification.values import Program, Suite, TestResult, TestRun, TestStatus


def borne(
    trial: TrialSetup, found: tuple[Turned, ...], own: Suite, judges: Judges
) -> tuple[tuple[ProgramHunk, ...], tuple[Turned, ...]]:
    """Tests that are red for want of a name that nobody asked for: each counts where a piece of the change bears
    it, which shows when that is taken out and the name stays."""
    open_ = {each.test for each in found if each.red is Red.MISSING and not each.counts}
    if not open_ or own.command is not None or any(each.counts for each in found):
        return (), found
    product = {path: both for path, both in judges.changed.items() if path not in judges.beside}
    tests = replace(own, select=tuple(sorted({file_of(name) for name in open_})))
    begun = [
        (piece, trial.run(replace(trial.head, files={**trial.head.files, piece.path: piece.without}), tests))
        for piece in pieces(product)
        if trial.end - time.monotonic() > LEAST
    ]
    red = {piece.where: open_ - passing(run.result()) for piece, run in begun if not run.result().unavailable}
    borne = frozenset[str]().union(*red.values())
    hunks = tuple(ProgramHunk(where, bool(tests)) for where, tests in red.items())
    return hunks, tuple(replace(each, counts=each.counts or each.test in borne) for each in found)


def told_otherwise(
    trial: TrialSetup, found: tuple[Turned, ...], own: Suite | None, judges: Judges, new: Bodies
) -> tuple[TestResult, ...]:
    """Tests of its own that go from red to green only since its code sees that it is tested."""
    names = {file_of(each.test) for each in found if each.counts}
    if not names or own is None or own.command is not None or not trial.asked.strip():
        return ()
    tests = replace(own, select=tuple(sorted(names)))
    product = {path: both for path, both in judges.changed.items() if path not in judges.beside}

    def run(program: Program, reverse: bool) -> TestRun:
        return trial.run(program, tests, reverse=reverse).result()

    return only_when_tested(found, new, trial.head, product, trial.asked, run)


def silenced_tests(
    trial: TrialSetup,
    found: tuple[Turned, ...],
    own: TestRun | None,
    suite: Suite | None,
    judges: Judges,
    old: Bodies,
) -> tuple[TestResult, ...]:
    """Tests that it brings, keeps from running or failing, and fails; only where something was asked for and
    nothing goes from red to green."""
    told = any(each.counts for each in found) or not trial.asked.strip()
    if told or own is None or suite is None or suite.command is not None:
        return ()

    def run(files: Mapping[str, bytes], reverse: bool) -> TestRun:
        paths = tuple(path for path in files if not steers_the_runner(path))
        tests = replace(suite, files={**suite.files, **files}, select=paths, locked=frozenset())
        return trial.run(trial.head, tests, reverse=reverse).result()

    return silenced(own, trial.head, judges.changed, old, suite.select, run)


def twice(
    trial: TrialSetup, mine: Own, own: TestRun | None, suite: Suite | None, before: TestRun
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Its own tests that are red on its own head and are so again, and those that are not always."""
    if own is None or suite is None:
        return (), ()
    mine = mine if suite.command else mine.less(before)  # a command as a whole is red and green at once
    failing = mine.failing(own)
    if not failing or trial.end - time.monotonic() < LEAST:
        return mine.twice(own, None)
    files = dict.fromkeys((*suite.select, *(file_of(each.name) for each in failing)))
    tests = suite if suite.command else suite_of(files, trial.head, suite)
    return mine.twice(own, held_against(before, trial.run(trial.head, tests, reverse=True).result()))


def passing(run: TestRun | None) -> set[str]:
    return {result.name for result in run.results if result.status is TestStatus.PASSED} if run else set()
