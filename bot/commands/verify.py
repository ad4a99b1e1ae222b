"""`bouncer verify`: put a reviewer's rejection to the test by executing the fix it offers."""

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from bot.already_fixed.examples import ExampleSource, calls_in_examples
from bot.commands.scratch import scratch
from bot.commands.shared import NumberRange, Refusing, executor_option, json_option, own_settings
from bot.commands.verify_input import read_policy, read_programs, read_specification, read_tests
from bot.judges.factory import make_models
from bot.judges.openai.spend import MemorySpend
from bot.policy import Verify
from bot.rendering.pull_view import rejection_view
from bot.rendering.rejection_view import rejection_json
from bot.sandbox.choose import choose
from bot.sandbox.protocol import Capabilities
from bot.settings import Settings
from bot.storage.directories import TextCache
from bot.verdicts import Decision
from bot.verification.environments.build import EnvironmentProblem
from bot.verification.environments.prepare import Prepared, Setup, prepare
from bot.verification.evidence import Verified
from bot.verification.execution import jury_of
from bot.verification.files.steering import as_before
from bot.verification.fix_guided.cases import FilterFacts, decide
from bot.verification.fix_guided.filter import RejectedProgram, not_run, verify_fix
from bot.verification.fix_guided.questions import VerificationQuestion, question
from bot.verification.fix_guided.specified import subject
from bot.verification.programs import changed_files, why_no_fix
from bot.verification.stage import unprepared
from bot.verification.values import Base, Origin, Program, Suite

NOT_VERIFIED = 3
ORIGIN = Origin("command line")
_PATH = click.Path(path_type=Path)


def _nothing(message: str) -> dict[str, Any]:
    """Bad input: nothing could run, so the document says just that."""
    return rejection_json(decide(FilterFacts()))


@click.command(
    cls=Refusing, said="verify", nothing=_nothing, short_help="Test a rejection by executing the fix it offers."
)
@click.option("--original", required=True, type=_PATH, help="The rejected change: a Python file, a directory, a diff.")
@click.option(
    "--fix",
    type=_PATH,
    help="The reviewer's fix: a Python file, a directory, a diff; the diff may be on top of the change.",
)
@click.option("--tests", required=True, type=_PATH, help="A test file, or a directory of them; pytest or bare asserts.")
@click.option("--spec", type=_PATH, help="What the program should do: text or Markdown; examples in it are tests.")
@click.option("--repo", type=_PATH, help="The directory that the diffs are against.")
@click.option("--timeout", type=NumberRange(1, 3600), help="Seconds overall; default: the policy's, else 300.")
@click.option(
    "--test-timeout", default=10.0, show_default=True, type=NumberRange(0.1, 3600), help="Seconds for one test."
)
@click.option("--seed", default=0, show_default=True, help="Seed for generated inputs.")
@executor_option
@json_option
def verify(
    original: Path,
    fix: Path | None,
    tests: Path,
    spec: Path | None,
    repo: Path | None,
    timeout: float | None,
    test_timeout: float,
    seed: int,
    executor: str | None,
    as_json: bool,
) -> None:
    """Run the rejected program and the reviewer's fix in a sandbox, and say whether the rejection holds.

    Tests import a Python file as the module `solution`. A test that takes too long is a failed one. A directory is set
    up as its .github/bouncer.yml says, or as its manifests do.

    Exit status: 0 for any verdict reached, 2 for bad input, 3 when the verdict is UNAVAILABLE.
    """
    click.get_current_context().with_resource(scratch())
    started = time.monotonic()
    settings = own_settings(executor=executor)
    rejected, proposed, base = read_programs(original, fix, repo)
    suite = read_tests(tests, rejected)
    specification = read_specification(spec)
    policy = read_policy(base or rejected).verify
    isolation, judges = choose(settings), make_models(settings, MemorySpend(), TextCache(settings.cache_dir))
    if isinstance(isolation, Capabilities):
        verified, note = not_run(rejected, proposed, isolation.problem), ""
    else:
        given = RejectedProgram(
            isolation,
            rejected,
            replace(suite, test_seconds=test_timeout),
            specification,
            calls_in_examples((ExampleSource("the specification", "", specification),), rejected),
            reviewer=judges.reviewer if judges else None,
            test_writers=judges.writers if judges else (),
            jury=jury_of(judges, policy),
            seconds=timeout or policy.timeout,
            rounds=policy.rounds,
            seed=seed,
        )
        verified, note = _verified(given, proposed, base, policy, settings)
    verified = replace(verified, seconds=time.monotonic() - started)  # with what setting up took
    asked = _question(rejected, proposed, specification, verified)
    if as_json:
        click.echo(json.dumps(rejection_json(verified, asked), ensure_ascii=False))
    else:
        Console().print(rejection_view(verified, question=asked, notes=(note,) if note else ()))
    raise click.exceptions.Exit(NOT_VERIFIED if verified.decision is Decision.UNAVAILABLE else 0)


def _verified(
    given: RejectedProgram, fix: Program | None, base: Program | None, policy: Verify, settings: Settings
) -> tuple[Verified, str]:
    """The filter's answer, and a line about the environment, where one was needed. base: what the rejected program is a
    change of, where that was given."""
    if given.program.tree is None or fix is None or why_no_fix(given.program, fix):
        return verify_fix(given, fix), ""
    rejected = _with_tests(given.program, given.suite)
    start, head = (_with_tests(base, given.suite), rejected) if base else (rejected, None)
    prepared = prepare(Setup(given.executor, policy, settings, ORIGIN), start, head)
    if isinstance(prepared, EnvironmentProblem):
        return unprepared(prepared), ""
    with prepared:
        return verify_fix(*_ready(given, fix, prepared)), prepared.described


def _with_tests(program: Program, suite: Suite) -> Program:
    """With the tests in it: they say what runs them, where nothing else does."""
    return replace(program, files={**program.files, **suite.files})


def _ready(given: RejectedProgram, fix: Program, prepared: Prepared) -> tuple[RejectedProgram, Program]:
    """Everything with what setup added to it, and with the base's say over what the test command does."""
    ready = prepared.head or prepared.base
    suite = prepared.suite(ready, given.suite.files, given.suite.select)
    suite = replace(suite, test_seconds=given.suite.test_seconds)
    added = {path: made for path, made in ready.program.files.items() if path not in given.program.files}
    fix = replace(fix, files={**added, **fix.files})
    if prepared.head is None:
        return replace(given, program=ready.program, suite=suite), fix
    base = Base(prepared.base.program, prepared.suite(prepared.base, given.suite.files, given.suite.select))
    original, fix = (as_before(each, base.program, suite) for each in (ready.program, fix))
    return replace(given, program=original, suite=suite, base=base), fix


def _question(
    original: Program, fix: Program | None, specification: str, verified: Verified
) -> VerificationQuestion | None:
    """What only a person can decide, where that is what is left."""
    if verified.decision is not Decision.UNAVAILABLE or verified.difference is None or fix is None:
        return None
    about = subject(original, changed_files(original, fix))
    return question(verified.difference, specification, about.interface.module) if about else None
