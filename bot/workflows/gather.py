"""What has to be known of one head commit before it is judged: whose it is, what was asked for, what it changes."""

from dataclasses import dataclass

from bot.changes.read import read_change
from bot.changes.values import Change
from bot.github.errors import Gone, NotFound
from bot.github.values import Issue, NotReadable, Pull
from bot.policy import Policy, PolicyError, WithoutIssue
from bot.pulls.agents import authorship
from bot.pulls.asked import specification
from bot.pulls.facts import Asked, PullFacts
from bot.pulls.linked import Link, links
from bot.pulls.proposal import CommitText, Proposal
from bot.pulls.reading import read_facts
from bot.workflows.jobs import GateJob
from bot.workflows.policies import PolicyLookup
from bot.workflows.publish import NOT_AN_AGENTS
from bot.workflows.services import Services

MOST_ISSUES = 3  # whose text is read


@dataclass(frozen=True, slots=True)
class Gathered:
    """outcome: set when nothing is to be judged at all. through: set when it is let through, with the reason.

    specification: what others asked for; description: the pull request's own words. base: where its branch left.
    agent, asked: in words, for the reader.
    """

    outcome: str = ""
    through: str = ""
    policy: Policy = Policy()
    author: str = ""
    agent: str = ""
    asked: str = ""
    specification: str = ""
    description: str = ""
    base: str = ""
    change: Change = Change(())
    facts: PullFacts = PullFacts()


class Gathering:
    """One commit."""

    def __init__(self, services: Services, job: GateJob) -> None:
        self.services = services
        self.job = job
        self.client = services.repository(job.installation_id, job.repository)

    def gather(self) -> Gathered:
        """Raises `GitHubError`; may then be repeated as a whole."""
        if not self.services.installed(self.job.installation_id):
            return Gathered("uninstalled")
        lookup = PolicyLookup(self.services.policies, self.services.github, self.services.now)
        try:
            policy = lookup.find(self.job.installation_id, self.job.repository)
        except PolicyError:
            return Gathered("not judged: the policy is invalid")
        pull = self.client.get_pull(self.job.number)
        if pull.head != self.job.head or pull.state != "open":
            return Gathered("superseded: the pull request changed meanwhile")
        proposal = self._proposal(pull)
        whose = authorship(proposal, policy.pulls)
        if not whose.in_scope:
            return Gathered(through=NOT_AN_AGENTS, policy=policy)
        named = links(proposal, self.job.repository.full_name, self.client.linked_issues(pull.number))
        found = tuple(link for link in named if not link.weak)  # a number in a branch's name is a guess
        issues = self._issues(found)
        asked, said = self._asked(policy, found, issues)
        change = self._change(pull)
        wanted = [issue for issue in issues if issue.author != pull.author]
        text = "\n".join(specification(issue.title, issue.body) for issue in wanted)
        description = specification(pull.title, pull.body)
        return Gathered(
            policy=policy,
            author=pull.author,
            agent=" ".join(whose.reasons),
            asked=said,
            specification=text,
            description=description,
            base=self.client.merge_base(pull.base, pull.head),
            change=change,
            facts=read_facts(asked, change, text or description),
        )

    def _change(self, pull: Pull) -> Change:
        diff = self.client.get_diff(pull.number)
        return (
            Change((), f"The change cannot be read: {diff.reason}.")
            if isinstance(diff, NotReadable)
            else read_change(diff)
        )

    def _proposal(self, pull: Pull) -> Proposal:
        commits = self.client.commits(pull.number)
        return Proposal(
            number=pull.number,
            title=pull.title,
            body=pull.body,
            author=pull.author,
            author_is_bot=pull.author_is_bot,
            branch=pull.head_branch,
            labels=pull.labels,
            commits=tuple(CommitText(c.sha, c.author_name, c.author_email, c.message) for c in commits),
        )

    def _issues(self, found: tuple[Link, ...]) -> list[Issue]:
        """Those of this repository; what lies in another one is not Bouncer's to read."""
        here = self.job.repository.full_name.lower()
        numbers = [link.number for link in found if link.repository.lower() == here and link.number != self.job.number]
        issues = (self._issue(number) for number in numbers[:MOST_ISSUES])
        return [issue for issue in issues if issue is not None and not issue.is_pull_request]

    def _issue(self, number: int) -> Issue | None:
        try:
            return self.client.get_issue(number)
        except (NotFound, Gone):
            return None

    def _asked(self, policy: Policy, found: tuple[Link, ...], issues: list[Issue]) -> tuple[Asked, str]:
        held = policy.issues.labels.needs_clarification.lower()
        if any(label.lower() == held for issue in issues for label in issue.labels):
            return Asked.UNCLEAR, "The issue it answers carries the label for unclear issues."
        if issues:
            return Asked.ISSUE, f"Held against {', '.join(f'issue {issue.number}' for issue in issues)}."
        if found:
            return (
                Asked.DESCRIPTION,
                "Its issue lies elsewhere or cannot be read, so it is held against its description.",
            )
        if policy.pulls.require_linked_issue is WithoutIssue.BOUNCE:
            return Asked.NOTHING, ""
        return Asked.DESCRIPTION, "It names no issue, so it is held against its own description."
