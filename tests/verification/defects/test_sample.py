"""Small defects tried one by one: by which tests, and how many."""

from pathlib import Path

from bot.verification.defects.defect import Defect, DefectKind
from bot.verification.defects.runs import Known
from bot.verification.defects.strength import MOST_TRIED, spread
from bot.verification.syntax import functions_of, innermost
from bot.verification.testing.run import Order, run_suite
from bot.verification.values import Program, Suite
from tests.support.sandbox import BUBBLEWRAP

TOLL = "def toll(axles):\n    return axles + 3\n\n\ndef tax(price):\n    return price + 1\n"
TESTS = """\
import toll

def test_toll(): assert toll.toll(3) == 6
def test_tax(): toll.tax(3)
def test_marks(): toll.marked = True; toll.tax(1)
def test_leans_on_another(): assert toll.tax(2) == 3 and toll.marked
def test_neither(): pass
"""


def test_defects_are_spread_over_the_functions() -> None:
    text = "".join(f"def f{n}():\n" + "    x = 1\n" * (40 if n == 0 else 2) for n in range(4))
    starts = [at for at in range(len(text)) if text.startswith("1\n", at)]
    of = innermost(functions_of("a.py", text.encode()))
    rows = [(at, of(text.count("\n", 0, at) + 1)) for at in starts]
    slips = [Defect("a.py", (at, at + 1), b"2", DefectKind.SLIP, each, "") for at, each in rows if each]
    found = spread(slips)
    around = [int(each.of.name[1:]) for each in found]
    assert len({each.span for each in found}) == MOST_TRIED
    assert around[:4] == [0, 1, 2, 3]
    assert [around.count(n) for n in range(4)] == [6, 2, 2, 2]
    assert max(each.span[0] for each in found if each.of.name == "f0") > 300  # not its first lines alone


def test_tests_that_enter_a_function_are_known(tmp_path: Path) -> None:
    (tmp_path / "toll.py").write_text(TOLL)
    (tmp_path / "test_toll.py").write_text(TESTS)
    program, suite, executor = Program(tmp_path, {}), Suite(select=("test_toll.py",)), BUBBLEWRAP
    before = run_suite(executor, program, suite, order=Order(trace={"toll.py"}))
    known = Known.of([before], [before])
    assert known.tests("toll.py", "toll") == ["test_toll.py::test_toll"]
    assert set(known.tests("toll.py", "tax")) == {
        f"test_toll.py::test_{name}" for name in ("tax", "marks", "leans_on_another")
    }
