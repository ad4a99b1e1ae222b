"""A fix for a rejected change, made by a small agent (Passerine, sections III and V): attempts, and the choice.

Each attempt starts from the change as it was pushed, and is shown what those before it edited in vain, so that it tries
something else (section VI-A). What comes out is a hypothesis: the fix goes through the filter like any other, and that
decides.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.changes.write import unified
from bot.judges.agent.loop import walk
from bot.judges.steps import STEPS, Attempt, LoopEnd, Repair, Stepper, Task
from bot.sandbox.protocol import Executor
from bot.verdicts import Usage
from bot.verification.programs import changed_files, content, is_alike, why_no_fix
from bot.verification.repair.bench import Bench, lines_of, told
from bot.verification.testing.run import DEFAULT_SECONDS
from bot.verification.values import Program, Suite, TestRun

LEAST = 1.0  # seconds without which no step is begun


def repair(
    executor: Executor,
    program: Program,
    suite: Suite,
    task: Task,
    stepper: Stepper,
    *,
    attempts: int = 1,
    steps: int = STEPS,
    seconds: float,
    run_seconds: float = DEFAULT_SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> Repair:
    """Try to mend `program`, which was rejected, at most `attempts` times, until its tests pass. Never raises.

    task: what was asked, the rejected change, the reviewer's claims. steps: of one attempt, at most.
    seconds: for everything together; a question to the model that is under way is waited for. run_seconds: for one run
    of the tests.

    The fix is that of the first attempt that finished, or ran out of steps, with all tests passing; where there is
    none, of the finished one with the fewest failing tests, and of these the smallest.
    """
    capabilities = executor.probe()
    if not capabilities.usable:
        return Repair(problem=f"Nothing may run here: {capabilities.problem}")
    end = clock() + seconds
    made: list[_Made] = []
    for _ in range(attempts):
        bench = Bench(executor, program, suite, lambda: max(min(run_seconds, end - clock()), LEAST))
        made.append(_attempt(bench, program, task, stepper, steps, lambda: end - clock() >= LEAST))
        if made[-1].attempt.passes or end - clock() < LEAST:
            break
        task = replace(task, earlier=(*task.earlier, *_in_vain(made[-1], program, bench.program)))
    return _repair(made)


@dataclass(frozen=True, slots=True)
class _Made:
    """run: of the whole suite on what came out; `None` where there is no fix to choose. size: lines it changes."""

    attempt: Attempt
    usage: Usage
    run: TestRun | None
    size: int


def _in_vain(made: _Made, program: Program, fix: Program) -> tuple[str, ...]:
    """Edits as they are shown to the next attempt. One that says that the change is right leads none astray."""
    if made.attempt.ended is LoopEnd.RIGHT or not (diff := unified(changed_files(program, fix))):
        return ()
    return ("\n".join((made.attempt.why, diff, *(told(made.run) if made.run else ()))),)


def _attempt(
    bench: Bench, program: Program, task: Task, stepper: Stepper, steps: int, in_time: Callable[[], bool]
) -> _Made:
    trail = walk(stepper, task, bench.act, steps=steps, in_time=in_time)
    run, why = (None, trail.why)
    if trail.ended is LoopEnd.FINISHED:
        run, why = _tried(bench, program, in_time)
    elif trail.ended is LoopEnd.STEPS:
        tried, _ = _tried(bench, program, in_time)
        if tried is not None and tried.passed:
            run, why = tried, f"{trail.why} With what it had edited by then all tests pass."
    attempt = Attempt(trail.ended, why, trail.steps, dict(bench.files), run is not None and run.passed)
    return _Made(attempt, trail.usage, run, _size(program, bench.files))


def _tried(bench: Bench, program: Program, in_time: Callable[[], bool]) -> tuple[TestRun | None, str]:
    """What the whole suite says of a finished attempt, and that as a sentence."""
    if no_fix := why_no_fix(program, bench.program):
        return None, no_fix
    if is_alike(program, bench.program):
        return None, "The fix is equal to the change."
    if not (bench.is_tried or in_time()):
        return None, "There was no time left to run the tests on the fix."
    run = bench.whole()
    if run.unavailable:
        return None, f"The tests could not be run on the fix: {run.problem}"
    if run.problem:
        return run, f"A fix was made, but the run of its tests does not count: {run.problem}"
    if run.failing:
        count = len(run.failing)
        return run, f"A fix was made with which {count} {'test fails' if count == 1 else 'tests fail'}."
    return run, "A fix was made with which all tests pass." if run.passed else "A fix was made, but no test passed."


def _repair(made: Sequence[_Made]) -> Repair:
    attempts = tuple(one.attempt for one in made)
    usage = sum((one.usage for one in made), Usage())
    runs = ((number, one.run, one.size) for number, one in enumerate(made))
    ranked = [(not run.passed, bool(run.problem), len(run.failing), size, number) for number, run, size in runs if run]
    if ranked:  # the best has the least
        return Repair(attempts, min(ranked)[-1], usage=usage)
    return Repair(attempts, problem=f"No fix was found. {attempts[-1].why}", usage=usage)


def _size(program: Program, files: Mapping[str, str]) -> int:
    """Lines that went and lines that came, wherever they stand."""
    total = 0
    for path, text in files.items():
        before = Counter(lines_of((content(program, path) or b"").decode(errors="replace")))
        after = Counter(lines_of(text))
        total += (before - after).total() + (after - before).total()
    return total
