"""The separate evaluator: does a rationale say what its verdict says? It sees neither the issue nor the change.

Overcorrection paper, section 4.3 (A1): the evaluator checks verdict and rationale against each other and never whether
the verdict is right. What it calls unclear counts as inconsistent too (section 6.1).
"""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, StrictStr

from bot.judges.answer import BadAnswer, read_as, verbatim
from bot.judges.code import Opinion
from bot.judges.openai.asking import Asker
from bot.judges.openai.spend import Spend
from bot.judges.protocol import NoJudgement
from bot.judges.reviews import Consistency
from bot.judges.unseen import apparent
from bot.settings import Settings
from bot.verdicts import Usage

RATIONALE = 6_000  # characters the evaluator reads

_CONTRADICTS = {Consistency.NO_BUT_POSITIVE: Opinion.NO, Consistency.YES_BUT_NEGATIVE: Opinion.YES}


@dataclass(frozen=True, slots=True)
class Evaluated:
    """quote: the words of the rationale that settle it; empty where those given are not in it. Untrusted."""

    consistency: Consistency
    quote: str
    judge: str
    usage: Usage = Usage()


class _Answer(BaseModel):
    quote: StrictStr
    label: Consistency


class OpenAIEvaluator:
    """Never raises."""

    def __init__(self, settings: Settings, spend: Spend, **options: Any) -> None:
        budgets = {"verdict": len("yes"), "rationale": RATIONALE}
        self._asker = Asker("patch-consistency", budgets, settings, spend, **options)
        self.name = self._asker.name

    def evaluate(self, verdict: Opinion, rationale: str) -> Evaluated | NoJudgement:
        """An empty rationale is unclear without asking."""
        if not rationale.strip():
            return Evaluated(Consistency.UNCLEAR, "", self.name)
        shown = apparent(rationale)
        answered = self._asker.ask(lambda text: _read(verdict, text), verdict=verdict.value, rationale=shown)
        if isinstance(answered, NoJudgement):
            return answered
        said = answered.answer
        return Evaluated(said.label, verbatim(said.quote, shown), self.name, answered.usage)


def _read(verdict: Opinion, text: str) -> _Answer:
    answer = read_as(_Answer, text)
    if _CONTRADICTS.get(answer.label, verdict) is not verdict:
        raise BadAnswer(f"the answer that was given is {verdict.value}, so the label cannot be {answer.label.value}")
    return answer
