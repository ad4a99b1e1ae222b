"""Where the reproductions of one repository are run: environments for its revisions, and the time there is for all."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from bot.already_fixed import own_tests
from bot.already_fixed.project import holds
from bot.already_fixed.revisions import RevisionSource, moments, tree
from bot.already_fixed.trial import TrialPlace, tried
from bot.already_fixed.values import Reproduction, Run, Seen, words
from bot.github.commits import tags
from bot.policy import Verify
from bot.sandbox.protocol import ExecutorAround, Job, Outcome, Status
from bot.settings import Settings
from bot.verification.environments.build import EnvironmentProblem
from bot.verification.environments.prepare import Setup, Trail, prepare
from bot.verification.values import Origin, Program

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
        return own_tests.beside(self._executor, place, without_fix, seconds=min(own_tests.SECONDS, self.left / 3))

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
