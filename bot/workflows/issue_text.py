"""An issue as GitHub gives it: the text that is judged, and whether an agent wrote it."""

from bot.github.values import Issue
from bot.policy import Agents
from bot.pulls.agents import is_agents_issue, is_other_bot
from bot.reports import GitHubFields, IssueText, Reply


def text_of(issue: Issue, replies: tuple[Reply, ...], agents: Agents) -> IssueText:
    """With what GitHub says of it. agents: the policy's. A bot that is no coding agent writes notices."""
    return IssueText(issue.title, issue.body, replies, GitHubFields(issue.labels, issue.type, by_bot(issue, agents)))


def by_bot(issue: Issue, agents: Agents) -> bool:
    """Whether its author is a bot, and no coding agent."""
    return is_other_bot(issue.author, issue.author_is_bot, agents)


def by_agent(issue: Issue, agents: Agents) -> bool:
    """Whether a coding agent wrote it: its account's, or an App's for somebody."""
    return is_agents_issue(issue.author, issue.author_is_bot, issue.app_id is not None, agents)
