"""Executes a pull request's commit: by itself for the gate and the merge queue, and beside the fix that its reviewer
suggests. Fetches it, sets base and head up, and hands them to `bot.verification`."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

from bot.already_fixed.examples import ExampleSource, calls_in_examples, run_examples
from bot.already_fixed.holes import OfferedProgram, show_holes
from bot.changes.syntax import same_program
from bot.github import errors
from bot.github.channel import Credential
from bot.github.code import GitCode
from bot.github.commits import Clash
from bot.github.mirror import Mirrors
from bot.github.submodules import Submodule, not_here
from bot.github.values import Repository
from bot.judges.factory import Models, make_models
from bot.judges.openai.spend import Spend
from bot.policy import Policy
from bot.pulls.offered_fixes import OfferedFix
from bot.pulls.review_claims import ReviewClaim
from bot.pulls.review_trial import PROSE, ClaimTrial, mends, try_claims
from bot.pulls.suggestions import Suggestion, SuggestionError, apply, paths
from bot.sandbox.choose import ConfidentialExecutor, choose
from bot.sandbox.protocol import Capabilities, Executor
from bot.settings import Settings
from bot.storage.database import Database
from bot.storage.verification import Answers, ModelAnswers
from bot.verdicts import Decision
from bot.verification.diffs import is_inside
from bot.verification.environments.build import EnvironmentProblem
from bot.verification.evidence import Case, HeadTrial, Verified
from bot.verification.execution import RUNS, Holes, RejectedChange, Terms, executed, filter_on
from bot.verification.fix_guided.filter import LEAST
from bot.verification.fix_guided.questions import Ruling, VerificationQuestion, question, specification_hash
from bot.verification.fix_guided.specified import subject
from bot.verification.patch_evidence import OfferedRuns
from bot.verification.programs import changed_files
from bot.verification.stage import Conflict, Stage, held, staged, unprepared
from bot.verification.values import Origin, Program

MENDS = "The change fails a test that passes with this suggestion, which breaks none."
ANYWAY = "What the change fails with this suggestion as without it was left out."
MEANWHILE = "The pull request changed meanwhile."

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ExecutionRequest:
    """What is to be put to the test. number: 0 for a commit of the merge queue. head, base, tip: full SHAs, base where
    its branch left, tip what it is to be merged into; without one, the head runs as it is. specification: what was
    asked for, from strangers; empty when nobody but the author said it. review: what a review bot wrote. shared: the
    branch it goes into is one that strangers do not push to, see `Origin`. sources: where the examples stand that are
    run beside. offered: looks up fixes by others for the same; asked only where the head misses an example."""

    repository: Repository
    number: int
    head: str
    base: str
    specification: str
    policy: Policy
    review: str = ""
    tip: str = ""
    shared: bool = True
    sources: tuple[ExampleSource, ...] = ()
    offered: Callable[[], Sequence[OfferedFix]] = tuple

    @property
    def topic(self) -> str:
        """What an answer is an answer for: it holds for later pull requests that are asked for the same."""
        return self.specification or f"pull request {self.number}"


class CodeRunner:
    """Runs code of repositories. One for the whole process; the executor is chosen when it is first needed."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._mirrors = Mirrors.from_settings(settings)

    @cached_property
    def _executor(self) -> Executor | Capabilities:
        return choose(self._settings)

    def _executor_for(self, repository: Repository) -> Executor | str:
        """Or why there is none, as a sentence."""
        executor = self._executor
        if isinstance(executor, Capabilities):
            return executor.problem
        return ConfidentialExecutor(executor) if repository.private else executor

    def _origin(self, repository: Repository, sha: str, credential: Credential, *, shared: bool) -> Origin:
        return origin_of(self._mirrors, repository, sha, credential, shared=shared)


class Verifier(CodeRunner):
    """`verify` and `check` take minutes."""

    def __init__(self, settings: Settings, database: Database, spend: Spend) -> None:
        super().__init__(settings)
        self._database = database
        self._answers = Answers(database)
        self._models = make_models(settings, spend)

    def verify(
        self, wanted: ExecutionRequest, claims: Sequence[ReviewClaim], credential: Credential
    ) -> tuple[ClaimTrial, ...]:
        """What becomes of each claim of a review, in the time that one rejection may take. Raises `SuggestionError`
        when the change was pushed meanwhile, and `GitHubError`."""
        offered = [part.path for claim in claims for fix in claim.fixes for part in fix if is_inside(part.path)]
        with self._stage(wanted, credential, offered) as stage:
            if not isinstance(stage, Stage):
                nothing = unavailable("It conflicts with its base branch, so nothing was run.")
                if not isinstance(stage, Conflict):
                    nothing = unavailable(stage) if isinstance(stage, str) else unprepared(stage)
                return try_claims(claims, lambda suggestions: (nothing, None), lambda: False)
            end = time.monotonic() + RUNS * stage.seconds
            terms, models = self._terms(wanted, stage), self._models_for(wanted.repository)
            verify = filter_on(stage, terms, models)

            def run(suggestions: tuple[Suggestion, ...]) -> tuple[Verified, VerificationQuestion | None]:
                fix = fixed(stage.head, suggestions)
                found = verify(fix, end - time.monotonic())
                if found.case is Case.BOTH_FAIL and mends(found):
                    found = replace(found, case=Case.REPAIR_SUCCESS, decision=Decision.BOUNCE, reasons=(MENDS, ANYWAY))
                elif found.case is Case.BOTH_FAIL and found.original and end - time.monotonic() > LEAST:
                    # It is about something else, then.
                    failing = {result.name for result in found.original.failing}
                    rest = replace(stage, suite=replace(stage.suite, ignore=stage.suite.ignore | failing))
                    alone = filter_on(rest, replace(terms, specification="", examples=()), models)
                    found = alone(fix, end - time.monotonic())
                    found = replace(found, reasons=(*found.reasons, ANYWAY))
                if all(_reads_alike(path, *texts) for path, texts in changed_files(stage.head, fix).items()):
                    found = replace(found, reasons=(*found.reasons, PROSE))
                return found, self._question(wanted, stage.head, suggestions, found)

            return try_claims(claims, run, lambda: time.monotonic() > end - LEAST)

    def check(
        self, wanted: ExecutionRequest, credential: Credential, rejected: RejectedChange | None = None
    ) -> HeadTrial:
        """How the change stands by itself, and what becomes of its rejection. Raises `SuggestionError` when it was
        pushed meanwhile, and `GitHubError`."""
        with self._stage(wanted, credential) as stage:
            tree = self._tree(wanted, credential) if isinstance(stage, Stage) else ""
            models = self._models_for(wanted.repository)
            ran = executed(
                stage,
                self._terms(wanted, stage),
                models,
                rejected,
                examples=lambda stage: run_examples(stage, wanted.sources),
                holes=self._holes(wanted, credential),
            )
            return ran.of_tree(tree)

    def _holes(self, wanted: ExecutionRequest, credential: Credential) -> Holes:
        """Runs the fixes that others offer; each is fetched once it is needed."""

        def show(stage: Stage, seconds: float) -> OfferedRuns:
            def programs() -> list[OfferedProgram]:
                fetch = partial(self._offered, wanted, stage, credential)
                return [OfferedProgram(fix.name, fix.url, fix.author, partial(fetch, fix)) for fix in wanted.offered()]

            return show_holes(stage, wanted.sources, programs, seconds)

        return show

    def _offered(
        self, wanted: ExecutionRequest, stage: Stage, credential: Credential, fix: OfferedFix
    ) -> Program | None:
        """The change with a suggestion, or another pull request merged into the same base; `None` where it cannot be
        had, which is no word on the change."""
        repository, tip = wanted.repository, wanted.tip or wanted.base
        try:
            if not fix.number:
                return fixed(stage.head, fix.suggestions)
            if self._mirrors.fetch(repository, f"refs/pull/{fix.number}/head", credential) != fix.head:
                return None
            return Program(self._mirrors.merge(repository, fix.base, tip, fix.head, credential), {})
        except (errors.GitHubError, Clash, SuggestionError) as error:
            log.info("%s#%s: %s cannot be run: %s", repository.full_name, wanted.number, fix.url, error)
            return None

    def code(self, repository: Repository, number: int, head: str, credential: Credential) -> GitCode:
        """A pull request's head commit, for looking things up in it. Raises as `check` does."""
        directory, sha = self._mirrors.directory(repository, f"refs/pull/{number}/head", credential)
        if sha != head:
            raise SuggestionError(MEANWHILE)
        return GitCode(directory, head)

    @contextmanager
    def _stage(
        self, wanted: ExecutionRequest, credential: Credential, also: Iterable[str] = ()
    ) -> Iterator[Stage | EnvironmentProblem | Conflict | str]:
        """Base and head, set up and ready to run; or why they cannot be. also: paths that will be changed besides."""
        executor = self._executor_for(wanted.repository)
        if isinstance(executor, str):
            yield executor
            return
        repository, start = wanted.repository, wanted.tip or wanted.base
        modules = self._mirrors.submodules(repository, start, credential, allowed=wanted.policy.verify.submodules)
        base = Program(self._mirrors.tree(repository, start, credential, modules), {})
        try:
            head = Program(self._head(wanted, credential, modules), {})
        except Clash as clash:
            yield Conflict(clash.files)
            return
        except errors.Rejected as error:  # too large, or names that no file can have; its base could be checked out
            yield EnvironmentProblem(f"{error}", of_head=True)
            return
        verify = wanted.policy.verify
        origin = self._origin(repository, start, credential, shared=wanted.shared)
        origin = replace(origin, without=not_here(modules))
        with staged(executor, base, head, verify, self._settings, origin=origin, also=also) as stage:
            yield stage

    def _terms(self, wanted: ExecutionRequest, stage: Stage | EnvironmentProblem | Conflict | str) -> Terms:
        shown = calls_in_examples(wanted.sources, stage.base.program) if isinstance(stage, Stage) else ()
        rulings = self._rulings(wanted)
        return Terms(wanted.policy, wanted.specification, shown, wanted.review, rulings)

    def _models_for(self, repository: Repository) -> Models | None:
        """What models answer is kept for later, each repository's for itself."""
        if self._models is None:
            return None
        return self._models.with_cache(ModelAnswers(self._database, repository.id))

    def _rulings(self, wanted: ExecutionRequest) -> tuple[Ruling, ...]:
        """What maintainers answered under this specification."""
        about = specification_hash(wanted.topic)
        found = self._answers.about(wanted.repository.id, about)
        return tuple(Ruling.of(each.question, each.specification, each.call, each.expected) for each in found)

    def _question(
        self, wanted: ExecutionRequest, original: Program, suggestions: tuple[Suggestion, ...], verified: Verified
    ) -> VerificationQuestion | None:
        """What a person has to decide, where nothing else does."""
        if verified.decision is not Decision.UNAVAILABLE or verified.difference is None:
            return None
        about = subject(original, paths(suggestions))
        return question(verified.difference, wanted.topic, about.interface.module) if about else None

    def _head(self, wanted: ExecutionRequest, credential: Credential, modules: tuple[Submodule, ...]) -> Path:
        """The pull request's own commit, from wherever it was pushed to, as it would be merged; the queue's commits lie
        in the repository, and are that already. Raises `Clash`."""
        if not wanted.number:
            return self._mirrors.tree(wanted.repository, wanted.head, credential, modules)
        sha = self._mirrors.fetch(wanted.repository, f"refs/pull/{wanted.number}/head", credential)
        if sha != wanted.head:
            raise SuggestionError(MEANWHILE)
        tip = wanted.tip or wanted.base
        return self._mirrors.merge(wanted.repository, wanted.base, tip, sha, credential, modules)

    def _tree(self, wanted: ExecutionRequest, credential: Credential) -> str:
        """Git's id of the files that run; empty where it cannot be had, which is no reason not to run them: they may
        be here as a directory, and their commits no more."""
        start = wanted.base if wanted.number else wanted.head  # the queue's commits are merged already
        tip = (wanted.tip or wanted.base) if wanted.number else wanted.head
        try:
            return self._mirrors.merge_tree(wanted.repository, start, tip, wanted.head, credential)
        except errors.GitHubError as error:
            log.info("%s: the tree has no name: %s", wanted.repository.full_name, error)
            return ""


def origin_of(
    mirrors: Mirrors, repository: Repository, sha: str, credential: Credential | None = None, *, shared: bool
) -> Origin:
    """Of a commit. Raises `GitHubError`."""
    made = mirrors.commit_time(repository, sha, credential)
    return Origin(str(repository.id), shared, made, partial(mirrors.tags, repository, sha, credential))


def fixed(original: Program, suggestions: tuple[Suggestion, ...]) -> Program:
    """The original with the suggestions applied. Raises `SuggestionError`."""
    changed = apply(suggestions, held(original, paths(suggestions)))
    return replace(original, files={**original.files, **changed})


def _reads_alike(path: str, before: bytes | None, after: bytes | None) -> bool:
    """Whether only comments, docstrings or layout differ."""
    texts = [(each or b"").decode(errors="replace") for each in (before, after)]
    return same_program(path, *texts)


def unavailable(reason: str) -> Verified:
    return Verified(Decision.UNAVAILABLE, None, (reason,))
