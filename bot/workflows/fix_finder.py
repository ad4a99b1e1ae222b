"""Looks for the fix of what a report says: a copy of the history, the search in it, what it shows run in a sandbox."""

from dataclasses import dataclass, replace
from pathlib import Path

from bot.already_fixed.decide import decide_fixed
from bot.already_fixed.finding import FixFinding
from bot.already_fixed.places import places
from bot.already_fixed.project import project_of
from bot.already_fixed.reading.extract import extract
from bot.already_fixed.reading.version import reported_revision, said_version
from bot.already_fixed.reading.wording import came_back
from bot.already_fixed.revisions import RevisionSource as Clone
from bot.already_fixed.revisions import tree
from bot.already_fixed.run_at_revisions import SECONDS
from bot.already_fixed.search_and_run import Suspected, look
from bot.already_fixed.trial import TrialPlace, tried
from bot.already_fixed.values import FixedFacts, Reproduction, Run
from bot.github.channel import Credential
from bot.github.errors import GitHubError, Rejected
from bot.github.values import Repository
from bot.history.refs import Refs, refs
from bot.history.values import Sought
from bot.issues.parse import parse
from bot.judges.factory import make_reproduction_writer
from bot.judges.openai.spend import Spend
from bot.markdown.visible import visible
from bot.policy import Verify
from bot.reports import IssueText, Report
from bot.sandbox.protocol import Executor
from bot.settings import Settings
from bot.verification.environments.build import EnvironmentProblem
from bot.verification.environments.prepare import Setup, prepare
from bot.verification.values import Program
from bot.workflows.verifier import CodeRunner


@dataclass(frozen=True, slots=True)
class Suspect:
    """A report that may be fixed already. report: all that people wrote, of which only the reporter's words are the
    report. text: names its title and body. verify: how the repository's code is set up. relatives: closed issues with
    the same symptoms."""

    repository: Repository
    number: int
    report: IssueText
    text: str
    verify: Verify
    relatives: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PullBase:
    """Where a pull request's branch left. verify: how the code is set up there. shared: see `Origin`."""

    repository: Repository
    sha: str
    verify: Verify
    shared: bool = False


class Examiner(CodeRunner):
    """Looks for fixes, which takes minutes."""

    def __init__(self, settings: Settings, spend: Spend) -> None:
        super().__init__(settings)
        self._writer = make_reproduction_writer(settings, spend)

    def examine(self, suspect: Suspect, credential: Credential) -> FixFinding:
        """Takes minutes. Raises a `GitHubError` where the history could not be fetched for now."""
        report = parse(suspect.report.reporters)
        regression = came_back(report.visible_title, report.visible_text)
        try:
            directory, head = self._mirrors.history(suspect.repository, credential)
        except Rejected as error:
            problem = f"Its history could not be fetched: {error}."
            return FixFinding(suspect.text, "", decide_fixed(FixedFacts(problem=problem)), regression=regression)
        suspected = self._suspected(suspect, report, directory, head)
        answer = look(
            suspected,
            lambda: self._executor_for(suspect.repository),
            self._settings,
            seconds=SECONDS,
            writer=self._writer,
        )
        where = places(directory, head, report.visible_text, answer.fixed.candidates)
        return FixFinding(suspect.text, head, answer.fixed, regression=regression, places=where, lacking=answer.lacking)

    def run_at_base(self, base: PullBase, found: FixFinding, credential: Credential) -> dict[str, Run]:
        """What the reproductions of a found fix show at a pull request's base, by name; nothing where it cannot be set
        up. Raises `GitHubError`."""
        executor = self._executor_for(base.repository)
        if isinstance(executor, str):
            return {}
        program = Program(self._mirrors.tree(base.repository, base.sha, credential), {})
        origin = self._origin(base.repository, base.sha, credential, shared=base.shared)
        prepared = prepare(Setup(executor, base.verify, self._settings, origin), program)
        if isinstance(prepared, EnvironmentProblem):
            return {}
        with prepared:
            place = TrialPlace(prepared.base.program, prepared.base.environment)
            return tried(executor, place, found.reproductions, seconds=SECONDS / 2)

    def reproductions_of(self, report: IssueText) -> tuple[Reproduction, ...]:
        """What a report shows that could be run."""
        read = parse(report.reporters)
        return extract(read.visible_title, read.visible_text).reproductions

    def _executor_for(self, repository: Repository) -> Executor | str:
        executor = super()._executor_for(repository)
        return f"Nothing may run here: {executor}" if isinstance(executor, str) else executor

    def _suspected(self, suspect: Suspect, report: Report, directory: Path, head: str) -> Suspected:
        owner = str(suspect.repository.id)
        where = Clone(directory, head, owner=owner, max_bytes=self._settings.repository_mb * 1_000_000)
        full_name = suspect.repository.full_name
        sought = Sought(
            report.visible_title, report.visible_text, suspect.number, repository=full_name, relatives=suspect.relatives
        )
        others = "\n\n".join(visible(text).text for text in suspect.report.others)
        known = Suspected(report, sought, where, directory, Refs(), owner, suspect.verify, others=others)
        try:
            with tree(where, head) as files:
                names = {*project_of(files).packages, full_name.partition("/")[2]}
            said = said_version(report.visible_title, report.visible_text, names)
            reported, remark = reported_revision(directory, head, said)
            named = refs(directory)
        except GitHubError as error:
            return replace(known, problem=f"The history cannot be read: {error}.")
        return replace(
            known,
            sought=replace(sought, reported=said, own=tuple(sorted(names))),
            repository=replace(where, reported=reported),
            refs=named,
            notes=(remark,) if remark else (),
        )
