"""The model as namer of refuted rejections: one question."""

from typing import Any

from pydantic import BaseModel

from bot.judges.answer import read_as
from bot.judges.openai.asking import Asker
from bot.judges.openai.patch_texts import ISSUE
from bot.judges.openai.spend import Spend
from bot.judges.protocol import NoJudgement
from bot.judges.rejections import NamedRejection, Rejection
from bot.judges.unseen import apparent, stripped
from bot.settings import Settings

RATIONALE = 6_000  # characters


class _Category(BaseModel):
    category: Rejection


class OpenAIRejectionNamer:
    """A `RejectionNamer`."""

    def __init__(self, settings: Settings, spend: Spend, **options: Any) -> None:
        budgets = {"issue": ISSUE, "rationale": RATIONALE}
        self._asker = Asker("rejection-name", budgets, settings, spend, **options)
        self.name = self._asker.name

    def named(self, issue: str, rationale: str) -> NamedRejection | NoJudgement:
        """The one main reason, as the paper assigns it (section 4.2)."""
        answered = self._asker.ask(
            lambda text: read_as(_Category, text), issue=stripped(issue), rationale=apparent(rationale)
        )
        if isinstance(answered, NoJudgement):
            return answered
        return NamedRejection(answered.answer.category, self.name, answered.usage)
