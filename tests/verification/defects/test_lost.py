"""Tests that came to notice less, in every way we know, beside honest rewrites of the same shape; all in one trial."""

import re
import time

from bot.verification.defects.lost import MOST_DEFECTS, lost_kills
from bot.verification.defects.runs import TimedRuns, Watched
from bot.verification.patch_evidence import LostKills
from bot.verification.testing.run import run_suite
from bot.verification.trial.times import LOST
from bot.verification.values import Experiment, Keeper, Order, Program, Suite, TestResult, TestRun, TestStatus
from tests.support.cases import table
from tests.support.sandbox import BUBBLEWRAP, Remembering

EXECUTOR = Remembering(BUBBLEWRAP)
CODE = b"def toll(axles):\n    return axles + 11\n"
PLAIN = b"def toll(axles):\n    return PRICES[axles]\nPRICES = {3: 14}\n"  # no small defects, so few runs
HEAD = """\
import asyncio, unittest, pytest, toll
from unittest import mock
PRICE = 14
"""
CHECK = "def test_{0}():\n    price = toll.toll(3)\n    assert price == 14\n"
CLASSES = "class Test{0}(unittest.TestCase):\n    def test(self):\n        self.assertEqual(toll.toll(3), 14)\n"
# What becomes of `CHECK`; `{0}` is the trick's name.
WEAK = table(dict[str, str], __file__, "WEAK")
WEAK_CLASSES = {
    "TrueInstead": CLASSES.replace("Equal(", "True("),
    "NoCase": CLASSES.replace("(unittest.TestCase)", "").replace("Test{0}", "Without{0}"),
}
HONEST = {
    "early_name": "def test_{0}():\n    expected = PRICE\n    assert toll.toll(3) == expected\n",
    "parameters": "@pytest.mark.parametrize('n', [3])\ndef test_{0}(n):\n    assert toll.toll(n) == 14\n",
    "mocked_other": "def test_{0}():\n    with mock.patch('os.getcwd'):\n        assert toll.toll(3) == 14\n",
    "in_loop": "def test_{0}():\n    for n in [3]:\n        assert toll.toll(n) == 14\n",
    "close": "def test_{0}():\n    assert toll.toll(3) == pytest.approx(14)\n",
    "tried": "def test_{0}():\n    try:\n        assert toll.toll(3) == 14\n    finally:\n        PRICE\n",
    "demands_more": "def test_{0}():\n    assert toll.toll(3) == 15\n",
}
OLD = HEAD + "".join(CHECK.format(name) for name in {**WEAK, **HONEST})
OLD += "".join(CLASSES.format(name) for name in WEAK_CLASSES)
NEW = HEAD + "".join(text.format(name) for name, text in {**WEAK, **HONEST, **WEAK_CLASSES}.items())


def watched(base: Program, tests: bytes) -> Watched:
    suite = Suite({"test_toll.py": tests})
    return Watched(base, suite, run_suite(EXECUTOR, base, suite, order=Order(trace={"toll.py"})))


def trial(
    old: str,
    new: str | None,
    code: bytes = PLAIN,
    *,
    others: bool = True,
    excused: tuple[str, ...] = (),
    alone: tuple[str, ...] = (),
    seconds: float = 60.0,
    keeper: Keeper | None = None,
) -> dict[str, LostKills]:
    """others: the change's tests are others than before, so that small defects are tried as well, except for those that
    it left alone."""
    base = Program(None, {"toll.py": code})
    before, after = (watched(base, text.encode()) if text else None for text in (old, new))
    assert before
    rewritten = [f"test_toll.py::{name}" for name in re.findall(r"^def (test_\w+)", old, re.MULTILINE)]
    rewritten += [f"test_toll.py::{name}::test" for name in re.findall(r"^class (\w+)", old, re.MULTILINE)]
    found = lost_kills(
        TimedRuns(EXECUTOR, time.monotonic() + seconds, LOST.least, keeper or Keeper()),
        before,
        after,
        rewritten=[name for name in rewritten if name.rpartition("_")[2] not in alone] if others else (),
        excused=[f"test_toll.py::test_{name}" for name in excused],
    )
    return {one.test.partition("::")[2]: one for one in found}


def test_whatever_a_test_lost_it_is_named_and_honest_rewrites_are_not() -> None:
    found = trial(OLD, NEW, CODE)
    weak = {f"test_{name}" for name in WEAK} | {f"Test{name}::test" for name in WEAK_CLASSES}
    assert set(found) == weak
    assert all(one.killed > one.killed_now for one in found.values())
    assert found["test_deleted_check"].killed_now > 0  # it still notices what raises
    assert any("→" in defect and defect.startswith("toll.py:") for defect in found["test_tolerance"].lost)
    assert max(len(one.lost) for one in found.values()) < MOST_DEFECTS  # a test that lost a few is not asked for more


def test_a_test_that_was_split_lost_nothing() -> None:
    split = HEAD + CHECK.format("first") + CHECK.format("second")
    assert trial(HEAD + CHECK.format("one"), split, others=False) == {}


def test_what_is_red_on_the_base_anyway_notices_for_no_other() -> None:
    """As the test that comes with a fix is: it fails with every defect, and without."""
    own = "def test_own():\n    assert toll.toll(4) == 18\n"
    found = trial(HEAD + CHECK.format("one"), HEAD + WEAK["early_return"].format("one") + own)
    assert {test: one.killed_now for test, one in found.items()} == {"test_one": 0}


def test_one_that_is_excused_ends_no_search_and_importing_what_the_base_does_not_have_hides_nothing() -> None:
    more = HEAD + "from toll import rebate\n" + WEAK["deleted_check"].format("one")
    found = trial(HEAD + CHECK.format("one"), more, excused=("one",))
    assert {test: (one.killed, one.killed_now) for test, one in found.items()} == {"test_one": (2, 1)}


def test_a_test_that_is_gone_notices_nothing_and_few_defects_are_enough_to_know_it() -> None:
    found = trial(HEAD + CHECK.format("one"), None)
    assert {test: (one.killed, one.killed_now) for test, one in found.items()} == {"test_one": (2, 0)}


def test_one_that_is_there_only_while_all_is_well_lost_something_and_one_beside_it_did_not() -> None:
    gone = "if toll.toll(3) == 14:\n    def test_one():\n        assert toll.toll(3) == 14\n"
    both = HEAD + CHECK.format("one") + CHECK.format("two")
    assert set(trial(both, HEAD + gone + CHECK.format("two").replace("price", "paid"))) == {"test_one"}


def test_a_test_that_fails_by_itself_is_not_accused() -> None:
    first = HEAD + "SEEN = []\ndef test_first():\n    SEEN.append(1)\n"
    old = first + "def test_one():\n    assert SEEN and toll.toll(3) == 14\n"
    assert trial(old, first + WEAK["deleted_check"].format("one"), alone=("first",)) == {}


def test_of_many_tests_those_are_asked_that_enter_what_is_broken() -> None:
    many = HEAD + "".join(f"def test_{number}():\n    assert {number}\n" for number in range(1, 30))
    found = trial(many + CHECK.format("one"), many + WEAK["tolerance"].format("one"), CODE)
    assert set(found) == {"test_one"}


def test_what_the_old_tests_notice_may_be_known_and_names_nobody_by_itself() -> None:
    red = TestRun((TestResult("test_toll.py::test_one", TestStatus.FAILED),), 1.0)
    asked, old = list[object](), HEAD + CHECK.format("one")

    class Knowing(Keeper):
        def find(self, experiment: Experiment) -> TestRun | None:
            if experiment.repeats or experiment.suite.files["test_toll.py"] != old.encode():
                return None
            asked.append(experiment.broken)
            return red

    weak = HEAD + WEAK["deleted_check"].format("one")
    assert set(trial(old, weak, keeper=Knowing())) == {"test_one"}
    assert asked and all(asked)
    assert trial(weak, weak, keeper=Knowing()) == {}


def test_without_time_nobody_is_named() -> None:
    assert trial(OLD, NEW, CODE, seconds=0.1) == {}
