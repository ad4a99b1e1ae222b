"""What has to be known of one head commit before it is judged: whose it is, what was asked for, what it changes."""

from dataclasses import dataclass, replace

from bot.changes.read import read_change
from bot.changes.values import Change
from bot.github.errors import NotFound, NotInstalled, Rejected, Unavailable
from bot.github.values import NotReadable, Pull
from bot.policy import Policy, PolicyError
from bot.pulls.agents import authorship
from bot.pulls.facts import PullFacts
from bot.pulls.judgement import first_facts
from bot.workflows.jobs import GateJob
from bot.workflows.named import proposal_of, wanted
from bot.workflows.policies import PolicyLookup
from bot.workflows.publish import NOT_AN_AGENTS
from bot.workflows.records import recorded
from bot.workflows.services import Services
from bot.workflows.source import Source

UNRELATED = "It has no commit in common with its base, so there is no change to read."


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
        proposal = proposal_of(pull, background.commits)
        whose = authorship(proposal, policy.pulls)
        if not whose.in_scope:
            return Gathered(through=NOT_AN_AGENTS, policy=policy)
        asked = wanted(self.client, proposal, background.issues, policy, self.services.web_url)
        base = self._base(pull)
        source = self._source(base)
        change = self._change(pull, source) if base else Change((), UNRELATED)
        brought = recorded(self.client, source, change, pull.body, self.services.web_url)
        facts = first_facts(asked, brought.change, source.whole)
        return Gathered(
            policy=policy,
            author=pull.author,
            agent=" ".join(whose.reasons),
            asked=asked.said,
            specification=asked.specification,
            description=asked.description,
            base=base,
            change=brought.change,
            facts=replace(
                facts,
                evidence=(*facts.evidence, *brought.evidence),
                remarks=(*facts.remarks, *brought.remarks),
            ),
        )

    def _base(self, pull: Pull) -> str:
        """Where its branch left; empty where it has nothing in common with its base, or one of them is gone."""
        try:
            return self.client.merge_base(pull.base, pull.head)
        except NotInstalled:
            raise
        except NotFound:
            return ""

    def _source(self, base: str) -> Source:
        job = self.job
        credential = self.services.github.credential(job.installation_id)
        return Source(self.services.mirrors, job.repository, base, job.head, credential)

    def _change(self, pull: Pull, source: Source) -> Change:
        """From GitHub, in one call; git has what GitHub does not show. Raises `GitHubError`."""
        try:
            diff = self.client.get_diff(pull.number)
        except Unavailable:
            diff = NotReadable("GitHub does not show it")
        if not isinstance(diff, NotReadable):
            return read_change(diff)
        try:
            return read_change(source.diff())
        except (NotFound, Rejected) as error:
            return Change((), f"The change cannot be read: {diff.reason}, and fetching it failed: {error}.")
