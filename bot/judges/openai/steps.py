"""The model that chooses the next command: every step is one question that shows the task and all that was done.

A step is asked for like every other answer, by JSON schema where the endpoint takes one, else by a tool or in words, so
that the loop runs on endpoints without tool calling too. Task and history stand in one question's fence, whose mark is
new at every step: nothing that a command brought up was written by somebody who could know it. Each line of an output
is set in, so that none can pass for a further step.
"""

from typing import Any

from bot.judges.agent.commands import REPAIR, Repertoire, read_command
from bot.judges.claims import Claim
from bot.judges.openai.asking import Asker
from bot.judges.openai.patch_texts import BUDGETS, patch_texts
from bot.judges.openai.spend import Spend
from bot.judges.protocol import NoJudgement
from bot.judges.steps import AgentStep, Chosen, Task
from bot.settings import Settings

HISTORY = 120_000  # characters of all that was done; its middle is left out when there is more
CLAIMS = 6_000


class OpenAIStepper:
    """A `Stepper`. One for each process; safe for threads; never raises. An unusable answer is asked for once more."""

    def __init__(self, settings: Settings, spend: Spend, repertoire: Repertoire = REPAIR, **options: Any) -> None:
        self._repertoire = repertoire
        budgets = {**BUDGETS, "claims": CLAIMS, "history": HISTORY}
        self._asker = Asker(repertoire.prompt, budgets, settings, spend, **options)
        self.name = self._asker.name

    def next(self, task: Task, history: tuple[AgentStep, ...]) -> Chosen | NoJudgement:
        texts = patch_texts(task.subject)
        if isinstance(texts, str):
            return NoJudgement(self.name, texts, False)
        answered = self._asker.ask(
            lambda text: read_command(text, self._repertoire),
            **texts.texts,
            claims="\n".join(map(_claim, task.claims)) or "none",
            history="\n".join(map(_step, history)) or "none: this is the first step",
        )
        return answered if isinstance(answered, NoJudgement) else Chosen(answered.answer, answered.usage)


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
