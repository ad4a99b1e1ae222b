"""In the place of the server's verifier: how a commit ran is written down in one job, and read in another."""

from collections.abc import Callable
from dataclasses import dataclass, field

from bot.action.trial_result import TrialResult, asked_of, result_of
from bot.github.channel import Credential
from bot.github.errors import GitHubError
from bot.github.values import Repository
from bot.judges.agent.code_tools import CodeReader
from bot.pulls.result import restored
from bot.pulls.suggestions import SuggestionError
from bot.storage.gates import GateRecord
from bot.verdicts import Cause
from bot.verification.questions import VerificationQuestion
from bot.verification.rejected import Executed, RejectedChange
from bot.verification.standing import HeadTrial
from bot.verification.verified import Verified
from bot.workflows.execution import ExecutionRequest, unavailable
from bot.workflows.services import Verifies

NO_RESULT = "The job that runs the tests left no result that can be taken"
MEANWHILE = "The issue, the policy or the base changed while the tests ran. Run this workflow again."
NOTHING_KNOWN = "Nothing is known of how this commit ran. Run its workflow again."
ELSEWHERE = "Here nothing is executed; the first job does that."


def _a_person_must_look(why: str) -> Executed:
    """A change may have brought it about that no result came. So that passes nothing: see `Cause`."""
    return Executed(HeadTrial(problem=why, blame=Cause.PERSON))


class _NothingRuns:
    """What the other two questions are answered with, in a job that executes nothing."""

    def verify(self, wanted: ExecutionRequest, credential: Credential) -> tuple[Verified, VerificationQuestion | None]:
        return unavailable(ELSEWHERE), None

    def code(self, repository: Repository, number: int, head: str, credential: Credential) -> CodeReader:
        raise SuggestionError(ELSEWHERE)


@dataclass
class RanElsewhere(_NothingRuns):
    """`Verifies`, by what the first job left. results: of it; problem: why there are none, as a phrase. is_older:
    whether GitHub says that a base's commit is the later one itself, or what that was built upon."""

    results: tuple[TrialResult, ...] = ()
    problem: str = ""
    is_older: Callable[[str, str], bool] = lambda tip, now: False

    def check(
        self, wanted: ExecutionRequest, credential: Credential, rejected: RejectedChange | None = None
    ) -> Executed:
        """Never raises."""
        found = next((each for each in self.results if each.number == wanted.number), None)
        if found is None:
            return _a_person_must_look(f"{NO_RESULT}: {self.problem or 'it tells nothing of this pull request'}.")
        if found.head != wanted.head:
            return _a_person_must_look(f"{NO_RESULT}: it is of another commit.")
        if found.base != wanted.base or found.asked != asked_of(wanted) or not self._same_tip(found, wanted):
            return _a_person_must_look(MEANWHILE)
        return found.executed

    def _same_tip(self, found: TrialResult, wanted: ExecutionRequest) -> bool:
        """Whether it was merged into the base as it is, or as it was a moment ago."""
        try:
            return found.tip == wanted.tip or self.is_older(found.tip, wanted.tip)
        except GitHubError:
            return False


@dataclass
class RanBefore(_NothingRuns):
    """The same where no job ran anything: by what is remembered beside the check. known: the records of pull
    requests, as they were remembered."""

    known: dict[int, GateRecord] = field(default_factory=dict)

    def check(
        self, wanted: ExecutionRequest, credential: Credential, rejected: RejectedChange | None = None
    ) -> Executed:
        """Never raises."""
        record = self.known.get(wanted.number)
        if record is None or record.head != wanted.head or not record.judged:
            return _a_person_must_look(NOTHING_KNOWN)
        facts = restored(record.judged).facts
        stood = HeadTrial(
            patch=facts.patch,
            strength=facts.strength,
            claimed=facts.claimed,
            problem=facts.unexecuted,
            shown=facts.shown,
            conflict=facts.conflict,
            blame=facts.blame,
        )
        return Executed(stood)


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
