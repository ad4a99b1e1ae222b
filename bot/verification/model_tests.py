"""Tests a model wrote from the specification: which of them may count, and what becomes of those. Pure.

What speaks against a program is written as something people paste and run where its module can be imported.
"""

import ast
import builtins
import inspect
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from bot.judges.answer import quoted
from bot.judges.code import Interface, SpecTest
from bot.verification.fix_guided.questions import question
from bot.verification.literals import (
    GIVEN,
    Call,
    exception,
    is_module,
    literal_call,
    name_to_import,
    read_call,
    read_expected,
    returned,
    same,
    same_value,
    settled,
)
from bot.verification.values import Difference, Ending, Observed, Side, Suite, TestRun

MAX_TESTS = 12
EXAMPLES_FILE = "test_bouncer_specification.py"  # of the issue's own examples
CLAIMS_FILE = "test_bouncer_claims.py"  # of what a model reads in the issue, and a reviewer's counterexamples


def usable(
    tests: Iterable[SpecTest], specification: str, interface: Interface, shown: Iterable[SpecTest] = ()
) -> tuple[SpecTest, ...]:
    """Those that may count as evidence, in normal form: a verbatim clause, a literal call to the interface, a literal
    or a built-in exception that is expected, no contradiction to an example or to another test. shown: the
    specification's own examples, in normal form.

    Give a reviewer's counterexample first: of two that say the same the first stays, and the number is bounded.
    """
    said = {call: each.expected for each in shown if (call := read_call(each.call, interface))}
    read: list[tuple[Call, SpecTest]] = []
    for test in tests:
        call, expected = read_call(test.call, interface), read_expected(test.expected)
        clause = quoted(test.clause, specification)
        if call and expected and clause and same(said.get(call, expected), expected):
            read.append((call, SpecTest(clause, call.text, expected)))
    kept: dict[Call, SpecTest] = {}
    disputed = {call for call, test in read if any(c == call and not same(t.expected, test.expected) for c, t in read)}
    for call, test in read:
        if call not in disputed:
            kept.setdefault(call, test)
    return tuple(kept.values())[:MAX_TESTS]


def holds(expected: str, observed: Observed) -> bool | None:
    """Whether what a program did is what an expectation in normal form says; `None` when that cannot be told."""
    if observed.ending is Ending.RETURNED and not exception(expected):
        found = read_expected(returned(observed.value))
        return None if found is None else same(found, expected)
    if observed.ending is Ending.RAISED and exception(expected):
        raised = getattr(builtins, observed.value, None)
        wanted: type = getattr(builtins, exception(expected))
        return issubclass(raised, wanted) if isinstance(raised, type) else None
    return False


def as_suite(examples: Iterable[SpecTest], module: str, claims: Iterable[SpecTest] = ()) -> Suite:
    """The issue's examples, and what others claim it demands, as pytest files for the sandbox. Raises ValueError when
    the module cannot be imported by name."""
    written = {EXAMPLES_FILE: tuple(examples), CLAIMS_FILE: tuple(claims)}
    files = {file: source(tests, module).encode() for file, tests in written.items() if tests}
    return Suite(files=files, select=tuple(files))


def source(tests: Iterable[SpecTest], module: str) -> str:
    """Python source with one test function for each test, named by its place.

    Everything from strangers stands in it on one line, as Python's own unparser or `ascii` wrote it. Raises ValueError
    for what is no literal call or no expectation, and when the module cannot be imported by name.
    """
    if not is_module(module):
        raise ValueError("the module cannot be imported by its name")
    return _HEAD + "".join(_function(number, test, module) for number, test in enumerate(tests, 1))


def _function(number: int, test: SpecTest, module: str) -> str:
    call, expected = literal_call(test.call), read_expected(test.expected)
    if call is None or expected is None:
        raise ValueError("not a literal call with an expectation")
    shown = ast.unparse(call)
    raises = exception(expected)
    check = f"with pytest.raises({raises}):\n        settled({shown})" if raises else _equality(shown, expected)
    return f"""

def test_specification_{number}():
    {test.clause!a}
    from {module} import {name_to_import(call)}

    {check}
"""


def _equality(call: str, expected: str) -> str:
    """Said so that whoever reads of a failure sees the call, what came and what should have come."""
    said = f"{call}\n  gives    ", f"\n  expected {expected}"
    return f"found = settled({call})\n    assert same_value(found, {expected}), {said[0]!a} + repr(found) + {said[1]!a}"


_HEAD = f'''"""Written from the specification: each test quotes the clause it tests."""

import math
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest


{inspect.getsource(settled)}

{inspect.getsource(same_value)}'''


MAX_CLAUSE = 300  # characters
_INEXACT = re.compile(r"\d\.|\.\d|\de[-+\d]|nan|inf")


def failed(tests: Sequence[SpecTest], run: TestRun | None) -> tuple[SpecTest, ...]:
    """Those of the tests, in the order in which `source` wrote them, that failed in the run."""
    numbers = {result.name.rpartition("_")[2] for result in run.failing} if run else set()
    return tuple(test for number, test in enumerate(tests, 1) if str(number) in numbers)


def without(dropped: Collection[SpecTest], tests: Sequence[SpecTest], run: TestRun) -> TestRun:
    """A run of these tests as if some of them had not been written."""
    names = {f"{CLAIMS_FILE}::test_specification_{number}" for number, test in enumerate(tests, 1) if test in dropped}
    return replace(run, results=tuple(each for each in run.results if each.name not in names))


def as_file(tests: Iterable[SpecTest], module: str) -> str:
    """A small pytest file that is complete; empty without a test that can be written so."""
    kept = tuple(test for test in tests if literal_call(test.call) and read_expected(test.expected))
    if not kept or not is_module(module):
        return ""
    if any(_INEXACT.search(test.expected) for test in kept):
        return source(kept, module)  # which compares within a tolerance
    names = sorted({name_to_import(call) for test in kept if (call := literal_call(test.call))})
    raising = any(exception(test.expected) for test in kept)
    head = ("import pytest\n\n" if raising else "") + f"from {module} import {', '.join(names)}\n"
    return head + "".join(_pasted(number, test) for number, test in enumerate(kept, 1))


def differing(difference: Difference, module: str) -> str:
    """The input on which two programs differ: as a test, where what the fix does is right, else as a program that
    shows what comes of it. Empty where it cannot be written so."""
    if any(f"{each}(" in difference.call for each in GIVEN):
        return ""
    if difference.favours is Side.FIX and not difference.fix.mutated:
        seen = difference.fix
        raised = f"raises {seen.value}" if seen.ending is Ending.RAISED else ""
        demanded = raised or (seen.value if seen.ending is Ending.RETURNED else "")
        clause = difference.quote or difference.why
        if text := as_file([SpecTest(clause, difference.call, demanded)], module):
            return text
    asked = question(difference, "", module)
    return f"{asked.program}\n" if asked else ""


def _pasted(number: int, test: SpecTest) -> str:
    call = literal_call(test.call)
    assert call is not None
    shown, raises = ast.unparse(call), exception(test.expected)
    check = f"with pytest.raises({raises}):\n        {shown}" if raises else f"assert {shown} == {test.expected}"
    return f"\n\ndef test_what_was_asked_{number}():\n    # {ascii(test.clause[:MAX_CLAUSE])[1:-1]}\n    {check}\n"
