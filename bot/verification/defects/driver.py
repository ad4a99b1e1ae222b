"""Runs inside the sandbox: tries slips on one program. Bouncer's side of a hostile place.

This process never imports the program. Each try is a fork of it that imports the program as it then lies in the
working directory, and that is killed with its children when it takes much longer than the program as it is.

What the program does as it is is noted twice, the second time with a comment added to its files: an outcome that is not
the same both times (a random one, or that of a program that looks at its own text) cannot notice a slip.

Standard input: `{"sources", "edits": [path, start, end, text] each, in bytes, "module", "tests": {path: source},
"scripts", "calls", "seconds", "memory"}`. Standard output: a line `{"tried", "killed"}`.
"""

# ruff: noqa: BLE001 - running strangers' code, whatever it raises, is what this file is for

import importlib
import json
import os
import resource
import signal
import sys
import time
import types
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

HERE = str(Path(__file__).parent)
SAME = b"same"
ANSWER = 16 * 2**20  # bytes of one answer
FLOOR = 0.05  # seconds of processor time that a try may always take
SLOWER = 10.0  # how much slower than the program a mutant may be
ASLEEP = 20.0  # how much longer than its processor time a try may take by the clock, and at least a second


def main() -> None:
    order = json.load(sys.stdin)
    sys.stdout.write(json.dumps(_tried(order, time.monotonic() + order["seconds"])))


def _tried(order: dict[str, Any], end: float) -> dict[str, int]:
    tests = [(path, compile(source, path, "exec", dont_inherit=True)) for path, source in order["tests"].items()]
    for heavy in ("pytest", "hypothesis"):  # imported once, not in each fork
        if any(heavy in source for source in order["tests"].values()):
            importlib.import_module(heavy)
    began = _used()
    once = _noted(order, tests, order["sources"], end)
    enough = FLOOR + SLOWER * (_used() - began)
    again = _noted(order, tests, {path: f"{text}\n#\n" for path, text in order["sources"].items()}, end)
    _write(order["sources"])
    known = {name: outcome for name, outcome in once.items() if again.get(name) == outcome}
    tried = killed = 0
    for path, start, stop, text in order["edits"]:
        if not known:
            return {"tried": len(order["edits"]), "killed": 0}  # nothing here could notice anything
        source = order["sources"][path]
        whole = source.encode()
        _write({path: (whole[:start] + text.encode() + whole[stop:]).decode()})
        patience = min(end - time.monotonic(), max(1.0, ASLEEP * enough))
        answer = _aside(partial(_compared, order, tests, known), patience, enough, order["memory"])
        _write({path: source})
        if time.monotonic() > end:
            break  # cut short: says nothing
        tried += 1
        killed += answer != SAME
    return {"tried": tried, "killed": killed}


def _noted(order: dict[str, Any], tests: list[Any], sources: dict[str, str], end: float) -> dict[str, str]:
    _write(sources)

    def work() -> bytes:
        return json.dumps(dict(_outcomes(order, tests, None))).encode()

    answer = _aside(work, end - time.monotonic(), memory=order["memory"])
    try:
        noted = json.loads(answer)
    except ValueError:
        return {}
    return noted if isinstance(noted, dict) else {}


def _compared(order: dict[str, Any], tests: list[Any], known: dict[str, str]) -> bytes:
    seen = {}
    for name, outcome in _outcomes(order, tests, known.keys()):
        if known.get(name, outcome) != outcome:
            return b"killed"
        seen[name] = outcome
    return SAME if seen.keys() >= known.keys() else b"killed"


def _outcomes(order: dict[str, Any], tests: list[Any], wanted: Any) -> Iterator[tuple[str, str]]:
    """Every call with what came of it, and every test that passes. `wanted` names those that matter, `None` is all."""
    sys.path[:0] = [str(Path.cwd())]
    if order["calls"]:
        yield from _called(order, wanted)
    for path, code in tests:
        scope = {"__name__": "__main__" if path in order["scripts"] else Path(path).stem, "__file__": path}
        if not _passes(partial(exec, code, scope)):
            continue
        yield path, "passed"
        for name, value in list(scope.items()):
            full = f"{path}::{name}"
            matters = name.startswith("test") and (wanted is None or full in wanted)
            if matters and isinstance(value, types.FunctionType) and _passes(value):
                yield full, "passed"


def _called(order: dict[str, Any], wanted: Any) -> Iterator[tuple[str, str]]:
    try:
        scope = vars(importlib.import_module(order["module"]))
    except BaseException:
        return
    for call in order["calls"]:
        if wanted is not None and call not in wanted:
            continue
        sys.stdout = printed = _harness.Printed()
        try:
            yield call, json.dumps(_harness.call(call, dict(scope), printed))
        except BaseException as error:
            yield call, f"broken off by {type(error).__name__}"


def _passes(run: Callable[[], object]) -> bool:
    try:
        run()
    except BaseException:  # also `SystemExit` and pytest's own, which are no `Exception`
        return False
    return True


def _write(sources: dict[str, str]) -> None:
    for path, text in sources.items():
        Path(path).write_text(text, encoding="utf-8", newline="")


def _aside(work: Callable[[], bytes], seconds: float, cpu: float = 0.0, memory: int = 0) -> bytes:
    """The line that `work` returns in a fork; nothing when that dies or takes longer than it may."""
    if seconds <= 0:
        return b""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _alone(cpu, memory)
        _harness.then_exit(lambda: _harness.send(writer, work() + b"\n"))
    os.close(writer)
    line: bytes = _harness.Lines(reader, ANSWER).next(time.monotonic() + seconds)[0]
    os.close(reader)
    _harness.stop(child)
    return line


def _used() -> float:
    """Processor time of the tries so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _alone(cpu: float, memory: int) -> None:
    os.setpgid(0, 0)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    if cpu:  # processor time, so that a busy machine kills no mutant; ends the process at once
        signal.setitimer(signal.ITIMER_PROF, cpu)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.path.insert(0, HERE)
    _harness = importlib.import_module("harness")
    sys.path.remove(HERE)
    main()
