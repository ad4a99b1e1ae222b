"""Can the suite still fail? Through the real sandbox: heads that made it deaf, and honest ones of the same shape."""

import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.verification.defects.control import NO_TIME, NOT_COVERED, NOT_NOTICED, prove
from bot.verification.defects.runs import TimedRuns, Watched
from bot.verification.patch_evidence import Control, Proof
from bot.verification.syntax import functions_of
from bot.verification.testing.run import run_suite
from bot.verification.trial.times import CONTROL
from bot.verification.values import Order, Program, Suite, TestResult, TestRun, TestStatus
from tests.support.cases import cases, table
from tests.support.lengths import EVERY_TRICK
from tests.support.sandbox import BUBBLEWRAP, Remembering

NOTHING = Path(tempfile.mkdtemp())  # a tree, so that the tests run as a repository's do
EXECUTOR = Remembering(BUBBLEWRAP)
CODE = """\
def toll(axles):
    price = axles * 3
    return price

def label(axles):
    return f"{axles} axles"
"""
TESTS = """\
import pytest
from toll import label, toll
@pytest.mark.parametrize("axles", [1, 2])
def test_toll(axles): assert toll(axles) == 3 * axles
def test_label(): assert label(2) == "2 axles"
"""
DEARER = CODE.replace("    return price", "    if axles > 2:\n        price += 5\n    return price")
# It lets every test of the toll pass, whatever happens in it, as long as the others tell the truth.
DEAF = table(str, __file__, "DEAF")


def within(seconds: float) -> TimedRuns:
    return TimedRuns(EXECUTOR, time.monotonic() + seconds, CONTROL.least)


def watched(files: Mapping[str, str], select: str = "tests/test_toll.py", trace: bool = False) -> Watched:
    program = Program(NOTHING, {path: text.encode() for path, text in files.items()})
    suite = Suite({path: text for path, text in program.files.items() if path.startswith("tests") and text}, (select,))
    order = Order(trace={"toll.py"} if trace else ())
    return Watched(program, suite, run_suite(EXECUTOR, program, suite, seconds=600, order=order))


def proved(code: str, lines: range, own: str = "", *, base: str = CODE, tests: str = TESTS) -> Control:
    before = {"toll.py": base, "tests/test_toll.py": tests}
    after = {**before, "toll.py": code, **({"tests/test_more.py": own} if own else {})}
    brought = watched(after, "tests/test_more.py", trace=True) if own else None
    turned = ("tests/test_more.py::test_more",) if own else ()
    old, new = watched(before, trace=True), watched({**before, "toll.py": code})
    assert old.run.passed
    return prove(within(60), old, new, {"toll.py": lines}, own=brought, turned=turned)


def test_a_suite_that_notices_is_proved_by_what_changed_and_by_something_else() -> None:
    control = proved(DEARER, range(2, 6))
    assert control.proof is Proof.PROVED
    assert control.broken[0] == "toll.py:toll"
    assert len(control.broken) == 2


@pytest.mark.parametrize(
    "others", ["'toll' not in self.name", *(["not self.name.startswith('test_toll[')"] if EVERY_TRICK else [])]
)
def test_a_head_that_made_the_tests_of_what_changed_deaf_is_blind(others: str) -> None:
    """The first makes a canary deaf as well, with and without the break: so that is no sign of the break."""
    control = proved(DEARER + DEAF.replace("NAMES", others), range(2, 6))
    assert control == Control(Proof.BLIND, control.broken, ("toll.py:toll",))


def test_what_no_test_ever_looked_at_proves_nothing_and_accuses_nobody() -> None:
    log = "def log(axles):\n    print(axles)\n"
    note = "def note(axles):\n    try:\n        log(axles)\n    except Exception:\n        pass\n"
    tests = TESTS.replace("label, toll", "label, note, toll") + "def test_note(): note(1)\n"
    changed = CODE + log.replace("print(axles)", "print(axles, 1)") + note
    control = proved(changed, range(8, 9), base=CODE + log + note, tests=tests)
    assert (control.proof, control.why) == (Proof.UNPROVED, NOT_NOTICED)


NEW = CODE + "def rebate(axles):\n    return axles - 1\n"


@cases
def test_where_the_base_covers_nothing_the_changes_own_test_has_to_turn_red(own: str, proof: Proof) -> None:
    control = proved(NEW, range(7, 9), own)
    assert control.proof is proof
    assert control.why == (NOT_COVERED if proof is Proof.UNPROVED else "")


def test_a_function_that_the_change_left_unused_accuses_nobody() -> None:
    base = CODE + "def twice(axles):\n    return toll(axles) * 2\n"
    tests = TESTS.replace("assert toll(axles)", "assert twice(axles) / 2").replace("label, toll", "label, twice")
    head = CODE.replace("    return price", "    return price or 0") + "def twice(axles):\n    return axles * 6\n"
    control = proved(head, range(2, 4), base=base, tests=tests)
    assert (control.proof, control.why) == (Proof.UNPROVED, NOT_NOTICED)


def test_without_time_nothing_is_tried_and_nothing_is_missed_where_nothing_can_be_broken() -> None:
    program = Program(None, {"toll.py": CODE.encode()})
    toll = next(each for each in functions_of("toll.py", CODE.encode()) if each.name == "toll")
    ran = TestRun((TestResult("t.py::test_toll", TestStatus.PASSED),), 0.1, entered=(("t.py::test_toll", (toll,)),))
    head = Watched(program, Suite(), ran)
    for changed in ("toll.py", "data.txt"):  # where no function changes, another one can be broken
        untried = prove(within(0.5), head, head, {changed: range(2, 4)})
        assert untried == Control(Proof.UNTRIED, why=NO_TIME)
    without = Watched(Program(None, {}), Suite(), TestRun((), 0.0))
    assert prove(within(0.5), without, without, {"data.txt": range(1, 4)}).proof is Proof.NOTHING
