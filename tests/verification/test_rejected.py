"""How a rejection is put to the test, what is said of it, and that what a bounce hands back runs as it is."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bot.judges.agent.commands import EditLines, Finish
from bot.judges.agent.edits import Edit
from bot.judges.claims import Claim, ClaimKind, Counterexample, How
from bot.judges.code import SpecTest
from bot.judges.patches import NamedRejection, Rejection
from bot.judges.protocol import NoJudgement
from bot.judges.reviews import PatchReview, ReviewMode
from bot.judges.steps import Attempt, LoopEnd, Repair
from bot.policy import Policy
from bot.verdicts import Decision, PatchLabel
from bot.verification import execution
from bot.verification.evidence import Case, HeadTrial, Verified
from bot.verification.execution import RUNS, RejectedChange, Terms, filter_on, put_to_the_test, said
from bot.verification.model_tests import as_file, differing, failed
from bot.verification.programs import content
from bot.verification.stage import Stage
from bot.verification.values import (
    Base,
    Difference,
    Ending,
    Generator,
    Observed,
    Program,
    Side,
    Suite,
    TestResult,
    TestRun,
    TestStatus,
)
from tests.judges.joiner import subject
from tests.judges.stepping import Script
from tests.support.sandbox import BUBBLEWRAP

HEAD = b"def half(n):\n    return n\n"
OWN = Edit("half.py", "return n", "return n // 2")
NO = PatchReview(PatchLabel.INCORRECT, True, 0.9, "a judge", ReviewMode.FULL, rationale="It is not half.")
HOLDS = Verified(Decision.BOUNCE, Case.REPAIR_SUCCESS, ("It fails.",))
LIFTED = Verified(Decision.ACCEPT, Case.OVER_REPAIR, ("It was right.",))
BOTH = Verified(Decision.BOUNCE, Case.BOTH_FAIL, ("Both fail.",))
BY_REQUIREMENT = Verified(
    Decision.BOUNCE,
    Case.UNDECIDED,
    ("They differ.",),
    difference=Difference(
        "half(1)", Observed(Ending.DIED), Observed(Ending.DIED), Generator.EXAMPLE, Side.FIX, quote="x"
    ),
)
FIX = "diff --git a/half.py b/half.py"


class Filter:
    """Answers in turn; keeps what it was given."""

    def __init__(self, *answers: Verified) -> None:
        self.answers = list(answers)
        self.fixes: list[bytes | None] = []
        self.seconds: list[float] = []

    def __call__(self, fix: Program, seconds: float) -> Verified:
        self.fixes.append(content(fix, "half.py"))
        self.seconds.append(seconds)
        return self.answers.pop(0)


class Namer:
    name = "a namer"

    def __init__(self, answer: NamedRejection | NoJudgement) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def named(self, issue: str, rationale: str) -> NamedRejection | NoJudgement:
        self.asked.append(rationale)
        return self.answer


NAMED = NamedRejection(Rejection.OVERTHINK_EDGE, "a namer")


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    (tmp_path / "half.py").write_bytes(HEAD)
    program = Program(tmp_path, {})
    return Stage(BUBBLEWRAP, Base(program, Suite()), program, program, Suite(), seconds=10)


@pytest.fixture
def mended(monkeypatch: pytest.MonkeyPatch) -> Callable[[Repair], None]:
    """What the agent comes to, instead of its work."""

    def answers(made: Repair) -> None:
        monkeypatch.setattr(execution, "repair", lambda *given, **more: made)

    return answers


def tried(
    stage: Stage, answers: Filter, *fix: Edit, script: Script | None = None, namer: Namer | None = None
) -> HeadTrial:
    review = PatchReview(
        PatchLabel.INCORRECT, True, 0.9, "a judge", ReviewMode.FULL, rationale="It is not half.", fix=fix
    )
    return put_to_the_test(stage, RejectedChange(subject(), review), answers, HeadTrial(), stepper=script, namer=namer)


def test_the_reviewers_own_fix_comes_first(stage: Stage) -> None:
    answers, script = Filter(HOLDS), Script([Finish("success")])
    found = tried(stage, answers, OWN, script=script)
    assert answers.fixes == [HEAD.replace(b"return n", b"return n // 2")]
    assert (found.verified, found.repair, script.started) == (HOLDS, None, 0)
    assert found.fix.startswith(FIX)


def test_one_that_does_not_fit_leaves_it_to_the_agent(stage: Stage, mended: Callable[[Repair], None]) -> None:
    made = Repair((Attempt(LoopEnd.FINISHED, "Done.", (), {"half.py": "mended\n"}),), chosen=0)
    mended(made)
    answers = Filter(HOLDS)
    found = tried(stage, answers, Edit("half.py", "nowhere", "x"), script=Script([]))
    assert (answers.fixes, found.repair) == ([b"mended\n"], made)


def test_an_agent_without_a_fix_leaves_it_open(stage: Stage) -> None:
    """Nothing runs: neither lifted nor confirmed."""
    script = Script([EditLines("half.py", 2, 2, "    return n // 2"), NoJudgement("script", "It is away.", False)])
    answers = Filter()
    found = tried(stage, answers, script=script)
    assert found.verified is not None and found.repair is not None
    assert (found.verified.decision, found.verified.case) == (Decision.UNAVAILABLE, Case.NO_FIX)
    assert found.verified.reasons[0].startswith("No fix was found.")
    assert (found.fix, answers.fixes) == ("", [])


def test_nobody_to_make_a_fix_is_no_answer(stage: Stage) -> None:
    assert tried(stage, Filter()) == HeadTrial()


@pytest.mark.parametrize(("answer", "shown"), [(HOLDS, True), (BY_REQUIREMENT, True), (LIFTED, False), (BOTH, False)])
def test_a_fix_is_handed_on_where_it_is_right(stage: Stage, answer: Verified, shown: bool) -> None:
    answers = Filter(answer)
    assert tried(stage, answers, OWN).fix.startswith(FIX) is shown
    assert answers.seconds[0] <= RUNS * stage.seconds


@pytest.mark.parametrize(
    ("answer", "named", "asked", "said_so"),
    [
        (LIFTED, NAMED, 1, NAMED),
        (LIFTED, NoJudgement("a namer", "It is away.", True), 1, None),
        (HOLDS, NAMED, 0, None),
    ],
)
def test_only_a_refuted_rejection_is_named(
    stage: Stage, answer: Verified, named: NamedRejection | NoJudgement, asked: int, said_so: NamedRejection | None
) -> None:
    namer = Namer(named)
    assert tried(stage, Filter(answer), OWN, namer=namer).named == said_so
    assert len(namer.asked) == asked


def test_a_review_in_words_names_its_calls() -> None:
    claim = Claim(ClaimKind.CRASH, "It crashes.", "", Counterexample(How.CALL, "half(None)", "0"), "No check.")
    words = said(PatchReview(PatchLabel.INCORRECT, True, 0.9, "x", ReviewMode.FULL, rationale="No.", claims=(claim,)))
    assert words == "No.\nIt crashes. half(None) No check."


HALF = SpecTest('Half of 7 is 3,\n"rounded" down\u202e', "half(7)", "3")
NONE = SpecTest("Half of nothing is an error.", "half(None)", "raises TypeError")
EXACT = SpecTest("A third is about 0.33.", "third(1)", "0.3333333333333333")
RETURNS = Observed(Ending.RETURNED, "3")


def holds(text: str, code: str) -> bool:
    """Whether the tests in it pass on the module."""
    module = ModuleType("kettle")
    exec(code, vars(module))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "kettle", module)
        pasted: dict[str, Any] = {}
        exec(text, pasted)
        try:
            for name in [name for name in pasted if name.startswith("test")]:
                pasted[name]()
        except (AssertionError, pytest.fail.Exception):
            return False
    return True


def test_tests_are_a_whole_file(tmp_path: Path) -> None:
    text = as_file([HALF, NONE], "kettle")
    assert "Half of 7 is 3" in text and "\u202e" not in text
    (tmp_path / "kettle.py").write_text("def half(n):\n    return n // 2\n")
    (tmp_path / "test_pasted.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_pasted.py"]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # a second less
    assert subprocess.run(command, cwd=tmp_path, env=alone, capture_output=True, check=False).returncode == 0
    assert not holds(text, "def half(n):\n    return n and n / 2\n")


def test_inexact_values_are_compared_within_a_tolerance() -> None:
    text = as_file([EXACT], "kettle")
    assert holds(text, "def third(n):\n    return n * 0.33333333333\n")
    assert not holds(text, "def third(n):\n    return 0.3\n")


@pytest.mark.parametrize("call", ["half(n)", "__import__('os').system('x')", "half(7)\nimport os", ""])
def test_only_plain_calls_are_shown(call: str) -> None:
    assert as_file([SpecTest("x", call, "3")], "kettle") == as_file([HALF], "no module") == as_file([], "kettle") == ""


def test_the_input_that_tells_them_apart() -> None:
    found = Difference(
        "half(7)", Observed(Ending.RETURNED, "3.5"), RETURNS, Generator.EXAMPLE, Side.FIX, "why", "It is 3."
    )
    assert not holds(differing(found, "kettle"), "def half(n):\n    return n / 2\n")
    undecided = Difference("half(7)", Observed(Ending.RETURNED, "3.5"), RETURNS, Generator.EXAMPLE)
    assert differing(undecided, "kettle") == "from kettle import half\nprint(repr(half(7)))\n"
    opaque = Difference("half(7)", RETURNS, Observed(Ending.RETURNED, "<Thing>"), Generator.EXAMPLE, Side.FIX, "why")
    assert differing(opaque, "kettle") == differing(undecided, "kettle")
    assert differing(undecided, "no module") == ""
    script = Difference(
        "run_script('kettle.py {}', 7)", RETURNS, Observed(Ending.DIED), Generator.EXAMPLE, Side.FIX, "why"
    )
    assert differing(script, "kettle") == ""


def test_the_tests_that_failed() -> None:
    names = (
        "test_bouncer_specification.py::test_specification_1",
        "test_bouncer_specification.py::test_specification_2",
    )
    statuses = (TestStatus.PASSED, TestStatus.FAILED)
    run = TestRun(tuple(TestResult(name, status) for name, status in zip(names, statuses, strict=True)), 1.0)
    assert failed([HALF, NONE], run) == (NONE,)
    assert failed([HALF, NONE], None) == ()


def test_a_change_lifts_no_rejection_by_a_wrong_test_of_its_own(tmp_path: Path) -> None:
    """The same test as one of the base's does: then the fix breaks what was there."""
    even = "from till import split\n\n\ndef test_even():\n    assert split(4, 2) == [2, 2]\n"
    odd = f"{even}\n\ndef test_odd():\n    assert split(5, 3) == [2, 2, 2]\n"
    for tests, decision in ((even, Decision.UNAVAILABLE), (odd, Decision.ACCEPT)):
        base, head = (
            written(tmp_path / decision / name, code, text)
            for name, code, text in (("base", "-(-cents // people)", tests), ("head", "round(cents / people)", odd))
        )
        suite = Suite({"test_till.py": odd.encode()}, ("test_till.py",))
        of_base = Suite({"test_till.py": tests.encode()}, ("test_till.py",))
        stage = Stage(BUBBLEWRAP, Base(base, of_base), head, head, suite, seconds=600)
        fix = written(tmp_path / decision / "fix", "cents // people", odd)
        text = (fix.tree / "till.py").read_bytes() if fix.tree else b""
        found = filter_on(stage, Terms(Policy()), None)(replace(head, files={"till.py": text}), 120)
        assert found.decision is decision, (found.case, found.reasons)


def written(place: Path, value: str, tests: str) -> Program:
    place.mkdir(parents=True)
    (place / "till.py").write_text(f"def split(cents, people):\n    return [{value}] * people\n")
    (place / "test_till.py").write_text(tests)
    return Program(place, {})
