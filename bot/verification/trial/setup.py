"""One change on trial: how its runs begin, what they gave, what they tell of its code besides, and which of the base's
tests may read what it puts beside them.

What the head's code wrote to, and what it put into its judge, is held against runs of the base's own code, since some
suites do such things themselves.
"""

import math
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial

from bot.changes.kinds import steers_pytest
from bot.sandbox.protocol import Executor
from bot.telemetry.traces import Pool
from bot.verification.files.bodies import Bodies
from bot.verification.files.helpers import meant, words_of
from bot.verification.files.index import FileIndex
from bot.verification.files.loads import READ
from bot.verification.patch_evidence import PatchEvidence
from bot.verification.programs import content
from bot.verification.testing.run import run_each, run_suite
from bot.verification.testing.witnesses import check_replaced, written_anew
from bot.verification.trial.times import TrialPart
from bot.verification.values import Base, Environment, Experiment, Order, Program, Suite, TestRun

LEAST = 1.0  # seconds without which nothing new is begun
_MOST_READ = 2_000  # files of the base's that are looked through
_MOST_DATA = 50  # changed files that are looked for


@dataclass(frozen=True)
class TrialSetup:
    """One change on trial. suite: the head's environment. asked: the specification, by others than the author. end: of
    `time.monotonic`, by when all of it is over. left_out: what there was no time for, as noun phrases."""

    executor: Executor
    base: Base
    head: Program
    suite: Suite
    asked: str
    end: float
    pool: Pool
    left_out: dict[str, None] = field(default_factory=dict)

    def has_time_for(self, part: TrialPart) -> bool:
        """Whether it may begin; what there is no time for is told."""
        enough = self.end - time.monotonic() >= part.least
        self.left_out.update({} if enough else {part.told: None})
        return enough

    def run(
        self,
        program: Program,
        suite: Suite,
        order: Order = Order(),  # noqa: B008 (it is frozen)
        *,
        share: float = 1.0,
        most: float = math.inf,
        repeats: bool = False,
    ) -> Future[TestRun]:
        """Begin an experiment that ends in time; the base's program runs in its own environment. share: of what is
        left, at most. most: seconds. repeats: see `Experiment`."""
        left = min(max(share * (self.end - time.monotonic()), LEAST), most)
        suite = replace(suite, environment=self._around(program, suite))
        asked = Experiment(program, suite, order, repeats=repeats)
        return self.pool.submit(
            lambda: next(filter(None, run_each(self.executor, self.base.keeper, [asked], seconds=left)))
        )

    def _around(self, program: Program, suite: Suite) -> Environment:
        return self.base.suite.environment if program is self.base.program else suite.environment

    def run_line(self, program: Program, put: Mapping[str, bytes], line: str, seconds: float) -> TestRun:
        """A line of the shell, as a command of its own, over a version of the program with more files in it."""
        suite = replace(self.suite, command=("/bin/sh", "-c", line), environment=self._around(program, self.suite))
        suite = replace(suite, files={}, locked=frozenset(), watched=frozenset())
        return run_suite(self.executor, replace(program, files={**program.files, **put}), suite, seconds=seconds)


@dataclass(frozen=True, slots=True)
class TrialRun:
    """A trial that was held. found: what its runs gave, and later what that amounts to. old: the base's tests as they
    are written down; altered: those that the change did not leave alone. suite: of the base's tests, as they judged.
    own: the change's own tests, as a suite on its head; `None` where it brings none that ran. endings: see `Stage`."""

    trial: TrialSetup
    found: PatchEvidence
    old: Bodies
    altered: frozenset[str]
    judges: FileIndex
    suite: Suite
    own: Suite | None = None
    endings: tuple[str, ...] = ()


def guard(suite: Suite, judges: FileIndex, judging: Iterable[str], there: frozenset[str]) -> Suite:
    """A suite of the head's own, watched: its tests and what steers them. judging: the base's files that judge. there:
    all files of the head. A test may well write to its data. What only the head has is locked, since no test of the
    base's can write to it."""
    ours = {*judging, *judges.beside} & there
    known = judges.scripts.union(filter(steers_pytest, ours))
    watched = frozenset(path for path in ours if path in known or path.endswith((".py", *READ)))
    fresh = (path for path in suite.select if path in judges.changed and judges.changed[path][0] is None)
    return replace(suite, watched=watched, locked=frozenset() if suite.command else watched & frozenset(fresh))


def suspicious(before: TestRun, head: TestRun) -> bool:
    """Whether a run tells of something that the base's first run does not."""
    return any(suspicions(before, [(None, head)]))


def suspicions(before: TestRun, pairs: Iterable[tuple[TestRun | None, TestRun]]) -> tuple[str, tuple[str, ...]]:
    """Why the head's runs are not to be believed, and what was written to in any of them. before: the base's first run.
    pairs: a run of the base's by the same order, where there was one, and the head's."""
    problem, written = "", dict[str, None]()
    for base, head in pairs:
        known = before
        if base:
            written_by_it, replaced_by_it = (*before.written, *base.written), (*before.replaced, *base.replaced)
            known = replace(before, written=written_by_it, replaced=replaced_by_it)
        problem = problem or check_replaced(known, replace(head, problem="")).problem
        written |= dict.fromkeys(written_anew(known, head))
    return problem, tuple(written)


def readers(judges: FileIndex, old: Bodies) -> frozenset[str]:
    """The base's test files that may read what the change puts beside its tests, code and configuration apart:
    themselves, or by what they load."""
    data = [path for path in sorted(judges.beside) if not path.endswith(".py") and not steers_pytest(path)]
    if not data:
        return frozenset()
    judging = sorted(filter(judges.judges, judges.base.names))[:_MOST_READ]
    words = {path: words_of([path], partial(content, judges.program)) for path in judging}
    found: set[str] = set()
    for path in data[:_MOST_DATA]:
        surely = {each: meant(path, words[each], judges.folders) for each in judging}
        most = max(surely.values(), default=0)
        found |= {each for each in judging if surely[each] == most > 0}
    return frozenset(path for path in judges.tests if not found.isdisjoint(old.texts(path)))
