"""How much tests notice: measured inside the sandbox, on programs that mean no good too."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.sandbox.protocol import Outcome, Status
from bot.verification.defects.strength import MOST, is_plain, measure
from bot.verification.values import Environment, Program, Strength, Suite, TestResult, TestRun, TestStatus
from tests.support.sandbox import BUBBLEWRAP, StandIn

TOLL = """\
def toll(axles, heavy=False):
    price = axles * 3
    if axles > 2 and not heavy:
        price += 5
    return price
"""
PATIENCE = 60.0  # on a busy machine
LINES = {"solution.py": range(1, 100)}
WEAK = b"from solution import toll\n\n\ndef test_nothing_much():\n    assert toll(1) == 3\n"
STRONG = b"""\
from solution import toll

assert toll(1) == 3
assert toll(2) == 6
assert toll(3) == 14
assert toll(4) == 17
assert toll(3, True) == 9
"""


def program(source: str = TOLL) -> Program:
    return Program(None, {"solution.py": source.encode()})


def suite(source: bytes) -> Suite:
    return Suite({"test_toll.py": source})


def test_stronger_tests_kill_more() -> None:
    weak = measure(BUBBLEWRAP, program(), LINES, suite(WEAK), seconds=PATIENCE)
    strong = measure(BUBBLEWRAP, program(), LINES, suite(STRONG), seconds=PATIENCE)
    assert weak.complete
    assert strong.complete
    assert weak.tool.startswith("tree-sitter 0.")
    assert weak.mutants == strong.mutants >= 10
    assert 0 < weak.killed < strong.killed == strong.mutants


def test_compared_inputs_kill_as_well_as_tests() -> None:
    none = measure(BUBBLEWRAP, program(), LINES, Suite(), seconds=PATIENCE)
    some = measure(
        BUBBLEWRAP, program(), LINES, Suite(), ["toll(2)", "toll(3)", "toll(3, True)", "toll(None)"], seconds=PATIENCE
    )
    assert none.killed == 0
    assert some.killed > some.mutants / 2


def test_arguments_that_are_changed_in_place_count() -> None:
    source = program("def push(stack, item):\n    stack.append(item + 1)\n")
    assert measure(BUBBLEWRAP, source, LINES, Suite(), ["push([], 1)"], seconds=PATIENCE).share == 1.0


def test_only_the_changed_lines_are_mutated() -> None:
    one = measure(BUBBLEWRAP, program(), {"solution.py": [4]}, suite(STRONG), seconds=PATIENCE)
    assert 0 < one.mutants < 5
    assert measure(BUBBLEWRAP, program(), {"solution.py": []}, suite(STRONG), seconds=PATIENCE).share is None


def test_a_mutant_that_never_ends_is_killed() -> None:
    source = program("def drain(n):\n    while n > 0:\n        n -= 1\n    return n\n")
    counting = Suite({"test_drain.py": b"from solution import drain\n\nassert drain(3) == 0\n"})
    strength = measure(BUBBLEWRAP, source, {"solution.py": [3]}, counting, seconds=PATIENCE)
    assert strength.complete
    assert strength.killed >= 1


DRAWS = "import os\n\ndef draw(n):\n    return os.urandom(8), n + 1\n"
WRONG = b"from solution import toll\n\n\ndef test_wrong():\n    assert toll(1) == 99\n"
NOTHING_KILLED = {
    "differs without a defect": (DRAWS, Suite(), ["draw(1)"]),
    "tests fail on the program itself": (TOLL, suite(WRONG), []),
    "leaves at import": ("import os\nos._exit(0)\n" + TOLL, suite(WEAK), ["toll(3)"]),
    "raises at import": ("raise SystemExit(0)\n" + TOLL, suite(WEAK), ["toll(3)"]),
    "does not parse": ("def toll(axles:\n", suite(WEAK), ["toll(3)"]),
    "nested too deep": (TOLL + "x = " + "-" * 20_000 + "1\n", suite(WEAK), ["toll(3)"]),
}


@pytest.mark.parametrize(("source", "tests", "calls"), NOTHING_KILLED.values(), ids=NOTHING_KILLED)
def test_what_cannot_pass_or_differs_anyway_has_no_mutant_killed(source: str, tests: Suite, calls: list[str]) -> None:
    assert measure(BUBBLEWRAP, program(source), LINES, tests, calls, seconds=PATIENCE).killed == 0


def test_a_program_that_knows_its_own_text_does_not_look_well_tested() -> None:
    head = "import os\nfrom pathlib import Path\n\nif len(Path(__file__).read_text()) != LENGTH:\n    os._exit(1)\n\n"
    source = (head + TOLL).replace("LENGTH", str(len(head + TOLL) - 3))
    assert len(source) == len(head + TOLL) - 3
    strength = measure(
        BUBBLEWRAP, program(source), {"solution.py": range(7, 20)}, suite(WEAK), ["toll(3)"], seconds=PATIENCE
    )
    assert strength.mutants > 0
    assert strength.killed == 0


SILENCING = """\
import os, signal, time
if os.path.exists("/work/.strength"):
    os.kill(os.getppid(), signal.SIGKILL)
"""


def test_a_program_that_kills_the_driver_leaves_nothing_known() -> None:
    strength = measure(BUBBLEWRAP, program(SILENCING + TOLL), LINES, suite(WEAK), seconds=PATIENCE)
    assert (strength.mutants, strength.complete) == (0, False)


def test_time_is_bounded_and_said() -> None:
    slow = program("import time\ntime.sleep(0.2)\n" + TOLL)
    strength = measure(BUBBLEWRAP, slow, LINES, suite(STRONG), seconds=2.0)
    assert not strength.complete
    assert strength.mutants < 12


def test_a_giant_program_is_not_mutated() -> None:
    giant = program(TOLL + "#" * 2 * 2**20)
    assert measure(answering(b""), giant, LINES, suite(WEAK)) == Strength(0, 0, True, measure_tool())


def test_a_suite_with_fixtures_runs_once_for_each_mutant(tmp_path: Path) -> None:
    source = "def opens(barrier):\n    return not barrier\n"
    (tmp_path / "gate.py").write_text(source)
    fixture = b"import pytest\nfrom gate import opens\n\n@pytest.fixture\ndef barrier():\n    return False\n\n"
    tests = Suite({"test_gate.py": fixture + b"def test_open(barrier):\n    assert opens(barrier)\n"})
    before = TestRun((TestResult("test_gate.py::test_open", TestStatus.PASSED),), 0.1)
    strength = measure(BUBBLEWRAP, Program(tmp_path, {}), {"gate.py": [2]}, tests, before=before, seconds=PATIENCE)
    assert strength.complete
    assert strength.mutants == strength.killed == 1
    assert strength.missed == ()
    assert (tmp_path / "gate.py").read_text() == source
    blind = Suite({"test_gate.py": fixture + b"def test_open(barrier):\n    opens(barrier)\n"})
    strength = measure(BUBBLEWRAP, Program(tmp_path, {}), {"gate.py": [2]}, blind, before=before, seconds=PATIENCE)
    assert (strength.mutants, strength.killed) == (1, 0)
    assert strength.missed == ("gate.py:2: not barrier → barrier",)


PLAIN = {
    "functions": (b"def test_a():\n    assert True\n", True),
    "bare assertions": (b"assert 1\n", True),
    "a fixture": (b"def test_a(tmp_path):\n    pass\n", False),
    "a mark": (b"import pytest\n\n@pytest.mark.skip\ndef test_a():\n    pass\n", False),
    "a class": (b"class TestA:\n    def test_a(self):\n        pass\n", False),
    "a fixture of its own": (b"import pytest\n\n@pytest.fixture(autouse=True)\ndef fresh():\n    pass\n", False),
    "marks for the module": (b"import pytest\npytestmark = pytest.mark.skip\n", False),
    "asynchronous": (b"async def test_a():\n    pass\n", False),
    "does not parse": (b"def test_a(:\n", False),
    "nested too deep": (b"x = " + b"-" * 50_000 + b"1", False),
    "null byte": (b"x = 1\0", False),
}


@pytest.mark.parametrize("source,plain", PLAIN.values(), ids=PLAIN)
def test_what_can_be_called_without_pytest(source: bytes, plain: bool) -> None:
    assert is_plain(suite(source)) is plain


def test_what_needs_more_than_its_files_is_not_plain() -> None:
    assert is_plain(Suite())
    assert not is_plain(replace(suite(WEAK), command=("make", "test")))
    assert not is_plain(replace(suite(WEAK), select=("test_toll.py::test_nothing_much",)))
    assert not is_plain(replace(suite(WEAK), environment=Environment(python=("python3",))))
    assert not is_plain(Suite({"test_toll.py": WEAK, "conftest.py": b""}))


def answering(stdout: bytes, status: Status = Status.EXITED) -> StandIn:
    """An executor whose driver answered what a program made of it."""
    return StandIn(Outcome(status, 0, stdout, b"", {}, 0.1, ()))


def measure_tool() -> str:
    return measure(answering(b""), program(), LINES, suite(WEAK)).tool


def answer(**changes: object) -> bytes:
    return json.dumps({"tried": 5, "killed": 3} | changes).encode()


FORGED = {
    "more killed than tried": answer(killed=6),
    "more than there can be": answer(tried=MOST + 1),
    "less than none": answer(killed=-1),
    "a word": answer(killed="all"),
    "a truth": answer(tried=True, killed=True),
    "two answers": answer() + answer(),
    "nested too deep": b"[" * 100_000,
    "nothing": b"",
}


@pytest.mark.parametrize("stdout", FORGED.values(), ids=FORGED)
def test_an_answer_that_cannot_be_true_is_none(stdout: bytes) -> None:
    strength = measure(answering(stdout), program(), LINES, suite(WEAK))
    assert (strength.mutants, strength.killed, strength.complete) == (0, 0, False)


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.EXITED])
def test_a_driver_that_did_not_end_says_nothing(status: Status) -> None:
    strength = measure(answering(answer(), status), program(), LINES, suite(WEAK))
    assert (strength.mutants, strength.complete) == (0, False)
    assert measure(answering(answer()), program(), LINES, suite(WEAK)).share == 0.6


@settings(max_examples=30, deadline=None)
@given(st.binary() | st.recursive(st.integers() | st.text(), st.lists).map(lambda value: json.dumps(value).encode()))
def test_any_answer_is_read(stdout: bytes) -> None:
    assert measure(answering(stdout), program(), LINES, suite(WEAK)).killed <= MOST


def test_where_the_changed_lines_hold_nothing_the_function_around_them_counts() -> None:
    last = {"solution.py": [5]}
    assert TOLL.splitlines()[4].strip() == "return price"
    found = measure(BUBBLEWRAP, program(), last, suite(STRONG), seconds=PATIENCE)
    assert found.around
    assert found.killed == found.mutants >= 10
    assert not measure(BUBBLEWRAP, program(), {"solution.py": [2]}, suite(STRONG), seconds=PATIENCE).around
