"""What Bouncer would have said about a new repository's last issues, so that a maintainer sees it before it speaks.

The offline judge judges them: it asks nobody and costs nothing. Nothing is written on GitHub.
"""

import logging
from dataclasses import replace
from datetime import datetime, timedelta

from bot.github.errors import Forbidden, Gone, NotFound, NoToken
from bot.github.values import Issue, Repository
from bot.issues.decide import decide_issue, with_judgement
from bot.issues.exemptions import why_not_held
from bot.issues.templates import Template
from bot.judges.protocol import IssueJudge
from bot.plain_text import clean
from bot.policy import Policy
from bot.policy_choices import Strictness
from bot.storage.tokens import new_token
from bot.storage.welcomes import Welcome, WelcomeIssue
from bot.verdicts import Decision
from bot.workflows.issue.replies import by_bot, facts_of
from bot.workflows.issue.templates import TemplateLookup
from bot.workflows.services import Services
from bot.workflows.visibility import record_of

MOST_ISSUES = 30
AT_ONCE = 5  # repositories a turn, so that other chores have theirs
NEW = timedelta(days=1)  # a repository that was added longer ago is not new any more
KEEP = timedelta(days=30)
LONGEST_TITLE = 120

log = logging.getLogger(__name__)


def make_welcomes(services: Services, now: datetime) -> int:
    """For repositories that were added lately; how many were made. Raises `GitHubError`."""
    wanted = services.welcomes.due(now - NEW, AT_ONCE)
    for installation_id, repository in wanted:
        services.welcomes.add(welcome(services, installation_id, repository, now))
        log.info("%s: its last issues were looked at", repository.full_name)
    return len(wanted)


def welcome(services: Services, installation_id: int, repository: Repository, now: datetime) -> Welcome:
    """As of now. A repository that cannot be read has no issues to show. Raises `GitHubError`."""
    client = services.repository(installation_id, repository)
    try:
        about = client.about()
        services.repositories.note_from_github([record_of(about, installation_id, now)])
        issues = client.newest_issues(MOST_ISSUES)
    except (NotFound, Gone, Forbidden, NoToken):  # removed meanwhile, or without issues
        about, issues = repository, ()
    templates = TemplateLookup(services).find(installation_id, repository) if issues else ()
    return Welcome(
        repo_id=repository.id,
        installation_id=installation_id,
        repository=about.full_name,
        token=new_token(),
        branch=about.default_branch,
        made_at=now,
        issues=tuple(would_be(issue, services.free_judge, templates, private=about.private) for issue in issues),
    )


def would_be(issue: Issue, judge: IssueJudge, templates: tuple[Template, ...], *, private: bool) -> WelcomeIssue:
    """The verdict of the default policy, and which strictness would have held it. private: the repository is."""
    title, policy = clean(issue.title, LONGEST_TITLE), Policy()
    came = facts_of(issue, (), policy, templates)
    facts = replace(came, private=private, state="open", locked=False)  # as it was then
    if why := ("a bot opened it" if by_bot(issue, policy.pulls.agents) else why_not_held(facts, policy)):
        return WelcomeIssue(issue.number, title, None, left_alone=why)
    facts = with_judgement(facts, policy, judge)
    verdicts = {each: decide_issue(facts, _with(policy, each)) for each in Strictness}
    held_by = tuple(each.value for each, verdict in verdicts.items() if verdict.decision is Decision.BOUNCE)
    return WelcomeIssue(issue.number, title, verdicts[policy.issues.strictness], held_by)


def _with(policy: Policy, strictness: Strictness) -> Policy:
    return policy.model_copy(update={"issues": policy.issues.model_copy(update={"strictness": strictness})})
