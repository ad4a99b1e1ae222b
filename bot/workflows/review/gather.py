"""Put one review to the test: gather what it claims, what it suggests and what was asked for, then execute."""

from dataclasses import dataclass, replace

from bot.changes.write import shown_diff
from bot.github.values import Review
from bot.policy_choices import Mode
from bot.pulls.agents import authorship
from bot.pulls.review_claims import claims_of
from bot.pulls.review_trial import NOTHING_TO_RUN, ClaimTrial, stale, without_rejection
from bot.pulls.suggestions import SuggestionError
from bot.storage.verification import ReviewRecord
from bot.verdicts import ClaimOutcome
from bot.workflows.jobs import RunJob
from bot.workflows.pull.authorship import PullAuthor
from bot.workflows.pull.linked_issues import read_request
from bot.workflows.pull.source import change_between
from bot.workflows.services import Services
from bot.workflows.verifier import ExecutionRequest
from bot.workflows.workflow import JobContext


@dataclass(frozen=True, slots=True)
class FilterOutcome:
    """trials: of each claim; none when nothing is to be said, and `outcome` says why. base: where its branch left.
    diff: the change, as a page shows it. agent, asked: in words, for the reader."""

    outcome: str = ""
    trials: tuple[ClaimTrial, ...] = ()
    mode: Mode = Mode.OBSERVE
    base: str = ""
    diff: tuple[tuple[str, str], ...] = ()
    agent: str = ""
    asked: str = ""


class FilterRun(JobContext):
    """One review of one commit."""

    def __init__(self, services: Services, job: RunJob, review: Review) -> None:
        super().__init__(services, job)
        self.review = review

    def run(self) -> FilterOutcome:
        """Raises `GitHubError`; may then be repeated as a whole."""
        policy = self.policy_status().policy
        if policy is None:
            return FilterOutcome("not examined: the policy is invalid")
        if policy.verify.reviews is False:
            return FilterOutcome("not examined: the policy switches it off")
        if policy.verify.reviews == "requested_changes" and self.review.state != "changes_requested":
            return FilterOutcome("not examined: the policy wants those that request changes")
        pull = self.client.get_pull(self.job.number)
        if pull.state != "open" or pull.author == self.review.author:
            return FilterOutcome("not examined: it is closed, or the author's own review")
        remarks = [each for each in self.client.remarks(self.job.number) if each.review == self.review.id]
        claims = claims_of(self.review.body, [each for each in remarks if not each.reply_to])
        if not claims:
            return FilterOutcome("the review says nothing of any line")
        # The newest one that says something; what is asked about an older one stays asked.
        self.services.reviews.save(replace(review_record(self), review=self.review))
        if pull.head != self.review.commit:
            return FilterOutcome(trials=tuple(map(stale, claims)), mode=policy.mode)
        if not any(claim.fixes for claim in claims) or self.over_budget(
            policy, 0, self.review.author
        ):  # none of the pull request's own
            spent, none = (ClaimOutcome.LATE, "The day's budget is spent."), (ClaimOutcome.NO_CHANGE, NOTHING_TO_RUN)
            unrun = tuple(ClaimTrial(each, *(spent if each.fixes else none)) for each in claims)
            return FilterOutcome(trials=unrun, mode=policy.mode)
        base = self.client.merge_base(pull.base, pull.head)
        about = self.client.background(pull.number)
        pull = replace(pull, commits=about.commits)
        asked = read_request(self.client, pull, about.issues, policy, self.services.web_url)
        # Its author's own words decide nothing about it.
        said = asked.said if asked.specification else "No issue of anybody else's says what it should do."
        past = PullAuthor(self.services, self.job.repository.id, pull.number).past(pull)
        agent = " ".join(authorship(pull, policy.pulls, past).reasons)
        change = change_between(self.client, base, pull.head)
        diff = shown_diff(change) if change else ()  # without one it is run all the same
        wanted = ExecutionRequest(
            repository=self.job.repository,
            number=pull.number,
            head=pull.head,
            base=base,
            specification=asked.specification,
            sources=asked.sources,
            review="\n".join([self.review.body, *(remark.body for remark in remarks)]),
            policy=policy,
            shared=self.client.is_guarded(pull.base_branch),
        )
        try:
            trials = self.services.verifier.verify(wanted, claims, self.credential)
        except SuggestionError as error:
            return FilterOutcome(f"not examined: {error}")
        if self.review.state != "changes_requested":
            trials = tuple(map(without_rejection, trials))
        return FilterOutcome(trials=trials, mode=policy.mode, base=base, diff=diff, agent=agent, asked=said)


def review_record(about: JobContext) -> ReviewRecord:
    """What is stored of the reviews of a pull request; of one that is new, nothing."""
    job = about.job
    found = about.services.reviews.get(job.repository.id, job.number)
    return found or ReviewRecord(repo_id=job.repository.id, number=job.number, installation_id=job.installation_id)
