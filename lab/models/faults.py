"""Does the rationale of a review name the fault that the program is known to have? For measuring alone.

Overcorrection paper, section 4.4 (A2): the evaluator compares the rationale with the known kind of the fault and with
what one sees of it. Whether the verdict is right is not asked.
"""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

from bot.judges.answer import read_as
from bot.judges.code import Opinion
from bot.judges.fence import apparent
from bot.judges.openai.asking import Asker
from bot.judges.openai.questions import RATIONALE
from bot.judges.openai.spend import Spend
from bot.judges.protocol import NoJudgement
from bot.judges.reviews import Awareness
from bot.settings import Settings

_LABEL = 200  # characters of a data set's label that are read


@dataclass(frozen=True, slots=True)
class FaultAwareness:
    """What a rationale says of the fault's kind, and of its symptom."""

    bug: Awareness
    symptom: Awareness


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore")

    bug: Awareness
    symptom: Awareness


class OpenAIFaultEvaluator:
    """Safe for threads; never raises."""

    def __init__(self, settings: Settings, spend: Spend, **options: Any) -> None:
        budgets = {"verdict": len("yes"), "rationale": RATIONALE, "bug": _LABEL, "symptom": _LABEL}
        self._asker = Asker("rationale-fault", budgets, settings, spend, **options)

    @property
    def name(self) -> str:
        return self._asker.name

    def evaluate(self, verdict: Opinion, rationale: str, bug: str, symptom: str) -> FaultAwareness | NoJudgement:
        """bug, symptom: the data set's labels of a wrong program. An empty rationale mentions neither, unasked."""
        if not rationale.strip():
            return FaultAwareness(Awareness.NOT_MENTIONED, Awareness.NOT_MENTIONED)
        texts = {"verdict": verdict.value, "rationale": apparent(rationale), "bug": bug, "symptom": symptom}
        answered = self._asker.ask(lambda text: read_as(_Answer, text), **texts)
        if isinstance(answered, NoJudgement):
            return answered
        return FaultAwareness(answered.answer.bug, answered.answer.symptom)
