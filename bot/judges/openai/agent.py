"""The agentic bouncer: the first answer of a review by working through the code, instead of by one question.

It is the loop of the fix (Passerine, section III) without edit and test, ended by a verdict. That verdict is bare: what
it was thinking is dropped, and a no goes through the same second question as any other.
"""

import time
from collections.abc import Callable
from typing import Any

from bot.judges.agent.code_tools import CodeCall, CodeReader
from bot.judges.agent.commands import REVIEW, Cat, CodeSearch, Command
from bot.judges.agent.loop import Observation, look, refused, walk
from bot.judges.code import Opinion
from bot.judges.openai.context import LookupOutcome
from bot.judges.openai.patches import FirstAnswer, label_of
from bot.judges.openai.spend import Spend
from bot.judges.openai.steps import OpenAIStepper
from bot.judges.patches import PatchSubject
from bot.judges.protocol import NoJudgement
from bot.judges.steps import STEPS, AgentStep, LoopEnd, Task
from bot.settings import Settings

SECONDS = 600.0  # for one review; a question that is under way is waited for


class OpenAIAgent:
    """One for each process; safe for threads; never raises."""

    def __init__(
        self, settings: Settings, spend: Spend, *, clock: Callable[[], float] = time.monotonic, **options: Any
    ) -> None:
        self._stepper = OpenAIStepper(settings, spend, REVIEW, clock=clock, **options)
        self._clock = clock

    @property
    def name(self) -> str:
        return self._stepper.name

    def first(self, subject: PatchSubject, code: CodeReader) -> tuple[FirstAnswer, LookupOutcome] | NoJudgement:
        """The verdict, and what was looked at on the way. An attempt that comes to none is `Unavailable`."""

        def act(command: Command) -> Observation:
            return look(code, command) if isinstance(command, Cat | CodeSearch) else refused("that cannot be done here")

        end = self._clock() + SECONDS
        trail = walk(self._stepper, Task(subject), act, steps=STEPS, in_time=lambda: self._clock() < end)
        if trail.unavailable:
            return trail.unavailable
        if trail.ended is not LoopEnd.FINISHED:
            return NoJudgement(self.name, f"The reviewer came to no verdict. {trail.why}", True, trail.usage)
        calls = tuple(_call(step) for step in trail.steps[:-1])
        context = "\n\n".join(str(call) for call in calls if call.output)
        return FirstAnswer(label_of(Opinion(trail.outcome))), LookupOutcome(context, calls, trail.usage)


def _call(step: AgentStep) -> CodeCall:
    if step.failed:
        return CodeCall(step.command, step.argument, refused=step.output)
    return CodeCall(step.command, step.argument, step.output)
