"""An issue as GitHub gives it, as the text that is judged."""

from bot.github.values import Issue
from bot.policy import Agents
from bot.pulls.agents import is_known_agent
from bot.reports import GitHubFields, IssueText, Reply


def text_of(issue: Issue, replies: tuple[Reply, ...], agents: Agents) -> IssueText:
    """With what GitHub says of it. agents: the policy's. A bot that is no coding agent writes notices."""
    by_bot = issue.author_is_bot and not is_known_agent(issue.author, issue.author_is_bot, agents)
    return IssueText(issue.title, issue.body, replies, GitHubFields(issue.labels, issue.type, by_bot))
