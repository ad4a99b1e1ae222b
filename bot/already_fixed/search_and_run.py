"""One look at a report: search the history for its fix, run what it shows, decide. The worker's and the command's."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bot.already_fixed.decide import decide_fixed
from bot.already_fixed.reading.extract import extract
from bot.already_fixed.reading.version import unfixed_branch
from bot.already_fixed.reading.wording import came_back
from bot.already_fixed.revisions import RevisionSource
from bot.already_fixed.run_at_revisions import examine
from bot.already_fixed.values import Fixed, FixedFacts
from bot.github import git
from bot.github.commits import commit_time, message
from bot.github.errors import GitHubError
from bot.history.index import indexed
from bot.history.refs import Refs, first
from bot.history.search import search
from bot.history.values import Candidate, Searched, Sought
from bot.judges.code import ReproductionWriter
from bot.policy import Verify
from bot.reports import Report
from bot.sandbox.protocol import Executor
from bot.settings import Settings

_NAMES = 1_000_000  # bytes of what git says


@dataclass(frozen=True, slots=True)
class Suspected:
    """A report that may be of something fixed, and where to look.

    repository: git's directory, with the head and, where it is known, the revision the report is about. tagged: the
    same history with its tags. key: names its index in the cache. verify: how the head's code is set up.
    problem: why there is nothing to look at, as a sentence. notes: how it was read, likewise. others: what anybody but
    the reporter wrote below the report, as its readers see it: it proves nothing, and may raise doubts.
    """

    report: Report
    sought: Sought
    repository: RevisionSource
    tagged: Path
    refs: Refs
    key: str
    verify: Verify
    problem: str = ""
    notes: tuple[str, ...] = ()
    others: str = ""


@dataclass(frozen=True, slots=True)
class FixAnswer:
    """lacking: the branch that the report is about, where the fix is not on it; else empty."""

    fixed: Fixed
    searched: Searched
    lacking: str = ""


def look(
    suspected: Suspected,
    executor: Callable[[], Executor | str],
    settings: Settings,
    *,
    seconds: float,
    index_seconds: float = math.inf,
    writer: ReproductionWriter | None = None,
) -> FixAnswer:
    """executor: what may run code nobody trusts, asked for only when it is needed; or why nothing is run, as a
    sentence. seconds: for everything, of which running has what the search leaves. index_seconds: how long the index of
    the history may take, which is long for the first look at a repository alone. writer: who writes reproductions
    where the report shows none. Never raises for what the report or the repository holds.
    """
    began = time.monotonic()
    if suspected.problem:
        return FixAnswer(decide_fixed(FixedFacts(problem=suspected.problem)), Searched((), 0, suspected.problem))
    searched = _searched(suspected, settings, index_seconds)
    report, runs_in = suspected.report, executor()
    if isinstance(runs_in, str):
        regression = came_back(report.visible_title, report.visible_text)
        facts = FixedFacts(candidates=searched.candidates, regression=regression, problem=runs_in)
    else:
        left, given = max(1.0, seconds - (time.monotonic() - began)), (suspected.repository, searched.candidates)
        facts = examine(report, *given, runs_in, suspected.verify, settings, seconds=left, writer=writer)
        facts = _with_proven(suspected.tagged, facts)
    notes = (*facts.notes, *(note for note in (*suspected.notes, searched.problem) if note))
    unread = (*facts.unread, *_unheard(suspected.others, facts))
    fixed = decide_fixed(replace(facts, notes=notes, unread=unread, commits=searched.commits))
    text = f"{suspected.sought.title}\n{suspected.sought.text}"
    branches, version = suspected.refs.branches, suspected.sought.reported
    directory = suspected.repository.directory
    return FixAnswer(fixed, searched, unfixed_branch(directory, branches, fixed.fix, text=text, version=version))


def _unheard(others: str, facts: FixedFacts) -> Iterator[str]:
    """What others say that speaks against a fix. It is not run: else anybody could make a report hold, or not."""
    extracted, known = (
        extract("", others),
        {(one.reproduction.code, one.reproduction.expectation) for one in facts.trials},
    )
    if extracted.unread or any((one.code, one.expectation) not in known for one in extracted.reproductions):
        yield "an example that somebody else wrote"
    if came_back("", others):
        yield "what somebody else says came back"


def _searched(suspected: Suspected, settings: Settings, seconds: float) -> Searched:
    where, cache = suspected.repository, settings.cache_dir / "history"
    try:
        index = indexed(cache, suspected.key, where.directory, where.head, suspected.refs, seconds=seconds)
    except GitHubError as error:
        return Searched((), 0, f"The history cannot be read: {error}.")
    return search(index, suspected.sought, reported=where.reported, head=where.head, directory=where.directory)


def _with_proven(directory: Path, facts: FixedFacts) -> FixedFacts:
    """The facts with the commit that running named, and the release that first contains it; as they are where history
    has it. directory: the repository with its tags."""
    sha = facts.fixed_by
    if sha is None or any(each.commit == sha for each in facts.candidates):
        return facts
    containing = ("for-each-ref", f"--contains={sha}", "--format=%(refname:lstrip=2)", "refs/tags")
    try:
        subject = message(directory, sha).partition("\n")[0]
        tags = git.read(directory, *containing, most=_NAMES).decode("utf-8", "replace").splitlines()
    except GitHubError:
        return facts
    at, why = commit_time(directory, sha), ("The first commit at which what the report shows does not fail.",)
    made = at.isoformat() if at else ""
    return replace(facts, proven=Candidate(sha, subject, made, 1.0, why, False, first(tags), None, (), likely=True))
