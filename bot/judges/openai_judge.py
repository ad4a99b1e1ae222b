"""The model judge of issues: a prompt, one answer, at most one repair, then a judgement or an honest `Unavailable`."""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from bot.judges import model_calibration, prompts
from bot.judges.answer import Answer, BadAnswer, read_answer
from bot.judges.endpoint import CutOff, Endpoint, NoAnswer
from bot.judges.fence import fence, random_mark
from bot.judges.protocol import Judgement, Unavailable
from bot.judges.spend import CeilingReached, Purse, Spend
from bot.reports import Report
from bot.settings import Settings
from bot.verdicts import Usage

PROMPT = "issue-specification"
REPORT_BUDGET = 24_000  # characters of a report the model reads; more is cut in the middle
ECHO = 8_000  # characters of an unusable answer the model is shown again

log = logging.getLogger(__name__)


class OpenAIJudge:
    """Labels issues with the model of the settings. One for each process; safe for threads; never raises."""

    def __init__(
        self,
        settings: Settings,
        spend: Spend,
        *,
        draw: Callable[[], str] = random_mark,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._settings = settings
        self._prompt = prompts.load(PROMPT)
        self._draw = draw
        self._endpoint = Endpoint(
            settings, Purse(spend, settings.model_spend_per_day, self.name), clock=clock, sleep=sleep
        )

    @property
    def name(self) -> str:
        return f"{self._settings.model} with {self._prompt.title}"

    def judge(self, report: Report) -> Judgement | Unavailable:
        """Asks the model about what a human reader sees of the report, and nothing else."""
        paid = _Tally()
        try:
            answer = self._ask(report, paid)
        except NoAnswer as problem:
            result = self._unavailable(problem.reason, problem.retry, paid.usage)
        except CutOff:
            reason = f"the model's answer was longer than {self._settings.model_max_tokens} tokens"
            result = self._unavailable(f"{reason}: see BOUNCER_MODEL_MAX_TOKENS", True, paid.usage)
        except BadAnswer as problem:
            result = self._unavailable(f"the model's answer could not be used: {problem}", True, paid.usage)
        except CeilingReached as problem:
            result = replace(self._unavailable(str(problem), True, paid.usage), tomorrow=problem.tomorrow)
        except Exception as error:  # noqa: BLE001 - a judge never raises; only the type is told, messages may hold secrets
            log.warning("judge %s failed: %s", self.name, type(error).__name__)
            result = self._unavailable(f"the judge failed ({type(error).__name__})", True, paid.usage)
        else:
            return self._judgement(answer, paid.usage)
        log.info("judge %s unavailable: %s", self.name, result.reason)
        return result

    def _ask(self, report: Report, paid: "_Tally") -> Answer:
        """Two questions at most: the second says what was wrong with the first answer."""
        seen = f"{report.visible_title}\n\n{report.visible_text}"
        fenced = fence(seen, REPORT_BUDGET, self._draw)
        messages = self._prompt.messages(mark=fenced.mark, report=fenced.text)
        deadline = self._endpoint.deadline()
        text = ""
        try:
            text = self._endpoint.ask(messages, self._prompt.schema, deadline, paid)
            return read_answer(text, seen)
        except BadAnswer as problem:
            repair = _repair(text, str(problem))
        except CutOff:
            repair = _repair("", "it was cut off before its end; keep the reasoning to two sentences")
        log.info("judge %s: asking for a repair", self.name)
        return read_answer(self._endpoint.ask((*messages, *repair), self._prompt.schema, deadline, paid), seen)

    def _judgement(self, answer: Answer, usage: Usage) -> Judgement:
        log.info(
            "judge %s: %s, %d calls, %d tokens",
            self.name,
            answer.label,
            usage.calls,
            usage.tokens_in + usage.tokens_out,
        )
        return Judgement(
            label=answer.label,
            probability=model_calibration.probability(self._settings.model, answer.label),
            kind=answer.kind,
            judge=self.name,
            items=answer.items,
            questions=answer.questions,
            reasoning=answer.reasoning,
            usage=usage,
        )

    def _unavailable(self, reason: str, retry: bool, usage: Usage) -> Unavailable:
        return Unavailable(self.name, reason[:1].upper() + reason[1:] + ".", retry, usage)


class _Tally:
    """Adds up the usage of one judgement's calls."""

    def __init__(self) -> None:
        self.usage = Usage()

    def __call__(self, usage: Usage) -> None:
        self.usage += usage


def _repair(answer: str, problem: str) -> tuple[Mapping[str, str], ...]:
    ask = (
        f"That answer cannot be used: {problem}. Judge the report again and answer with one JSON object, nothing else."
    )
    shown = ({"role": "assistant", "content": answer[:ECHO]},) if answer else ()
    return (*shown, {"role": "user", "content": ask})
