"""How long from the webhook about a push until its check is completed, on a repository of 50 tests, and what ran.

    python -m lab.benchmarks.push_to_verdict [--pushes 5]

A coding agent's pull request changes a function and brings a test; then it pushes again, each time another function and
test. The real `bouncer serve` hears of it from the fake GitHub, each a process; the worker runs in this process, so
that what it does can be timed, with the sandbox of this machine. The first pull request is not counted: it makes the
mirror and the base's own runs, which later ones share. Nothing has to be installed. Processor time is that of the
worker and all that it starts, the sandbox too.
"""

import os
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from bot.github.mirror import Mirrors
from bot.sandbox.metrics import MetricsExecutor
from bot.settings import load
from bot.verification import stage, standing
from bot.workflows.worker import Worker
from lab.benchmarks.gate_latency import REPOSITORY, head_of, milliseconds, watched_github
from lab.benchmarks.processes import processor_seconds, read_options, scratch, start, start_beside

GOAL = 10.0  # seconds
POLICY = "mode: enforce\nverify:\n  setup: []\n  test: pytest\n"
FILES, TESTS = 10, 5  # test files, and tests in each

# What is timed, by the module or class that looks it up, its name there, and what it is called here.
PARTS: tuple[tuple[Any, str, str], ...] = (
    (Mirrors, "fetch", "fetch the head from GitHub"),
    (Mirrors, "tree", "check commits out"),
    (Mirrors, "merge", "merge head and base"),
    (stage, "prepare_working", "environment, and a look whether the base works in it"),
    (standing, "on_trial", "base's tests on base and head, own tests on head and base, looks again"),
    (standing, "_controlled", "positive control: broken functions turn tests red"),
    (standing, "_weakened", "what rewritten tests no longer notice"),
    (standing, "_strength", "small defects in the changed lines"),
)


@dataclass
class PartTimes:
    """Seconds of each part, and the jobs of the sandbox that began in it, by the names of `PARTS`."""

    seconds: dict[str, float] = field(default_factory=dict)
    jobs: dict[str, int] = field(default_factory=dict)
    under_way: str = ""

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any, **named: Any) -> Any:
            outer, self.under_way, began = self.under_way, name, time.perf_counter()
            try:
                return function(*given, **named)
            finally:
                self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began
                self.under_way = outer

        return run

    def count(self) -> None:
        self.jobs[self.under_way] = self.jobs.get(self.under_way, 0) + 1


@contextmanager
def record_parts(recorded: PartTimes) -> Iterator[None]:
    run = MetricsExecutor.run
    before = [(place, name, getattr(place, name)) for place, name, _ in PARTS]

    def counted(self: MetricsExecutor, job: Any) -> Any:
        recorded.count()
        return run(self, job)

    try:
        MetricsExecutor.run = counted  # type: ignore[method-assign]
        for place, name, called in PARTS:
            setattr(place, name, recorded.timed(called, getattr(place, name)))
        yield
    finally:
        MetricsExecutor.run = run  # type: ignore[method-assign]
        for place, name, original in before:
            setattr(place, name, original)


def source(place: int, changed: int = 0) -> str:
    """changed: how many of its functions were mended."""
    return "\n\n".join(
        f"def price_{number}(amount, count):\n    if count < 0:\n        raise ValueError(count)\n"
        f"    return amount * count{'' if number < changed else f' + {place + 1} * (count > 1000)'}\n"
        for number in range(TESTS)
    )


def tests(place: int, changed: int = 0) -> str:
    each = "".join(
        f"\n\ndef test_price_{number}():\n    assert price_{number}(3, {number + 2}) == {3 * (number + 2)}\n"
        for number in range(TESTS)
    )
    own = "".join(
        f"\n\ndef test_many_{number}():\n    assert price_{number}(1, 2000) == 2000\n" for number in range(changed)
    )
    names = ", ".join(f"price_{number}" for number in range(TESTS))
    return f"from shop.part_{place} import {names}\n{each}{own}"


def files_of(place: int, functions: int) -> dict[str, str]:
    return {
        f"shop/part_{place}.py": source(place, functions),
        f"tests/test_part_{place}.py": tests(place, functions),
    }


def fake_github(pipe: Connection, pushes: int) -> None:
    """In a process of its own: pushes when it is told to."""
    files = {".github/bouncer.yml": POLICY, "conftest.py": "", "shop/__init__.py": ""}
    for place in range(FILES):
        files |= files_of(place, 0)
    number = 0
    with watched_github(pipe, files) as (github, seen):
        for turn in range(pushes + 1):
            pipe.recv()
            place, functions = divmod(turn, TESTS)
            files = files_of(place, functions + 1)
            if number:
                github.push_to_pull(REPOSITORY, number, files, by="copilot-swe-agent[bot]")
            else:
                number = github.open_pull(REPOSITORY, "Forget the surcharge", files, by="copilot-swe-agent[bot]")
            head = head_of(github, number)
            ended = seen.wait(head, "completed")
            shown = [check for check in github.checks(REPOSITORY) if check.head_sha == head]
            pipe.send((milliseconds(seen.at[head, "told"], ended) / 1000, [check.title for check in shown]))


def main() -> None:
    options = read_options(__doc__, pushes=4)
    with ExitStack() as stack:
        directory = stack.enter_context(scratch())
        github, pipe = stack.enter_context(start_beside(fake_github, options.pushes))
        given = pipe.recv() | {
            "BOUNCER_DATABASE_URL": f"sqlite:///{directory}/bouncer.db",
            "BOUNCER_CACHE_DIR": f"{directory}/cache",
        }
        _, address = stack.enter_context(start("serve", given))
        os.environ.update(given)
        worker, stop = Worker(load()), threading.Event()
        worker.start()
        thread = threading.Thread(target=worker.run, args=(stop,))
        thread.start()
        pipe.send(f"{address}/webhook")
        times = [turn(pipe, number, github) for number in range(options.pushes + 1)][1:]
        stop.set()
        thread.join()
        worker.stop(5)
    print(f"{len(times)} pushes: median {statistics.median(times):.2f} s, longest {max(times):.2f} s (goal {GOAL:g} s)")
    sys.exit(0 if max(times) < GOAL else 1)


def turn(pipe: Connection, number: int, github: int) -> float:
    """One push; prints what ran."""
    recorded = PartTimes()
    before = processor_seconds([os.getpid()]) - processor_seconds([github])
    with record_parts(recorded):
        pipe.send("push")
        seconds, titles = pipe.recv()
    used = processor_seconds([os.getpid()]) - processor_seconds([github]) - before
    print(f"{'first' if not number else f'push {number}'}: {seconds:.2f} s, {used:.2f} s of processor; {titles}")
    for name, took in recorded.seconds.items():
        print(f"    {took:6.2f} s  {recorded.jobs.get(name, 0):2} jobs  {name}")
    return float(seconds)


if __name__ == "__main__":
    main()
