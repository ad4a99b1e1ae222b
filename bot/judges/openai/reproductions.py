"""The model as writer of reproductions: one question."""

from typing import Any

from pydantic import BaseModel, StrictStr, ValidationError

from bot.judges.answer import read_as
from bot.judges.fence import encodable
from bot.judges.openai.asking import Asker
from bot.judges.openai.patch_texts import ISSUE
from bot.judges.openai.spend import Spend
from bot.judges.protocol import NoJudgement
from bot.judges.reproductions import Shows, Sketch, Sketched
from bot.judges.unseen import stripped
from bot.settings import Settings

MOST = 4  # sketches of one answer that are looked at
PACKAGE = 200  # characters


class _Sketch(BaseModel):
    clause: StrictStr
    code: StrictStr
    shows: Shows
    exception: StrictStr


class _Answer(BaseModel):
    reproductions: list[Any]


class OpenAIReproductionWriter:
    """A `ReproductionWriter`."""

    def __init__(self, settings: Settings, spend: Spend, **options: Any) -> None:
        budgets = {"report": ISSUE, "package": PACKAGE}
        self._asker = Asker("report-reproduction", budgets, settings, spend, **options)
        self.name = self._asker.name

    def write(self, report: str, package: str) -> Sketched | NoJudgement:
        """One question. A script of the answer that is not in shape is left out."""
        texts = {"report": stripped(report), "package": package or "not known"}
        answered = self._asker.ask(lambda text: read_as(_Answer, text), **texts)
        if isinstance(answered, NoJudgement):
            return answered
        read = (_sketch(entry) for entry in answered.answer.reproductions[:MOST])
        return Sketched(tuple(sketch for sketch in read if sketch), self.name, answered.usage)


def _sketch(entry: Any) -> Sketch | None:
    try:
        found = _Sketch.model_validate(entry)
    except ValidationError:
        return None
    return Sketch(found.clause, encodable(found.code), found.shows, found.exception.strip())
