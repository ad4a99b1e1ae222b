"""Which functions each test enters, which calls are written down, and which tests matter for a change."""

import re
import sys
import threading
from pathlib import Path
from types import FrameType

import pytest

from bot.verification.files.loads import Loads
from bot.verification.testing.inside.recorder import MOST_NOT_COPIED, MOST_OF_FUNCTION, Recorder
from bot.verification.testing.run import run_suite
from bot.verification.testing.select import select_tests
from bot.verification.values import Order, Program, Suite, TestRun
from tests.support.cases import cases, table
from tests.support.sandbox import BUBBLEWRAP

EXECUTOR = BUBBLEWRAP
CODE = table(bytes, __file__, "CODE")
TESTS = table(bytes, __file__, "TESTS")


def traced(tests: bytes, **more: bytes) -> TestRun:
    files = {"solution.py": CODE, **{name.replace("_py", ".py"): text for name, text in more.items()}}
    return run_suite(
        EXECUTOR, Program(None, files), Suite({"test_it.py": tests}), seconds=600, order=Order(trace={"solution.py"})
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
    run = run_suite(EXECUTOR, Program(None, {"solution.py": CODE}), Suite({"test_it.py": TESTS}), seconds=600)
    assert run.passed
    assert run.entered == ()


def test_calls_are_recorded_as_far_as_they_can_be_copied() -> None:
    """Of a function some, each once; nothing of what only looks like a value, or is more than its attributes."""
    run = run_suite(
        EXECUTOR,
        Program(None, {"solution.py": table(bytes, __file__, "CALLED")}),
        Suite({"test_it.py": table(bytes, __file__, "CALLS")}),
        seconds=600,
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


@pytest.mark.parametrize("tracing", ["", "import sys\nsys.settrace(lambda *_: None)\n"])
def test_what_calls_give_is_recorded_as_far_as_it_can_be_written_and_nothing_is_used_up(tracing: str) -> None:
    """Not of what is another function by its name, nor of one whose caller gets more. tracing: then an error of 3.11 is
    not seen."""
    code = {"solution.py": table(bytes, __file__, "ANSWERING")}
    tests = Suite({"test_it.py": tracing.encode() + table(bytes, __file__, "ASKING")})
    run = run_suite(EXECUTOR, Program(None, code), tests, seconds=600, order=Order(trace=frozenset(code)))
    assert run.passed, run
    told = {each.expression.partition("(")[0]: each.answer for each in run.calls}
    seen = {call: f"{answer.ending.value} {answer.value}" if answer else "" for call, answer in told.items()}
    seen["solution.long"] = re.sub("x{500}|[0-9a-f]{64}|x{499}", "", seen["solution.long"])
    wanted = table(dict[str, str], __file__, "ANSWERED")
    assert seen == (wanted | {"solution.refuse": ""} if tracing and sys.version_info < (3, 12) else wanted)


def test_calls_of_each_test_are_recorded_where_they_are_asked_for_anew() -> None:
    code = {"solution.py": b"def one(n): return n\n"}
    tests = Suite({"test_it.py": b"import solution\ndef test_it(): solution.one(1)\ndef test_too(): solution.one(1)\n"})
    orders = (Order(trace=frozenset(code), anew=anew) for anew in (False, True))
    runs = [run_suite(EXECUTOR, Program(None, code), tests, seconds=600, order=order) for order in orders]
    assert [[each.test.rpartition("::")[2] for each in run.calls] for run in runs] == [
        ["test_it"],
        ["test_it", "test_too"],
    ]


def test_each_call_that_a_test_makes_itself_is_recorded_where_all_are_asked_for() -> None:
    code = {"solution.py": b"def one(n): return n\ndef two(n): return one(n) + one(n + 9)\n"}
    tests = Suite({"test_it.py": b"import solution\ndef test_it():\n    for n in range(9): solution.two(n)\n"})
    run = run_suite(
        EXECUTOR, Program(None, code), tests, seconds=600, order=Order(trace=frozenset(code), by_tests=True)
    )
    assert [each.expression for each in run.calls] == [f"solution.two({n})" for n in range(9)]


def test_what_tests_call_is_recorded_with_the_life_of_its_objects() -> None:
    """No default, no inner call and no object of the tests' own; a step that raised is not made again."""
    code = {"shop.py": table(bytes, __file__, "SHOP"), "parts.py": table(bytes, __file__, "PARTS")}
    tests = Suite({"test_it.py": table(bytes, __file__, "CUSTOMERS")})
    run = run_suite(
        EXECUTOR, Program(None, code), tests, seconds=600, order=Order(trace=frozenset(code), by_tests=True)
    )
    assert run.passed, run
    told = [each.expression for each in run.calls if not each.test.endswith("test_long")]
    assert told == table(list[str], __file__, "LIVES")
    long = [each.expression for each in run.calls if each.test.endswith("test_long")]
    assert long[29].count("o1.fare(") == 29 and long[35].startswith("unpickled(") and long[35].endswith(".fare(34)")


def given(value: object) -> FrameType:
    return sys._getframe()


def test_a_function_whose_objects_cannot_be_copied_is_let_alone_after_many() -> None:
    recorder = Recorder()
    for _ in range(MOST_NOT_COPIED):
        recorder.note(given(threading.Lock()))
    recorder.note(given(1))
    assert recorder.told() == []


def test_one_that_cannot_be_copied_at_times_is_written_down_where_it_can() -> None:
    recorder = Recorder()
    for number in range(MOST_NOT_COPIED - 1):
        recorder.note(given(threading.Lock()))
        recorder.note(given(number % 3))
    told = recorder.told()
    assert [call for _, _, call, *_ in told] == [f"{__name__}.given({number})" for number in range(3)] != []
    assert len(told) < MOST_OF_FUNCTION


FILES = table(dict[str, str], __file__, "FILES")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def imports(tree: Path) -> Loads:
    return Loads.of(Program(tree, {}), others=False)


@cases
def test_the_tests_that_a_change_concerns(tree: Path, changed: list[str], selected: tuple[str, ...]) -> None:
    assert select_tests([imports(tree)], changed)[0] == selected


@cases
def test_the_whole_suite_where_nothing_better_is_known(tree: Path, changed: list[str]) -> None:
    assert select_tests([imports(tree)], changed) == ((), ())


def test_a_repository_with_too_many_files_is_tested_whole(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.verification.testing.select.MOST_FILES", 3)
    assert select_tests([imports(tree)], ["src/shop/cart.py"]) == ((), ())


def test_circles_and_links_do_not_hold_it_up(tree: Path) -> None:
    (tree / "src/shop/price.py").write_text("import shop.cart\n")
    (tree / "src/shop/loop").symlink_to(tree)
    (tree / "src/shop/endless.py").symlink_to("/dev/zero")
    assert select_tests([imports(tree)], ["src/shop/price.py"]) == (("tests/test_cart.py",), ())
