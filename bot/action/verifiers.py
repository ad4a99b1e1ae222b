"""In the place of the server's verifier: how a commit ran is written down in one job, and read in another."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from bot.action.trial_result import RunBasis, TrialResult, request_digest, result_of
from bot.github.channel import Credential
from bot.github.errors import GitHubError
from bot.github.values import Repository
from bot.judges.agent.code_tools import CodeReader
from bot.pulls.result import restored
from bot.pulls.review_claims import ReviewClaim
from bot.pulls.review_trial import ClaimTrial
from bot.pulls.suggestions import SuggestionError
from bot.storage.gates import GateRecord
from bot.verdicts import Cause
from bot.verification.evidence import HeadTrial
from bot.verification.execution import RejectedChange
from bot.workflows.services import Verifies
from bot.workflows.verifier import ExecutionRequest

NO_RESULT = "The job that runs the tests left no result that can be taken"
MEANWHILE = "The issue, the policy or the base changed while the tests ran. Run this workflow again."
CHANGED = "The issue, the policy or the base changed since this commit ran. Run its workflow again."
NOTHING_KNOWN = "Nothing is known of how this commit ran. Run its workflow again."
ELSEWHERE = "Here nothing is executed; the first job does that."


@dataclass
class ReplayVerifier:
    """`Verifies` in a job that executes nothing, by what a job wrote down. results: of runs, by pull request; unknown:
    why there is none, other_commit: or none of this commit, changed: or for something else, as sentences. is_older:
    whether GitHub says that a base's commit is the later one itself, or what that was built upon. ran_for: of each pull
    request, what the run was for that its verdict stands on."""

    results: dict[int, TrialResult] = field(default_factory=dict)
    unknown: str = NOTHING_KNOWN
    other_commit: str = NOTHING_KNOWN
    changed: str = CHANGED
    is_older: Callable[[str, str], bool] = lambda tip, now: False
    ran_for: dict[int, RunBasis] = field(default_factory=dict)

    def take(self, left: Iterable[TrialResult], problem: str = "") -> None:
        """Go by what the first job of this run left. problem: why there is nothing, as a phrase."""
        self.results = {each.number: each for each in left}
        self.unknown = f"{NO_RESULT}: {problem or 'it tells nothing of this pull request'}."
        self.other_commit, self.changed = f"{NO_RESULT}: it is of another commit.", MEANWHILE

    def check(
        self, wanted: ExecutionRequest, credential: Credential, rejected: RejectedChange | None = None
    ) -> HeadTrial:
        """Never raises. A change may have brought it about that no result came: that passes nothing, see `Cause`."""
        found, why = self.results.get(wanted.number), self.unknown
        if found is not None:
            why = "" if self._is_for(found.ran, wanted) else self.changed
            why = why if found.head == wanted.head else self.other_commit
        self.ran_for.pop(wanted.number, None)
        if found is None or why:
            return HeadTrial(problem=why, blame=Cause.PERSON)
        self.ran_for[wanted.number] = found.ran
        return found.stood

    def verify(
        self, wanted: ExecutionRequest, claims: Sequence[ReviewClaim], credential: Credential
    ) -> tuple[ClaimTrial, ...]:
        return ()

    def code(self, repository: Repository, number: int, head: str, credential: Credential) -> CodeReader:
        raise SuggestionError(ELSEWHERE)

    def _is_for(self, ran: RunBasis, wanted: ExecutionRequest) -> bool:
        """Whether it ran for the same issue, policy and base: merged into that as it is, or as it was before."""
        try:
            same_tip = ran.tip == wanted.tip or self.is_older(ran.tip, wanted.tip)
        except GitHubError:
            return False
        return same_tip and ran.base == wanted.base and ran.asked == request_digest(wanted)


def recall_run(record: GateRecord, ran: RunBasis) -> TrialResult | None:
    """The run that a verdict stands on, by what is remembered beside its check; `None` where it needed none."""
    facts = restored(record.judged).facts
    if facts.trial.patch is None and not facts.trial.problem:
        return None
    return TrialResult(record.number, record.head, ran, facts.trial.without_fix())


class RunRecorder:
    """`Verifier`, and what each of its trials said."""

    def __init__(self, inner: Verifies) -> None:
        self.inner = inner
        self.results: list[TrialResult] = []
        self.verify, self.code = inner.verify, inner.code

    def check(
        self, wanted: ExecutionRequest, credential: Credential, rejected: RejectedChange | None = None
    ) -> HeadTrial:
        stood = self.inner.check(wanted, credential, None)  # without a model there is no fix to try
        self.results.append(result_of(wanted, stood))
        return stood
