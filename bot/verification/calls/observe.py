"""What programs do on calls: each call in a process of its own, inside the sandbox (`harness.py`)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from bot.sandbox.protocol import Executor, Job, Limits, MiB, Outcome, Status
from bot.sandbox.scripts import script
from bot.telemetry.traces import Pool
from bot.verification.values import Ending, Environment, Observed, Program

HARNESS = script(__package__, "harness")
_ELSEWHERE = script("bot.verification.trial", "elsewhere")
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
    Each program has a sandbox of its own, so that none can learn what another does.
    A program that ends the whole observation has died on every call not observed before, or not ended.
    Raises ObservationError when the sandbox fails.
    """
    environment = environment or Environment()
    if not programs:
        return ()

    around = plain or place or Plain((), ("/work",))
    python = environment.python or executor.probe().python
    request = {
        "modules": around.modules,
        "paths": around.paths,
        "packages": environment.packages,
        "tested": around.surroundings is Surroundings.TESTED,
        "elsewhere": _ELSEWHERE if around.surroundings is Surroundings.ELSEWHERE else "",
        "module": "" if plain else module,
        "calls": list(calls),
        "call_seconds": call_seconds,
        "seconds": seconds,
        "memory": MEMORY // 2,
        "batch": batch,
        "plain": plain is not None,
        "python": python,
        "source": HARNESS,
    }
    wall = seconds + OVERHEAD
    job = Job(
        argv=(*python, "-I", "-S", "-c", HARNESS),
        mounts=environment.mounts,
        stdin=json.dumps(request).encode(),
        environment={**environment.variables, **({} if plain else _DETERMINED)},
        limits=Limits(wall=wall, cpu=wall, memory=MEMORY, output=OUTPUT),
        image=environment.image,
    )

    def alone(program: Program) -> tuple[Observed, ...]:
        outcome = executor.run(replace(job, tree=program.tree, files=program.files))
        return _observations(outcome, len(calls))

    with Pool(len(programs)) as threads:
        return tuple(threads.map(alone, programs))


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
