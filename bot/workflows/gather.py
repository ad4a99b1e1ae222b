"""What has to be known of one head commit before it is judged: whose it is, what was asked for, what it changes."""

from dataclasses import dataclass, replace

from bot.changes.read import read_change
from bot.changes.values import Change
from bot.github.values import Background, NotReadable, Pull
from bot.policy import Policy, PolicyError
from bot.pulls.agents import authorship
from bot.pulls.facts import PullFacts
from bot.pulls.linked import links
from bot.pulls.proposal import CommitText, Proposal
from bot.pulls.reading import read_facts
from bot.pulls.request import Request, Words, request
from bot.workflows.jobs import GateJob
from bot.workflows.named import named
from bot.workflows.policies import PolicyLookup
from bot.workflows.publish import NOT_AN_AGENTS
from bot.workflows.services import Services


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
            policy = lookup.in_force(self.job.installation_id, self.job.repository)
        except PolicyError:
            return Gathered("not judged: the policy is invalid")
        pull = self.client.get_pull(self.job.number)
        if pull.head != self.job.head or pull.state != "open":
            return Gathered("superseded: the pull request changed meanwhile")
        background = self.client.background(pull.number)
        proposal = _proposal(pull, background)
        whose = authorship(proposal, policy.pulls)
        if not whose.in_scope:
            return Gathered(through=NOT_AN_AGENTS, policy=policy)
        wanted = self._wanted(policy, proposal, background)
        change = self._change(pull)
        facts = read_facts(
            wanted.asked, change, wanted.specification or wanted.description, documentation=wanted.documentation
        )
        return Gathered(
            policy=policy,
            author=pull.author,
            agent=" ".join(whose.reasons),
            asked=wanted.said,
            specification=wanted.specification,
            description=wanted.description,
            base=self.client.merge_base(pull.base, pull.head),
            change=change,
            facts=replace(facts, risks=(*wanted.risks, *facts.risks), remarks=wanted.remarks),
        )

    def _wanted(self, policy: Policy, proposal: Proposal, background: Background) -> Request:
        known = [(issue.repository, issue.number) for issue in background.issues]
        found = links(proposal, self.job.repository.full_name, known, self.services.web_url)
        issues = named(self.client, found, background.issues)
        return request(
            Words(proposal.title, proposal.body, proposal.author),
            issues.issues,
            unclear=policy.issues.labels.needs_clarification,
            without=policy.pulls.require_linked_issue,
            unread=issues.unread,
            lost=issues.lost,
        )

    def _change(self, pull: Pull) -> Change:
        diff = self.client.get_diff(pull.number)
        return (
            Change((), f"The change cannot be read: {diff.reason}.")
            if isinstance(diff, NotReadable)
            else read_change(diff)
        )


def _proposal(pull: Pull, background: Background) -> Proposal:
    return Proposal(
        number=pull.number,
        title=pull.title,
        body=pull.body,
        author=pull.author,
        author_is_bot=pull.author_is_bot,
        branch=pull.head_branch,
        labels=pull.labels,
        commits=tuple(CommitText(c.sha, c.author_name, c.author_email, c.message) for c in background.commits),
    )
