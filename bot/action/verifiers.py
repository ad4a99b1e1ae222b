"""In the place of the server's verifier: how a commit ran is written down in one job, and read in another."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
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
from bot.verification.execution import Executed, RejectedChange
from bot.verification.standing import HeadTrial
from bot.workflows.services import Verifies
from bot.workflows.verifier import ExecutionRequest

NO_RESULT = "The job that runs the tests left no result that can be taken"
MEANWHILE = "The issue, the policy or the base changed while the tests ran. Run this workflow again."
CHANGED = "The issue, the policy or the base changed since this commit ran. Run its workflow again."
NOTHING_KNOWN = "Nothing is known of how this commit ran. Run its workflow again."
ELSEWHERE = "Here nothing is executed; the first job does that."


def _a_person_must_look(why: str) -> Executed:
    """A change may have brought it about that no result came. So that passes nothing: see `Cause`."""
    return Executed(HeadTrial(problem=why, blame=Cause.PERSON))


@dataclass(kw_only=True)
class _ReplayVerifier(ABC):
    """`Verifies` in a job that executes nothing, by what a job wrote down. is_older: whether GitHub says that a base's
    commit is the later one itself, or what that was built upon. ran_for: of each pull request, what the run was for
    that its verdict stands on."""

    is_older: Callable[[str, str], bool] = lambda tip, now: False
    ran_for: dict[int, RunBasis] = field(default_factory=dict)

    def check(
        self, wanted: ExecutionRequest, credential: Credential, rejected: RejectedChange | None = None
    ) -> Executed:
        """Never raises."""
        found = self.look_up(wanted)
        if isinstance(found, str):
            self.ran_for.pop(wanted.number, None)
            return _a_person_must_look(found)
        self.ran_for[wanted.number], executed = found
        return executed

    def verify(
        self, wanted: ExecutionRequest, claims: Sequence[ReviewClaim], credential: Credential
    ) -> tuple[ClaimTrial, ...]:
        return ()

    def code(self, repository: Repository, number: int, head: str, credential: Credential) -> CodeReader:
        raise SuggestionError(ELSEWHERE)

    @abstractmethod
    def look_up(self, wanted: ExecutionRequest) -> tuple[RunBasis, Executed] | str:
        """What is known of such a run, or why nothing is, as a sentence."""

    def is_for(self, ran: RunBasis, wanted: ExecutionRequest) -> bool:
        """Whether it ran for the same issue, policy and base: merged into that as it is, or as it was before."""
        try:
            same_tip = ran.tip == wanted.tip or self.is_older(ran.tip, wanted.tip)
        except GitHubError:
            return False
        return same_tip and ran.base == wanted.base and ran.asked == request_digest(wanted)


@dataclass
class ArtifactVerifier(_ReplayVerifier):
    """What the first job of this run left. results: of it; problem: why there are none, as a phrase."""

    results: tuple[TrialResult, ...] = ()
    problem: str = ""

    def look_up(self, wanted: ExecutionRequest) -> tuple[RunBasis, Executed] | str:
        found = next((each for each in self.results if each.number == wanted.number), None)
        if found is None:
            return f"{NO_RESULT}: {self.problem or 'it tells nothing of this pull request'}."
        if found.head != wanted.head:
            return f"{NO_RESULT}: it is of another commit."
        ran = RunBasis(found.base, found.tip, found.asked)
        return (ran, found.executed) if self.is_for(ran, wanted) else MEANWHILE


@dataclass
class MemoryVerifier(_ReplayVerifier):
    """The same where no job ran anything: by what is remembered beside the check. known: the records of pull
    requests, as they were remembered."""

    known: dict[int, GateRecord] = field(default_factory=dict)

    def look_up(self, wanted: ExecutionRequest) -> tuple[RunBasis, Executed] | str:
        record, ran = self.known.get(wanted.number), self.ran_for.get(wanted.number)
        if record is None or ran is None or record.head != wanted.head or not record.judged:
            return NOTHING_KNOWN
        facts = restored(record.judged).facts
        if facts.patch is None and not facts.unexecuted:  # that verdict needed no run, and this one does
            return NOTHING_KNOWN
        if not self.is_for(ran, wanted):
            return CHANGED
        stood = HeadTrial(
            patch=facts.patch,
            strength=facts.strength,
            claimed=facts.claimed,
            upheld=facts.upheld,
            problem=facts.unexecuted,
            shown=facts.shown,
            conflict=facts.conflict,
            blame=facts.blame,
        )
        return ran, Executed(stood, without_model=facts.without_model)


class RunRecorder:
    """`Verifier`, and what each of its trials said."""

    def __init__(self, inner: Verifies) -> None:
        self.inner = inner
        self.results: list[TrialResult] = []
        self.verify, self.code = inner.verify, inner.code

    def check(
        self, wanted: ExecutionRequest, credential: Credential, rejected: RejectedChange | None = None
    ) -> Executed:
        executed = self.inner.check(wanted, credential, None)  # without a model there is no fix to try
        self.results.append(result_of(wanted, executed))
        return executed
