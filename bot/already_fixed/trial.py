"""Runs reproductions on one version of the program, in the sandbox, and says of each what was seen."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.already_fixed.script import SECONDS, runnable
from bot.already_fixed.values import Reproduction, Run, Seen
from bot.sandbox.protocol import Executor
from bot.verification.testing.run import run_suite
from bot.verification.values import Environment, Program, Suite, TestResult, TestRun, TestStatus

STARTING = 20.0  # seconds, for interpreters and pytest
MARK = 'BOUNCER {"seen"'  # as `inside/reproduce.py` writes it

# What it may say, and how that is said to people.
_SAYS = {
    "raises": "it raises {name}",
    "raises nothing": "it does not raise what it should",
    "raises right": "it raises what it should",
    "other message": "it raises {name}, with another message than reported",
    "warns": "it warns with {name}",
    "prints": "it prints what the report shows",
    "prints right": "it prints what the report asks for",
    "prints other": "it prints something else than the report asks for",
    "prints not right": "it does not print what the report asks for",
    "prints both": "it prints what the report asks for, and what it shows as well",
    "other words": "it says the same in other words",
    "prints unknown": "it prints something else than reported, and the report does not say what would be right",
    "status": "its exit status reports a failure",
    "too much": "it prints too much to be searched",
    "trace": "it prints a traceback and exits with success",
    "usage": "it prints only how it is used",
    "skipped": "its tests do not run",
    "endless": "it did not end within {seconds:g} s",
    "ends well": "it ends without a failure",
    "ended itself": "its process ended too early",
    "network": "it needs a network, and there is none in the sandbox",
    "device": "it needs a device that the sandbox does not have",
    "input": "it waits for input",
    "module": "the module {name} is not installed here",
    "import": "it cannot import what it needs",
    "torn": "the program itself cannot be imported",
    "name": "it uses {name}, which it does not define",
    "file": "it needs a file that the report does not include",
    "syntax": "it is not valid in this version of Python",
    "memory": "it needs more memory than there is",
    "no command": "its command does not exist",
    "differs": "it gave something else when it was run again",
}
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
    suite = Suite(
        files={
            paths[one.name]: runnable(
                one, each, twice=twice, python=environment.python, variables=environment.variables
            ).encode()
            for one in reproductions
        },
        select=tuple(paths.values()),
        environment=own,
        test_seconds=2 * each + STARTING,
        detached=True,
    )
    run = run_suite(executor, place.program, suite, seconds=seconds)
    results = {result.name: result for result in run.results}
    return {name: _run_of(run, results.get(f"{path}::test_reproduction"), each) for name, path in paths.items()}


def _run_of(run: TestRun, result: TestResult | None, each: float) -> Run:
    if run.problem or result is None:
        return Run(Seen.CANNOT_RUN, run.problem or "it was not run", lacks=True)
    if result.status is TestStatus.PASSED:
        return Run(Seen.PASSES, "it ends as it should")
    verdict = next(_verdicts(result.message), None)
    if result.status is not TestStatus.FAILED or verdict is None:
        return Run(Seen.CANNOT_RUN, "it ended without an answer", lacks=True)
    says = _SAYS[verdict.why].format(name=_named(verdict.name), seconds=each)
    missing = _named(verdict.name).partition(".")[0] if verdict.why == "module" else ""
    return Run(
        Seen(verdict.seen), says, verdict.shown, missing, verdict.place, verdict.why in _LACKS, verdict.why in _UNCLEAR
    )


def _verdicts(message: str) -> Iterator[_Verdict]:
    at = message.find(MARK)
    if at < 0:
        return
    try:
        found, _ = json.JSONDecoder().raw_decode(message, message.index("{", at))
        verdict = _Verdict.model_validate(found)
    except (ValueError, ValidationError, RecursionError):
        return
    if verdict.why in _SAYS and verdict.seen in set(Seen) - {Seen.PASSES}:
        yield verdict


def _named(name: str) -> str:
    """A class's or a module's name, or words instead: it may be any text."""
    return name if re.fullmatch(r"[A-Za-z_][\w.]{0,79}", name, re.ASCII) else "something"
