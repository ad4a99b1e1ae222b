"""The agentic bouncer: the first answer of a review by working through the code, instead of by one question.

It is the loop of the fix (Passerine, section III) without edit and test, ended by a verdict. That verdict is bare: what
it was thinking is dropped, and a no goes through the same second question as any other.

Every step is one question that shows the task and all that was done. It is asked for like every other answer, by JSON
schema where the endpoint takes one, else by a tool or in words, so that the loop runs on endpoints without tool calling
too. Task and history stand in one question's fence, whose mark is new at every step: nothing that a command brought up
was written by somebody who could know it. Each line of an output is set in, so that none can pass for a further step.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from bot.judges.agent.code_tools import CodeCall, CodeReader
from bot.judges.agent.commands import REPAIR, REVIEW, Cat, CodeSearch, Command, Repertoire, read_command
from bot.judges.agent.loop import Observation, look, refused, walk
from bot.judges.claims import Claim
from bot.judges.code import Opinion
from bot.judges.openai.asking import Asker
from bot.judges.openai.context import LookupOutcome
from bot.judges.openai.patch_texts import BUDGETS, patch_texts
from bot.judges.openai.patches import FirstAnswer, label_of
from bot.judges.openai.spend import Spend
from bot.judges.patches import PatchSubject
from bot.judges.protocol import Answered, NoJudgement
from bot.judges.steps import STEPS, AgentStep, LoopEnd, Task
from bot.settings import Settings

HISTORY = 120_000  # characters of all that was done; its middle is left out when there is more
CLAIMS = 6_000
EARLIER = 12_000  # of the attempts before


class OpenAIStepper(Asker):
    """A `Stepper`. One for each process; safe for threads; never raises. An unusable answer is asked for once more."""

    def __init__(self, settings: Settings, spend: Spend, repertoire: Repertoire = REPAIR, **options: Any) -> None:
        budgets = {**BUDGETS, "claims": CLAIMS, "earlier": EARLIER, "history": HISTORY}
        super().__init__(repertoire.prompt, budgets, settings, spend, **options)
        self._repertoire = repertoire

    def next(self, task: Task, history: tuple[AgentStep, ...]) -> Answered[Command] | NoJudgement:
        texts = patch_texts(task.subject)
        if isinstance(texts, str):
            return NoJudgement(self.name, texts, False)
        return self.ask(
            partial(read_command, self._repertoire),
            **texts.texts,
            claims="\n".join(map(_claim, task.claims)) or "none",
            earlier="\n\n".join(task.earlier) or "none",
            history="\n".join(map(_step, history)) or "none: this is the first step",
        )


def _claim(claim: Claim) -> str:
    tried = claim.counterexample
    parts = (
        f"- {claim.symptom}",
        f"  the requirement: {claim.quote}" if claim.quote else "",
        f"  to be seen by: {tried.what} -> {tried.expected}" if tried else "",
        f"  perhaps because: {claim.guess}" if claim.guess else "",
    )
    return "\n".join(part for part in parts if part)


def _step(step: AgentStep) -> str:
    output = "".join(f"\n  | {line}" for line in step.output.split("\n")) if step.output else ""
    return f"{step.number}. {step.command} {step.argument}{output}"


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
        """The verdict, and what was looked at on the way. An attempt that comes to none is `NoJudgement`."""

        def act(command: Command) -> Observation:
            return look(code, command) if isinstance(command, Cat | CodeSearch) else refused("that cannot be done here")

        end = self._clock() + SECONDS
        trail = walk(self._stepper, Task(subject), act, steps=STEPS, in_time=lambda: self._clock() < end)
        if trail.unavailable:
            return trail.unavailable
        if trail.ended is not LoopEnd.FINISHED:
            return NoJudgement(self.name, f"The reviewer came to no verdict. {trail.why}", True, trail.usage)
        looked = LookupOutcome(tuple(map(_call, trail.steps[:-1])), trail.usage)
        return FirstAnswer(label_of(Opinion(trail.outcome))), looked


def _call(step: AgentStep) -> CodeCall:
    if step.failed:
        return CodeCall(step.command, step.argument, refused=step.output)
    return CodeCall(step.command, step.argument, step.output)
