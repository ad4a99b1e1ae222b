"""Runs in a process of the version before: `bouncer COMMAND`, in which some runs come to a stop between two steps.

A run that stops there waits for ever, its steps so far being stored; so one kill -9 ends any number of runs, each at
its own place. It knows dbos and JSON, and nothing of how Bouncer is built inside. `tests/crash/before.py` starts it.

The plan is a JSON list of [repository, number, moment]. A moment is [workflow, occasion, step]: the run stops once that
step's value is stored. "begun" is before the first step, "ended" after the last. What is passed is added to a file, a
line each: the same three, and whether the run stopped there.
"""

import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dbos import DBOS

BEGUN, ENDED = "begun", "ended"


class Stops:
    def __init__(self, plan: Path, passed: Path) -> None:
        self._plan = plan
        self._passed = passed
        self._here = threading.local()

    def install(self) -> None:
        """Have dbos tell of every run and step."""
        workflow, run_step = DBOS.workflow, DBOS.run_step

        def told_workflow(**options: Any) -> Callable[[Callable[[str], str]], Callable[[str], str]]:
            return lambda run: workflow(**options)(self._told(options["name"], run))

        def told_step(options: Any, effect: Callable[[], Any]) -> Any:
            value = run_step(options, effect)
            self._pass(options["name"])
            return value

        DBOS.workflow, DBOS.run_step = told_workflow, told_step  # type: ignore[method-assign,assignment]

    def _told(self, name: str, run: Callable[[str], str]) -> Callable[[str], str]:
        def told(argument: str) -> str:
            job = json.loads(argument)
            self._here.place, self._here.run = place(job), (name, occasion(job))
            self._pass(BEGUN)
            outcome = run(argument)
            self._pass(ENDED)
            return outcome

        told.__qualname__ = name
        return told

    def _pass(self, step: str) -> None:
        moment = [*self._here.run, step]
        stopped = [*self._here.place, moment] in json.loads(self._plan.read_text())
        self._say(json.dumps([*self._here.place, moment, stopped]))
        if stopped:
            threading.Event().wait()

    def _say(self, line: str) -> None:
        """In one write, which no other thread's comes between."""
        file = os.open(self._passed, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(file, f"{line}\n".encode())
        os.close(file)


def place(job: dict[str, Any]) -> tuple[str, int]:
    """Repository and number; 0 for what is about the repository itself."""
    repository = job.get("repository") or job["delivery"]["repository"]
    return repository["full_name"], job.get("number", 0)


def occasion(job: dict[str, Any]) -> str:
    """The delivery that brings the run about, or else why it runs."""
    delivery = job.get("delivery")
    return f"{delivery['event']}.{delivery['action']}" if delivery else str(job.get("why", ""))


def main(command: str, plan: str, passed: str) -> None:
    import bot.cli

    assert Path(bot.cli.__file__).is_relative_to(Path.cwd()), f"{bot.cli.__file__} is not the version before"
    Stops(Path(plan), Path(passed)).install()
    bot.cli.main([command])


if __name__ == "__main__":
    main(*sys.argv[1:])
