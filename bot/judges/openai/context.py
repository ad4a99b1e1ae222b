"""Looking things up before judging: a model calls read-only tools, and what they showed becomes the question's context.

Looking and judging are apart. The verdict is asked for by the same bare question with context or without, what the
model said while looking is dropped, and what it saw stands in a fence like everything else from strangers.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.judges.agent.code_tools import LIMITS, CodeCall, CodeLimits, CodeReader, CodeTools, functions
from bot.judges.fence import fence
from bot.judges.openai.asking import Asker, UsageSum
from bot.judges.openai.completion import CutOff, NoAnswer
from bot.judges.openai.patch_texts import BUDGETS, PatchTexts
from bot.judges.openai.spend import CeilingReached, Spend
from bot.settings import Settings
from bot.verdicts import Usage

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LookupOutcome:
    """problem: why looking ended early, as a phrase; else empty."""

    calls: tuple[CodeCall, ...] = ()
    usage: Usage = Usage()
    problem: str = ""

    @property
    def context(self) -> str:
        """What was shown, for the next question."""
        return "\n\n".join(str(call) for call in self.calls if call.output)


class OpenAIContext(Asker):
    """Looks things up with the model of the settings. Never raises: what fails leaves what was seen before."""

    def __init__(self, settings: Settings, spend: Spend, *, limits: CodeLimits = LIMITS, **options: Any) -> None:
        super().__init__("patch-context", BUDGETS, settings, spend, **options)
        self._limits = limits

    def look(self, texts: PatchTexts, reader: CodeReader) -> LookupOutcome:
        """Until the model has seen enough, or a cap is reached."""
        tools = CodeTools(reader, self._limits)
        paid = UsageSum()
        problem = ""
        try:
            self._look(texts, tools, paid)
        except NoAnswer as reason:
            problem = reason.reason
        except (CutOff, CeilingReached) as reason:
            problem = str(reason) or "an answer was cut off"
        except Exception as error:  # noqa: BLE001 - a judge never raises; only the type is told, messages may hold secrets
            log.warning("looking things up failed: %s", type(error).__name__)
            problem = f"the judge failed ({type(error).__name__})"
        return LookupOutcome(tools.calls, paid.usage, problem)

    def _look(self, texts: PatchTexts, tools: CodeTools, paid: UsageSum) -> None:
        """Until the model calls nothing more, or a cap is reached."""
        fenced = fence({"issue": texts.issue, "change": texts.change}, self._budgets, self._draw)
        messages: list[Mapping[str, Any]] = list(self._prompt.messages(mark=fenced.mark, **fenced.texts))
        deadline = self._endpoint.deadline()
        while not tools.spent and paid.usage.tokens_in + paid.usage.tokens_out < self._limits.tokens:
            calls = self._endpoint.turn(messages, functions(), deadline, paid)
            if not calls:
                return
            asked = [{"type": "function", **call.model_dump()} for call in calls]
            messages.append({"role": "assistant", "content": "", "tool_calls": asked})
            for call in calls:
                shown = tools.call(call.function.name, call.function.arguments)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": _answer(shown, fenced.mark)})


def _answer(call: CodeCall, mark: str) -> str:
    """What a tool showed, in the conversation's fence, which it cannot close: the mark was drawn before it was read,
    and is taken out should a model have brought it there."""
    text = (call.output or call.refused).replace(mark, "")
    return f"<<<OUTPUT {mark}\n{text}\nOUTPUT {mark}>>>"
