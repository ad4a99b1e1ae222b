"""Looks for the fix of what a report says: a copy of the history, the search in it, what it shows run in a sandbox."""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from bot.fixed.decide import decide_fixed
from bot.fixed.examine import SECONDS, examine
from bot.fixed.extract import came_back, extract
from bot.fixed.named import with_proven
from bot.fixed.places import places
from bot.fixed.project import project_of
from bot.fixed.reported import reported_revision, said_version
from bot.fixed.revisions import Repository as Clone
from bot.fixed.revisions import tree
from bot.fixed.trying import Place, tried
from bot.fixed.values import FixedFacts, Reproduction, Run
from bot.github.actions import from_settings
from bot.github.channel import Credential
from bot.github.errors import GitHubError, Rejected
from bot.github.mirror import Mirrors
from bot.github.values import Repository
from bot.history.index import indexed
from bot.history.refs import Refs, refs
from bot.history.search import search
from bot.history.values import Searched, Sought
from bot.issues.parse import parse
from bot.judges.factory import make_reproduction_writer
from bot.judges.spend import Spend
from bot.policy import Verify
from bot.rendering.fixed import Found
from bot.reports import IssueText, Report
from bot.sandbox.choose import choose
from bot.sandbox.confidential import Confidential
from bot.sandbox.protocol import Capabilities, Executor
from bot.settings import Settings
from bot.verification.environments.build import EnvironmentProblem
from bot.verification.environments.prepare import prepare
from bot.verification.values import Program


@dataclass(frozen=True, slots=True)
class Suspect:
    """A report that may be fixed already. report: all that people wrote. text: names its title and body. verify: how
    the repository's code is set up."""

    repository: Repository
    number: int
    report: IssueText
    text: str
    verify: Verify


class Examiner:
    """One for the whole process; the executor is chosen when it is first needed."""

    def __init__(self, settings: Settings, spend: Spend) -> None:
        self._settings = settings
        self._mirrors = Mirrors.from_settings(settings)
        self._writer = make_reproduction_writer(settings, spend)

    @cached_property
    def _executor(self) -> Executor | Capabilities:
        return choose(self._settings, from_settings(self._settings))

    def examine(self, suspect: Suspect, credential: Credential) -> Found:
        """Takes minutes. Raises a `GitHubError` where the history could not be fetched for now."""
        report = parse(suspect.report)
        try:
            directory, head = self._mirrors.history(suspect.repository, credential)
        except Rejected as error:
            facts = FixedFacts(problem=f"Its history could not be fetched: {error}.")
            return Found(suspect.text, "", decide_fixed(facts), regression=_came_back(report))
        facts = self._facts(suspect, report, directory, head)
        fixed = decide_fixed(facts)
        where = places(directory, head, report.visible_text, fixed.candidates)
        return Found(suspect.text, head, fixed, regression=_came_back(report), places=where)

    def tried(
        self, repository: Repository, sha: str, found: Found, verify: Verify, credential: Credential
    ) -> dict[str, Run]:
        """What the reproductions of a found fix show at another commit, by name; nothing where it cannot be set up.
        Raises `GitHubError`."""
        executor = self._executor_for(repository)
        if isinstance(executor, Capabilities):
            return {}
        program = Program(self._mirrors.tree(repository, sha, credential), {})
        prepared = prepare(executor, program, None, verify, self._settings, owner=str(repository.id))
        if isinstance(prepared, EnvironmentProblem):
            return {}
        with prepared:
            place = Place(prepared.base.program, prepared.base.environment)
            return tried(executor, place, found.reproductions, seconds=SECONDS / 2)

    def shown(self, report: IssueText) -> tuple[Reproduction, ...]:
        """What a report shows that could be run."""
        read = parse(report)
        return extract(read.visible_title, read.visible_text).reproductions

    def _executor_for(self, repository: Repository) -> Executor | Capabilities:
        executor = self._executor
        return Confidential(executor) if repository.private and not isinstance(executor, Capabilities) else executor

    def _facts(self, suspect: Suspect, report: Report, directory: Path, head: str) -> FixedFacts:
        """History first, then what runs."""
        where = Clone(
            directory, head, owner=str(suspect.repository.id), max_bytes=self._settings.repository_mb * 1_000_000
        )
        try:
            named = refs(directory)
            said = said_version(report.visible_title, report.visible_text, self._names(suspect.repository, where))
            reported, remark = reported_revision(directory, head, said)
            where = replace(where, reported=reported)
            searched = self._searched(suspect, report, where, named, said)
        except GitHubError as error:
            return FixedFacts(problem=f"The history cannot be read: {error}.", head=head)
        notes = tuple(note for note in (remark, searched.problem) if note)
        executor = self._executor_for(suspect.repository)
        if isinstance(executor, Capabilities):
            problem = f"Nothing may run here: {executor.problem}"
            known = FixedFacts(candidates=searched.candidates, head=head, reported=reported, problem=problem)
            return replace(known, regression=_came_back(report), notes=notes)
        facts = examine(
            report,
            where,
            searched.candidates,
            executor,
            suspect.verify,
            self._settings,
            seconds=SECONDS,
            writer=self._writer,
        )
        return replace(with_proven(where.directory, facts), notes=(*facts.notes, *notes))

    def _names(self, repository: Repository, where: Clone) -> set[str]:
        """What the project is called. Raises `GitHubError`."""
        with tree(where, where.head) as files:
            return {*project_of(files).packages, repository.full_name.partition("/")[2]}

    def _searched(self, suspect: Suspect, report: Report, where: Clone, named: Refs, said: str) -> Searched:
        cache, key = self._settings.cache_dir / "history", str(suspect.repository.id)
        index = indexed(cache, key, where.directory, where.head, named)
        sought = Sought(report.visible_title, report.visible_text, suspect.number, said, suspect.repository.full_name)
        return search(index, sought, reported=where.reported, head=where.head)


def _came_back(report: Report) -> bool:
    return came_back(report.visible_title, report.visible_text)
