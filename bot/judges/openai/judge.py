"""The model judge of issues: one question about what a reader sees of the report, to each model that judges."""

import logging
from typing import Any

from bot.judges.answer import read_answer
from bot.judges.calibration import model_calibration
from bot.judges.openai import models
from bot.judges.openai.asking import Asker
from bot.judges.openai.several import Cascade, VotingJudge
from bot.judges.openai.spend import Spend
from bot.judges.protocol import IssueJudge, Judgement, NoJudgement
from bot.reports import Report
from bot.settings import Settings

PROMPT = "issue-specification"
REPORT_BUDGET = 24_000  # characters of a report the model reads; more is cut in the middle

log = logging.getLogger(__name__)


class OpenAIJudge:
    """Labels issues with the model of the settings. One for each process; safe for threads; never raises."""

    def __init__(self, settings: Settings, spend: Spend, **options: Any) -> None:
        self._model = settings.model
        self._asker = Asker(PROMPT, {"report": REPORT_BUDGET}, settings, spend, **options)
        self.name = self._asker.name

    def judge(self, report: Report) -> Judgement | NoJudgement:
        """Asks the model about what a human reader sees of the report, and nothing else."""
        seen = f"{report.visible_title}\n\n{report.visible_text}"
        answered = self._asker.ask(lambda text: read_answer(text, seen), report=seen)
        if isinstance(answered, NoJudgement):
            return answered
        answer = answered.answer
        log.info("judge %s: %s", self.name, answer.label)
        return Judgement(
            label=answer.label,
            probability=model_calibration.probability(self._model, answer.label),
            kind=answer.kind,
            judge=self.name,
            items=answer.items,
            questions=answer.questions,
            reasoning=answer.reasoning,
            usage=answered.usage,
        )


def from_settings(settings: Settings, spend: Spend) -> IssueJudge:
    """The model that they name, or several."""
    votes = [OpenAIJudge(each, spend) for each in models.voters(settings)]
    judge = VotingJudge(votes) if len(votes) > 1 else votes[0]
    cheap = models.first(settings)
    return Cascade(OpenAIJudge(cheap, spend), judge) if cheap else judge
