"""Can a command still fail? Through the real sandbox: a head that keeps its command green, and its honest twins."""

import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.verification.defects.control import NO_TIME, NOT_BREAKABLE, NOT_NOTICED, noticing, prove_by_command
from bot.verification.defects.runs import TimedRuns, Watched
from bot.verification.patch_evidence import Control, Proof
from bot.verification.testing.run import run_suite
from bot.verification.trial.times import CONTROL
from bot.verification.values import Program, Suite, TestRun
from tests.support.cases import cases
from tests.support.needs import missing
from tests.support.sandbox import BUBBLEWRAP, Remembering

EXECUTOR = Remembering(BUBBLEWRAP)
NOTHING = Path(tempfile.mkdtemp())
CODE = (
    "exports.toll = function toll(axles) {\n  return axles * 3\n}\nexports.log = function log(axles) {\n  return 1\n}\n"
)
DEARER = CODE.replace("return axles * 3", "return 3 * axles")
DEAF = DEARER + "process.on('uncaughtException', () => process.exit(0))\n"
SAME = "exports.same = (a, b) => { if (a !== b) throw new Error('not the same') }\n"
TEST = "const { toll } = require('./toll.js')\nif (toll(2) !== 6) throw new Error('toll')\n"


def within(seconds: float) -> TimedRuns:
    return TimedRuns(EXECUTOR, time.monotonic() + seconds, CONTROL.least)


def watched(files: Mapping[str, str], test: str = TEST) -> Watched:
    program = Program(NOTHING, {path: text.encode() for path, text in files.items()})
    suite = Suite({"toll.test.js": test.encode()}, command=("node", "toll.test.js"))
    return Watched(program, suite, run_suite(EXECUTOR, program, suite, seconds=600))


@pytest.mark.parametrize(
    ("head", "lines", "proof", "why", "unnoticed"),
    [
        (DEARER, [2], Proof.PROVED, "", ()),
        (DEAF, [2], Proof.BLIND, "", ("toll.js:toll",)),
        (CODE.replace("return 1", "return 2"), [5], Proof.UNPROVED, NOT_NOTICED, ("toll.js:log",)),
        (CODE + "exports.log()\n", [7], Proof.UNPROVED, NOT_NOTICED, ("toll.js:7",)),
        (CODE, [], Proof.NOTHING, NOT_BREAKABLE, ()),
    ],
)
def test_a_command_that_cannot_fail_is_blind(
    head: str, lines: list[int], proof: Proof, why: str, unnoticed: tuple[str, ...]
) -> None:
    if not shutil.which("node"):
        missing("node")
    before, after = watched({"toll.js": CODE}), watched({"toll.js": head})
    assert before.run.passed and after.run.passed
    control = prove_by_command(within(60), before, after, {"toll.js": lines}, tests=["toll.test.js"])
    assert (control.proof, control.why, control.unnoticed) == (proof, why, unnoticed)


def test_a_method_that_no_test_calls_is_not_taken_for_one_of_the_same_name() -> None:
    if not shutil.which("node"):
        missing("node")
    base = CODE + "exports.Bus = class {\n  toll(axles) {\n    return axles + 1\n  }\n}\n"
    before, after = watched({"toll.js": base}), watched({"toll.js": base.replace("axles + 1", "1 + axles")})
    control = prove_by_command(within(60), before, after, {"toll.js": [9]}, tests=["toll.test.js"])
    assert (control.proof, control.why) == (Proof.UNPROVED, NOT_NOTICED)


@cases
def test_a_test_of_its_own_looks_at_what_changes_or_not(test: str, looked: bool) -> None:
    if not shutil.which("node"):
        missing("node")
    program = Program(NOTHING, {"toll.js": CODE.replace("return 1", "return 2").encode()})
    suite = Suite({"log.test.js": test.encode()}, command=("node", "log.test.js"))
    own = Watched(program, suite, run_suite(EXECUTOR, program, suite, seconds=600))
    turned = [result.name for result in own.run.results]
    seen = noticing(within(60), own, turned, {"toll.js": [5]}, loads=True)
    assert seen == (frozenset(turned) if looked else frozenset())
    assert noticing(within(60), own, turned, {}, loads=True) is None


def test_without_time_nothing_is_tried() -> None:
    nothing = Watched(Program(None, {}), Suite(command=("true",)), TestRun((), 0.0))
    control = prove_by_command(within(0.5), nothing, nothing, {"a.js": [1]}, tests=())
    assert control == Control(Proof.UNTRIED, why=NO_TIME)


def test_a_test_that_the_head_fails_anyway_makes_nobody_blind() -> None:
    if not shutil.which("node"):
        missing("node")
    renamed = CODE.replace("axles * 3", "axles * 4")
    before, after = watched({"toll.js": CODE}), watched({"toll.js": renamed})
    control = prove_by_command(within(60), before, after, {"toll.js": [2]}, tests=["toll.test.js"])
    assert control.proof is not Proof.BLIND


@pytest.mark.parametrize("tests", [["toll.test.js"], []], ids=["named", "in a file that no custom takes for a test"])
@pytest.mark.parametrize(("same", "proof"), [(SAME, Proof.PROVED), ("exports.same = () => {}\n", Proof.BLIND)])
def test_tests_that_only_end_where_nothing_is_given_do_not_look(same: str, proof: Proof, tests: list[str]) -> None:
    """What compares for the tests, in a file like the product's, compares no more."""
    if not shutil.which("node"):
        missing("node")
    test = "const { toll } = require('./toll.js')\nrequire('./same.js').same(toll(2), 6)\n"
    sides = ({"toll.js": CODE, "same.js": SAME}, {"toll.js": DEARER, "same.js": same})
    before, after = (watched({**files, "toll.test.js": test}, test) for files in sides)
    control = prove_by_command(within(60), before, after, {"toll.js": [2]}, tests=tests)
    assert control.proof is proof


def test_a_helper_whose_value_is_used_no_more_accuses_nobody_where_another_is_noticed() -> None:
    if not shutil.which("node"):
        missing("node")
    base = CODE.replace("axles * 3", "axles * 3 * exports.log(axles)")
    head = DEARER.replace("return 3", "exports.log(axles)\n  return 3").replace("return 1", "return 2 - 1")
    before, after = watched({"toll.js": base}), watched({"toll.js": head})
    control = prove_by_command(within(60), before, after, {"toll.js": [2, 3, 6]}, tests=[])
    assert control.proof is Proof.PROVED


def test_that_tests_end_otherwise_without_what_is_new_excuses_nothing() -> None:
    if not shutil.which("node"):
        missing("node")
    head = CODE.replace("* 3", "* 4") + "exports.end = function end() {\n  process.exit(0)\n}\nexports.end()\n"
    before, after = watched({"toll.js": CODE}), watched({"toll.js": head})
    assert after.run.passed
    control = prove_by_command(within(60), before, after, {"toll.js": [2, 7, 8, 9, 10]}, tests=[])
    assert (control.proof, control.unnoticed) == (Proof.BLIND, ("toll.js:toll",))
