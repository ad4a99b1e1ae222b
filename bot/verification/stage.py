"""The stage on which a change is executed: base and head with their environment, ready for the tests."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial

from bot.policy import Verify
from bot.sandbox.protocol import Executor
from bot.settings import Settings
from bot.storage.directories import DirectoryCache
from bot.verification.environments.build import EnvironmentProblem
from bot.verification.environments.detect import ENDINGS, suites_of_change
from bot.verification.environments.prepare import Prepared, Setup
from bot.verification.environments.working import judging_environment, prepare_working
from bot.verification.evidence import TrialDigests, Verified
from bot.verification.files.loads import Loads
from bot.verification.files.steering import as_before
from bot.verification.fix_guided.cases import FilterFacts, decide
from bot.verification.patch_evidence import UnrunSuite
from bot.verification.programs import changed_files, content
from bot.verification.testing.kept import MOST_KEPT, KeptRuns
from bot.verification.testing.run import run_suite
from bot.verification.testing.select import select_tests
from bot.verification.values import Base, Keeper, Origin, Program, Suite, TestResult, TestRun, TestStatus

LOOK = 60.0  # seconds in which a test of the base must pass, when it is first seen how a program can be set up


@dataclass(frozen=True, slots=True)
class Stage:
    """Everything that is needed to execute a change.

    head: as it was pushed. original: the same, with what steers the test runner as the base has it. seconds: one run's.
    digests: of the environments. without: see `Prepared`. test: the suite's command. endings: of the files of its
    language, where there are more suites; others: the stages of these, unrun: those that have none.
    """

    executor: Executor
    base: Base
    head: Program
    original: Program
    suite: Suite
    seconds: float
    digests: TrialDigests = TrialDigests()
    without: tuple[str, ...] = ()
    test: str = ""
    endings: tuple[str, ...] = ()
    others: "tuple[Stage, ...]" = ()
    unrun: tuple[UnrunSuite, ...] = ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """Why there is no stage: the change cannot be merged into its base branch. files: where; names are strangers'."""

    files: tuple[str, ...]


@contextmanager
def staged(
    executor: Executor,
    base: Program,
    head: Program,
    policy: Verify,
    settings: Settings,
    *,
    origin: Origin,
    also: Iterable[str] = (),
) -> Iterator[Stage | EnvironmentProblem]:
    """Set both up, or say why that failed. Base and head are directories; the policy is the base's.

    origin: the base's. also: paths that will be changed besides, for choosing the tests.
    """
    changed = {*changed_files(base, head), *also}
    suites = suites_of_change(base, policy, changed)
    there = Loads.of(base, others=False)
    here = there.after({path: content(head, path) for path in changed})
    selected = select_tests((there, here), changed)
    stages, problems = list[Stage](), dict[str, EnvironmentProblem]()
    runs = DirectoryCache(settings.cache_dir / "runs", MOST_KEPT)
    with ExitStack() as stack:
        for suite in suites.run:
            below = f"{suite.folder}/" if suite.folder else ""
            select, far = (tuple(path for path in each if path.startswith(below)) for each in selected)
            setup = Setup(executor, policy.at(suite.folder), settings, origin, suite)
            works = partial(passing_share, executor, select)
            prepared = prepare_working(setup, base, head, works=works)
            if isinstance(prepared, EnvironmentProblem):
                problems[suite.name] = prepared
                continue
            start = stack.enter_context(prepared).base
            keeper = KeptRuns(executor, start.program, start.environment, start.build, origin.owner, runs)
            endings = ENDINGS.get(suite.language, ()) if len(suites.run) > 1 else ()
            stage = _stage(executor, prepared, select, far, keeper)
            stages.append(replace(stage, test=suite.name, endings=endings))
        if not stages:
            yield _all_of(problems)
            return
        left = [UnrunSuite(each.name, f"the policy's `verify.test` is {policy.test}") for each in suites.left]
        unrun = [UnrunSuite(test, told.told, told.of_head) for test, told in problems.items()]
        yield replace(stages[0], others=tuple(stages[1:]), unrun=(*unrun, *left))


def _all_of(problems: Mapping[str, EnvironmentProblem]) -> EnvironmentProblem:
    """Of suites, by their commands, none of which can be set up."""
    first, *others = problems.values()
    if not others:
        return first
    told = "; ".join(f"{test}: {problem.told}" for test, problem in problems.items())
    return EnvironmentProblem(told, of_head=all(each.of_head for each in problems.values()))


def passing_share(executor: Executor, select: Iterable[str], found: Prepared) -> float:
    """Of the base's tests that the change concerns, as the base is set up by now."""
    near = found.suite(found.base, select=tuple(held(found.base.program, select)))
    run = run_suite(executor, found.base.program, near, seconds=min(LOOK, found.seconds))
    ended = [result.status for result in run.results if result.status is not TestStatus.SKIPPED]
    return ended.count(TestStatus.PASSED) / max(len(ended), 1)


def held(program: Program, wanted: Iterable[str]) -> dict[str, bytes]:
    """Those of the files that the program has."""
    return {path: text for path in wanted if (text := content(program, path)) is not None}


def _stage(
    executor: Executor, prepared: Prepared, select: tuple[str, ...], far: tuple[str, ...], keeper: Keeper
) -> Stage:
    head = prepared.head
    assert head is not None
    suite = prepared.suite(head, held(head.program, select), select)
    if suite.command is None:
        of_base = prepared.base.environment
        suite = replace(suite, environment=judging_environment(of_base, head.environment, by_command=False))
    first = tuple(held(prepared.base.program, (*select, *far))) if suite.command is None else ()
    base = Base(prepared.base.program, prepared.suite(prepared.base), keeper, first)
    own = head.recipe if head.recipe != prepared.base.recipe else ""
    digests = TrialDigests(environment=prepared.base.recipe, environment_of_head=own)
    original = as_before(head.program, base.program, suite)
    return Stage(executor, base, head.program, original, suite, prepared.seconds, digests, prepared.without)


def unprepared(problem: EnvironmentProblem) -> Verified:
    """Nothing could run. The line of setup that failed stands as what failed, with the end of what it printed."""
    said = (TestResult(problem.command, TestStatus.ERROR, problem.output),) if problem.command else ()
    nothing = TestRun((), 0.0, problem.reason, unavailable=True)
    return decide(FilterFacts(original=TestRun(said, 0.0, problem.reason, unavailable=True), fix=nothing))
