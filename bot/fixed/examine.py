"""One look at one report: its reproductions are run at the head, without the fix, and before it, in bounded time."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from bot.fixed.extract import Extracted, extract
from bot.fixed.files import SECONDS as EACH
from bot.fixed.project import Project, project_of
from bot.fixed.reported import where_they_part
from bot.fixed.returned import came_back
from bot.fixed.revisions import Repository, between, is_ancestor, moments, parent, tree, without
from bot.fixed.trying import Place, tried
from bot.fixed.values import FixedFacts, Reproduction, Run, Seen, Trial
from bot.fixed.variants import variants
from bot.fixed.wellknown import lacking
from bot.fixed.written import accepted
from bot.github.errors import GitHubError
from bot.history.values import Candidate
from bot.judges.protocol import Unavailable
from bot.judges.reproductions import ReproductionWriter
from bot.policy import Verify
from bot.reports import Report
from bot.sandbox.protocol import Capabilities, Executor, Job, Outcome, Status
from bot.settings import Settings
from bot.verdicts import Usage
from bot.verification.environments.build import EnvironmentProblem
from bot.verification.environments.prepare import Prepared, prepare
from bot.verification.values import Program

SECONDS = 600.0
LEAST = 5.0  # seconds without which nothing new is begun
MOST_CANDIDATES = 5  # that are taken out of the head one by one
MOST_VARIANTS = 6  # of one report
MOST_STEPS = 12  # of a search between two revisions: 4,096 commits
_AS_IT_IS = {"setup": (), "test": "pytest"}  # of a policy


def examine(
    report: Report,
    repository: Repository,
    candidates: Sequence[Candidate],
    executor: Executor,
    policy: Verify,
    settings: Settings,
    *,
    seconds: float = SECONDS,
    each: float = EACH,
    writer: ReproductionWriter | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> FixedFacts:
    """Run what the report shows, and say what was seen. Never raises for what the repository or the report holds.

    policy: the head's. candidates: from history, best first. seconds: for everything, setting up included.
    each: for one run of one reproduction. writer: who writes reproductions where the report shows none.
    """
    began = clock()
    timed = _Timed(executor, began + seconds, clock)
    look = _Look(repository, tuple(candidates), timed, policy, settings, writer, each)
    try:
        facts = look.at(report)
    except GitHubError as error:
        facts = FixedFacts(problem=f"The repository cannot be read: {error}.")
    return replace(
        facts,
        candidates=tuple(candidates),
        regression=came_back(report.visible_title, report.visible_text),
        reported=repository.reported,
        head=repository.head,
        seconds=round(clock() - began, 3),
    )


@dataclass(frozen=True, slots=True)
class _Timed:
    """An executor whose jobs, setting up among them, all end by the same moment."""

    inner: Executor
    end: float
    clock: Callable[[], float]

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def left(self) -> float:
        return self.end - self.clock()

    def probe(self) -> Capabilities:
        return self.inner.probe()

    def run(self, job: Job) -> Outcome:
        if self.left < LEAST:
            return Outcome(Status.WALL, None, b"", b"", {}, 0.0, (), "the time ran out")
        limits = replace(job.limits, wall=min(job.limits.wall, self.left), cpu=min(job.limits.cpu, self.left))
        return self.inner.run(replace(job, limits=limits))


class _Look:
    """The work on one report. `trials` by name; each step adds what it saw."""

    def __init__(
        self,
        repository: Repository,
        candidates: tuple[Candidate, ...],
        executor: _Timed,
        policy: Verify,
        settings: Settings,
        writer: ReproductionWriter | None,
        each: float,
    ) -> None:
        self._repository, self._candidates = repository, candidates
        self._executor, self._policy, self._settings = executor, policy, settings
        self._writer, self._each = writer, each
        self._usage = Usage()
        self._trials: dict[str, Trial] = {}
        self._notes: list[str] = []
        self._left_in: dict[str, list[str]] = {}  # by the reason, candidates that cannot be taken out of the head
        self._fixed_by: str | None = None

    def at(self, report: Report) -> FixedFacts:
        with tree(self._repository, self._repository.head) as head:
            project = project_of(head)
            extracted = extract(report.visible_title, report.visible_text, project)
            shown = extracted.reproductions or self._written(report, project, extracted.foreign)
            if not shown:
                return self._facts(extracted, _foreign(extracted.foreign))
            others = [variant for one in shown for variant in variants(one, report.visible_text)]
            with self._in_its_place(
                Program(head, {}), self._repository.head, [*shown, *others[:MOST_VARIANTS]]
            ) as found:
                if isinstance(found, str):
                    self._trials = {one.name: Trial(one) for one in shown}
                    return self._facts(extracted, found)
                place, runs = found
                self._trials = {one.name: Trial(one, head=run) for one, run in runs}
                self._look_back(place)
        late = self._executor.left < LEAST
        return self._facts(extracted, "The time ran out before all was run." if late else "")

    def _facts(self, extracted: Extracted, problem: str) -> FixedFacts:
        return FixedFacts(
            tuple(self._trials.values()),
            fixed_by=self._fixed_by,
            unread=extracted.unread,
            problem=problem,
            notes=(*map(_left_in, self._left_in.items()), *self._notes),
            usage=self._usage,
        )

    def _written(self, report: Report, project: Project, foreign: tuple[str, ...]) -> tuple[Reproduction, ...]:
        """What a model makes of a report that shows nothing to run, and is not about something else."""
        if self._writer is None or foreign:
            return ()
        text = f"{report.visible_title}\n\n{report.visible_text}"
        sketched = self._writer.write(text, project.package or ", ".join(sorted(project.packages)[:5]))
        if isinstance(sketched, Unavailable):
            self._notes.append(f"No reproduction was written: {sketched.reason}")
            return ()
        self._usage = sketched.usage
        return accepted(sketched, text, project)

    def _look_back(self, place: Place) -> None:
        if self._open():
            self._without_candidates(place)
        if self._open():
            self._before_candidates(place)
        if self._open() and self._repository.reported:
            self._at_reported(place, self._repository.reported)

    def _open(self) -> list[Reproduction]:
        """What was not seen to fail before, and would say more if it were: all that does not fail at the head; of what
        does, a model's scripts, and variants whose original passes."""
        return [trial.reproduction for trial in self._trials.values() if self._is_open(trial)]

    def _is_open(self, trial: Trial) -> bool:
        if trial.head is None or trial.failed_before:
            return False
        if trial.head.seen is Seen.AS_REPORTED:
            original = self._trials.get(trial.reproduction.variant_of)
            mended = original is not None and original.head is not None and original.head.seen is Seen.PASSES
            return mended or bool(trial.reproduction.judge)
        return trial.head.seen in (Seen.PASSES, Seen.OTHERWISE)

    # Head minus fix: causal, and needs no old environment

    def _without_candidates(self, place: Place) -> None:
        for candidate in self._worth_trying():
            taken = without(self._repository, candidate.commit)
            if taken.problem or not taken.files:
                self._left_in.setdefault(taken.problem, []).append(candidate.commit[:10])
                continue
            changed = Place(replace(place.program, files={**place.program.files, **taken.files}), place.environment)
            for one, run in self._tried(changed, self._open()):
                trial = self._trials[one.name]
                if trial.without_fix is None or run.seen is Seen.AS_REPORTED:
                    self._trials[one.name] = replace(trial, without_fix=run, fix=candidate.commit)
                if run.seen is Seen.AS_REPORTED:
                    self._fixed_by = self._fixed_by or candidate.commit
            if not self._open():
                return

    def _worth_trying(self) -> Iterator[Candidate]:
        for candidate in self._candidates[:MOST_CANDIDATES]:
            if candidate.reverted_by is None and self._executor.left >= LEAST:
                yield candidate

    def _before_candidates(self, place: Place) -> None:
        """Where a candidate cannot be taken out, the commit before it is the last one that may be bad."""
        for candidate in self._worth_trying():
            if not self._open() or any(trial.fix == candidate.commit for trial in self._trials.values()):
                continue
            before = parent(self._repository.directory, candidate.commit)
            if before is None:
                continue
            if self._at(place, before) and self._at_good(place, candidate.commit):
                self._fixed_by = self._fixed_by or candidate.commit

    # Older revisions

    def _at_reported(self, place: Place, sha: str) -> None:
        if not self._at(place, sha, own_environment=True):
            return
        if self._fixed_by is None:
            self._bisect(place, sha)

    def _at(self, place: Place, sha: str, *, own_environment: bool = False) -> bool:
        """Run what is open at a revision; whether any of it fails there as reported."""
        wanted = self._open()
        with tree(self._repository, sha) as directory:
            runs = self._tried(_there(place, directory), wanted)
            if own_environment and all(run.seen in (Seen.CANNOT_RUN, Seen.OTHERWISE) for _, run in runs):
                with self._in_its_place(Program(directory, {}), sha, wanted) as found:
                    if isinstance(found, str):
                        self._notes.append(f"The revision the report is about cannot be set up. {found}")
                    else:
                        _, runs = found
        for one, run in runs:
            trial = self._trials[one.name]
            if trial.reported is None or run.seen is Seen.AS_REPORTED:
                self._trials[one.name] = replace(trial, reported=run)
        return any(run.seen is Seen.AS_REPORTED for _, run in runs)

    def _at_good(self, place: Place, sha: str) -> bool:
        """Whether what failed before passes at this revision."""
        wanted = self._mended()
        with tree(self._repository, sha) as directory:
            runs = self._tried(_there(place, directory), wanted)
        return bool(runs) and all(run.seen is Seen.PASSES for _, run in runs)

    def _mended(self) -> list[Reproduction]:
        mended = []
        for trial in self._trials.values():
            if trial.failed_before and trial.head is not None and trial.head.seen is Seen.PASSES:
                mended.append(trial.reproduction)
        return mended

    def _bisect(self, place: Place, bad: str) -> None:
        """Name the commit since which the first mended reproduction passes, while the time lasts."""
        wanted = self._mended()[:1]
        if not wanted:
            return
        if not is_ancestor(self._repository.directory, bad, self._repository.head):  # the tag of a release's branch
            start = where_they_part(self._repository.directory, bad, self._repository.head)
            if start is None or self._once(place, start, wanted) is not Seen.AS_REPORTED:
                return
            bad = start
        commits = between(self._repository.directory, bad, self._repository.head)
        low, high = -1, len(commits) - 1  # bad below, good from `high` on
        for _ in range(MOST_STEPS):
            if high - low <= 1:
                break
            middle = (low + high) // 2
            seen = self._once(place, commits[middle], wanted)
            if seen is Seen.PASSES:
                high = middle
            elif seen is Seen.AS_REPORTED:
                low = middle
            else:
                self._notes.append("The commit that fixed it could not be found: between, it cannot be run.")
                return
        if high - low == 1:
            self._fixed_by = commits[high]

    def _once(self, place: Place, sha: str, wanted: Sequence[Reproduction]) -> Seen:
        if self._executor.left < LEAST:
            return Seen.CANNOT_RUN
        with tree(self._repository, sha) as directory:
            runs = tried(
                self._executor,
                _there(place, directory),
                wanted,
                seconds=self._executor.left,
                each=self._each,
                twice=False,
            )
        return runs[wanted[0].name].seen

    # What all need

    def _tried(self, place: Place, wanted: Sequence[Reproduction]) -> list[tuple[Reproduction, Run]]:
        if not wanted or self._executor.left < LEAST:
            late = Run(Seen.CANNOT_RUN, "the time ran out")
            return [(one, late) for one in wanted]
        runs = tried(self._executor, place, wanted, seconds=self._executor.left, each=self._each)
        return [(one, runs[one.name]) for one in wanted]

    @contextmanager
    def _in_its_place(
        self, program: Program, sha: str, wanted: Sequence[Reproduction]
    ) -> Iterator[tuple[Place, list[tuple[Reproduction, Run]]] | str]:
        """What runs gave in the first environment in which any can be run, or why there is none, as a sentence.

        A commit of long ago gets packages of its time, where it runs with them. Well-known packages that the examples
        import though the project does not need them are added. Where setup fails, what needs nothing may run as it is.
        """
        problem = ""
        with ExitStack() as kept:
            found = None
            for as_of in moments(self._repository.directory, sha, datetime.now(UTC)):
                given = self._run_with(kept, program, wanted, self._policy, as_of)
                if isinstance(given, str):
                    problem = given
                    continue
                found = given
                if more := lacking(run for _, run in found[1]):
                    given = self._run_with(kept, program, wanted, self._policy, as_of, more)
                    found = found if isinstance(given, str) else given
                installed = bool(found[0].environment.mounts)
                if not installed or any(run.seen is not Seen.CANNOT_RUN for _, run in found[1]):
                    break
            if found is None and self._executor.left >= LEAST:
                bare = self._run_with(kept, program, wanted, self._policy.model_copy(update=_AS_IT_IS))
                if not isinstance(bare, str) and any(run.seen is not Seen.CANNOT_RUN for _, run in bare[1]):
                    found = bare
                    self._notes.append(f"{problem} It was run with nothing installed.")
            yield found or problem

    def _run_with(
        self,
        kept: ExitStack,
        program: Program,
        wanted: Sequence[Reproduction],
        policy: Verify,
        as_of: str = "",
        packages: tuple[str, ...] = (),
    ) -> tuple[Place, list[tuple[Reproduction, Run]]] | str:
        """One environment, kept as long as `kept` is open, and what runs gave in it."""
        prepared = self._prepared(program, policy, as_of, packages)
        if isinstance(prepared, EnvironmentProblem):
            return f"It cannot be set up to be run: {prepared.reason}."
        kept.enter_context(prepared)
        place = Place(prepared.base.program, prepared.base.environment)
        return place, self._tried(place, wanted)

    def _prepared(
        self, program: Program, policy: Verify, as_of: str, packages: tuple[str, ...]
    ) -> Prepared | EnvironmentProblem:
        executor, owner = self._executor, self._repository.owner
        if as_of:  # what is left must do for today's
            executor = replace(executor, end=executor.end - executor.left * 2 / 3)
        return prepare(executor, program, None, policy, self._settings, owner=owner, as_of=as_of, packages=packages)


def _there(place: Place, directory: Path) -> Place:
    """Another revision in the same environment, with what setup had added to the tree: versions, metadata.

    But nothing compiled, which is made of the other's code.
    """
    added = {
        path: text
        for path, text in place.program.files.items()
        if not path.endswith((".so", ".pyd")) and not (directory / path).exists()
    }
    return Place(Program(directory, added), place.environment)


def _foreign(packages: tuple[str, ...]) -> str:
    if not packages:
        return ""
    return f"Its examples are about {', '.join(packages[:3])}, which this repository does not hold."


def _left_in(told: tuple[str, Sequence[str]]) -> str:
    problem, commits = told
    whole = " and ".join(filter(None, (", ".join(commits[:-1]), commits[-1])))
    return f"{whole} cannot be taken out of the head{', each time' if commits[1:] else ''}: {problem}."
