"""Reading what strangers wrote in a process of its own, so that no text and no file can hold up this one for long.

A pool of children waits for work. Each knows nothing of this process: not its environment, not its descriptors. It has
so much memory, and so many seconds of the processor for one piece of work; then the kernel ends it, whatever it does,
and another takes its place. A child ends when this process does.
"""

import builtins
import importlib
import io
import os
import pickle
import resource
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from queue import LifoQueue
from typing import Any, TypeVar

SMALL = 16_000  # characters; what is shorter is read here, which is faster
SECONDS = 2.0  # of the processor
MEMORY = 1 << 30  # bytes of a child

_WAITS = 5.0  # times as long by the clock, where the machine is busy
_STARTS = 60.0  # seconds until a child has loaded what it runs
_MOST = 4  # children at once
_LARGEST = 256 << 20  # bytes of an answer
_PLAIN = frozenset(
    {"builtins.set", "builtins.frozenset", "builtins.complex", "builtins.bytearray", "collections.OrderedDict"}
    | {"collections.Counter", "collections.defaultdict", "datetime.datetime", "datetime.timedelta"}
    | {"pathlib.PosixPath", "types.MappingProxyType"}
)
_serving = False  # in a child: True
_START = "import sys; sys.path.insert(0, sys.argv[1]); from bot.child_process import _serve; _serve(float(sys.argv[2]))"

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class TooLong:
    """It took too long, or too much memory. reason: a plain sentence without the text."""

    reason: str = "Reading it took too long and was stopped."


def run_in_child(function: Callable[..., Result], *given: object, seconds: float = SECONDS) -> Result | TooLong:
    """`function(*given)`, made in a child. function: one at the top of a module of Bouncer's. given, and what comes
    back: plain values and Bouncer's own. May be called from any thread. Raises `RuntimeError` where the function
    raises.
    """
    asked = pickle.dumps((function.__module__, function.__qualname__, given, seconds))
    while True:
        child = _pool.take()
        try:
            done, answer = child.ask(asked, seconds)
        except BaseException:
            _pool.bury(child)
            raise
        if answer is None:
            _pool.bury(child)
            return TooLong()
        if done:
            _pool.give_back(child)
            result: Result = answer
            return result
        if answer != MemoryError.__name__:
            _pool.give_back(child)
            break
        _pool.bury(child)
        if child.served == 1:
            break  # else what it had read before may have filled its memory: a new one has all of it
    raise RuntimeError(f"{function.__qualname__} failed apart: {answer}")


def in_a_child() -> bool:
    """Whether this process is one of the children, which need none of their own."""
    return _serving


def run_bounded(size: int, function: Callable[..., Result], *given: object) -> Result | TooLong:
    """`function(*given)`, made here where no more than a small text is to be read, and apart where it is more."""
    return function(*given) if size <= SMALL or in_a_child() else run_in_child(function, *given)


class _Child:
    """served: how often it was asked."""

    def __init__(self) -> None:
        self.served = 0
        root = str(Path(__file__).resolve().parent.parent)
        self._line, its_end = socket.socketpair()
        with its_end:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-c", _START, root, str(MEMORY)],
                stdin=its_end.fileno(),
                stdout=its_end.fileno(),
                stderr=subprocess.DEVNULL,
                env={"LC_ALL": "C.UTF-8"},
                cwd="/",
                start_new_session=True,
            )

    def ask(self, asked: bytes, seconds: float) -> tuple[bool, Any]:
        """Whether it was done, and what came of it; `None` where the child ended first or had to."""
        self.served += 1
        try:
            self._line.settimeout(_STARTS)
            self._line.sendall(struct.pack("!Q", len(asked)) + asked)
            self._read(1, time.monotonic() + _STARTS)
            end = time.monotonic() + seconds * _WAITS
            (length,) = struct.unpack("!Q", self._read(8, end))
            if length > _LARGEST:
                return False, None
            done, answer = _Plain(io.BytesIO(self._read(length, end + seconds))).load()
            return bool(done), answer
        except (OSError, EOFError, pickle.UnpicklingError):
            return False, None

    def end(self) -> None:
        self._line.close()
        self._process.kill()
        self._process.wait()

    def _read(self, length: int, end: float) -> bytes:
        found = bytearray()
        while len(found) < length:
            self._line.settimeout(max(0.0, end - time.monotonic()))
            piece = self._line.recv(min(length - len(found), 1 << 20))
            if not piece:
                raise EOFError
            found += piece
        return bytes(found)


class _Plain(pickle.Unpickler):
    """Makes Bouncer's own values and plain ones: a child is not to be believed more than what it read."""

    def find_class(self, module: str, name: str) -> Any:
        if module.partition(".")[0] == "bot":
            found = super().find_class(module, name)
            if isinstance(found, type):
                return found
        elif f"{module}.{name}" in _PLAIN or (module == "builtins" and _is_exception(name)):
            return super().find_class(module, name)
        elif (module, name) == ("builtins", "getattr"):  # how Python 3.11.0 to 3.11.3 writes a member
            return _member
        raise pickle.UnpicklingError(f"{module}.{name} is no plain value")


def _member(kind: object, name: str) -> Enum:
    if isinstance(kind, type) and issubclass(kind, Enum) and name in kind.__members__:
        return kind.__members__[name]
    raise pickle.UnpicklingError("nothing but a member may be taken of anything")


def _is_exception(name: str) -> bool:
    found = getattr(builtins, name, None)
    return isinstance(found, type) and issubclass(found, BaseException)


class _Pool:
    """Children that wait, the last used first; made when they are needed."""

    def __init__(self) -> None:
        self._places = LifoQueue[_Child | None]()
        for _ in range(_MOST):
            self._places.put(None)

    def take(self) -> _Child:
        child = self._places.get()
        try:
            return child or _Child()
        except BaseException:
            self.give_back(None)
            raise

    def give_back(self, child: _Child | None) -> None:
        self._places.put(child)

    def bury(self, child: _Child) -> None:
        child.end()
        self.give_back(None)


_pool = _Pool()


def _renew() -> None:
    """In a fork: the children are the other process's."""
    global _pool
    _pool = _Pool()


os.register_at_fork(after_in_child=_renew)


# In the child ---------------------------------------------------------------------------------------------------------


def _serve(memory: float) -> None:
    global _serving
    _serving = True
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # which ends the process, also amid one search of an expression
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    asked, answers = os.fdopen(0, "rb"), os.fdopen(os.dup(1), "wb")
    while head := asked.read(8):
        (length,) = struct.unpack("!Q", head)
        module, name, given, seconds = pickle.loads(asked.read(length))  # noqa: S301 - from this very program
        function = getattr(importlib.import_module(module), name)
        answers.write(b"!")
        answers.flush()
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.setitimer(signal.ITIMER_REAL, seconds * _WAITS)
        answer = pickle.dumps(_made(function, given))
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        answers.write(struct.pack("!Q", len(answer)) + answer)
        answers.flush()


def _made(function: Callable[..., object], given: tuple[object, ...]) -> tuple[bool, object]:
    try:
        return True, function(*given)
    except Exception as error:  # noqa: BLE001 - whatever it was, the one who asked is told
        return False, type(error).__name__
