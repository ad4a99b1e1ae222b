"""Runs reproductions on one version of the program, in the sandbox, and says of each what was seen."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from pydantic import BaseModel, ConfigDict, Field

from bot.already_fixed.script import SECONDS, runnable
from bot.already_fixed.values import Reproduction, Run, Seen, words
from bot.sandbox.protocol import Executor
from bot.verification.testing.run import run_suite
from bot.verification.values import Environment, Program, Suite, TestResult, TestRun, TestStatus

STARTING = 20.0  # seconds, for interpreters and pytest
MARK = 'BOUNCER {"seen"'  # as `inside/reproduce.py` writes it

_SAYS = words("says")
_LACKS = frozenset({"module", "import", "torn", "no command"})  # what another environment may have
_UNCLEAR = frozenset({"prints unknown", "too much", "skipped"})  # what nobody can call right or wrong


@dataclass(frozen=True, slots=True)
class TrialPlace:
    """One version of the program, ready to be run."""

    program: Program
    environment: Environment


class _Verdict(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    seen: str
    why: str
    name: str
    shown: str
    place: str = Field("", pattern="^[0-9a-f]{0,16}$")


def tried(
    executor: Executor,
    place: TrialPlace,
    reproductions: Sequence[Reproduction],
    *,
    seconds: float,
    each: float = SECONDS,
    twice: bool = True,
) -> dict[str, Run]:
    """By name what each of them showed. Never raises.

    seconds: for all of them. each: for one run of one. twice: see whether each agrees with itself.
    """
    if not reproductions:
        return {}
    paths = {one.name: f"bouncer_{one.name}.py" for one in reproductions}
    environment = place.environment
    # What watches is Bouncer's own pytest, where the executor has it: the program's may be of any age, or none. Nothing
    # counts for it that is meant for the program's Python and pytest.
    given = environment.variables.items()
    outer = {name: value for name, value in given if not name.startswith(("PYTEST", "PYTHON"))}
    own = environment if environment.image else replace(environment, python=(), variables=outer)
    made = partial(runnable, seconds=each, twice=twice, python=environment.python, variables=environment.variables)
    files = {paths[one.name]: made(one).encode() for one in reproductions}
    suite = Suite(files, tuple(paths.values()), environment=own, test_seconds=2 * each + STARTING, detached=True)
    run = run_suite(executor, place.program, suite, seconds=seconds)
    results = {result.name: result for result in run.results}
    return {name: _run_of(run, results.get(f"{path}::test_reproduction"), each) for name, path in paths.items()}


def _run_of(run: TestRun, result: TestResult | None, each: float) -> Run:
    if run.problem or result is None:
        return Run(Seen.CANNOT_RUN, run.problem or "it was not run", lacks=True)
    if result.status is TestStatus.PASSED:
        return Run(Seen.PASSES, "it ends as it should")
    verdict = _verdict(result.message) if result.status is TestStatus.FAILED else None
    if verdict is None:
        return Run(Seen.CANNOT_RUN, "it ended without an answer", lacks=True)
    says = _SAYS[verdict.why].format(name=_named(verdict.name), seconds=each)
    missing = _named(verdict.name).partition(".")[0] if verdict.why == "module" else ""
    lacks, unclear = verdict.why in _LACKS, verdict.why in _UNCLEAR
    return Run(Seen(verdict.seen), says, verdict.shown, missing, verdict.place, lacks, unclear)


def _verdict(message: str) -> _Verdict | None:
    try:
        found, _ = json.JSONDecoder().raw_decode(message, message.index("{", message.index(MARK)))
        verdict = _Verdict.model_validate(found)
    except (ValueError, RecursionError):
        return None
    return verdict if verdict.why in _SAYS and verdict.seen in set(Seen) - {Seen.PASSES} else None


def _named(name: str) -> str:
    """A class's or a module's name, or words instead: it may be any text."""
    return name if name.isascii() and len(name) <= 80 and name.replace(".", "_").isidentifier() else "something"
