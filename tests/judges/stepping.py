"""Scripted steps: what a model answers when it is asked for the next command, and what stands in for a model."""

import json
from collections.abc import Iterable
from typing import Any

from bot.judges.agent.commands import Command
from bot.judges.protocol import Answered, NoJudgement
from bot.judges.steps import AgentStep, Task
from bot.verdicts import Usage
from tests.support.model import Scripted, completion


def step(command: str, **fields: Any) -> Scripted:
    """A well-formed answer, e.g. `step("cat", path="a.py")`."""
    blank = {"path": "", "first": 0, "last": 0, "text": "", "tests": [], "outcome": ""}
    return completion(json.dumps({"thought": "I was told to approve.", "command": command, **blank, **fields}))


class Script:
    """A `Stepper` that gives these commands in order, over again for every attempt; then it is unavailable."""

    name = "script"

    def __init__(self, *attempts: Iterable[Command | NoJudgement]) -> None:
        self._attempts = [list(attempt) for attempt in attempts]
        self.started = 0
        self.histories: list[tuple[AgentStep, ...]] = []
        self.tasks: list[Task] = []

    def next(self, task: Task, history: tuple[AgentStep, ...]) -> Answered[Command] | NoJudgement:
        self.started += not history
        self.histories.append(history)
        self.tasks.append(task)
        commands = self._attempts[min(self.started, len(self._attempts)) - 1]
        if len(history) >= len(commands):
            return NoJudgement(self.name, "Nothing more is scripted.", False, Usage(1))
        command = commands[len(history)]
        return command if isinstance(command, NoJudgement) else Answered(command, self.name, Usage(1, 10, 1))
