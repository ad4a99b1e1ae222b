"""What every judge of issues looks like: a report in, a judgement or an honest `NoJudgement` out."""

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from bot.reports import Report
from bot.verdicts import IssueKind, Item, Question, SpecificationLabel, Usage

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judge's answer, before the policy turns it into a decision.

    probability: calibrated probability that a maintainer would want this issue bounced; `None` from rules.
    items: the judge's own view of each item (`True` supplied); items it says nothing about keep the parser's view.
    questions: the judge's own questions, best first; may be empty, then questions are made from the missing items.
    reasoning: what the judge wrote before its label.
    rule, reason: the rule that speaks against the report, by its name and as a sentence; empty from models.
    silent: models that should have voted and gave no answer; with any answer the label would be the same.
    """

    label: SpecificationLabel
    probability: float | None
    kind: IssueKind
    judge: str
    items: dict[Item, bool]
    questions: tuple[Question, ...] = ()
    reasoning: str = ""
    usage: Usage = Usage()
    rule: str = ""
    reason: str = ""
    silent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NoJudgement:
    """The judge could not answer. `reason` is a plain sentence for maintainers and holds no secret.

    retry: whether the same question may well be answered later (model down, rate limit), as opposed to never.
    tomorrow: it can be answered on the next UTC day, and no sooner (the day's money is spent).
    """

    judge: str
    reason: str
    retry: bool
    usage: Usage = Usage()
    tomorrow: bool = False


@dataclass(frozen=True, slots=True)
class Answered(Generic[T]):
    """A usable answer to one question. judge: who gave it, with prompt and version. usage: of all calls for it."""

    answer: T
    judge: str = ""
    usage: Usage = Usage()


class Named(Protocol):
    """Whoever answers, by the name that answers carry. None ever raises: whatever goes wrong is `NoJudgement`."""

    @property
    def name(self) -> str: ...


class IssueJudge(Named, Protocol):
    """Anything that labels issues."""

    def judge(self, report: Report) -> Judgement | NoJudgement: ...
