"""What speaks against a program, as something people paste and run where its module can be imported. Pure."""

import ast
import re
from collections.abc import Iterable, Sequence

from bot.judges.code import SpecTest
from bot.verification.literals import exception, is_module, literal_call, read_expected
from bot.verification.model_tests import source
from bot.verification.questions import question
from bot.verification.values import Difference, Ending, Side, TestRun

MAX_CLAUSE = 300  # characters
_INEXACT = re.compile(r"\d\.|\.\d|\de[-+\d]|nan|inf")


def failed(tests: Sequence[SpecTest], run: TestRun | None) -> tuple[SpecTest, ...]:
    """Those of the tests, in the order in which `source` wrote them, that failed in the run."""
    numbers = {result.name.rpartition("_")[2] for result in run.failing} if run else set()
    return tuple(test for number, test in enumerate(tests, 1) if str(number) in numbers)


def as_file(tests: Iterable[SpecTest], module: str) -> str:
    """A small pytest file that is complete; empty without a test that can be written so."""
    kept = tuple(test for test in tests if literal_call(test.call) and read_expected(test.expected))
    if not kept or not is_module(module):
        return ""
    if any(_INEXACT.search(test.expected) for test in kept):
        return source(kept, module)  # which compares within a tolerance
    names = sorted({ast.unparse(call.func) for test in kept if (call := literal_call(test.call))})
    raising = any(exception(test.expected) for test in kept)
    head = ("import pytest\n\n" if raising else "") + f"from {module} import {', '.join(names)}\n"
    return head + "".join(_function(number, test) for number, test in enumerate(kept, 1))


def differing(difference: Difference, module: str) -> str:
    """The input on which two programs differ: as a test, where what the fix does is right, else as a program that
    shows what comes of it. Empty where it cannot be written so."""
    if difference.favours is Side.FIX and not difference.fix.mutated:
        seen = difference.fix
        raised = f"raises {seen.value}" if seen.ending is Ending.RAISED else ""
        demanded = raised or (seen.value if seen.ending is Ending.RETURNED else "")
        clause = difference.quote or difference.why
        if text := as_file([SpecTest(clause, difference.call, demanded)], module):
            return text
    asked = question(difference, "", module)
    return f"{asked.program}\n" if asked else ""


def _function(number: int, test: SpecTest) -> str:
    call = literal_call(test.call)
    assert call is not None
    shown, raises = ast.unparse(call), exception(test.expected)
    check = f"with pytest.raises({raises}):\n        {shown}" if raises else f"assert {shown} == {test.expected}"
    return f"\n\ndef test_what_was_asked_{number}():\n    # {ascii(test.clause[:MAX_CLAUSE])[1:-1]}\n    {check}\n"
