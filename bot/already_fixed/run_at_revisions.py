"""One look at one report: its reproductions are run at the head, without the fix, and before it, in bounded time."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from bot.already_fixed.decide import decide_fixed
from bot.already_fixed.model_scripts import accepted
from bot.already_fixed.project import Project, project_of
from bot.already_fixed.reading.extract import Extracted, extract
from bot.already_fixed.reading.wording import came_back
from bot.already_fixed.revisions import RevisionSource, between, is_ancestor, parent, tree, without
from bot.already_fixed.runner import LEAST, Runner, Runs, Timed
from bot.already_fixed.script import SECONDS as EACH
from bot.already_fixed.trial import TrialPlace
from bot.already_fixed.values import Failure, FixedFacts, Reproduction, Run, Seen, Trial, words
from bot.already_fixed.variants import with_variants
from bot.github.commits import merge_base, reverted_by
from bot.github.errors import GitHubError
from bot.history.values import Candidate
from bot.judges.code import ReproductionWriter
from bot.judges.protocol import NoJudgement
from bot.plain_text import join_words
from bot.policy import Verify
from bot.reports import Report
from bot.sandbox.protocol import Executor
from bot.settings import Settings
from bot.verdicts import FixStatus, Usage
from bot.verification.values import Program

SECONDS = 600.0
MOST_CANDIDATES = 5  # that are taken out of the head one by one
MOST_STEPS = 12  # of a search between two revisions: 4,096 commits
_TORN = frozenset(words("exceptions")["torn"])


def examine(
    report: Report,
    repository: RevisionSource,
    candidates: Sequence[Candidate],
    executor: Executor,
    policy: Verify,
    settings: Settings,
    *,
    seconds: float = SECONDS,
    each: float = EACH,
    writer: ReproductionWriter | None = None,
) -> FixedFacts:
    """Run what the report shows, and say what was seen. Never raises for what the repository or the report holds.

    policy: the head's. candidates: from history, best first. seconds: for everything, setting up included.
    each: for one run of one reproduction. writer: who writes reproductions where the report shows none that can be run.
    """
    runner = Runner(repository, Timed(executor, time.monotonic() + seconds), policy, settings, each)
    regression = came_back(report.visible_title, report.visible_text)
    look = _Look(repository, () if regression else tuple(candidates), runner, writer)
    try:
        facts = look.at(report)
    except GitHubError as error:
        facts = FixedFacts(problem=f"The repository cannot be read: {error}.")
    return replace(facts, candidates=tuple(candidates), regression=regression)


@dataclass(slots=True)
class _Look:
    """The work on one report. `trials` by name; each step adds what it saw.

    candidates: none of what came back; an older fix is still needed there, and says nothing.
    """

    _repository: RevisionSource
    _candidates: tuple[Candidate, ...]
    _runner: Runner
    _writer: ReproductionWriter | None
    _usage: Usage = field(default_factory=Usage)
    _trials: dict[str, Trial] = field(default_factory=dict)
    _left_in: dict[str, list[str]] = field(default_factory=dict)  # by the reason, what cannot be removed from the head
    _settled: set[str] = field(
        default_factory=set
    )  # candidates of which taking them out shows whether they are the fix
    _fixed_by: str | None = None
    _broken: str = ""  # a test

    def at(self, report: Report) -> FixedFacts:
        with tree(self._repository, self._repository.head) as head:
            project = project_of(head)
            extracted = extract(report.visible_title, report.visible_text, project)
            shown = extracted.reproductions or self._written(report, project, extracted.foreign)
            if not shown:
                about = ", ".join(extracted.foreign[:3])
                told = f"Its examples are about {about}, which this repository does not contain." if about else ""
                return self._facts(extracted, told)
            wanted = with_variants(shown, report.visible_text)
            with self._runner.housed(Program(head, {}), self._repository.head, wanted) as found:
                if isinstance(found, str):
                    self._trials = {one.name: Trial(one) for one in shown}
                    return self._facts(extracted, found)
                place, runs = found
                if all(run.seen is Seen.CANNOT_RUN for run in runs.values()) and not any(one.judge for one in shown):
                    wanted += (written := self._written(report, project, extracted.foreign))
                    runs |= self._runner.tried(place, written)
                self._trials = {one.name: Trial(one, head=runs[one.name]) for one in wanted}
                try:
                    self._look_back(place)
                except GitHubError as error:
                    self._runner.notes.append(f"Not all of the history can be read: {error}.")
                self._look_beside(place, extracted)
        late = self._runner.left < LEAST and not all(
            each.proves or each.failed_before for each in self._trials.values()
        )
        return self._facts(extracted, "The time ran out before all was run." if late else "")

    def _facts(self, extracted: Extracted, problem: str) -> FixedFacts:
        return FixedFacts(
            tuple(self._trials.values()),
            fixed_by=self._fixed_by,
            unread=extracted.unread,
            broken=self._broken,
            problem=problem,
            notes=(*map(_left_in, self._left_in.items()), *self._runner.notes),
            usage=self._usage,
        )

    def _written(self, report: Report, project: Project, foreign: tuple[str, ...]) -> tuple[Reproduction, ...]:
        """What a model makes of a report that shows nothing that can be run, and is not about something else."""
        if self._writer is None or foreign or self._runner.left < LEAST:
            return ()
        text = f"{report.visible_title}\n\n{report.visible_text}"
        sketched = self._writer.write(text, project.package or ", ".join(sorted(project.packages)[:5]))
        if isinstance(sketched, NoJudgement):
            self._runner.notes.append(f"No reproduction was written: {sketched.reason}")
            return ()
        self._usage = sketched.usage
        return accepted(sketched, text, project)

    def _look_back(self, place: TrialPlace) -> None:
        if self._open():
            self._without_candidates(place)
        if self._open():
            self._before_candidates(place)
        if self._open() and self._repository.reported:
            self._at_reported(place, self._repository.reported)
        part = self._fixed_by
        if part and part != self._repository.head and self._once(place, part, self._mended()) is Seen.AS_REPORTED:
            self._bisect(place, part)  # it is needed, and does not mend all alone

    def _look_beside(self, place: TrialPlace, extracted: Extracted) -> None:
        """Where all that ran says that a commit fixed it: what the project's own tests say of that."""
        facts = replace(self._facts(extracted, ""), candidates=self._candidates)
        if self._fixed_by is None or decide_fixed(facts).status is not FixStatus.ALREADY_FIXED:
            return
        taken = without(self._repository, self._fixed_by)
        passed, self._broken = self._runner.beside(place, {} if isinstance(taken, str) else taken)
        if passed and not self._broken:
            self._runner.notes.append(f"With it, {passed} of the project's tests of the changed code pass.")

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

    def _without_candidates(self, place: TrialPlace) -> None:
        for candidate in self._worth_trying():
            taken = without(self._repository, candidate.commit)
            if isinstance(taken, str):
                self._left_in.setdefault(taken, []).append(candidate.commit[:10])
                continue
            former = replace(place.program, files={**place.program.files, **taken})
            changed = TrialPlace(former, place.environment)
            seen = set()
            for name, raw in self._runner.tried(changed, self._open()).items():
                trial = self._trials[name]
                run = _whole(trial.reproduction, raw)
                if trial.without_fix is None or run.seen is Seen.AS_REPORTED:
                    self._trials[name] = replace(trial, without_fix=run, fix=candidate.commit)
                if run.seen is Seen.AS_REPORTED:
                    self._fixed_by = self._fixed_by or candidate.commit
                seen.add(run.seen)
            if seen <= {Seen.PASSES, Seen.AS_REPORTED}:
                self._settled.add(candidate.commit)
            if not self._open():
                return

    def _worth_trying(self) -> Iterator[Candidate]:
        for candidate in self._candidates[:MOST_CANDIDATES]:
            if candidate.reverted_by is None and self._runner.left >= LEAST:
                yield candidate

    # Older revisions

    def _before_candidates(self, place: TrialPlace) -> None:
        """Where a candidate cannot be taken out, or nothing works without it, the commit before it is the last one that
        may be bad."""
        for candidate in self._worth_trying():
            wanted, before = self._open(), parent(self._repository.directory, candidate.commit)
            if not wanted or before is None or candidate.commit in self._settled:
                continue
            for name, run in self._runner.tried_at(before, place, wanted).items():
                trial = self._trials[name]
                if trial.before is None or run.seen is Seen.AS_REPORTED:
                    self._trials[name] = replace(trial, before=run, followed_by=candidate.commit)
            failed = any(self._trials[one.name].failed_before for one in wanted)
            if failed and self._fixed_by is None:
                runs = self._runner.tried_at(candidate.commit, place, self._mended())
                good = {run.seen for run in runs.values()} == {Seen.PASSES}
                self._fixed_by = candidate.commit if good else None

    def _at_reported(self, place: TrialPlace, sha: str) -> None:
        wanted = self._open()
        runs = self._runner.tried_at(sha, place, wanted)
        if all(run.seen in (Seen.CANNOT_RUN, Seen.OTHERWISE) for run in runs.values()):
            runs = self._in_its_own(sha, wanted) or runs
        for name, run in runs.items():
            self._trials[name] = replace(self._trials[name], reported=run)
        if self._fixed_by is None and any(run.seen is Seen.AS_REPORTED for run in runs.values()):
            self._bisect(place, sha)

    def _in_its_own(self, sha: str, wanted: Sequence[Reproduction]) -> Runs:
        """At a revision in an environment of its own; nothing where it cannot be set up."""
        with (
            tree(self._repository, sha) as directory,
            self._runner.housed(Program(directory, {}), sha, wanted) as found,
        ):
            if isinstance(found, str):
                self._runner.notes.append(f"The revision the report is about cannot be set up. {found}")
                return {}
            return found[1]

    def _mended(self) -> list[Reproduction]:
        passing = (each for each in self._trials.values() if each.head and each.head.seen is Seen.PASSES)
        return [trial.reproduction for trial in passing if trial.failed_before]

    def _bisect(self, place: TrialPlace, bad: str) -> None:
        """Name the commit since which all that is mended passes, while the time lasts."""
        wanted = self._mended()
        if not wanted:
            return
        if not is_ancestor(self._repository.directory, bad, self._repository.head):  # the tag of a release's branch
            start = merge_base(self._repository.directory, bad, self._repository.head)
            if start is None or self._once(place, start, wanted) is not Seen.AS_REPORTED:
                return
            bad = start
        found = self._boundary(place, bad, wanted)
        while found and (back := reverted_by(self._repository.directory, found, self._repository.head)):
            if self._once(place, back, wanted) is not Seen.AS_REPORTED:
                break
            found = self._boundary(place, back, wanted)
        self._fixed_by = found or self._fixed_by

    def _boundary(self, place: TrialPlace, bad: str, wanted: Sequence[Reproduction]) -> str | None:
        """A commit behind `bad` at which it passes, where it fails right before."""
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
                unrun = "because the commits in between cannot be run"
                self._runner.notes.append(f"The commit that fixed it could not be found, {unrun}.")
                return None
        return commits[high] if high - low == 1 else None

    def _once(self, place: TrialPlace, sha: str, wanted: Sequence[Reproduction]) -> Seen:
        """What comes of all of them together at a revision."""
        seen = {run.seen for run in self._runner.tried_at(sha, place, wanted, twice=False).values()}
        if Seen.AS_REPORTED in seen:
            return Seen.AS_REPORTED
        return Seen.PASSES if seen == {Seen.PASSES} else Seen.CANNOT_RUN


def _whole(one: Reproduction, run: Run) -> Run:
    """A run of a program that lacks a commit. What any program may raise that lacks a part is no sign of what was
    reported, unless its message is known."""
    expected = one.expectation
    vague = expected.failure is Failure.RAISES and not any(expected.message) and expected.exception in _TORN
    if run.seen is Seen.AS_REPORTED and vague:
        return replace(run, seen=Seen.OTHERWISE, says=f"{run.says}, as any program with a missing part may")
    return run


def _left_in(told: tuple[str, Sequence[str]]) -> str:
    problem, commits = told
    return f"{join_words(commits)} cannot be removed from the head{', each time' if commits[1:] else ''}: {problem}."
