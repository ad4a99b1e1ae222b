"""What programs do on calls: each call in a process of its own, inside the sandbox (`harness.py`)."""

import base64
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from bot.sandbox.protocol import Executor, Job, Limits, MiB, Outcome, Status
from bot.sandbox.scripts import script
from bot.telemetry.traces import Pool
from bot.verification.programs import content
from bot.verification.values import Ending, Environment, Observed, Program

HARNESS = script(__package__, "harness")
_ELSEWHERE = script("bot.verification.trial", "elsewhere")
_JUDGING_FILES = script("bot.verification.testing.inside", "judging_files")
OVERHEAD = 5.0  # seconds for starting, beside the calls' own
OUTPUT = 32 * MiB
MEMORY = 768 * MiB
BATCH = 25
_DETERMINED = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONSAFEPATH": "1", "PYTHONNOUSERSITE": "1"}


class ObservationError(Exception):
    """The sandbox could not run: nothing is known about the programs. The message holds no text from them."""


class Surroundings(StrEnum):
    """Of calls, all else being the same: a plain script, one that has loaded other modules of the program as well, a
    test of pytest's, or a script that makes them on and on, on another day and machine (`trial/elsewhere.py`)."""

    BARE = "bare"
    BESIDE = "beside"
    TESTED = "tested"
    ELSEWHERE = "elsewhere"


@dataclass(frozen=True, slots=True)
class Plain:
    """A process like any other, with hashes of its own.

    modules: what calls name, by their dotted names. paths: where these are looked for, inside.
    """

    modules: tuple[str, ...]
    paths: tuple[str, ...]
    surroundings: Surroundings = Surroundings.BARE


def observe(
    executor: Executor,
    programs: Sequence[Program],
    calls: Sequence[str],
    *,
    module: str = "solution",
    call_seconds: float = 1.0,
    seconds: float = 30.0,
    environment: Environment | None = None,
    batch: int = BATCH,
    plain: Plain | None = None,
    place: Plain | None = None,
) -> tuple[tuple[Observed, ...], ...]:
    """What each program did on the calls, in order: all of them, or as many as `seconds` allowed.

    calls: Python expressions over the module's names. Hash seed and random seed are the same for every call.
    batch: so many calls share a process, in which they see what the program keeps between calls; the next ones start
        clean. With 1 no call sees another.
    plain: where the process is to be no other than its users'. place: which modules are named in one that is.
    Each program has a sandbox of its own, so that none can learn what another does; see `observe_in_turn` for others.
    A program that ends the whole observation has died on every call not observed before, or not ended.
    Raises ObservationError when the sandbox fails.
    """
    if not programs:
        return ()
    request = {"calls": list(calls), "call_seconds": call_seconds, "seconds": seconds, "batch": batch, "variants": []}
    job = _job(executor, request, environment or Environment(), "" if plain else module, plain, place)

    def alone(program: Program) -> tuple[Observed, ...]:
        outcome = executor.run(replace(job, tree=program.tree, files=program.files))
        return _observations(outcome, len(calls))

    with Pool(len(programs)) as threads:
        return tuple(threads.map(alone, programs))


def observe_in_turn(
    executor: Executor,
    programs: Sequence[tuple[Program, bool]],
    calls: Sequence[str],
    *,
    module: str,
    place: Plain,
    seconds: float,
    environment: Environment | None = None,
) -> tuple[tuple[Observed, ...], ...]:
    """The same of programs that are one but for a few files, in one sandbox, which saves most of the time. What one of
    them leaves behind is gone when the next begins.

    programs: each with whether all of its calls are asked for, or those up to the first that ends otherwise than with
        the first program. seconds: for all together, and a quarter for the first; calls and programs for which it did
        not suffice have no answers.
    Raises ObservationError when the sandbox fails.
    """
    first = programs[0][0]
    variants = []
    for program, whole in programs:
        paths = sorted({path for path, _ in program.files.items() ^ first.files.items()})
        texts = {path: content(program, path) for path in paths}
        files = {path: text if text is None else base64.b64encode(text).decode() for path, text in texts.items()}
        variants.append((files, whole))
    request = {"calls": list(calls), "call_seconds": 1.0, "seconds": seconds, "batch": BATCH, "variants": variants}
    request |= {"judging_files": _JUDGING_FILES}
    job = _job(executor, request, environment or Environment(), module, None, place)
    outcome = executor.run(replace(job, tree=first.tree, files=first.files))
    if outcome.status is Status.SANDBOX_ERROR:
        raise ObservationError(outcome.problem or "the sandbox failed")
    told = re.split(rb"^null\n", outcome.stdout, flags=re.MULTILINE)
    found = [_observations(replace(outcome, stdout=each, exit_code=0), len(calls)) for each in told]
    return (*found, *[()] * (len(programs) - len(found)))


def _job(
    executor: Executor,
    request: dict[str, Any],
    environment: Environment,
    module: str,
    plain: Plain | None,
    place: Plain | None,
) -> Job:
    """What runs the harness, without a program. request: how calls are made."""
    around = plain or place or Plain((), ("/work",))
    python = environment.python or executor.probe().python
    told = request | {
        "modules": around.modules,
        "paths": around.paths,
        "packages": environment.packages,
        "tested": around.surroundings is Surroundings.TESTED,
        "elsewhere": _ELSEWHERE if around.surroundings is Surroundings.ELSEWHERE else "",
        "module": module,
        "memory": MEMORY // 2,
        "plain": plain is not None,
        "python": python,
        "source": HARNESS,
    }
    wall = request["seconds"] + OVERHEAD
    return Job(
        argv=(*python, "-I", "-S", "-c", HARNESS),
        mounts=environment.mounts,
        stdin=json.dumps(told).encode(),
        environment={**environment.variables, **({} if plain else _DETERMINED)},
        limits=Limits(wall=wall, cpu=wall, memory=MEMORY, output=OUTPUT),
        image=environment.image,
    )


def _observations(outcome: Outcome, calls: int) -> tuple[Observed, ...]:
    if outcome.status is Status.SANDBOX_ERROR:
        raise ObservationError(outcome.problem or "the sandbox failed")
    found: list[Observed] = []
    for line in outcome.stdout.splitlines():
        try:
            ending, value, mutated = json.loads(line)
            found.append(Observed(Ending(ending), str(value), str(mutated)))
        except (ValueError, TypeError, RecursionError):
            continue  # cut off in the middle, or from something else than the harness
    if outcome.exit_code != 0:
        # The harness itself ends in time and without an error: the program has stopped it or killed it.
        end = Observed(Ending.TIMEOUT if outcome.status is Status.WALL else Ending.DIED)
        found += [end] * (calls - len(found))
    return tuple(found[:calls])
