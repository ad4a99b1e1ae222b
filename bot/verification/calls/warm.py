"""Several programs in one sandbox, one after the other: a process that has imported what makes calls, and nothing of a
program, forks a template for each. Inside the sandbox, standard library only.

None can open that process, and a fork has the pipe for its own answers alone. What it leaves running ends with it.
"""

import ctypes
import fcntl
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress

from bot.verification.testing.inside.descendants import sweep

FIRST = 3  # of the pipes for answers; behind them the one that asks for a fork
HIGH = 100  # descriptors from here on are in nobody's way
SET_DUMPABLE, SET_SUBREAPER = 4, 36


class Warm:
    """The supervisor's side. begin: starts the process with these descriptors, from `FIRST` on."""

    def __init__(self, forks: int, begin: Callable[[list[int]], int]) -> None:
        ctypes.CDLL(None).prctl(SET_SUBREAPER, 1, 0, 0, 0)
        self.answers, pipes = [], []
        for _ in range(forks):
            read, write = os.pipe()
            self.answers.append(read)
            pipes.append(fcntl.fcntl(write, fcntl.F_DUPFD_CLOEXEC, HIGH))
            os.close(write)
        read, self.asks = os.pipe()
        pipes.append(fcntl.fcntl(read, fcntl.F_DUPFD_CLOEXEC, HIGH))
        os.close(read)
        self.pid = begin(pipes)
        for each in pipes:
            os.close(each)

    def fork(self, number: int) -> int:
        """Where the next template answers."""
        with suppress(OSError):  # it was killed: nothing comes
            os.write(self.asks, b".")
        return self.answers[number]

    def end(self) -> None:
        """Of the template, and of all that it left."""
        with suppress(OSError):
            while there := self._forked():
                for pid in there:
                    for kill in (os.killpg, os.kill):
                        with suppress(OSError):
                            kill(pid, signal.SIGKILL)
                time.sleep(0.001)
        sweep(self)  # type: ignore[no-untyped-call]

    def _forked(self) -> list[int]:
        with open(f"/proc/{self.pid}/task/{self.pid}/children") as file:  # noqa: PTH123 (never strange)
            return [*map(int, file.read().split())]


def serve(forks: int, work: Callable[[], None]) -> None:
    """Fork one after the other when asked, which does its work, answers where the first pipe was and ends."""
    prctl = ctypes.CDLL(None).prctl
    prctl(SET_DUMPABLE, 0, 0, 0, 0)
    asks = FIRST + forks
    for own in range(FIRST, asks):
        if not os.read(asks, 1):
            return
        child = os.fork()
        if child == 0:
            prctl(SET_DUMPABLE, 1, 0, 0, 0)
            os.setpgid(0, 0)
            os.dup2(own, FIRST)
            os.closerange(FIRST + 1, asks + 1)
            work()
        os.close(own)
        os.waitpid(child, 0)
