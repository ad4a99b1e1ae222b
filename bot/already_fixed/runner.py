"""Where the reproductions of one repository are run: environments for its revisions, and the time there is for all. And
the project's own tests beside a fix: a change that breaks them mends no report."""

import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath

from bot.already_fixed.project import holds
from bot.already_fixed.revisions import RevisionSource, moments, tree
from bot.already_fixed.trial import TrialPlace, tried
from bot.already_fixed.values import Reproduction, Run, Seen, words
from bot.changes.kinds import is_test_module
from bot.github.commits import tags
from bot.policy import Verify
from bot.sandbox.protocol import Executor, ExecutorAround, Job, Outcome, Status
from bot.settings import Settings
from bot.verification.environments.build import EnvironmentProblem
from bot.verification.environments.prepare import Setup, Trail, prepare
from bot.verification.files.code_of_tests import read_tests
from bot.verification.programs import content, source_files
from bot.verification.testing.run import run_suite
from bot.verification.testing.sources import subject_of
from bot.verification.trial.outcomes import both, failures
from bot.verification.values import Order, Origin, Program, Suite, TestRun

LEAST = 5.0  # seconds without which nothing new is begun
_AS_IT_IS = {"setup": (), "test": "pytest"}  # of a policy
_DISTRIBUTIONS = words("distributions")

Runs = dict[str, Run]  # by the reproduction's name


@dataclass(frozen=True, slots=True)
class Timed(ExecutorAround):
    """An executor whose jobs, setting up among them, all end by the same moment."""

    end: float

    @property
    def left(self) -> float:
        return self.end - time.monotonic()

    def run(self, job: Job) -> Outcome:
        if self.left < LEAST:
            return Outcome(Status.WALL, None, b"", b"", {}, 0.0, (), "the time ran out")
        limits = replace(job.limits, wall=min(job.limits.wall, self.left), cpu=min(job.limits.cpu, self.left))
        return self.executor.run(replace(job, limits=limits))


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs reproductions of one repository. policy: the head's. each: seconds for one run of one reproduction. notes:
    what people should know of how, as sentences."""

    _repository: RevisionSource
    _executor: Timed
    _policy: Verify
    _settings: Settings
    _each: float
    notes: list[str] = field(default_factory=list)

    @property
    def left(self) -> float:
        """Seconds."""
        return self._executor.left

    def tried(self, place: TrialPlace, wanted: Sequence[Reproduction], *, twice: bool = True) -> Runs:
        """twice: see whether each agrees with itself."""
        if not wanted or self.left < LEAST:
            return dict.fromkeys((one.name for one in wanted), Run(Seen.CANNOT_RUN, "the time ran out"))
        return tried(self._executor, place, wanted, seconds=self.left, each=self._each, twice=twice)

    def tried_at(self, sha: str, place: TrialPlace, wanted: Sequence[Reproduction], *, twice: bool = True) -> Runs:
        """At another revision, in the environment of `place`. Raises a `GitHubError`."""
        if not wanted or self.left < LEAST:
            return self.tried(place, wanted)
        with tree(self._repository, sha) as directory:
            # With what setup had added to the tree, such as its version, but for what is compiled of the other's code.
            given = {path: text for path, text in place.program.files.items() if not (directory / path).exists()}
            given = {path: text for path, text in given.items() if not path.endswith((".so", ".pyd"))}
            return self.tried(TrialPlace(Program(directory, given), place.environment), wanted, twice=twice)

    def beside(self, place: TrialPlace, without_fix: Mapping[str, bytes | None]) -> tuple[int, str]:
        """What the project's own tests say of a fix, with a third of the time that is left."""
        return beside(self._executor, place, without_fix, seconds=min(OWN_TESTS, self.left / 3))

    @contextmanager
    def housed(
        self, program: Program, sha: str, wanted: Sequence[Reproduction]
    ) -> Iterator[tuple[TrialPlace, Runs] | str]:
        """What runs gave in the first environment in which any can be run, or why there is none, as a sentence.

        Others are tried only where they may have what it lacks; where none can be run in any, the first one says why.

        A commit of long ago gets packages of its time, where it runs with them. Well-known packages that the examples
        import though the project does not need them are added. Where setup fails, what needs nothing may run as it is.
        """
        problem, source = "", self._repository
        with ExitStack() as kept:
            found, set_up = None, partial(self._set_up, kept, program, sha)
            for as_of in moments(source.directory, sha, datetime.now(UTC)):
                place = set_up(self._policy, as_of)
                if isinstance(place, str):
                    problem = place
                    continue
                runs = self.tried(place, wanted)
                if more := missing_packages(runs.values(), program.tree):
                    wider = set_up(self._policy, as_of, more)
                    if not isinstance(wider, str):
                        place, runs = wider, self.tried(wider, wanted)
                ran = _any_ran(runs)
                found = (place, runs) if ran or found is None else found
                if ran or not place.environment.mounts or not any(run.lacks for run in runs.values()):
                    break
            if found is None and self.left >= LEAST:
                bare = set_up(self._policy.model_copy(update=_AS_IT_IS))
                if not isinstance(bare, str) and _any_ran(runs := self.tried(bare, wanted)):
                    found = bare, runs
                    self.notes.append(f"{problem} It was run with nothing installed.")
            yield found or problem

    def _set_up(
        self, kept: ExitStack, program: Program, sha: str, policy: Verify, as_of: str = "", more: tuple[str, ...] = ()
    ) -> TrialPlace | str:
        """An environment that lasts as long as `kept` is open, or why there is none. more: distributions."""
        executor, source = self._executor, self._repository
        if as_of:  # what is left must do for today's
            executor = replace(executor, end=executor.end - executor.left * 2 / 3)
        origin = Origin(source.owner, tags=partial(tags, source.directory, sha))
        setup = Setup(executor, policy, self._settings, origin)
        found = prepare(setup, program, None, Trail(None, as_of, more))
        if isinstance(found, EnvironmentProblem):
            return f"It cannot be set up to be run: {found.reason}."
        prepared = kept.enter_context(found)
        return TrialPlace(prepared.base.program, prepared.base.environment)


def _any_ran(runs: Runs) -> bool:
    return any(run.seen is not Seen.CANNOT_RUN for run in runs.values())


def missing_packages(runs: Iterable[Run], tree: Path | None) -> tuple[str, ...]:
    """The distributions without which something could not be run, as far as they are well known; sorted.

    tree: of the program; what it holds itself is never installed in its place.
    """
    missing = {run.missing for run in runs if run.seen is Seen.CANNOT_RUN}
    missing = {name for name in missing if tree is None or not holds(tree, name)}
    return tuple(sorted({_DISTRIBUTIONS[name] for name in missing & _DISTRIBUTIONS.keys()}))


OWN_TESTS = 180.0  # seconds, at most, for all of the project's own tests
MOST = 6  # test files
_MOST_NAMES = 50  # of what changed
_MOST_READ = 5_000  # test files that are read for names
_WORD = re.compile(rb"\w+")
_SAID = re.compile(r"[\w./-]{1,120}\.py::[\w:.]{1,120}", re.ASCII)


def beside(
    executor: Executor, place: TrialPlace, without_fix: Mapping[str, bytes | None], *, seconds: float
) -> tuple[int, str]:
    """Run the tests of what a fix changed until one is broken or the time is over: how many pass with the fix, and one
    that passes without it and fails with it, or empty (FixedBench, section 3). Never raises.

    place: the head. without_fix: the files that the fix changed as they are at the head without it. What fails is run
    without the fix, and once more with it: a test that disagrees with itself says nothing.
    """
    deadline = time.monotonic() + seconds
    former = Program(place.program.tree, {**place.program.files, **without_fix})

    def run(program: Program, suite: Suite, *, reverse: bool = False) -> TestRun:
        left = max(LEAST, deadline - time.monotonic())
        return run_suite(executor, program, suite, seconds=left, order=Order(reverse))

    passed = 0
    for path, text in _tests(place.program, without_fix).items():
        if deadline - time.monotonic() < LEAST:
            break
        suite = Suite({path: text}, (path,), environment=place.environment)
        now = run(place.program, suite)
        if now.problem:
            continue
        passed += len(now.passing)
        if now.failing:
            then = run(former, suite)
            if not failures(then, now):
                continue
            again = run(place.program, suite, reverse=True)
            if broken := failures(then, both(now, again)):
                return passed, _named(broken[0])
    return passed, ""


def _tests(program: Program, without_fix: Mapping[str, bytes | None]) -> dict[str, bytes]:
    """Test files by how much they are about what changed, the closest first, with their text.

    First those that are named after a changed file, or lie in a folder that is, then those in which most of the
    mentions stand of the functions and classes that differ.
    """
    if program.tree is None:
        return {}
    changed = {path: (content(program, path), text) for path, text in without_fix.items() if path.endswith(".py")}
    stems = {subject_of(path).strip("_") for path in changed}
    names = sorted(set().union(*(changed_names(now or b"", then or b"") for now, then in changed.values())))
    files = islice(filter(is_test_module, source_files(program.tree)), _MOST_READ)
    texts = {path: text for path in files if (text := content(program, path)) is not None}
    shares = _shares(texts, names[:_MOST_NAMES])
    apart = {path: stems.isdisjoint(map(subject_of, PurePosixPath(path).parts)) for path in texts}
    about = sorted((path for path in texts if shares[path] or not apart[path]), key=lambda p: (apart[p], -shares[p], p))
    return {path: texts[path] for path in about[:MOST]}


def changed_names(now: bytes, then: bytes) -> frozenset[str]:
    """The functions and methods that differ, and the classes around them, without those that every class has, such as
    `__init__`."""
    after, before = (
        {name: its.parts[:1] for name, its in read_tests("a.py", text).tests.items()} for text in (now, then)
    )
    differ = {name for name in {*after, *before} if after.get(name) != before.get(name)}
    return frozenset(part for name in differ for part in name.split() if not part.startswith("__"))


def _shares(texts: Mapping[str, bytes], names: list[str]) -> dict[str, float]:
    """By file: the sum, over the names, of the part of all their mentions that stands in it."""
    wanted = {name.encode() for name in names}
    counts = {path: Counter(word for word in _WORD.findall(text) if word in wanted) for path, text in texts.items()}
    whole = sum(counts.values(), Counter[bytes]())
    return {path: sum(count / whole[word] for word, count in own.items()) for path, own in counts.items()}


def _named(test: str) -> str:
    """A test's name as it may be told: it may be any text."""
    told = test.partition("[")[0]
    return told if _SAID.fullmatch(told) else "one"
