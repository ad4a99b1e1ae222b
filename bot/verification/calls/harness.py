"""Runs inside the sandbox: calls programs nobody trusts and writes down what each call did. Standard library only.

Three processes. The *supervisor* (this file's `main`) never imports the program, and the program can neither read it
nor write where it writes; all it can do is kill it, which `observe.py` notices. It starts a *template*, a script as
anybody starts one, which imports the program once; the template forks a *caller* for each batch of calls. A call that
crashes or does not end is made once more, alone in a fresh caller, before that is believed of it, and the rest of its
batch goes on in another one. The supervisor starts a new template when one dies or falls silent.

Standard input: a `Request` as JSON. Standard output: a line `[ending, value, mutated]` for each call, in order. Of
several programs, which lie one after the other in the working directory, each is told behind the one before, with a
line `null` between: what was left of that one is gone, and of a template that has nothing of a program in it
(`warm.py`) each has a fork.
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import glob
import importlib
import itertools
import json
import os
import pickle
import resource
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bot.verification.calls.call import call_once
from bot.verification.calls.canonical import TEXT
from bot.verification.calls.given import GIVEN
from bot.verification.calls.warm import Warm, serve

GRACE = 1.0  # seconds the template has to report a call beyond what the call itself may take
STARTING = 10.0  # seconds it has for the first, with all that is imported
MOST_STARTS = 4  # in a row that may come to nothing
LINE = 8 * TEXT
ANSWERS = 3  # where a template writes
COPIED = "unpickled"  # what makes an object of a copy
PR_SET_DUMPABLE = 4
ELSEWHERE: dict[str, Any] = {}  # `trial/elsewhere.py`, where calls are made in other surroundings
OFTEN, OFTEN_SECONDS = 500, 0.015  # calls, seconds


def caller(expressions: list[str], names: dict[str, Any], answers: int, request: dict[str, Any]) -> None:
    """Make some calls, write a line for each. Runs in a process of its own."""
    os.setpgid(0, 0)
    if not request["tested"]:
        os.dup2(os.memfd_create("output"), 1)
    resource.setrlimit(resource.RLIMIT_DATA, (request["memory"], request["memory"]))
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    for place, expression in enumerate(expressions):
        most = int(time.process_time() + request["call_seconds"]) + 1  # ends it also when nobody is left to kill it
        resource.setrlimit(resource.RLIMIT_CPU, (min(most, hard) if hard > 0 else most, hard))
        if ELSEWHERE:
            ELSEWHERE["let_time_pass"](place)
        observed = call_once(expression, names, plain=request["plain"])
        if ELSEWHERE:
            ending, *texts = call_often(expression, names, place, observed)
            observed = (ending, *map(ELSEWHERE["as_here"], texts))
        line = json.dumps(observed).encode()
        if len(line) >= LINE:
            line = json.dumps(("died", "", "")).encode()
        send(answers, line + b"\n")


def call_often(expression: str, names: dict[str, Any], place: int, first: tuple[str, str, str]) -> tuple[str, str, str]:
    """What a call that was made gives when it is made on and on, in a process of its own and not by its main thread;
    what it gave first, where it keeps to that."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        then_exit(lambda: in_thread(lambda: send(write, again(expression, names, place, first))))
    os.close(write)
    line, _ = Lines(read).next(time.monotonic() + 10 * OFTEN_SECONDS)
    os.close(read)
    stop(child)
    return _observed(line) or first


def again(expression: str, names: dict[str, Any], place: int, first: tuple[str, str, str]) -> bytes:
    """The line for it; empty where there is nothing to tell."""
    os.setpgid(0, 0)
    end = time.process_time() + OFTEN_SECONDS
    for number in range(OFTEN):
        ELSEWHERE["let_time_pass"](place + number)
        if (other := call_once(expression, names, plain=True))[:2] != first[:2]:
            return json.dumps(other).encode() + b"\n"
        if time.process_time() > end:
            break
    return b""


def template(request: dict[str, Any], first: int) -> None:
    """Import the program, then fork a caller for each batch of calls from `first` on."""
    paths = request["paths"]
    if request["elsewhere"]:
        exec(request["elsewhere"], ELSEWHERE)  # noqa: S102 (our own code)
        paths = ELSEWHERE["move"](paths)
    here = next((at for at, path in enumerate(sys.path) if path.endswith("site-packages")), len(sys.path))
    if request["packages"]:
        places = glob.glob(request["packages"] + "/lib/python3*/site-packages")  # noqa: PTH207 (never raises)
        sys.path[here:here] = places
    sys.path[:0] = paths
    try:
        names = import_names(request)
    except BaseException as error:  # noqa: BLE001
        send(ANSWERS, json.dumps(("import", type(error).__name__, "")).encode() + b"\n")
        return
    send(ANSWERS, json.dumps(("ready", "", "")).encode() + b"\n")
    for copied, some in itertools.groupby(request["calls"][first:], lambda call: COPIED in call):
        calls = list(some)
        if copied:
            load_modules(calls, names)
        make(calls, names, request)


def make(calls: list[str], names: dict[str, Any], request: dict[str, Any]) -> None:
    """The calls, by callers."""
    at = 0
    while at < len(calls):
        batch = calls[at : at + request["batch"]]
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(ANSWERS)
            then_exit(lambda: caller(batch, names, write, request))  # noqa: B023 (runs at once)
        os.close(write)
        lines = Lines(read)
        for place in range(len(batch)):
            line, in_time = lines.next(time.monotonic() + request["call_seconds"])
            if place and not line:
                break  # once more, first in a fresh process: perhaps an earlier call is to blame
            send(ANSWERS, (line or json.dumps(("died" if in_time else "timeout", "", "")).encode()) + b"\n")
            at += 1
            if not line:
                break
        os.close(read)
        stop(child)


def load_modules(calls: list[str], names: dict[str, Any]) -> None:
    """Import what objects bring with them, once for all calls."""
    copies = (each.partition("'")[0] for call in calls for each in call.split(COPIED + "('")[1:])
    for text in dict.fromkeys(copies):
        with contextlib.suppress(BaseException):
            names[COPIED](text)


def import_names(request: dict[str, Any]) -> dict[str, Any]:
    """What the calls name: all of the one module, and the others by their dotted names as far as they can be had."""
    names: dict[str, Any] = {**GIVEN, COPIED: lambda text: pickle.loads(base64.b64decode(text))}  # noqa: S301 (see above)
    for module in request["modules"]:
        with contextlib.suppress(BaseException):  # a module of tests may ask to be skipped
            names[module.partition(".")[0]] = importlib.import_module(module.partition(".")[0])
            importlib.import_module(module)
    return names | (vars(importlib.import_module(request["module"])) if request["module"] else {})


def begin() -> None:
    """Be the template: as a plain script, or in a test of pytest's."""
    with open(0, "rb", closefd=False) as file:
        task = json.load(file)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    if forks := task.pop("forks"):
        serve(forks, lambda: then_exit(lambda: template(**task)))
        return
    if not task["request"]["tested"]:
        template(**task)
        return
    import pytest

    here = Path(sys.argv[0]).parent
    lean = ("-c", os.devnull, "--noconftest", f"--rootdir={here}", "--import-mode=importlib", "-p", "no:cacheprovider")
    global TASK
    TASK = task
    pytest.main([*lean, f"{here}/tests/test_calls.py"])


ABROAD = {"TERM": "xterm-256color", "TZ": "JST-9"}
TASK: dict[str, Any] = {}
TESTED = """

def test_calls():
    sys.modules.pop("tests", None)  # which pytest makes of the folder of this file, so that the program's is not found
    sys.stdin = open(os.devnull)
    template(**sys.modules["__main__"].TASK)
"""


def start(request: dict[str, Any], first: int, answers: list[int]) -> int:
    """The process of a new template, which writes to the one in `answers`; with several, of one that forks them."""
    name = "pytest" if request["tested"] else "script"
    flags = ["-O"] if request["elsewhere"] else []
    folder, other = Path("/tmp", os.urandom(8).hex()), f"u{os.urandom(4).hex()}"  # noqa: S108 (the sandbox's own)
    (folder / "tests").mkdir(parents=True)
    (folder / name).write_text(request["source"])
    (folder / "tests" / "test_calls.py").write_text(request["source"] + TESTED)
    source = request.pop("source")
    task = os.memfd_create("task")
    with open(task, "wb", closefd=False) as file:
        file.write(json.dumps({"request": request, "first": first, "forks": len(answers) - 1}).encode())
    request["source"] = source
    os.lseek(task, 0, os.SEEK_SET)
    child = os.posix_spawnp(
        request["python"][0],
        [*request["python"], *flags, str(folder / name)],
        os.environ
        | ({**ABROAD, "HOME": f"/home/{other}", "USER": other} if flags else {})
        | ({"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""} if request["tested"] else {}),
        file_actions=[
            (os.POSIX_SPAWN_DUP2, task, 0),
            *((os.POSIX_SPAWN_DUP2, each, at) for at, each in enumerate(answers, ANSWERS)),
        ],
        setpgroup=0,
    )
    os.close(task)
    return child


def observe(
    request: dict[str, Any], until: float, fork: Callable[[], int] | None = None
) -> Iterator[tuple[str, str, str]]:
    """Supervise one program: an observation for each call, in order, until the time is up. fork: where the first
    template answers, where another has that end."""
    done, calls = 0, len(request["calls"])
    careful = False  # one call at a time, so that it is known which one ended the template
    unready = 0  # templates in a row that ended before they had all imported
    while done < calls and unready < MOST_STARTS:
        read, child = fork() if fork else 0, 0
        if not fork:
            read, write = os.pipe()
            child = start(request | ({"batch": 1} if careful else {}), done, [write])
            os.close(write)
        lines, fork = Lines(read), None
        patience, unready = STARTING, unready + 1
        while done < calls:
            line, in_time = lines.next(min(time.monotonic() + patience, until))
            patience = 2 * request["call_seconds"] + GRACE
            if time.monotonic() >= until:
                stop(child)
                return
            observed = _observed(line)
            if observed and observed[0] == "ready":
                unready = 0
                continue
            if observed and observed[0] == "import":
                for _ in range(done, calls):
                    yield "raised", observed[1], ""
                done = calls
                break
            if not observed and not careful:
                careful = True
                break
            yield observed or ("died" if in_time else "timeout", "", "")
            done += 1
            if not observed:
                careful = False
                break
        os.close(read)
        stop(child)
    yield from [("died", "", "")] * (calls - done)


def observe_in_turn(request: dict[str, Any], until: float) -> Iterator[tuple[str, str, str] | None]:
    """The same of several programs, with nothing between two of them. variants: of each the files that it has otherwise
    than the first, as base64, and whether it is run on where it has done otherwise than that. Calls for which the first
    has no time, with a quarter of it, are made of none."""
    variants, known = request.pop("variants"), list[tuple[str, str, str]]()
    exec(request.pop("judging_files"), names := dict[str, Any]())  # noqa: S102 (our own code)
    tree, warm = names["Tree"](), Warm(len(variants), lambda answers: start(request, 0, answers))
    for number, (files, whole) in enumerate(variants):
        if number:
            if time.monotonic() >= until or not tree.put_back():
                return
            yield None
        for path, text in files.items():
            if os.path.lexists(path):
                names["remove"](path)
            if text is not None:
                Path(path).parent.mkdir(parents=True, exist_ok=True)
                Path(path).write_bytes(base64.b64decode(text))
        end = until if number else time.monotonic() + request["seconds"] / 4
        for at, observed in enumerate(observe(request, end, lambda: warm.fork(number))):  # noqa: B023 (runs at once)
            yield observed
            known += [observed] if not number else []
            if number and not whole and observed != known[at]:
                break
        warm.end()
        request["calls"] = request["calls"][: len(known)]


def main() -> None:
    """Observe the program that lies in the working directory."""
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)  # nobody opens its memory and descriptors in `/proc`
    out = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    request = json.load(sys.stdin)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    until = time.monotonic() + request["seconds"]
    for observed in (observe_in_turn if request["variants"] else observe)(request, until):
        send(out, json.dumps(observed).encode() + b"\n")


def _observed(line: bytes) -> tuple[str, str, str] | None:
    try:
        ending, value, mutated = json.loads(line)
    except (ValueError, TypeError):
        return None
    known = ("ready", "import", "returned", "raised", "timeout", "died")
    return (ending, str(value), str(mutated)) if ending in known else None


class Lines:
    """The lines another process writes into a pipe, each bounded in length and in time."""

    def __init__(self, descriptor: int, longest: int = LINE) -> None:
        self._descriptor, self._longest, self._rest = descriptor, longest, b""

    def next(self, until: float) -> tuple[bytes, bool]:
        """The next line, empty when there is none any more; and whether it came before `until`."""
        while b"\n" not in self._rest:
            if len(self._rest) > self._longest:
                return b"", True
            ready, _, _ = select.select([self._descriptor], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                return b"", False
            piece = os.read(self._descriptor, 65536)
            if not piece:
                return b"", True
            self._rest += piece
        line, _, self._rest = self._rest.partition(b"\n")
        return line, True


def send(descriptor: int, data: bytes) -> None:
    """All of it."""
    while data:
        data = data[os.write(descriptor, data) :]


def then_exit(work: Callable[[], None]) -> None:
    """Do some work, and end the process whatever comes of it."""
    try:
        work()
    finally:
        os._exit(0)


def in_thread(work: Callable[[], None]) -> None:
    """Do some work as servers do it: not by the main thread."""
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def stop(child: int) -> None:
    """Kill a process and its group, and wait for it, where there is one."""
    if not child:
        return
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(OSError):  # it has ended, or has not made its group yet
            kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


if __name__ == "__main__":
    main() if sys.argv[0] == "-c" else begin()
