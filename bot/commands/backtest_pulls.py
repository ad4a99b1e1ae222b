"""How `bouncer backtest` judges agents' pull requests of the past: from a clone, as of their opening, sandboxed.

Verdicts are kept as soon as they are reached, so a run that was stopped goes on with what is left.
"""

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bot.backtest.measures import PullBacktest, ReplayedPull, measure_pulls
from bot.backtest.pulls import PastPull, PullEnding
from bot.backtest.values import PastIssue
from bot.changes.read import LARGEST, read_change
from bot.commands.confirmation import SIDE_BY_SIDE, asks_model, how_asked
from bot.commands.judge_pull import facts_of
from bot.commands.judge_pull_input import Proposed, between
from bot.commands.own_clone import open_clone
from bot.commands.predictions import Journal, progress
from bot.commands.shared import InputError
from bot.github import commits
from bot.github.errors import GitHubError
from bot.github.values import LinkedIssue
from bot.judges.openai import prompts
from bot.judges.openai.models import judges_of_pulls
from bot.policy import Policy
from bot.pulls.agents import authorship
from bot.pulls.issue_links import links
from bot.pulls.judgement import concluded, first_facts, is_given
from bot.pulls.request import Request, request
from bot.pulls.result import restored, stored
from bot.settings import Settings

SECONDS_EACH = 60  # a guess for the estimate
_BRANCHES = ("refs/heads/{}", "refs/remotes/origin/{}")


class PullReplay:
    """Judges the pull requests of one repository. policy: `None` for what the base of each says."""

    def __init__(
        self, clone: Path, name: str, issues: Sequence[PastIssue], settings: Settings, policy: Policy | None, kept: Path
    ) -> None:
        self._path, self._name, self._settings, self._policy = clone, name, settings, policy
        kept.parent.mkdir(parents=True, exist_ok=True)
        self._journal = Journal(kept, ["pulls"])
        self._issues = {issue.number: issue for issue in issues}

    def to_execute(self, pulls: Sequence[PastPull], most: int) -> int:
        """How many `measure` would judge, at most."""
        return len(self._of_agents(pulls)[:most])

    def measure(self, pulls: Sequence[PastPull], most: int, *, execute: bool) -> PullBacktest:
        """Of the newest `most` of agents. Raises `InputError`."""
        every = self._of_agents(pulls)
        agents = every[:most]
        with ExitStack() as held:
            clone = open_clone(held, self._path)
            done = self._journal.resume() if execute else {}

            def judge(pull: PastPull, agent: str) -> ReplayedPull:
                return self._tried(clone, pull, agent, done, execute=execute)

            judged = list(_side_by_side(judge, agents))
        strictness = (self._policy or Policy()).pulls.strictness
        return measure_pulls(judged, people=len(pulls) - len(every), executed=execute, strictness=strictness)

    def _of_agents(self, pulls: Sequence[PastPull]) -> list[tuple[PastPull, str]]:
        rules = (self._policy or Policy()).pulls
        signs = [(pull, authorship(pull.proposal, rules)) for pull in pulls]
        return [(pull, " ".join(whose.reasons)) for pull, whose in signs if whose.agent]

    def _tried(
        self, clone: commits.Clone, pull: PastPull, agent: str, done: Mapping[str, Any], *, execute: bool
    ) -> ReplayedPull:
        """Never raises for what is wrong with one pull request."""
        try:
            return self._judged(clone, pull, agent, done, execute=execute)
        except (InputError, GitHubError) as error:
            return ReplayedPull(pull, agent, left_out=f"it cannot be read: {error}")

    def _judged(
        self, clone: commits.Clone, pull: PastPull, agent: str, done: Mapping[str, Any], *, execute: bool
    ) -> ReplayedPull:
        if not pull.head:
            return ReplayedPull(pull, agent, left_out="its branch was rewritten, so its first commits are not known")
        if not pull.text_known:
            return ReplayedPull(pull, agent, left_out="its text was edited, and nobody knows its first one")
        if self._unknown(pull):
            return ReplayedPull(pull, agent, left_out="what it names as its issue is not known as of its opening")
        newest = next((sha for each in _BRANCHES if (sha := clone.commit(each.format(pull.base_branch)))), None)
        tip = commits.as_of(clone.directory, newest, pull.at) if newest else None
        start = commits.merge_base(clone.directory, tip, pull.head) if tip else None
        if newest is None or tip is None or start is None:
            return ReplayedPull(pull, agent, left_out="its commits, or its base branch, are not in the clone")
        if pull.merged and commits.reverted_by(clone.directory, pull.merged, newest):
            pull = replace(pull, ending=PullEnding.REVERTED)
        shas, wanted = (start, tip, pull.head), partial(self._wanted, pull)
        proposed = between(clone, self._path, shas, self._settings, pull.proposal.title, wanted, self._policy)
        proposed = replace(proposed, agent=agent)
        if not execute:
            return ReplayedPull(pull, agent, risks=_risks(proposed))
        return self._executed(pull, proposed, done)

    def _executed(self, pull: PastPull, proposed: Proposed, done: Mapping[str, Any]) -> ReplayedPull:
        key = self._key(proposed)
        if key in done:
            return ReplayedPull(pull, proposed.agent, restored(done[key]["result"]), seconds=done[key]["seconds"])
        started = time.monotonic()
        facts = facts_of(proposed, self._settings)
        result = concluded(
            facts, head=proposed.head, base=proposed.tip, agent=proposed.agent, asked=proposed.wanted.said
        )
        seconds = time.monotonic() - started
        self._journal.keep(key, {"seconds": seconds, "result": stored(result)})
        return ReplayedPull(pull, proposed.agent, result, seconds=seconds)

    def _key(self, proposed: Proposed) -> str:
        """What a verdict depends on: commits, what was asked, the policy, who judges by which prompts, and where."""
        settings = self._settings
        models = judges_of_pulls(settings) if asks_model(settings) else ()
        asked = [str((model.model, *how_asked(model))) for model in models]
        asked += [prompts.digest_of_all()] if models else []
        who = (settings.judge, *asked, settings.executor, version("bouncer-bot"))
        told = (proposed.tip, proposed.head, repr(proposed.wanted), proposed.policy.model_dump_json(), *who)
        return hashlib.sha256("\0".join(told).encode()).hexdigest()

    def _links(self, pull: PastPull) -> list[tuple[LinkedIssue, PastIssue | None]]:
        """Of this repository, with the issue where it is known as it was opened, before the pull request was."""
        named = links(pull.proposal, self._name, (), self._settings.github_web_url)
        found = ((link, self._issues.get(link.number)) for link in named if not link.place)
        return [(link, issue if issue and issue.text_known and issue.at <= pull.at else None) for link, issue in found]

    def _unknown(self, pull: PastPull) -> bool:
        """Whether nobody can say what was asked: an issue it closes is not in the export."""
        return any(issue is None and not link.guess for link, issue in self._links(pull))

    def _wanted(self, pull: PastPull, policy: Policy) -> Request:
        issues = tuple(
            replace(link, title=issue.title, body=issue.body, author=issue.author, labels=issue.labels)
            for link, issue in self._links(pull)
            if issue is not None
        )
        return request(pull.proposal, issues, policy)


def _side_by_side(
    tried: Callable[[PastPull, str], ReplayedPull], agents: Sequence[tuple[PastPull, str]]
) -> Iterator[ReplayedPull]:
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        found = pool.map(lambda each: tried(*each), agents)
        yield from progress(found, "Judging pull requests", len(agents))


def _risks(proposed: Proposed) -> tuple[str, ...]:
    """By the diff alone."""
    raw = commits.diff(proposed.directory, proposed.base, proposed.head, LARGEST + 1)
    return first_facts(proposed.wanted, read_change(raw), proposed.whole, proposed.mentions, is_given).risks
