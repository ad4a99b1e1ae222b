"""One question of a packaged prompt: strangers' texts in fences, one answer, at most one repair, else `NoJudgement`."""

import logging
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

from bot.judges.answer import BadAnswer
from bot.judges.fence import fence, random_mark
from bot.judges.openai import prompts
from bot.judges.openai.completion import CutOff, NoAnswer
from bot.judges.openai.endpoint import Endpoint
from bot.judges.openai.spend import CeilingReached, Spend, purse
from bot.judges.protocol import Answered, NoJudgement
from bot.settings import Settings
from bot.verdicts import Usage

ECHO = 8_000  # characters of an unusable answer the model is shown again

log = logging.getLogger(__name__)

T = TypeVar("T")


class Asker:
    """Asks the model of the settings what one prompt asks. One for each process; safe for threads; never raises.

    budgets: for each text the prompt takes, how many of its characters the model reads; more is cut in the middle.
    """

    def __init__(
        self,
        prompt: str,
        budgets: Mapping[str, int],
        settings: Settings,
        spend: Spend,
        *,
        draw: Callable[[], str] = random_mark,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._prompt = prompts.load(prompt)
        self._budgets = budgets
        self._settings = settings
        self._draw = draw
        self.name = f"{settings.model} with {self._prompt.title}"  # e.g. `gpt-4.1 with issue-specification/2`
        self._endpoint = Endpoint(settings, purse(settings, spend, self.name), clock=clock, sleep=sleep)

    def ask(self, read: Callable[[str], T], *, whole: Collection[str] = (), **texts: str) -> Answered[T] | NoJudgement:
        """What `read` makes of the answer; it raises BadAnswer where it can make nothing of it.

        whole: texts that are not shortened: with one that is too long nothing is asked.
        """
        if why := why_too_long({name: texts[name] for name in whole}, self._budgets):
            return NoJudgement(self.name, why, False)
        paid = UsageSum()
        try:
            answer = self._ask(read, texts, paid)
        except NoAnswer as problem:
            result = self._unavailable(problem.reason, problem.retry, paid.usage)
        except CutOff:
            reason = f"the model's answer was longer than {self._settings.model_max_tokens} tokens"
            result = self._unavailable(f"{reason}: see {self._settings.where('model_max_tokens')}", True, paid.usage)
        except BadAnswer as problem:
            result = self._unavailable(f"the model's answer could not be used: {problem}", True, paid.usage)
        except CeilingReached as problem:
            result = replace(self._unavailable(str(problem), True, paid.usage), tomorrow=problem.tomorrow)
        except Exception as error:  # noqa: BLE001 - a judge never raises; only the type is told, messages may hold secrets
            log.warning("judge %s failed: %s", self.name, type(error).__name__)
            result = self._unavailable(f"the judge failed ({type(error).__name__})", True, paid.usage)
        else:
            tokens = paid.usage.tokens_in + paid.usage.tokens_out
            log.info("judge %s answered: %d calls, %d tokens", self.name, paid.usage.calls, tokens)
            return Answered(answer, self.name, paid.usage)
        log.info("judge %s unavailable: %s", self.name, result.reason)
        return result

    def _ask(self, read: Callable[[str], T], texts: Mapping[str, str], paid: "UsageSum") -> T:
        """Two questions at most: the second says what was wrong with the first answer."""
        fenced = fence(texts, self._budgets, self._draw)
        messages = self._prompt.messages(mark=fenced.mark, **fenced.texts)
        deadline = self._endpoint.deadline()
        text = ""
        try:
            text = self._endpoint.ask(messages, self._prompt.schema, deadline, paid)
            return read(text)
        except BadAnswer as problem:
            repair = _repair(text, str(problem))
        except CutOff:
            repair = _repair("", "it was cut off before its end; keep it short")
        log.info("judge %s: asking for a repair", self.name)
        return read(self._endpoint.ask((*messages, *repair), self._prompt.schema, deadline, paid))

    def _unavailable(self, reason: str, retry: bool, usage: Usage) -> NoJudgement:
        return NoJudgement(self.name, reason[:1].upper() + reason[1:] + ".", retry, usage)


class OneQuestion(Asker):
    """Whoever asks with a single prompt. prompt, budgets: see `Asker`."""

    prompt: ClassVar[str]
    budgets: ClassVar[Mapping[str, int]]

    def __init__(self, settings: Settings, spend: Spend, *, wording: str = "", **options: Any) -> None:
        """wording: the end of the name of a prompt that asks the same in other words."""
        super().__init__(self.prompt + wording, self.budgets, settings, spend, **options)


def why_too_long(texts: Mapping[str, str], budgets: Mapping[str, int]) -> str:
    """Which text cannot be asked about whole, as a sentence; empty where all can."""
    for what, text in texts.items():
        if len(text) > budgets[what]:
            return f"The {what} is too long to be judged whole ({len(text):,} characters, at most {budgets[what]:,})."
    return ""


class UsageSum:
    """Adds up the usage of calls."""

    def __init__(self) -> None:
        self.usage = Usage()

    def __call__(self, usage: Usage) -> None:
        self.usage += usage


def _repair(answer: str, problem: str) -> tuple[Mapping[str, str], ...]:
    ask = f"That answer cannot be used: {problem}. Do the task again and answer with one JSON object, nothing else."
    shown = ({"role": "assistant", "content": answer[:ECHO]},) if answer else ()
    return (*shown, {"role": "user", "content": ask})
