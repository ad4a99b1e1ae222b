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

Order = dict[str, Any]
Noted = dict[str, str]  # what came of each call and test
HERE = str(Path(__file__).parent)
ANSWER = 16 * 2**20  # bytes of one answer
FLOOR = 0.05  # seconds of processor time that a try may always take
SLOWER = 10.0  # how much slower than the program a mutant may be
ASLEEP = 20.0  # how much longer than its processor time a try may take by the clock, and at least a second


def main() -> None:
    order = json.load(sys.stdin)
    sys.stdout.write(json.dumps(_tried(order, time.monotonic() + order["seconds"])))


def _tried(order: Order, end: float) -> dict[str, int]:
    for heavy in ("pytest", "hypothesis"):  # imported once, not in each fork
        if any(heavy in source for source in order["tests"].values()):
            importlib.import_module(heavy)
    order["tests"] = {path: compile(each, path, "exec", dont_inherit=True) for path, each in order["tests"].items()}
    began = _used()
    once = _noted(order, order["sources"], end)
    enough = FLOOR + SLOWER * (_used() - began)
    again = _noted(order, {path: f"{text}\n#\n" for path, text in order["sources"].items()}, end)
    _write(order["sources"])
    known = {name: outcome for name, outcome in once.items() if again.get(name) == outcome}
    tried = killed = 0
    for path, start, stop, text in order["edits"]:
        if not known:
            return {"tried": len(order["edits"]), "killed": 0}  # nothing here could notice anything
        source = order["sources"][path]
        whole = source.encode()
        other = (whole[:start] + text.encode() + whole[stop:]).decode()
        patience = min(end, time.monotonic() + max(1.0, ASLEEP * enough))
        noted = _noted(order, {path: other}, patience, known, enough)
        _write({path: source})
        if time.monotonic() > end:
            break  # cut short: says nothing
        tried += 1
        killed += any(noted.get(name) != outcome for name, outcome in known.items())
    return {"tried": tried, "killed": killed}


def _noted(order: Order, sources: Noted, end: float, known: Noted | None = None, cpu: float = 0.0) -> Noted:
    """What a fork that imports these sources tells: up to what is otherwise than known; nothing where it dies or takes
    longer than it may."""
    _write(sources)

    def work() -> bytes:
        noted = {}
        for name, outcome in _outcomes(order, known):
            noted[name] = outcome
            if known and known.get(name, outcome) != outcome:
                break
        return json.dumps(noted).encode()

    if time.monotonic() >= end:
        return {}
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _alone(cpu, order["memory"])
        _harness.then_exit(lambda: _harness.send(writer, work() + b"\n"))
    os.close(writer)
    line: bytes = _harness.Lines(reader, ANSWER).next(end)[0]
    os.close(reader)
    _harness.stop(child)
    try:
        noted = json.loads(line)
    except ValueError:
        return {}
    return noted if isinstance(noted, dict) else {}


def _outcomes(order: Order, wanted: Noted | None) -> Iterator[tuple[str, str]]:
    """Every call with what came of it, and every test that passes. `wanted` names those that matter, `None` is all."""
    sys.path[:0] = [str(Path.cwd())]
    if order["calls"]:
        yield from _called(order, wanted)
    for path, code in order["tests"].items():
        scope = {"__name__": "__main__" if path in order["scripts"] else Path(path).stem, "__file__": path}
        if not _passes(partial(exec, code, scope)):
            continue
        yield path, "passed"
        for name, value in list(scope.items()):
            full = f"{path}::{name}"
            matters = name.startswith("test") and (wanted is None or full in wanted)
            if matters and isinstance(value, types.FunctionType) and _passes(value):
                yield full, "passed"


def _called(order: Order, wanted: Noted | None) -> Iterator[tuple[str, str]]:
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


def _used() -> float:
    """Processor time of the tries so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _alone(cpu: float, memory: int) -> None:
    os.setpgid(0, 0)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    if cpu:  # processor time, so that a busy machine kills no mutant; ends the process at once
        signal.setitimer(signal.ITIMER_PROF, cpu)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.path.insert(0, HERE)
    _harness = importlib.import_module("harness")
    sys.path.remove(HERE)
    main()
