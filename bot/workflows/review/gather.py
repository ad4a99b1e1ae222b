"""Put one rejection to the test: gather what was rejected, what was suggested and what was asked for, then execute."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.changes.write import shown_diff
from bot.github.errors import Gone, NotFound
from bot.github.values import Issue, Pull, Remark, Review
from bot.policy import Policy
from bot.policy_choices import Door, Mode
from bot.pulls.agents import authorship
from bot.pulls.issue_links import closes, specification
from bot.pulls.suggestions import Suggestion, SuggestionError, suggestion
from bot.verification.questions import VerificationQuestion
from bot.verification.verified import Verified
from bot.workflows.jobs import ReviewJob
from bot.workflows.policies import policy_status
from bot.workflows.pull.authorship import PullAuthor
from bot.workflows.pull.linked_issues import proposal_of
from bot.workflows.pull.source import change_between
from bot.workflows.services import Services
from bot.workflows.verifier import ExecutionRequest


@dataclass(frozen=True, slots=True)
class FilterOutcome:
    """verified: what was executed; `None` when nothing is to be said, and `outcome` says why. base: where its branch
    left. diff: the change, as a page shows it. agent, asked: in words, for the reader."""

    outcome: str = ""
    verified: Verified | None = None
    question: VerificationQuestion | None = None
    mode: Mode = Mode.OBSERVE
    base: str = ""
    diff: tuple[tuple[str, str], ...] = ()
    agent: str = ""
    asked: str = ""


class FilterRun:
    """One review of one commit."""

    def __init__(self, services: Services, job: ReviewJob, review: Review) -> None:
        self.services = services
        self.job = job
        self.review = review
        self.client = services.repository(job.installation_id, job.repository)

    def run(self) -> FilterOutcome:
        """Raises `GitHubError`; may then be repeated as a whole."""
        policy = policy_status(self.services, self.job.installation_id, self.job.repository, Door.PULLS).policy
        if policy is None:
            return FilterOutcome("not examined: the policy is invalid")
        if not policy.verify.reviews:
            return FilterOutcome("not examined: the policy switches it off")
        if self._spent(policy):
            return FilterOutcome("not examined: the day's budget is spent")
        pull = self.client.get_pull(self.job.number)
        if pull.state != "open" or pull.head != self.review.commit:
            return FilterOutcome("superseded: the review is of another commit")
        remarks = self.client.remarks(self.job.number, self.review.id)
        suggestions = _suggestions(remarks)
        if not suggestions:
            return FilterOutcome("the review suggests no fix that could be executed")
        base = self.client.merge_base(pull.base, pull.head)
        specification, said = self._asked(pull)
        agent = self._agent(pull, policy)
        change = change_between(self.client, base, pull.head)
        diff = shown_diff(change) if change else ()  # without one it is run all the same
        wanted = ExecutionRequest(
            repository=self.job.repository,
            number=pull.number,
            head=pull.head,
            base=base,
            suggestions=suggestions,
            specification=specification,
            review="\n".join([self.review.body, *(remark.body for remark in remarks)]),
            policy=policy,
        )
        credential = self.services.github.credential(self.job.installation_id)
        try:
            verified, question = self.services.verifier.verify(wanted, credential)
        except SuggestionError as error:
            return FilterOutcome(f"not examined: {error}")
        return FilterOutcome(
            verified=verified, question=question, mode=policy.mode, base=base, diff=diff, agent=agent, asked=said
        )

    def _spent(self, policy: Policy) -> bool:
        today = self.services.ledger.verdicts_today(self.job.repository.id, now=self.services.now())
        return today >= policy.budgets.per_repository

    def _agent(self, pull: Pull, policy: Policy) -> str:
        """Whose it is, by what it shows and what is known of it. It decides nothing here."""
        proposal = proposal_of(pull, self.client.background(pull.number).commits)
        past = PullAuthor(self.services, self.job.repository.id, pull.number).past(pull.head, proposal)
        return " ".join(authorship(proposal, policy.pulls, past).reasons)

    def _asked(self, pull: Pull) -> tuple[str, str]:
        """The issues the pull request closes, and which they are, as a sentence. Its author's own words, there or here,
        decide nothing about it."""
        numbers = closes(pull.title, pull.body)
        issues = [issue for number in numbers if (issue := self._issue(number)) and not issue.is_pull_request]
        others = [issue for issue in issues if issue.author != pull.author]
        named = " and ".join(f"issue {issue.number}" for issue in others)
        said = f"Tried against {named}." if named else "No issue of anybody else's says what it should do."
        return "\n".join(specification(issue.title, issue.body) for issue in others), said

    def _issue(self, number: int) -> Issue | None:
        try:
            return self.client.get_issue(number)
        except (NotFound, Gone):
            return None


def _suggestions(remarks: Sequence[Remark]) -> tuple[Suggestion, ...]:
    found = (suggestion(item.path, item.start_line, item.line, item.body) for item in reversed(remarks))
    return tuple(item for item in found if item is not None)
