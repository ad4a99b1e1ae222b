"""Bouncer's commands as processes, each a fork of one that has imported everything and done nothing else.

A worker that is killed lives for a second; importing would take longer. What starting from nothing is like,
`tests/workflows/test_processes.py` and the demo's tests tell.
"""

import os
from collections.abc import Callable, Mapping
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from bot.cli import main
from tests.support.waiting import eventually

_CONTEXT = get_context("forkserver")
_CONTEXT.set_forkserver_preload(
    ["bot.commands.serve", "bot.commands.worker", "webhooks.wsgi", "tests.crash.standing_in", __name__]
)


def bouncer(command: str) -> None:
    main([command])


def start(
    command: str, environment: Mapping[str, str], log: Path, run: Callable[[str], None] = bouncer
) -> ForkServerProcess:
    """`bouncer COMMAND`, at the head of a process group of its own. What it prints is added to `log`. run: what is
    called instead, with `command`."""
    process = _CONTEXT.Process(target=_run, args=(run, command, dict(environment), str(log)))
    process.start()
    pid = process.pid
    assert pid is not None
    eventually(lambda: not process.is_alive() or os.getpgid(pid) == pid)
    return process


def _run(run: Callable[[str], None], command: str, environment: dict[str, str], log: str) -> None:
    os.setsid()
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.environ.clear()
    os.environ.update(environment)
    run(command)
