"""Which executor runs untrusted code on this machine: the first that proves itself, or a reason why none does."""

from collections.abc import Iterator

from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.sandbox.container import ContainerExecutor
from bot.sandbox.protocol import Capabilities, Executor
from bot.settings import Settings


def choose(settings: Settings) -> Executor | Capabilities:
    """An executor that isolates. Without any, a value that says why, with the mends: then nothing may be run."""
    problems = []
    for executor in candidates(settings):
        capabilities = executor.probe()
        if capabilities.usable:
            return executor
        problems.append(f"{executor.name}: {capabilities.problem}")
    return Capabilities("none", "", usable=False, problem="; ".join(problems))


def candidates(settings: Settings) -> Iterator[Executor]:
    """The executors that `BOUNCER_EXECUTOR` names, best first; `auto` leaves out what sends code elsewhere."""
    wanted = settings.executor
    if wanted in ("auto", "bubblewrap"):
        yield BubblewrapExecutor()
    if wanted in ("auto", "container"):
        yield ContainerExecutor(settings.container_command, settings.sandbox_image)
