"""Which functions each test enters, through the real sandbox."""

import pytest

from bot.verification.testing.run import Order, run_suite
from bot.verification.values import Program, Suite, TestRun
from tests.support.cases import table
from tests.support.sandbox import BUBBLEWRAP

EXECUTOR = BUBBLEWRAP
CODE = table(bytes, __file__, "CODE")
TESTS = table(bytes, __file__, "TESTS")


def traced(tests: bytes, **more: bytes) -> TestRun:
    files = {"solution.py": CODE, **{name.replace("_py", ".py"): text for name, text in more.items()}}
    return run_suite(
        EXECUTOR, Program(None, files), Suite({"test_it.py": tests}), seconds=60, order=Order(trace={"solution.py"})
    )


def names(run: TestRun) -> dict[str, set[str]]:
    return {test.rpartition("::")[2]: {function.name for function in found} for test, found in run.entered}


@pytest.fixture(scope="module")
def seen() -> TestRun:
    return traced(TESTS)


def test_each_test_has_the_functions_it_entered(seen: TestRun) -> None:
    assert seen.passed, seen
    found = names(seen)
    assert found["test_plain"] == {"plain", "inner.deep"}  # `inner` was remembered from the import
    assert found["test_box"] == {"Box.__init__", "Box.value", "Box.later"}
    assert found["test_thread"] == {"elsewhere", "Box.__init__"}
    assert found["test_numbers"] == {"numbers"}
    assert found["test_left_alone"] == set()
    assert found["test_without_end"] == found["test_behind_it"] == found["test_plain"]  # the later calls cost nothing


def test_a_function_has_its_lines_and_its_decorators(seen: TestRun) -> None:
    spans = {function.name: (function.first, function.last) for _, found in seen.entered for function in found}
    assert spans["Box.value"] == (12, 13)
    assert spans["numbers"] == (16, 17)
    assert {function.called for _, found in seen.entered for function in found} >= {"solution.py:Box.later"}


def test_a_suite_that_traces_for_itself_keeps_its_trace() -> None:
    run = traced(
        b"import sys\ndef own(*_): return None\nsys.settrace(own)\nimport solution\n"
        b"def test_it():\n    solution.plain()\n    assert sys.gettrace() is own\n"
    )
    assert run.passed, run
    assert names(run)["test_it"] == {"plain", "inner.deep"}  # it was noted all the same


def test_the_last_frame_of_a_deep_recursion_is_the_programs() -> None:
    run = traced(
        b"import traceback, solution\n"
        b"def test_it():\n"
        b"    try:\n        solution.without_end()\n"
        b"    except RecursionError as error:\n        told = traceback.extract_tb(error.__traceback__)\n"
        b"    assert told[-1].name == 'without_end'\n",
        solution_py=CODE + b"\ndef without_end(): return without_end()\n",
    )
    assert run.passed, run


def test_nothing_is_noted_where_nobody_asks() -> None:
    run = run_suite(EXECUTOR, Program(None, {"solution.py": CODE}), Suite({"test_it.py": TESTS}), seconds=60)
    assert run.passed
    assert run.entered == ()


def test_calls_are_recorded_as_far_as_they_can_be_copied() -> None:
    """Of a function some, each once; nothing of what only looks like a value, or is more than its attributes."""
    run = run_suite(
        EXECUTOR,
        Program(None, {"solution.py": table(bytes, __file__, "CALLED")}),
        Suite({"test_it.py": table(bytes, __file__, "CALLS")}),
        seconds=60,
        order=Order(trace={"solution.py"}),
    )
    assert run.passed, run
    assert [each.expression.partition("unpickled")[0] for each in run.calls] == [
        "solution.fare('A', 2)",
        "solution.fare('B', [1, {'a': (None, 1.5)}])",
        "solution.Box.of('7')",
        "solution.Box.add(",
        "getattr(",
        "solution.most(1, 2, key=3)",
        "solution.later()",
    ]
    assert {(each.path, each.module) for each in run.calls} == {("solution.py", "solution")}


def test_each_call_that_a_test_makes_itself_is_recorded_where_all_are_asked_for() -> None:
    code = {"solution.py": b"def one(n): return n\ndef two(n): return one(n) + one(n + 9)\n"}
    tests = Suite({"test_it.py": b"import solution\ndef test_it():\n    for n in range(9): solution.two(n)\n"})
    run = run_suite(EXECUTOR, Program(None, code), tests, seconds=60, order=Order(trace=frozenset(code), by_tests=True))
    assert [each.expression for each in run.calls] == [f"solution.two({n})" for n in range(9)]
