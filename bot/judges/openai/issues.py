"""The model judge of issues: one question about what a reader sees of the report, to each model that judges.

Several of them vote, and a cheap one may be asked before them.
"""

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from typing import ClassVar

from bot.judges.answer import read_answer
from bot.judges.calibration import model_calibration
from bot.judges.openai import models
from bot.judges.openai.asking import OneQuestion
from bot.judges.openai.spend import Spend
from bot.judges.protocol import IssueJudge, Judgement, NoJudgement
from bot.plain_text import clean
from bot.reports import Report, gives_orders
from bot.settings import Settings
from bot.verdicts import SpecificationLabel, Usage

_SEVERITY = {label: place for place, label in enumerate(SpecificationLabel)}  # from best to worst


def majority_label(labels: Sequence[SpecificationLabel]) -> SpecificationLabel:
    """The worst label that more than half give, or exceed: with two, the milder."""
    return sorted(labels, key=_SEVERITY.__getitem__, reverse=True)[len(labels) // 2]


class VotingJudge:
    """Asks all of them side by side. What the majority's label is worth was measured for the same models together
    (`model_calibration`), and they are named together. Never raises."""

    def __init__(self, judges: Sequence[IssueJudge]) -> None:
        self._judges = judges

    @property
    def name(self) -> str:
        return voters_name([judge.name for judge in self._judges])

    def judge(self, report: Report) -> Judgement | NoJudgement:
        """Whoever does not answer is named. `NoJudgement` where the label depends on what they would have said."""
        with ThreadPoolExecutor(len(self._judges)) as side_by_side:
            runs = [side_by_side.submit(copy_context().run, judge.judge, report) for judge in self._judges]
        answers = [run.result() for run in runs]
        usage = sum((answer.usage for answer in answers), Usage())
        votes = [answer for answer in answers if isinstance(answer, Judgement)]
        silent = [answer for answer in answers if isinstance(answer, NoJudgement)]
        label = settled_label([vote.label for vote in votes], len(silent))
        if label is None:
            return replace(_undecided(votes, silent), judge=self.name, usage=usage)
        return replace(
            next(vote for vote in votes if vote.label is label),
            judge=self.name,
            probability=model_calibration.probability(_models(self.name), label),
            silent=tuple(_models(each.judge) for each in silent),
            usage=usage,
        )


def settled_label(given: Sequence[SpecificationLabel], silent: int) -> SpecificationLabel | None:
    """The label of all together, where it is the same whatever those say who gave no answer; else `None`. silent: how
    many these are."""
    best, *_, worst = SpecificationLabel
    mildest, hardest = (majority_label([*given, *[label] * silent]) for label in (best, worst))
    return mildest if mildest is hardest else None


def _undecided(votes: Sequence[Judgement], silent: Sequence[NoJudgement]) -> NoJudgement:
    """Why there is no label: whoever may answer later first, for then it is worth asking again."""
    first = min(silent, key=lambda each: not each.retry)
    if not votes:
        return first
    names = ", ".join(_models(each.judge) for each in silent)
    return replace(first, reason=f"The vote depends on {names}, which gave no answer: {first.reason}")


def voters_name(names: Sequence[str]) -> str:
    """`a + b with prompt/1` for `a with prompt/1` and `b with prompt/1`; `a + b` where no prompt is named."""
    _, named, prompt = names[0].rpartition(" with ")
    return f"{' + '.join(map(_models, names))}{f' with {prompt}' if named else ''}"


_models = model_calibration.judged_by


class Cascade:
    """Asks a cheap judge first, and the others only where its answer leaves doubt (`model_calibration.settles`), or
    where the report gives orders to a judge: whom it steers shall not be the only one.

    The cheap one alone holds nothing that the others would not: what it settles is clear. So the others' promise of few
    false bounces holds for both together. Never raises.
    """

    def __init__(self, first: IssueJudge, then: IssueJudge) -> None:
        self._first = first
        self._then = then

    @property
    def name(self) -> str:
        return f"{_models(self._first.name)}, then {self._then.name}"

    def judge(self, report: Report) -> Judgement | NoJudgement:
        """Where the cheap one does not answer, the others are asked."""
        cheap = self._first.judge(report)
        settles = isinstance(cheap, Judgement) and model_calibration.settles(_models(cheap.judge), cheap.label)
        if settles and not gives_orders(report):
            return cheap
        answer = self._then.judge(report)
        return replace(answer, usage=cheap.usage + answer.usage)


REPORT_BUDGET = 24_000  # characters of a report the model reads; more is cut in the middle
WANTED_BUDGET = 1_000  # characters of what the project asks for

log = logging.getLogger(__name__)


class OpenAIJudge(OneQuestion):
    """Labels issues with the model of the settings. One for each process; safe for threads; never raises."""

    prompt = "issue-specification"
    budgets: ClassVar = {"report": REPORT_BUDGET, "wanted": WANTED_BUDGET}

    def judge(self, report: Report) -> Judgement | NoJudgement:
        """Asks the model about what a human reader sees of the report, and tells it what the project asks for."""
        seen = f"{report.visible_title}\n\n{report.visible_text}"
        wanted = "\n".join(f"- {clean(fact)}: {'found' if there else 'not found'}" for fact, there in report.asked_for)
        answered = self.ask(lambda text: read_answer(text, seen), wanted=wanted or "none", report=seen)
        if isinstance(answered, NoJudgement):
            return answered
        answer = answered.answer
        log.info("judge %s: %s", self.name, answer.label)
        probability = model_calibration.probability(self._settings.model, answer.label)
        return replace(answer, probability=probability, judge=self.name, usage=answered.usage)


def from_settings(settings: Settings, spend: Spend) -> IssueJudge:
    """The model that they name, or several."""
    votes = [OpenAIJudge(each, spend) for each in models.voters(settings)]
    judge = VotingJudge(votes) if len(votes) > 1 else votes[0]
    cheap = models.first(settings)
    return Cascade(OpenAIJudge(cheap, spend), judge) if cheap else judge
