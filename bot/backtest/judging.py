"""Judges an issue of the past as `bouncer judge issue` judges a new one, with the issue templates of that day."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bot.backtest.endings import PastOutcome, outcome
from bot.backtest.values import PastIssue, RepositoryPast
from bot.github import commits
from bot.github.errors import GitHubError
from bot.issues.decide import decide_issue, with_judgement
from bot.issues.exemptions import why_not_held
from bot.issues.facts import IssueFacts
from bot.issues.parse import parse
from bot.issues.templates import FOLDER, HOMES, LARGEST, MOST, Template, is_template, read_templates
from bot.judges.protocol import IssueJudge
from bot.policy import Policy
from bot.policy_choices import Ask, Strictness
from bot.pulls.agents import agents_account, is_known_agent
from bot.reports import GitHubFields, IssueText
from bot.verdicts import Usage, Verdict

_MOST_NAMES = 100_000  # bytes of the paths below a folder
TemplatesOf = Callable[[datetime], tuple[Template, ...]]  # those of a day


@dataclass(frozen=True, slots=True)
class ReplayedIssue:
    """An issue, the verdict of each strictness, and what became of it. skipped: why the policy leaves it alone, as a
    phrase; then there is no verdict. usage: what asking the judge took."""

    issue: PastIssue
    verdicts: dict[Strictness, Verdict]
    outcome: PastOutcome
    skipped: str = ""
    usage: Usage = Usage()


def judge_past(
    past: RepositoryPast, judge: IssueJudge, policy: Policy, templates: TemplatesOf
) -> Iterator[ReplayedIssue]:
    """One after another, so that memory holds one report at a time. The judge is asked once for all strictnesses."""
    for issue in past.issues:
        yield _judged(issue, judge, policy, templates, private=past.private)


def _judged(
    issue: PastIssue, judge: IssueJudge, policy: Policy, templates: TemplatesOf, *, private: bool
) -> ReplayedIssue:
    came = outcome(issue, policy.pulls.agents)
    facts = facts_of_past(issue, policy, templates, private=private)
    if why := why_left_out(issue, facts, policy):
        return ReplayedIssue(issue, {}, came, why)
    facts = with_judgement(facts, policy, judge)
    answer = facts.judgement
    usage = answer.usage if answer else Usage()
    verdicts = {each: decide_issue(facts, stricter(policy, each)) for each in Strictness}
    return ReplayedIssue(issue, verdicts, came, usage=usage)


def why_left_out(issue: PastIssue, facts: IssueFacts, policy: Policy) -> str:
    """Why the policy leaves it alone, as a phrase; empty where it does not."""
    if issue.author_is_bot and not is_known_agent(issue.author, True, policy.pulls.agents):
        return "a bot opened it"
    return why_not_held(facts, policy) or ""


def facts_of_past(issue: PastIssue, policy: Policy, templates: TemplatesOf, *, private: bool) -> IssueFacts:
    """What is known of it as it was opened. private: the repository is."""
    agents = policy.pulls.agents
    report = parse(IssueText(issue.title, issue.body, told=GitHubFields(issue.labels)), templates(issue.at))
    return IssueFacts(
        report=report,
        author=issue.author,
        association=issue.association,
        author_is_bot=issue.author_is_bot,
        labels=issue.labels,
        private=private,
        by_agent=issue.through_app or bool(agents_account(issue.author, issue.author_is_bot, agents)),
    )


def stricter(policy: Policy, strictness: Strictness) -> Policy:
    """The policy with another strictness for issues. Whom it would ask is seen as well: that holds nothing."""
    issues = policy.issues.model_copy(update={"strictness": strictness, "ask": Ask.ALWAYS})
    return policy.model_copy(update={"issues": issues})


def templates_of(directory: Path, head: str) -> TemplatesOf:
    """directory: git's. head: the newest commit of the branch whose templates GitHub shows.

    A commit says itself when it was made. None are known where git cannot read them, or of the days before the first.
    """
    found: dict[str, tuple[Template, ...]] = {}

    def of(day: datetime) -> tuple[Template, ...]:
        try:
            sha = commits.as_of(directory, head, day) or ""
            if sha not in found:
                found[sha] = _read(directory, sha) if sha else ()
        except GitHubError:
            return ()
        return found[sha]

    return of


def _read(directory: Path, sha: str) -> tuple[Template, ...]:
    top = commits.names(directory, sha, "", _MOST_NAMES)
    folders = (name for name in top if name in HOMES or name.lower() == FOLDER)
    below = (path for folder in folders for path in commits.names(directory, sha, folder, _MOST_NAMES))
    paths = [path for path in (*top, *below) if is_template(path)]
    files = {path: commits.content(directory, sha, path, LARGEST) for path in paths[:MOST]}
    return read_templates({path: text.decode(errors="replace") for path, text in files.items() if text is not None})
