"""One suite on one program, in one sandboxed job."""

import base64
import json
import re
import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot.changes.kinds import is_test_module, steers_pytest
from bot.sandbox.protocol import Executor, Job, Limits, MiB, Outcome, Status
from bot.sandbox.scripts import script
from bot.verification.calls.observe import ObservationError
from bot.verification.literals import interface_of
from bot.verification.programs import SOLUTION, content
from bot.verification.testing import sources, witnesses
from bot.verification.testing.assertions import ask_alone, plain_assertions
from bot.verification.testing.inside.short import shorten
from bot.verification.testing.report import SuiteReport, calls_of, entered_functions, read_reports, without_report
from bot.verification.testing.runners import read_runners
from bot.verification.testing.tools import BESIDE, JUNIT, READERS, command_name
from bot.verification.values import Experiment, Keeper, Order, Program, Suite, TestResult, TestRun, TestStatus

DEFAULT_SECONDS = 120.0
_GRACE = 15.0  # seconds beyond the suite's own, in which the supervisor ends what still runs and reports
_HASH_SEEDS = 2**32
_REPORT = re.compile(rf"\{{report(\??):({'|'.join(READERS)})\}}")
_INSIDE = f"{__package__}.inside"  # what runs in the sandbox
_LIMITS = Limits(output=16 * MiB)
# What a command runs may build the program and check its types; what is built lies in memory.
_OF_COMMANDS = replace(_LIMITS, memory=4096 * MiB, disk=1024 * MiB)
_QUIET = ("-p", "no:cacheprovider", "--maxfail=0", "--tb=short", "--continue-on-collection-errors", "--rootdir=.")
# How much of the code has to be covered, which judges nobody: a change comes with the tests of its own lines.
_DEMANDING = ("Makefile", "makefile", "GNUmakefile", "setup.cfg", "pyproject.toml", "tox.ini", ".coveragerc")
_DEMAND = re.compile(rb"((?:--(?:cov-)?fail-under[= ]|\bfail_under[ \t]{0,9}=[ \t]{0,9}))\d[\d.]{0,9}")
# A single file knows no repository, so nothing of pytest's that serves one is loaded, and no configuration is read.
_ALONE = ("-c", "/dev/null", "--noconftest", "--import-mode=importlib", "-q")
_UNUSED = ("doctest", "pastebin", "stepwise", "legacypath", "faulthandler", "setuponly", "setupplan")


_AS_EVER = Order()


def run_suite(
    executor: Executor,
    program: Program,
    suite: Suite,
    *,
    seconds: float = DEFAULT_SECONDS,
    order: Order = _AS_EVER,
) -> TestRun:
    """Run the suite on the program. Never raises. seconds: the most the whole suite may take.

    The program's own changes to what steers the runner (`conftest.py`, `pytest.ini`, …) do not count: the suite's
    files and the tree's do.
    """
    return _run_all(executor, [Experiment(program, suite, order)], seconds)[0]


def run_experiments(
    executor: Executor, asked: Sequence[Experiment], *, seconds: float = DEFAULT_SECONDS
) -> list[TestRun]:
    """Their runs as far as `seconds` go, where pytest runs in one sandbox. All are of one tree and order, and their
    suites differ in what is asked of pytest alone: `select`, `until` and `test_seconds`. Never raises.

    Each finds the files as they were, whatever the one before did to them. A later one can know of an earlier one all
    the same, so whoever gains by that must not be among them.
    """
    end, runs = time.monotonic() + seconds, list[TestRun]()
    while len(runs) < len(asked) and (left := end - time.monotonic()) > 0:
        runs += _run_all(executor, asked[len(runs) :], left)
    return runs


def run_each(
    executor: Executor, keeper: Keeper, asked: Sequence[Experiment], *, seconds: float
) -> list[TestRun | None]:
    """A run of each, known or made; `None` where the time was over."""
    known = [keeper.find(each) for each in asked]
    missing = [at for at, found in enumerate(known) if found is None]
    ran = run_experiments(executor, [asked[at] for at in missing], seconds=seconds) if missing else []
    for at, run in zip(missing, ran, strict=False):
        keeper.keep(asked[at], run)
        known[at] = run
    return known


def _run_all(executor: Executor, asked: Sequence[Experiment], seconds: float) -> list[TestRun]:
    """The runs of the first ones, at least of one."""
    capabilities = executor.probe()
    if not capabilities.usable:
        return [_unavailable(capabilities.problem or f"{executor.name} cannot isolate here")]
    suite = asked[0].suite
    texts, suite = suite.files, suite if suite.command else _with_scripts(suite, asked[0].judged)
    judged = [replace(each, program=_judged(each.judged, suite), broken={}) for each in asked]
    if suite.command:
        return [_run_command(executor, judged[0].program, suite, seconds, capabilities.python)]
    python = suite.environment.python or capabilities.python
    if not python:
        return [_unavailable("the environment has no Python interpreter")]
    # A stranger's environment may bring a stranger's interpreter, which must not learn the secret of the report.
    keeper = python if suite.environment.image or not capabilities.python else capabilities.python
    judged = [replace(each, suite=replace(each.suite, files=suite.files)) for each in judged]
    return _run_pytest(executor, texts, judged, (python, keeper), seconds)


def _with_scripts(suite: Suite, program: Program) -> Suite:
    """With the scripts among its tests as tests; what these load stays as it is."""
    judged = sorted(program.files.keys() - suite.files)
    tests = suite.select or (sources.test_files(suite.files) if program.tree is None else suite.files)
    paths = dict.fromkeys(map(sources.file_of, tests)).keys() & suite.files
    named = (path for path in paths if path.endswith(".py") and not steers_pytest(path))
    chosen = (path for path in named if program.tree is None or is_test_module(path))
    scripts = {path: suite.files[path] for path in chosen if sources.is_script(suite.files[path])}
    made = {path: sources.as_test(path, text, judged) for path, text in scripts.items()}
    return replace(suite, files={**suite.files, **made})


def _judged(program: Program, suite: Suite) -> Program:
    kept = {path: content for path, content in program.files.items() if not steers_pytest(path)}
    judged = replace(program, files={**kept, **suite.files})
    texts = ((path, content(judged, path)) for path in (_DEMANDING if suite.command else ()))
    demanding = {path: _DEMAND.sub(rb"\g<1>0", text) for path, text in texts if text and _DEMAND.search(text)}
    return replace(judged, files={**judged.files, **demanding}) if demanding else judged


def _run_pytest(
    executor: Executor,
    texts: Mapping[str, bytes],
    experiments: Sequence[Experiment],
    interpreters: tuple[tuple[str, ...], tuple[str, ...]],
    seconds: float,
) -> list[TestRun]:
    """texts: of the suite's files, before scripts were made tests. interpreters: that with strange code in it, and the
    one that watches over it."""
    program, suite, order = experiments[0].program, experiments[0].suite, experiments[0].order
    trace, (python, keeper) = sorted(order.trace), interpreters
    alone, whole = program.tree is None, [*map(_whole, experiments)]
    bare = alone and len(experiments) == 1 and not _has_conftest(suite)  # else that prepares its tests
    interface = interface_of((program.files.get(SOLUTION) or b"").decode(errors="replace"), "solution")
    alone_in = (texts[path].decode(errors="replace") for path in whole[0] if bare)
    plain = [one for text in alone_in for one in plain_assertions(text, interface)]
    secret = secrets.token_bytes(32)
    plan = {**_plan(program, suite, order), "secret": secret.hex(), "python": python, "seconds": seconds}
    plan["variants"] = [_asked(each, program) for each in experiments]
    most = seconds + _GRACE
    job = _job(program, suite, _supervised(keeper), json.dumps(plan), replace(_LIMITS, wall=most, cpu=most))
    outcome = executor.run(job)

    def run_of(asked: Suite, paths: Iterable[str], report: SuiteReport) -> TestRun:
        named = [name for path in paths for name in sources.named_tests(path, suite.files[path])]
        found = witnesses.results_of(report, asked.test_seconds)
        late = witnesses.late_tests(report, asked.first, held=bool(asked.watched))
        problem = witnesses.problem_of(report, outcome.results, named, asked.test_seconds, late=len(late))
        replaced = tuple(dict.fromkeys(name for session in report.sessions for name in session.replaced))
        if alone and replaced:  # there is no base whose code may do that as well
            problem = f"{witnesses.FORGED}: the program replaced {replaced[0]}"
        return TestRun(
            tuple(each for each in found if each.name not in asked.ignore),
            round(report.seconds, 3),
            problem,
            unavailable=problem in (witnesses.NO_PYTEST, witnesses.OLD_PYTEST),
            limits_enforced=outcome.limits_enforced,
            entered=entered_functions(report, trace, program) if trace else (),
            calls=calls_of(report, trace),
            written=tuple(report.written),
            replaced=replaced,
            late=() if problem else late,
            opened=outcome.opened,
        )

    reports = read_reports(outcome.stdout, secret)
    suites = (each.suite for each in experiments)
    runs = [run_of(*each) for each in zip(suites, whole, reports, strict=False)] or [_no_report(outcome)]
    if not plain or runs[0].problem or runs[0].failing:
        return runs
    around = replace(suite.environment, variables={**suite.environment.variables, **plan["environment"]})
    untested = Program(None, {path: text for path, text in program.files.items() if path not in suite.files})
    try:
        lie = ask_alone(executor, untested, plain, around, suite.test_seconds)
    except ObservationError as error:
        return [_unavailable(str(error))]
    return [replace(runs[0], problem=f"{witnesses.FORGED}: {lie}")] if lie else runs


def _chosen(experiment: Experiment) -> tuple[str, ...]:
    """What pytest is asked for; empty for all that it finds."""
    suite = experiment.suite
    return suite.select or (sources.test_files(suite.files) if experiment.program.tree is None else ())


def _whole(experiment: Experiment) -> list[str]:
    """The suite's files whose tests run, each of them."""
    chosen = _chosen(experiment)
    return [path for path in experiment.suite.files if path in chosen or (not chosen and is_test_module(path))]


def _asked(experiment: Experiment, first: Program) -> dict[str, Any]:
    """What the supervisor is told of one program. files: what it has otherwise than the first, as base64."""
    asked, files = experiment.suite, experiment.program.files
    other = {path for path, _ in files.items() ^ first.files.items()}
    texts = {path: content(experiment.program, path) for path in sorted(other)}
    return {
        "files": {path: text and base64.b64encode(text).decode() for path, text in texts.items()},
        "select": _chosen(experiment),
        "until": sorted(asked.until),
        "once": experiment.once,
        "test_seconds": asked.test_seconds,
    }


def _plan(program: Program, suite: Suite, order: Order) -> dict[str, Any]:
    """What the supervisor in the sandbox is told of a run of pytest."""
    alone = program.tree is None
    hashes = int(order.reverse) if order.seed is None else order.seed % _HASH_SEEDS
    return {
        "runner": script(_INSIDE, "runner"),
        "environment": {"PYTHONHASHSEED": str(hashes), "PYTHONDONTWRITEBYTECODE": "1"}
        # Plugins come with a program's own environment; what Bouncer's own Python happens to have is not for it.
        | ({"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} if suite.detached or not suite.environment.python else {}),
        "command": None,
        "test_seconds": suite.test_seconds,
        "suite": list(suite.files),
        "watched": [] if alone else sorted(suite.watched | suite.locked),
        "task": {
            "session": script(_INSIDE, "session"),
            "reverse": order.reverse,
            "seed": order.seed,
            "args": _arguments(suite, alone or suite.detached),
            "paths": [] if suite.detached else import_paths(program, suite.folder),
            "folder": suite.folder,
            "first": suite.first,
            "program": [path for path in program.files if path not in suite.files],
            "packages": suite.environment.packages,
            "held": sorted(path for path in suite.watched | suite.locked | suite.files.keys() if path.endswith(".py")),
            "trace": sorted(order.trace),
            "by_tests": order.by_tests,
            "anew": order.anew,
            "tracer": script(_INSIDE, "tracer") if order.trace else "",
        },
    }


def import_paths(program: Program, folder: str) -> list[str]:
    """What stands first on `sys.path`. `src` only where the tree has it: a change that lies over it adds none."""
    places = [f"{folder}/", ""] if folder else [""]
    both = [(f"{place}src", place) for place in places]
    has = [inner for inner, _ in both if program.tree is not None and (program.tree / inner).is_dir()]
    return [f"/work/{each}".rstrip("/") for pair in both for each in pair if each in has or each in places]


def _arguments(suite: Suite, alone: bool) -> list[str]:
    if not alone:
        return [*_QUIET, "-o", "junit_family=xunit1"]
    lean = [argument for argument in _ALONE if argument != "--noconftest" or not _has_conftest(suite)]
    return [*_QUIET, *lean, *(word for name in _UNUSED for word in ("-p", f"no:{name}"))]


def _supervised(keeper: tuple[str, ...]) -> tuple[str, ...]:
    return (*keeper, "-I", "-S", "-c", script(_INSIDE, "supervisor"))


def _job(program: Program, suite: Suite, argv: tuple[str, ...], given: str, limits: Limits) -> Job:
    """In the suite's environment. given: on standard input."""
    around, locked = suite.environment, suite.locked if program.tree else frozenset()
    laid = (program.tree, program.files, around.mounts, given.encode(), around.variables, limits)
    return Job(argv, *laid, locked=locked, image=around.image)


def _has_conftest(suite: Suite) -> bool:
    return any(path.rpartition("/")[2] == "conftest.py" for path in suite.files)


def _run_command(
    executor: Executor, program: Program, suite: Suite, seconds: float, keeper: tuple[str, ...]
) -> TestRun:
    """A command counts by its exit status, and by the tests that it was asked to tell of.

    keeper: the interpreter that watches over the command; a policy's own image has none that Bouncer knows.
    """
    assert suite.command is not None
    name = command_name(suite.command)
    told: dict[str, re.Match[str]] = {}  # a name among the results -> whether it may be missing, and who reads it

    def place(found: re.Match[str]) -> str:
        told[name := secrets.token_hex(8)] = found
        return f"/results/{name}"

    argv = tuple(_REPORT.sub(place, word.replace("{junit}", f"{{report:{JUNIT}}}")) for word in suite.command)
    kept = bool(keeper) and suite.environment.image is None
    secret = secrets.token_bytes(32)
    plan = {"secret": secret.hex(), "seconds": seconds, "command": argv}
    plan["watched"] = sorted(suite.watched | suite.locked)
    argv, given = (_supervised(keeper), json.dumps(plan)) if kept else (argv, "")
    job = _job(program, suite, argv, given, replace(_OF_COMMANDS, wall=seconds, cpu=seconds))
    outcome = executor.run(replace(job, environment={"PYTHONDONTWRITEBYTECODE": "1", **job.environment}))
    if outcome.status is Status.SANDBOX_ERROR:
        return _no_report(outcome)
    report = next(iter(read_reports(outcome.stdout, secret)), None) if kept else None
    if report is not None:
        outcome = replace(outcome, exit_code=report.exit, stdout=without_report(outcome.stdout))
    status, message = _of_command(outcome)
    if kept and report is None and status is TestStatus.PASSED:
        return _no_report(outcome)
    own = TestResult(name, status, message, round(outcome.seconds, 3))
    left = {name: text for name, text in outcome.results.items() if name not in told}
    run = TestRun((own,), own.seconds, limits_enforced=outcome.limits_enforced, opened=outcome.opened, left=left)
    run = replace(run, written=tuple(report.written) if report else ())
    texts = ((found, outcome.results.get(name)) for name, found in told.items())
    known = [(found[2], text) for found, text in texts if text or not found[1]]
    return _with_tests(run, known) if known else run


def _with_tests(run: TestRun, told: Sequence[tuple[str, bytes | None]]) -> TestRun:
    """What the runners tell of each test, instead of the command as one, where the command's exit status agrees.
    JUnit's tests count beside it: whoever writes that may end well all the same."""
    (own,) = run.results
    passed = own.status is TestStatus.PASSED
    reports = [(READERS[kind], content) for kind, content in told if content]
    if len(reports) < (len(told) if passed else 1):
        return replace(run, problem="the command left no report of its tests" if passed else "")
    read = read_runners(reports)
    failing = any(result.status in (TestStatus.FAILED, TestStatus.ERROR) for result in read.results)
    tested = any(content for kind, content in told if kind != BESIDE)
    if read.problem or (tested and not read.results):
        return replace(run, problem=(read.problem or witnesses.NO_TESTS) if passed else "")
    own_too = any(kind == JUNIT for kind, _ in told) or not (passed or failing)
    if passed and failing and not own_too:
        return replace(run, results=read.results, problem="the command reported success, although tests failed")
    return replace(run, results=(own, *read.results) if own_too or not tested else read.results)


def _of_command(outcome: Outcome) -> tuple[TestStatus, str]:
    if outcome.status is Status.WALL:
        return TestStatus.TIMEOUT, outcome.problem
    if outcome.status is not Status.EXITED:
        return TestStatus.ERROR, outcome.problem
    if outcome.exit_code == 0:
        return TestStatus.PASSED, ""
    said = (outcome.stdout + outcome.stderr).decode(errors="replace").strip()
    return TestStatus.FAILED, shorten(f"exit status {outcome.exit_code}\n{said}")


def _no_report(outcome: Outcome) -> TestRun:
    ours = outcome.status is Status.SANDBOX_ERROR
    why = outcome.problem or f"exit status {outcome.exit_code}"
    return TestRun(
        (),
        round(outcome.seconds, 3),
        why if ours else f"the run ended without its report: {why}",
        unavailable=ours,
        limits_enforced=outcome.limits_enforced,
    )


def _unavailable(problem: str) -> TestRun:
    return TestRun((), 0.0, problem, unavailable=True)
