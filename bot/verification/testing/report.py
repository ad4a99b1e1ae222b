"""What the supervisor inside the sandbox tells: signed, and read strictly.

What its tracer tells of lines becomes the functions that each test entered.
"""

import hashlib
import hmac
from collections.abc import Callable, Sequence
from functools import cache
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from bot.verification.programs import content
from bot.verification.syntax import Function, functions_of, innermost
from bot.verification.values import Ending, Observed, Program, RecordedCall


class Session(BaseModel):
    """One process of pytest.

    canaries: their random names, in the order of `inside/runner.py`. junit: the name of its JUnit file.
    collected: names of the tests found. ended: name, status, message and seconds of each that ended.
    entered: of each test its functions, as (number of the file under trace, line). calls: test, number of the file,
    module, expression, ending and value of each; the last two are empty where nothing is known.
    slow: files with a test that took long, whose others came last.
    replaced: what was put into the judge by code of the tree.
    running, collecting: the test or file it was at when the process ended. finished: pytest came to its end.
    cut: what ran out of time, `test`, `all` or nothing; `red` after a test of `Suite.until`.
    exit: the exit status, negative for a signal.
    notes: what the supervisor or the runner noticed.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    canaries: list[str]
    junit: str
    collected: list[str]
    ended: list[tuple[str, str, str, float]]
    entered: list[tuple[str, list[tuple[int, int]]]] = []
    calls: list[tuple[str, int, str, str, Literal["", "returned", "raised"], str]] = []
    slow: list[str] = []
    replaced: list[str] = []
    running: str
    collecting: str
    finished: bool
    cut: str
    exit: int | None
    notes: list[str]


class SuiteReport(BaseModel):
    """written: what judges and was written to, as paths. exit: of a command, its exit status."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    sessions: list[Session]
    seconds: float
    written: list[str] = []
    exit: int | None = None

    @property
    def last(self) -> Session | None:
        """The session behind which none was begun."""
        return self.sessions[-1] if self.sessions else None


_REPORTS = TypeAdapter(list[SuiteReport])  # of each program that was run


def read_reports(stdout: bytes, secret: bytes) -> list[SuiteReport]:
    """The signed reports in what the job printed, one of each program that it came to; none where they are not
    believed. Never raises.

    It is the last line: who writes it has outlived everything else that prints.
    """
    sign, _, body = stdout.rstrip(b"\n").rpartition(b"\n")[2].partition(b" ")
    if not hmac.compare_digest(sign, hmac.new(secret, body, hashlib.sha256).hexdigest().encode()):
        return []
    try:
        return _REPORTS.validate_json(body)
    except (ValidationError, RecursionError):
        return []


def without_report(stdout: bytes) -> bytes:
    """What was printed above the report, where there is one."""
    return stdout.rstrip(b"\n").rpartition(b"\n")[0]


def entered_functions(
    report: SuiteReport, trace: Sequence[str], program: Program
) -> tuple[tuple[str, tuple[Function, ...]], ...]:
    """Test -> functions of the traced files, in no order that means anything. What is no line of a function of these
    (a module's own lines, a class's) is left out; a lambda belongs to the function around it."""
    known: dict[int, Callable[[int], Function | None]] = {}
    found: dict[str, dict[Function, None]] = {}

    @cache
    def function_at(file: int, line: int) -> Function | None:
        if file not in known and 0 <= file < len(trace):
            known[file] = innermost(functions_of(trace[file], content(program, trace[file]) or b""))
        return known[file](line) if file in known else None

    for session in report.sessions:
        for name, places in session.entered:
            if name not in session.canaries:
                mine = (function_at(*place) for place in places)
                found.setdefault(name, {}).update((function, None) for function in mine if function)
    return tuple((name, tuple(functions)) for name, functions in found.items())


def calls_of(report: SuiteReport, trace: Sequence[str]) -> tuple[RecordedCall, ...]:
    """Calls of functions in the traced files, as tests made them."""
    return tuple(
        RecordedCall(test, trace[file], module, expression, Observed(Ending(ending), value) if ending else None)
        for session in report.sessions
        for test, file, module, expression, ending, value in session.calls
        if 0 <= file < len(trace)
    )
