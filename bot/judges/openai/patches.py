"""The model judge of patches: one question, in one of four modes. The verdict comes first in all but BouncerBench's.

Asking for a fix in the same breath makes models reject correct code (overcorrection paper, sections 5.1 and 7.1), so
`Mode.DIRECT` is the default wherever there is a choice.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import BaseModel, StrictStr

from bot.judges.agent.edits import MOST, Edit
from bot.judges.answer import in_shape, read_as
from bot.judges.code import Opinion
from bot.judges.fence import encodable
from bot.judges.openai.asking import Asker
from bot.judges.openai.patch_texts import BUDGETS, PatchTexts, patch_texts
from bot.judges.openai.spend import Spend
from bot.judges.patches import BOUNCED, PatchSubject, probability_of_wrong
from bot.judges.protocol import Answered, NoJudgement
from bot.judges.reviews import PatchReview, ReviewMode
from bot.settings import Settings
from bot.verdicts import PatchLabel, Usage

MAX_RATIONALE = 4_000  # characters that are kept

PROMPTS = {
    ReviewMode.DIRECT: "patch-verdict",
    ReviewMode.EXPLAIN: "patch-explain",
    ReviewMode.FULL: "patch-full",
    ReviewMode.LABEL: "patch-label",
}


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """What the first question gave. label: where the mode asks for none, what the bare verdict amounts to."""

    label: PatchLabel
    rationale: str = ""
    fix: tuple[Edit, ...] = ()

    def review(self, judge: str, mode: ReviewMode, usage: Usage) -> PatchReview:
        """The review as it begins."""
        return PatchReview(
            label=self.label,
            rejects=self.label in BOUNCED,
            probability=probability_of_wrong(self.label),
            judge=judge,
            mode=mode,
            rationale=self.rationale,
            fix=self.fix,
            usage=usage,
        )


class _Verdict(BaseModel):
    verdict: Opinion


class _Explained(_Verdict):
    rationale: StrictStr


class _Edit(BaseModel):
    path: StrictStr
    before: StrictStr
    after: StrictStr


class _Full(_Explained):
    fix: list[Any]


class _Label(BaseModel):
    reasoning: StrictStr
    label: PatchLabel


def read_first(mode: ReviewMode, text: str) -> FirstAnswer:
    """The answer in this mode. Raises BadAnswer. A fix that is not in shape is none: the verdict stands without it."""
    if mode is ReviewMode.LABEL:
        labelled = read_as(_Label, text)
        return FirstAnswer(labelled.label, kept(labelled.reasoning))
    if mode is ReviewMode.DIRECT:
        return FirstAnswer(label_of(read_as(_Verdict, text).verdict))
    if mode is ReviewMode.EXPLAIN:
        explained = read_as(_Explained, text)
        return FirstAnswer(label_of(explained.verdict), kept(explained.rationale))
    full = read_as(_Full, text)
    fix = _fix(full.fix) if full.verdict is Opinion.NO else ()
    return FirstAnswer(label_of(full.verdict), kept(full.rationale), fix)


def kept(rationale: str) -> str:
    """What is kept of a rationale."""
    return encodable(rationale.strip())[:MAX_RATIONALE]


class OpenAIPatchJudge(Asker):
    """A `PatchJudge`: the first question alone. One for each process; safe for threads; never raises."""

    def __init__(self, settings: Settings, spend: Spend, mode: ReviewMode = ReviewMode.DIRECT, **options: Any) -> None:
        super().__init__(PROMPTS[mode], BUDGETS, settings, spend, **options)
        self.mode = mode

    def judge(self, subject: PatchSubject) -> PatchReview | NoJudgement:
        """One question about issue, change and context."""
        texts = patch_texts(subject)
        if isinstance(texts, str):
            return NoJudgement(self.name, texts, False)
        answered = self.first(texts)
        if isinstance(answered, NoJudgement):
            return answered
        return answered.answer.review(self.name, self.mode, answered.usage)

    def first(self, texts: PatchTexts) -> Answered[FirstAnswer] | NoJudgement:
        """The same for texts that were prepared."""
        return self.ask(partial(read_first, self.mode), **texts.texts)


def label_of(verdict: Opinion) -> PatchLabel:
    """What a bare verdict amounts to."""
    return PatchLabel.CORRECT_AND_PRECISE if verdict is Opinion.YES else PatchLabel.INCORRECT


def _fix(raw: list[Any]) -> tuple[Edit, ...]:
    """All of it or nothing: half a fix would be another program than the one that was meant."""
    if len(raw) > MOST:
        return ()
    edits = in_shape(_Edit, raw)
    if len(edits) < len(raw):
        return ()
    return tuple(Edit(edit.path, encodable(edit.before), encodable(edit.after)) for edit in edits)
