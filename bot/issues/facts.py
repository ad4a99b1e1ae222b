"""Everything the decision about an issue may know, and the rules that may decide, as frozen values."""

from dataclasses import dataclass
from enum import StrEnum

from bot.issues.agent_reach import AgentPast
from bot.judges.calibration.calibration import Calibration
from bot.judges.protocol import Judgement, NoJudgement
from bot.reports import Report
from bot.verdicts import Item, State


class IssueGround(StrEnum):
    """Which rule decided. Stored with its verdict; `issue_reasons.j2` has its sentence."""

    PRIVATE = "reads like a vulnerability"
    NEVER_HELD = "of a kind that is never held"
    UNREAD = "could not be read"
    REPOSITORY_BUDGET = "the repository's budget is spent"
    AUTHOR_BUDGET = "the author's budget is spent"
    NO_JUDGE = "no judge was asked"
    NO_ANSWER = "the judge did not answer"
    CONTRADICTED = "the judge contradicts the report"
    CLEAR = "says enough"
    UNHELD = "not held for what is missing"
    ASKS = "asks, and holds nothing"
    LABEL_ASKS = "asks for a maintainer's label"
    ANSWERABLE = "a question that can be answered"
    SUPPLIED = "what was asked for is there"
    NOTHING_TO_ASK = "nothing to ask for"
    WANTED = "what the policy asks for is missing"
    LEAVES_OUT = "leaves something out"


@dataclass(frozen=True, slots=True)
class IssueHistory:
    """What Bouncer remembers of one issue.

    held: Bouncer put the needs-clarification label on it and has not taken it off.
    label_by_human: a person put that label on; then it is not Bouncer's to take off. asked_by_label: it was somebody
        who may, when the policy had Bouncer ask for it.
    asked: items questions were asked about, in the order they were first asked.
    satisfied: items ever ticked; they are never missing and never asked about again.
    commented: a Bouncer comment stands on the issue.
    judged: a verdict other than UNAVAILABLE was reached before.
    reminded: the one reminder of the current hold was written.
    fixed: Bouncer's label says that what it reports is fixed.
    left_alone: why the policy had it not held at the newest look, as a phrase.
    """

    state: State = State.ACTIVE
    held: bool = False
    label_by_human: bool = False
    asked_by_label: bool = False
    asked: tuple[Item, ...] = ()
    satisfied: tuple[Item, ...] = ()
    commented: bool = False
    judged: bool = False
    reminded: bool = False
    fixed: bool = False
    left_alone: str = ""


@dataclass(frozen=True, slots=True)
class IssueFacts:
    """One look at one issue.

    judgement: the judge's answer, or `None` when no judge was asked (see `decide.wants_judge`).
    association: GitHub's `author_association` in lower case.
    labels: names as GitHub has them now. state: `open` or `closed`.
    answered_late: its reporter wrote after Bouncer had closed it for want of an answer, and nobody closed it since.
    private: whether the repository is, unless GitHub said otherwise. by_agent: its author is a coding agent's
        account or another bot, or an App wrote it for somebody.
    page: the address of its page; empty where there is none.
    calibration: what the judge's labels are worth here; `None` where what comes with Bouncer counts.
    past: how coding agents' pull requests ended here, as far as it is known.
    looks_today_repository, looks_today_author: judgements already made this UTC day, without this one.
    """

    report: Report
    judgement: Judgement | NoJudgement | None = None
    author: str = ""
    association: str = ""
    author_is_bot: bool = False
    labels: tuple[str, ...] = ()
    state: str = "open"
    answered_late: bool = False
    locked: bool = False
    history: IssueHistory = IssueHistory()
    private: bool = True
    by_agent: bool = False
    page: str = ""
    calibration: Calibration | None = None
    past: AgentPast = AgentPast()
    looks_today_repository: int = 0
    looks_today_author: int = 0

    def has_label(self, name: str) -> bool:
        """Whether the issue carries the label; GitHub ignores case in label names."""
        return name.lower() in (label.lower() for label in self.labels)


@dataclass(frozen=True, slots=True)
class CommentParts:
    """The parts of the one comment below its head; empty where there is none."""

    fixed: str = ""
    brief: str = ""
