"""Put one rejection to the test: gather what was rejected, what was suggested and what was asked for, then execute."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.github.channel import Credential
from bot.github.errors import Gone, NotFound
from bot.github.values import Issue, Pull, Remark, Review
from bot.policy import Policy
from bot.policy_choices import Door, Mode
from bot.pulls.asked import closes, specification
from bot.pulls.suggestions import Suggestion, SuggestionError, suggestion
from bot.verification.questions import VerificationQuestion
from bot.verification.verified import Verified
from bot.workflows.execution import ExecutionRequest
from bot.workflows.jobs import ReviewJob
from bot.workflows.policies import policy_status
from bot.workflows.services import Services


@dataclass(frozen=True, slots=True)
class FilterOutcome:
    """verified: what was executed; `None` when nothing is to be said, and `outcome` says why."""

    outcome: str = ""
    verified: Verified | None = None
    question: VerificationQuestion | None = None
    mode: Mode = Mode.OBSERVE


class FilterRun:
    """One review of one commit."""

    def __init__(self, services: Services, job: ReviewJob, review: Review) -> None:
        self.services = services
        self.job = job
        self.review = review
        self.client = services.repository(job.installation_id, job.repository)

    def run(self) -> FilterOutcome:
        """Raises `GitHubError`; may then be repeated as a whole."""
        policy = self._policy()
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
        wanted = ExecutionRequest(
            repository=self.job.repository,
            number=pull.number,
            head=pull.head,
            base=self.client.merge_base(pull.base, pull.head),
            suggestions=suggestions,
            specification=self._asked(pull),
            review="\n".join([self.review.body, *(remark.body for remark in remarks)]),
            policy=policy,
        )
        try:
            verified, question = self.services.verifier.verify(wanted, self._credential())
        except SuggestionError as error:
            return FilterOutcome(f"not examined: {error}")
        return FilterOutcome(verified=verified, question=question, mode=policy.mode)

    def _credential(self) -> Credential:
        return self.services.github.credential(self.job.installation_id)

    def _policy(self) -> Policy | None:
        return policy_status(self.services, self.job.installation_id, self.job.repository, Door.PULLS).policy

    def _spent(self, policy: Policy) -> bool:
        today = self.services.ledger.judged_today(self.job.repository.id, now=self.services.now())
        return today >= policy.budgets.per_repository

    def _asked(self, pull: Pull) -> str:
        """The issues the pull request closes. Its author's own words, there or here, decide nothing about it."""
        numbers = closes(pull.title, pull.body)
        issues = [issue for number in numbers if (issue := self._issue(number)) and not issue.is_pull_request]
        others = [issue for issue in issues if issue.author != pull.author]
        return "\n".join(specification(issue.title, issue.body) for issue in others)

    def _issue(self, number: int) -> Issue | None:
        try:
            return self.client.get_issue(number)
        except (NotFound, Gone):
            return None


def _suggestions(remarks: Sequence[Remark]) -> tuple[Suggestion, ...]:
    found = (suggestion(item.path, item.start_line, item.line, item.body) for item in reversed(remarks))
    return tuple(item for item in found if item is not None)
