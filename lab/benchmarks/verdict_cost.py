"""What a verdict costs beside one plain run of the project's tests, by experiment.

    python -m lab.benchmarks.verdict_cost --repos DIR [--changes 2] [--only OWNER/NAME …]

DIR is as for `real_pulls`, and so are the changes: merged fixes, drawn by the hash of their commit. Each is judged four
times on one machine: twice to set up its environment and to keep its base's runs, of which those with a red test must
agree, once with one sandbox at a time, which tells what each experiment takes of the processor, and once as ever, for
the time by the clock. Plain is `python -m pytest -q` in the same environment and sandbox. The goal: the processor at
most 6 times as long as plain and 10 s, the clock at most 4 times and 8 s, medians over the changes.
"""

import json
import resource
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from bot.sandbox.choose import MetricsExecutor
from bot.sandbox.protocol import Job, Outcome
from bot.telemetry.traces import Pool
from bot.verification.trial.times import BASE, CALLS, CONTROL, HEAD, LOOKS, LOST, OWN, OWN_ON_BASE, REPEATS
from lab.benchmarks.fixed_pairs import FOLDER
from lab.benchmarks.processes import machine, read_options
from lab.benchmarks.real_pulls_cases import REPOSITORIES, Case, draw_cases, run

# By a function that asks for it, the first of these on the way to a job: what is run in it, and what nobody knows
# without it. In the order in which they have the time, so that the last go without it first.
EXPERIMENTS = {
    "prepare": ("set up", ""),
    "_before": (BASE.told, BASE.lost),
    "tried": (f"{OWN.told}, {HEAD.told}", f"{OWN.lost}, {HEAD.lost}"),
    "_on_base": (OWN_ON_BASE.told, OWN_ON_BASE.lost),
    "_again": (REPEATS.told, REPEATS.lost),
    "_looks": (LOOKS.told, LOOKS.lost),
    "_look": (CALLS.told, CALLS.lost),
    "_controlled": (CONTROL.told, CONTROL.lost),
    "lost_kills": (LOST.told, LOST.lost),
}
_asking: ContextVar[tuple[str, ...]] = ContextVar("asking", default=())


@dataclass
class Watch:
    """What the jobs of one verdict took. spent: experiment -> jobs, seconds of the processor. plain: those of the plain
    run, and its seconds by the clock; `None` until it was made."""

    alone: bool
    spent: dict[str, list[float]] = field(default_factory=dict)
    plain: tuple[float, float] | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


def used() -> float:
    """Seconds of the processor that ended children took."""
    took = resource.getrusage(resource.RUSAGE_CHILDREN)
    return took.ru_utime + took.ru_stime


def _functions() -> tuple[str, ...]:
    frame, found = sys._getframe(2), list[str]()
    while frame:
        found.append(frame.f_code.co_name)
        frame = frame.f_back  # type: ignore[assignment]
    return tuple(found)


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Every job of this process is noted. It is told by who submitted it, also where a pool runs it."""
    submit, execute = Pool.submit, MetricsExecutor.run

    def submitting(pool: Pool, *given: Any, **named: Any) -> Any:
        token = _asking.set((*_functions(), *_asking.get()))
        try:
            return submit(pool, *given, **named)
        finally:
            _asking.reset(token)

    def executing(executor: MetricsExecutor, job: Job) -> Outcome:
        if not watch.alone:
            return execute(executor, job)
        asked = next((EXPERIMENTS[each][0] for each in (*_functions(), *_asking.get()) if each in EXPERIMENTS), "other")
        with watch.lock:
            if watch.plain is None and b'"variants"' in job.stdin:
                watch.plain = _plain(lambda plain: execute(executor, plain), job)
            before = used()
            outcome = execute(executor, job)
            jobs, seconds = watch.spent.get(asked, (0, 0.0))
            watch.spent[asked] = [jobs + 1, seconds + used() - before]
            return outcome

    Pool.submit, MetricsExecutor.run = submitting, executing  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        Pool.submit, MetricsExecutor.run = submit, execute  # type: ignore[method-assign]


def _plain(execute: Any, job: Job) -> tuple[float, float]:
    python, before = json.loads(job.stdin)["python"], used()
    argv = (*python, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    outcome = execute(Job(argv, job.tree, job.files, job.mounts, environment=job.environment, limits=job.limits))
    return used() - before, outcome.seconds


def measure(case: Case) -> tuple[dict[str, Any], Watch]:
    """Of one change, once its environment is set up: seconds of the processor and by the clock."""
    for _ in range(2):
        run(case)
    alone, together, began = Watch(alone=True), Watch(alone=False), used()
    with watched(alone):
        run(case)
    spent = used() - began - (alone.plain[0] if alone.plain else 0.0)
    with watched(together):
        answer = run(case)
    return {"name": case.name, "processor": spent, "clock": answer["seconds"]}, alone


def main() -> None:
    """Print the table."""
    given = read_options(
        __doc__, repos=FOLDER, only={"nargs": "+", "default": REPOSITORIES, "metavar": "OWNER/NAME"}, changes=2
    )
    rows, every = [], dict[str, list[tuple[float, float]]]()
    with TemporaryDirectory(prefix="bouncer-cost-") as scratch:
        for repository in given.only:
            for case in draw_cases(given.repos, repository, given.changes, Path(scratch), held=False, kind="fix"):
                row, watch = measure(case)
                if watch.plain is None:
                    continue
                rows.append((row, watch.plain))
                for name, (_, seconds) in watch.spent.items():
                    whole = sum(each for _, each in watch.spent.values())
                    every.setdefault(name, []).append((seconds / whole, seconds / watch.plain[0]))
                (processor, clock), took = watch.plain, (row["processor"], row["clock"])
                print(f"{row['name']}: plain {processor:.1f} s ({clock:.1f}), verdict {took[0]:.1f} s ({took[1]:.1f})")
    print(f"\n{machine(Path.cwd())}\n")
    print("| experiment | share | in plain runs | ran | nobody knows without it |\n|---|---|---|---|---|")
    for name, lost in (*EXPERIMENTS.values(), ("other", "")):
        if found := every.get(name):
            share, plain = (median(each) for each in zip(*found, strict=True))
            print(f"| {name} | {share:.0%} | {plain:.1f} | {len(found)} of {len(rows)} | {lost} |")
    if rows:
        beyond = [(row["processor"] - 10) / plain[0] for row, plain in rows]
        by_clock = [(row["clock"] - 8) / plain[1] for row, plain in rows]
        print(f"\nProcessor: {median(beyond):.1f} times plain and 10 s (goal 6).")
        print(f"Clock: {median(by_clock):.1f} times plain and 8 s (goal 4).")


if __name__ == "__main__":
    main()
