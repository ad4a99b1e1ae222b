"""How much tests notice: measured inside the sandbox, on programs that mean no good too; defects tried one by one."""

import time
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from bot.verification.defects.null_edit import null_edited
from bot.verification.defects.runs import Known
from bot.verification.defects.strength import MOST_TRIED, measure
from bot.verification.testing.run import run_suite
from bot.verification.values import Order, Program, Strength, Suite
from tests.support.sandbox import BUBBLEWRAP

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


def measured(
    source: str, tests: Suite, lines: Mapping[str, Iterable[int]] = LINES, seconds: float = PATIENCE
) -> Strength:
    return of(program(source), lines, tests, seconds)


def of(judged: Program, lines: Mapping[str, Iterable[int]], tests: Suite, seconds: float = PATIENCE) -> Strength:
    started = time.monotonic()
    there = run_suite(BUBBLEWRAP, null_edited(judged, lines), tests, seconds=seconds)
    return measure(BUBBLEWRAP, judged, lines, tests, there, seconds=seconds - (time.monotonic() - started))


def test_stronger_tests_kill_more() -> None:
    weak, strong = measured(TOLL, suite(WEAK)), measured(TOLL, suite(STRONG))
    assert weak.complete
    assert strong.complete
    assert weak.tool.startswith("tree-sitter 0.")
    assert MOST_TRIED >= strong.killed == strong.mutants >= MOST_TRIED / 2
    assert 0 < weak.killed < weak.mutants


def test_only_the_changed_lines_are_mutated() -> None:
    assert 0 < measured(TOLL, suite(STRONG), {"solution.py": [4]}).mutants < 5
    assert measured(TOLL, suite(STRONG), {"solution.py": []}).share is None


def test_a_mutant_that_never_ends_is_killed() -> None:
    source = "def drain(n):\n    while n > 0:\n        n -= 1\n    return n\n"
    counting = Suite({"test_drain.py": b"from solution import drain\n\nassert drain(3) == 0\n"})
    strength = measured(source, counting, {"solution.py": [3]})
    assert strength.complete
    assert strength.killed >= 1


WRONG = b"from solution import toll\n\n\ndef test_wrong():\n    assert toll(1) == 99\n"
NOTHING_KILLED = {
    "no test": (TOLL, Suite()),
    "tests fail on the program itself": (TOLL, suite(WRONG)),
    "leaves at import": ("import os\nos._exit(0)\n" + TOLL, suite(WEAK)),
    "raises at import": ("raise SystemExit(0)\n" + TOLL, suite(WEAK)),
    "does not parse": ("def toll(axles:\n", suite(WEAK)),
    "nested too deep": (TOLL + "x = " + "-" * 20_000 + "1\n", suite(WEAK)),
}


@pytest.mark.parametrize(("source", "tests"), NOTHING_KILLED.values(), ids=NOTHING_KILLED)
def test_what_cannot_pass_has_no_mutant_killed(source: str, tests: Suite) -> None:
    assert measured(source, tests).killed == 0


def test_a_program_that_knows_its_own_text_does_not_look_well_tested() -> None:
    head = "import os\nfrom pathlib import Path\n\nif len(Path(__file__).read_text()) != LENGTH:\n    os._exit(1)\n\n"
    source = (head + TOLL).replace("LENGTH", str(len(head + TOLL) - 3))
    assert len(source) == len(head + TOLL) - 3
    strength = measured(source, suite(WEAK), {"solution.py": range(7, 20)})
    assert strength.mutants > 0
    assert strength.killed == 0


def test_time_is_bounded_and_said() -> None:
    strength = measured("import time\ntime.sleep(0.5)\n" + TOLL, suite(WEAK), seconds=3.0)
    assert not strength.complete
    assert strength.mutants < MOST_TRIED


def test_a_giant_program_is_not_mutated() -> None:
    found = measured(TOLL + "#" * 2 * 2**20, suite(WEAK))
    assert (found.mutants, found.complete) == (0, True)


def test_a_suite_with_fixtures_runs_once_for_each_mutant(tmp_path: Path) -> None:
    source = "def opens(barrier):\n    return not barrier\n"
    (tmp_path / "gate.py").write_text(source)
    fixture = b"import pytest\nfrom gate import opens\n\n@pytest.fixture\ndef barrier():\n    return False\n\n"
    tests = Suite({"test_gate.py": fixture + b"def test_open(barrier):\n    assert opens(barrier)\n"})
    gate, lines = Program(tmp_path, {}), {"gate.py": [2]}
    strength = of(gate, lines, tests)
    assert strength.complete
    assert strength.mutants == strength.killed == 1
    assert (tmp_path / "gate.py").read_text() == source
    blind = Suite({"test_gate.py": fixture + b"def test_open(barrier):\n    opens(barrier)\n"})
    strength = of(gate, lines, blind)
    assert (strength.mutants, strength.killed) == (1, 0)


def test_where_the_changed_lines_hold_nothing_the_function_around_them_counts() -> None:
    last = {"solution.py": [5]}
    assert TOLL.splitlines()[4].strip() == "return price"
    found = measured(TOLL, suite(STRONG), last)
    assert found.around
    assert found.killed == found.mutants >= MOST_TRIED / 2
    assert not measured(TOLL, suite(STRONG), {"solution.py": [2]}).around


PRICED = "def toll(axles):\n    return axles + 3\n\n\ndef tax(price):\n    return price + 1\n"
TESTS = """\
import toll

def test_toll(): assert toll.toll(3) == 6
def test_tax(): toll.tax(3)
def test_marks(): toll.marked = True; toll.tax(1)
def test_leans_on_another(): assert toll.tax(2) == 3 and toll.marked
def test_neither(): pass
"""


def test_tests_that_enter_a_function_are_known(tmp_path: Path) -> None:
    (tmp_path / "toll.py").write_text(PRICED)
    (tmp_path / "test_toll.py").write_text(TESTS)
    program, suite, executor = Program(tmp_path, {}), Suite(select=("test_toll.py",)), BUBBLEWRAP
    before = run_suite(executor, program, suite, order=Order(trace={"toll.py"}))
    known = Known.of([before], [before])
    assert known.tests("toll.py", "toll") == ["test_toll.py::test_toll"]
    assert set(known.tests("toll.py", "tax")) == {
        f"test_toll.py::test_{name}" for name in ("tax", "marks", "leans_on_another")
    }
