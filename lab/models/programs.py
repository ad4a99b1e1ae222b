"""The model as reviewer of whole programs in the overcorrection paper's three modes (section 3). For measuring alone:
the product asks for the bare verdict first, and for a fix only after a no (`OpenAIReviewer`).

Section 4.4 (A2): an evaluator compares a review's rationale with the known kind of a program's fault and with what one
sees of it. Whether the verdict is right is not asked.
"""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, StrictStr

from bot.judges.answer import read_as
from bot.judges.code import Opinion
from bot.judges.fence import apparent, encodable
from bot.judges.openai.asking import Asker, why_too_long
from bot.judges.openai.questions import BUDGETS, RATIONALE, OpenAIReviewer
from bot.judges.openai.spend import Spend
from bot.judges.protocol import NoJudgement
from bot.judges.reviews import ReviewMode
from bot.settings import Settings
from lab.scores.review import Awareness

_LABEL = 200  # characters of a data set's label that are read


PROMPTS = {ReviewMode.EXPLAIN: "program-explain", ReviewMode.FULL: "program-full"}


@dataclass(frozen=True, slots=True)
class ProgramReview:
    """fix: the whole program as the model would have it; empty after a yes, and where it was not asked for one."""

    verdict: Opinion
    rationale: str = ""
    fix: str = ""


class _Explained(BaseModel):
    model_config = ConfigDict(extra="ignore")
    verdict: Opinion
    rationale: StrictStr
    fix: StrictStr = ""


class OpenAIProgramJudge:
    """Direct is the bare verdict, and after a no a second question for the fix. Safe for threads; never raises.

    wording: 0 asks in the words of the product, the others say the same in words of their own (section 8.2).
    """

    def __init__(self, settings: Settings, spend: Spend, mode: ReviewMode, *, wording: int = 0, **options: Any) -> None:
        end = f"-{wording + 1}" if wording else ""
        direct = mode is ReviewMode.DIRECT
        self._direct = OpenAIReviewer(settings, spend, wording=end, **options) if direct else None
        self._asker = None if direct else Asker(PROMPTS[mode] + end, BUDGETS, settings, spend, **options)

    @property
    def name(self) -> str:
        return (self._direct or self._asked()).name

    def review(self, specification: str, source: str) -> ProgramReview | NoJudgement:
        """One question, or two. A specification or a program that is too long is not asked about."""
        if self._direct:
            found = self._direct.review(specification, source, ())
            return found if isinstance(found, NoJudgement) else ProgramReview(found.opinion, fix=found.fix or "")
        texts = {"specification": apparent(specification), "program": apparent(source)}
        if why := why_too_long(texts, BUDGETS):
            return NoJudgement(self.name, why, False)
        answered = self._asked().ask(lambda text: read_as(_Explained, text), **texts, failed_tests="none")
        if isinstance(answered, NoJudgement):
            return answered
        said = answered.answer
        fix = said.fix.strip() and said.verdict is Opinion.NO
        return ProgramReview(said.verdict, encodable(said.rationale.strip()), encodable(said.fix) if fix else "")

    def _asked(self) -> Asker:
        assert self._asker is not None
        return self._asker


class FaultAwareness(BaseModel):
    """What a rationale says of the fault's kind, and of its symptom."""

    model_config = ConfigDict(extra="ignore", frozen=True)

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
            return FaultAwareness(bug=Awareness.NOT_MENTIONED, symptom=Awareness.NOT_MENTIONED)
        texts = {"verdict": verdict.value, "rationale": apparent(rationale), "bug": bug, "symptom": symptom}
        answered = self._asker.ask(lambda text: read_as(FaultAwareness, text), **texts)
        return answered if isinstance(answered, NoJudgement) else answered.answer
