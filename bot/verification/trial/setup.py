"""One change on trial, and how its runs begin."""

import math
import time
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial

from bot.sandbox.protocol import Executor
from bot.telemetry.traces import Pool
from bot.verification.testing.run import run_suite
from bot.verification.values import Base, Program, Suite, TestRun

LEAST = 1.0  # seconds without which nothing new is begun


@dataclass(frozen=True)
class TrialSetup:
    """One change on trial. suite: the head's environment. asked: the specification, by others than the author. end: of
    `time.monotonic`, by when all of it is over."""

    executor: Executor
    base: Base
    head: Program
    suite: Suite
    asked: str
    end: float
    pool: Pool

    def run(
        self,
        program: Program,
        suite: Suite,
        *,
        reverse: bool = False,
        seed: int | None = None,
        trace: Iterable[str] = (),
        share: float = 1.0,
        most: float = math.inf,
    ) -> Future[TestRun]:
        """Begin a run that ends in time. share: of what is left, at most. most: seconds."""
        left, files = min(max(share * (self.end - time.monotonic()), LEAST), most), frozenset(trace)
        run = partial(run_suite, self.executor, program, suite, seconds=left, reverse=reverse, seed=seed, trace=files)
        return self.pool.submit(run)
