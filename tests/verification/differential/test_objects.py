"""Programs with objects, as tests use them: what the comparison finds, and where it finds nothing."""

from functools import cache

import pytest

from bot.verification.differential.compare import Versions, compare
from bot.verification.differential.visible import order_to_record, visible_calls
from bot.verification.testing.run import run_suite
from bot.verification.values import Differential, Program, Suite, TestRun
from tests.support.cases import table
from tests.support.sandbox import BUBBLEWRAP, Remembering

EXECUTOR = Remembering(BUBBLEWRAP)
CASES = table(list[dict[str, str]], __file__, "CASES")
NAMES = [each["name"] for each in CASES]
FILES = {f"case_{at}.py": each["code"].encode() for at, each in enumerate(CASES)}
FILES |= {"case_36_parts.py": b"def last(text):\n    return text[-1:]\n"}
FILES |= {"parts/__init__.py": b"", "parts/rates.py": table(bytes, __file__, "RATES")}
TESTS = {f"test_case_{at}.py": f"from case_{at} import *\n\n{each['test']}".encode() for at, each in enumerate(CASES)}
PROGRAM = Program(None, FILES)


@cache
def recorded() -> TestRun:
    suite = Suite(TESTS)
    return run_suite(EXECUTOR, PROGRAM, suite, seconds=600, order=order_to_record(PROGRAM, suite))


def compared(at: int) -> Differential:
    each, path = CASES[at], CASES[at].get("path", f"case_{at}.py")
    text = FILES[path].decode()
    assert each["old"] in text
    fix = Program(None, FILES | {path: text.replace(each["old"], each["new"]).encode()})
    visible = visible_calls(PROGRAM, fix, recorded(), (), suite=Suite(TESTS))
    return compare(Versions(EXECUTOR, PROGRAM, fix, visible), seconds=600)


def test_all_pass_before() -> None:
    assert recorded().passed, [(each.name, each.message) for each in recorded().failing]


@pytest.mark.parametrize("at", range(len(CASES)), ids=NAMES)
def test_what_is_found(at: int) -> None:
    """found: part of a call on which both differ; empty where there is none, though many were compared."""
    seen = compared(at)
    calls = [each.call for each in seen.differences]
    if CASES[at]["found"]:
        assert any(CASES[at]["found"] in call for call in calls), (calls[:5], seen.calls[:20], seen.problem)
    else:
        assert calls == [] and len(seen.calls) > 5, (calls[:5], seen.calls, seen.problem)


@pytest.mark.parametrize("name", [each for each in NAMES if each.startswith("undecided")])
def test_what_no_visible_call_vouches_for_differs(name: str) -> None:
    """Of an age, a number was seen: the text and nothing at all are alike."""
    assert compared(NAMES.index(name)).differences


@pytest.mark.parametrize("name", [each for each in NAMES if each.endswith("by its annotations")])
def test_what_no_test_calls_is_doubted_though_inputs_were_compared(name: str) -> None:
    assert "No test calls what the fix changes" in compared(NAMES.index(name)).doubt
