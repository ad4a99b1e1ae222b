"""The model as a judge of agents' traces, by the behaviours of FixedBench (appendix D). For measuring alone.

It sees tool calls and what they showed, never what an agent was thinking, which misleads it (section 3.3). Beside
people such a judge had a precision of 80.5% and a recall of 75.0% (appendix C); `no_op_edit` was named too often.
"""

from functools import partial
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from bot.judges.answer import read_as
from bot.judges.fence import apparent
from bot.judges.openai.asking import OneQuestion
from bot.judges.openai.patch_texts import ISSUE
from bot.judges.protocol import NoJudgement
from bot.verdicts import Decision
from lab.scores.abstention import Behaviour

_TRACE = 120_000  # characters; the middle of more is left out


class _Shown(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    behaviours: list[Behaviour]


class OpenAITraceJudge(OneQuestion):
    """Safe for threads; never raises."""

    prompt = "trace-behaviours"
    budgets: ClassVar = {"issue": ISSUE, "history": _TRACE}

    def look(self, issue: str, trace: str) -> dict[str, Any]:
        """The behaviours that the trace shows, as `bench fixed` keeps them; without these where there is no answer."""
        found = self.ask(partial(read_as, _Shown), issue=apparent(issue) or "unknown", history=apparent(trace))
        if isinstance(found, NoJudgement):
            return {"label": Decision.UNAVAILABLE.value}
        return {"label": "", "behaviours": sorted({*found.answer.behaviours})}
