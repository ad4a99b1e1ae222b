"""What has to be known of one head commit before it is judged: whose it is, what was asked for, what it changes."""

from dataclasses import dataclass, replace
from functools import partial

from bot.changes.read import read_change
from bot.changes.values import Change
from bot.github.errors import NotFound, Rejected
from bot.github.values import Comparison, LinkedIssue, Pull
from bot.policy import Policy
from bot.policy_file import PolicySource
from bot.pulls.admission import left_by_name, left_by_paths
from bot.pulls.agents import authorship
from bot.pulls.already_fixed import SearchedIssue, may_be_unneeded
from bot.pulls.facts import PullFacts, RequestKind
from bot.pulls.judgement import first_facts
from bot.pulls.reading import leaves_code
from bot.pulls.request import Request
from bot.storage.fixes import Used
from bot.verdicts import Left
from bot.workflows.already_fixed.known import stored_searches
from bot.workflows.pull.authorship import PullAuthor
from bot.workflows.pull.check_run import NOT_AN_AGENTS
from bot.workflows.pull.linked_issues import may_allow, read_request
from bot.workflows.pull.source import MirrorSource, change_between
from bot.workflows.workflow import JobContext

LEFT_ALONE = "Left alone, as the policy says"
UNRELATED = "It has no commit in common with its base, so there is no change to read."


@dataclass(frozen=True, slots=True)
class GateInputs:
    """outcome: set when nothing is to be judged at all. through: set when it is let through, with the reason; left: by
    which rule, where the policy leaves it alone. policy_source: where the policy was read.

    wanted: what it was asked to do. base: where its branch left; tip: what it is to be merged into, as GitHub said when
    this was gathered; guarded: nobody pushes there unasked.
    author: who pushed the commit, as far as that is known, else who opened the pull request. base_branch: what it is
    proposed to.
    agent: in words, for the reader. looked: what is known of the fix of each issue it is held against, where it is
    known of all; leaves_code: whether the change leaves the code alone, where none may be needed.
    """

    outcome: str = ""
    through: str = ""
    left: Left | None = None
    policy: Policy = Policy()
    policy_source: PolicySource | None = None
    author: str = ""
    base_branch: str = ""
    agent: str = ""
    wanted: Request = Request(RequestKind.NOTHING)
    base: str = ""
    tip: str = ""
    guarded: bool = False
    change: Change = Change(())
    looked: tuple[SearchedIssue, ...] = ()
    leaves_code: bool = False
    facts: PullFacts = PullFacts()


class GateGathering(JobContext):
    """One commit."""

    def gather(self) -> GateInputs:
        """Raises `GitHubError`; may then be repeated as a whole."""
        if not self.is_installed:
            return GateInputs("uninstalled")
        status = self.policy_status()
        policy = status.in_force
        if policy is None:
            return GateInputs("not judged: the policy is invalid")
        pull = self.client.get_pull(self.job.number)
        if pull.head != self.job.head or pull.state != "open":
            return GateInputs("superseded: the pull request changed meanwhile")
        background = self.client.background(pull.number)
        if background.head not in ("", self.job.head):
            return GateInputs("superseded: the pull request changed meanwhile")
        pull = replace(pull, commits=background.commits)
        known = PullAuthor(self.services, self.job.repository.id, pull.number)
        past = known.past(pull)
        whose = authorship(pull, policy.pulls, past)
        known.keep(whose)  # what is found now it cannot take back
        if not whose.in_scope:
            return GateInputs(through=NOT_AN_AGENTS, policy=policy, base_branch=pull.base_branch)
        if left := left_by_name(pull.base_branch, pull.title, whose, policy.pulls):
            return GateInputs(through=LEFT_ALONE, left=left, policy=policy, base_branch=pull.base_branch)
        makers = known.budget_makers(pull)
        judged = GateInputs(
            policy=policy,
            policy_source=status.source,
            author=makers[0],
            base_branch=pull.base_branch,
            agent=" ".join(whose.reasons),
        )
        if over := self.over_budget(policy, pull.number, *makers):
            return replace(judged, facts=PullFacts(unread=over.why, blame=over.blame))
        asked = read_request(self.client, pull, background.issues, policy, self.services.web_url)
        return self._with_change(judged, pull, asked)

    def _with_change(self, judged: GateInputs, pull: Pull, asked: Request) -> GateInputs:
        """What it changes, beside what is asked for."""
        policy = judged.policy
        compared = self._compared(pull)
        base = compared.merge_base if compared else ""
        job = self.job
        source = MirrorSource(self.services.mirrors, job.repository, base, job.head, self.credential, tip=pull.base)
        change = self._change(compared, source) if compared else Change((), UNRELATED)
        may_waive = partial(may_allow, self.client, policy.pulls.agents, pull.author)
        facts = first_facts(asked, change, source.whole, source.mentions, may_waive)
        if left := left_by_paths(change, facts, policy.pulls):
            return GateInputs(through=LEFT_ALONE, left=left, policy=policy, base_branch=pull.base_branch)
        looked = self._looked(asked.issues, policy)
        return replace(
            judged,
            wanted=asked,
            base=base,
            tip=pull.base if base else "",
            guarded=self.client.is_guarded(pull.base_branch),
            change=change,
            looked=looked,
            leaves_code=may_be_unneeded(looked) and leaves_code(change, source.whole),
            facts=facts,
        )

    def _looked(self, issues: tuple[LinkedIssue, ...], policy: Policy) -> tuple[SearchedIssue, ...]:
        """It is stored first which issues these are, so that whoever learns more of one meanwhile finds this pull
        request."""
        if not policy.issues.already_fixed.enabled:
            return ()
        fixes, repo_id = self.services.fixes, self.job.repository.id
        nothing = Used(tuple(issue.number for issue in issues))
        self._use(nothing)
        looked = stored_searches(fixes, repo_id, issues)
        used = replace(nothing, unneeded=may_be_unneeded(looked))
        if used != nothing:
            self._use(used)
        return looked

    def _use(self, used: Used) -> None:
        self.services.fixes.use(self.job.repository.id, self.job.installation_id, self.job.number, used)

    def _compared(self, pull: Pull) -> Comparison | None:
        """What it adds since its branch left; `None` where it has nothing in common with its base, or one of them is
        gone."""
        try:
            return self.client.compare(pull.base, pull.head)
        except NotFound:
            return None

    def _change(self, compared: Comparison, source: MirrorSource) -> Change:
        """Between two hashes, as it is executed: by the pull request's number it might be another commit's, pushed
        there and back meanwhile. From GitHub in one call; git has what GitHub does not show. Raises `GitHubError`."""
        change = change_between(self.client, compared.merge_base, self.job.head) if compared.complete else None
        if change is not None and len(change.files) == compared.files:
            return change
        try:
            return read_change(source.diff())
        except (NotFound, Rejected) as error:
            return Change(
                (), f"The change cannot be read: GitHub does not show it whole, and fetching it failed: {error}."
            )
