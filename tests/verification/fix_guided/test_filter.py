"""The filter on small programs, in a real sandbox; the model is a script."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from bot.judges.code import BlindAnswer, CodeReview, Interface, Opinion, SpecTest
from bot.judges.protocol import Answered, NoJudgement
from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.sandbox.protocol import Capabilities, Executor, Job, Outcome
from bot.verdicts import Decision
from bot.verification.evidence import Case, Verified
from bot.verification.fix_guided import filter
from bot.verification.fix_guided.filter import RejectedProgram, not_run, verify_fix
from bot.verification.fix_guided.questions import AnswerChoice, question, rule
from bot.verification.fix_guided.specified import BlindJury
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
from tests.support.sandbox import Remembering

ACCEPT, BOUNCE, UNAVAILABLE = Decision.ACCEPT, Decision.BOUNCE, Decision.UNAVAILABLE
SPECIFICATION = "Write a function that gives the middle of a sorted list. Of two middles take the lower one."
UPPER = "def middle(xs):\n    return xs[len(xs) // 2]\n"
LOWER = "def middle(xs):\n    return xs[(len(xs) - 1) // 2]\n"
UPPER_TOO = "def middle(xs):\n    half = len(xs) // 2\n    return xs[half]\n"
ONLY_SHORT = "def middle(xs):\n    return {1: xs[0], 3: xs[len(xs) // 2]}[len(xs)]\n"
BROKEN = "def middle(xs):\n    return xs[len(xs)]\n"
TESTS = (
    "from solution import middle\n\ndef test_odd():\n    assert middle([1, 2, 3]) == 2\n    assert middle([4]) == 4\n"
)


@pytest.fixture(scope="module")
def executor() -> Executor:
    return Remembering(BubblewrapExecutor())


def program(source: str) -> Program:
    return Program(None, {"solution.py": source.encode()})


def suite(source: str = TESTS) -> Suite:
    return Suite({"test_it.py": source.encode()}, ("test_it.py",))


@dataclass
class Script:
    """A reviewer, test writer and blind judge in one, who says what it was told to."""

    reviews: list[CodeReview | NoJudgement] = field(default_factory=list)
    tests: tuple[SpecTest, ...] = ()
    demand: SpecTest | None = None
    name: str = "a script"
    shown: list[tuple[str, ...]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def review(self, specification: str, source: str, failed_tests: tuple[str, ...]) -> CodeReview | NoJudgement:
        self.shown.append(failed_tests)
        return self.reviews.pop(0)

    def write(self, specification: str, interface: Interface) -> Answered[tuple[SpecTest, ...]]:
        return Answered(self.tests, self.name)

    def demands(self, specification: str, interface: Interface, call: str) -> Answered[SpecTest | None]:
        said = self.demand if self.demand and self.demand.call in ("", call) else None
        return Answered(said and replace(said, call=call), self.name)


def verified(executor: Executor, original: str, fix: str | None, tests: str = TESTS, **more: Any) -> Verified:
    given = RejectedProgram(executor, program(original), suite(tests), **{"seconds": 600.0, **more})
    return verify_fix(given, program(fix) if fix else None)


@pytest.mark.parametrize(
    ("original", "fix", "case", "decision"),
    [
        (UPPER, UPPER_TOO, Case.EQUIVALENT, ACCEPT),
        (BROKEN, UPPER, Case.REPAIR_SUCCESS, BOUNCE),
        (UPPER, BROKEN, Case.OVER_REPAIR, ACCEPT),
        (ONLY_SHORT, BROKEN, Case.OVER_REPAIR, UNAVAILABLE),
        (UPPER, LOWER, Case.UNDECIDED, UNAVAILABLE),
    ],
)
def test_the_cases(executor: Executor, original: str, fix: str, case: Case, decision: Decision) -> None:
    found = verified(executor, original, fix)
    assert (found.case, found.decision) == (case, decision), found
    assert found.executor == "bubblewrap"
    assert "network" in found.limits_enforced
    assert (found.strength is not None) == (case is Case.OVER_REPAIR)
    if found.difference:
        assert found.difference.call.startswith("middle([")


@pytest.mark.parametrize(("calls", "otherwise"), [(1, "None"), (1, "[][0]"), (2, "None")])
def test_another_sort_of_answer_than_the_tests_show_lifts_nothing(
    executor: Executor, calls: int, otherwise: str
) -> None:
    """What is not there was never asked for: the fix gives nothing at all, or raises, and is right."""
    find = "def find(items, x):\n    return items.index(x) if x in items else "
    shown = ["find([4, 1, 6], 6) == 2", "find([7, 2], 7) == 0"][:calls]
    tests = "".join(["from solution import find\n\ndef test():\n", *(f"    assert {each}\n" for each in shown)])
    found = verified(executor, f"{find}0\n", f"{find}{otherwise}\n", tests)
    assert found.decision is UNAVAILABLE, found.reasons


class Forbidden(BubblewrapExecutor):
    def run(self, job: Job) -> Outcome:
        raise AssertionError("nothing may run")


def test_without_a_fix_nothing_runs() -> None:
    for fix in (None, "def middle(xs:\n"):
        assert verified(Forbidden(), UPPER, fix).case is Case.NO_FIX


@pytest.mark.parametrize(
    ("original", "case", "decision"), [(UPPER, Case.EQUIVALENT, ACCEPT), (BROKEN, Case.BOTH_FAIL, BOUNCE)]
)
def test_a_fix_that_only_adds_a_remark(executor: Executor, original: str, case: Case, decision: Decision) -> None:
    for remark in ("", "\n# It is fine.\n"):
        found = verified(executor, original, original + remark)
        assert (found.case, found.decision) == (case, decision), found.reasons
        assert found.differential is None
    assert ("the same program" in found.reasons[0]) is (decision is ACCEPT)


def test_where_nothing_was_compared_nothing_is_lifted(executor: Executor) -> None:
    """The tests notice what the fix changes, and yet make no call that could be made on both."""
    step = "def step(n):\n    return n + 1\n"
    tests = f"from solution import twice\n\n{step}\ndef test():\n    assert twice(lambda n: step(n), 1) == 3\n"
    twice = "def twice(f, n):\n    return f(f(n))\n"
    found = verified(executor, twice, twice.replace("f(f(n))", "f(f(n)) if n != 7 else n"), tests)
    assert (found.case, found.decision) == (Case.UNSEEN, UNAVAILABLE), found.reasons
    assert "nothing was compared" in found.reasons[0]


SUM = "def cost(lines):\n    return sum(price for price in lines%s)\n"
TRAPS = {
    "by a text": "text = open(__spec__.origin).read()\nif 'if pri' 'ce < 150' not in text:\n    raise ImportError\n",
    "by a number": "text = open(__spec__.origin).read()\nif text.count('1' '50') != 1:\n    raise ImportError\n",
    "by its length": "if len(open(__spec__.origin).read()) != %d:\n    raise ImportError\n",
    "by a function's source": "import inspect\nif 'if pri' 'ce <' not in inspect.getsource(cost):\n    cost = None\n",
}


@pytest.mark.parametrize("trap", TRAPS.values(), ids=TRAPS)
def test_a_fix_that_fails_since_the_change_minds_any_edit_says_nothing(executor: Executor, trap: str) -> None:
    tests = "from solution import cost\n\ndef test():\n    assert cost([3, 4]) == 7\n    assert cost([]) == 0\n"
    wrong = SUM % " if price < 150" + trap
    wrong = wrong.replace("%d", f"{len(wrong) + 1:3}")
    found = verified(executor, wrong, wrong.replace(" if price < 150", ""), tests, seconds=600)
    assert (found.case, found.decision) == (Case.OVER_REPAIR, UNAVAILABLE), found.reasons
    assert "looks at its own text" in found.reasons[-1]


def test_without_a_sandbox_nothing_runs() -> None:
    nothing = Capabilities("none", "", usable=False, problem="bubblewrap: it is not installed")
    found = not_run(program(UPPER), program(LOWER), nothing.problem)
    assert (found.case, found.decision) == (None, UNAVAILABLE)
    assert found.reasons[0] == nothing.problem
    assert not_run(program(UPPER), None, nothing.problem).case is Case.NO_FIX


def test_an_example_that_holds_before_the_change_judges_nobody(executor: Executor) -> None:
    """The base takes the upper middle, the rejected change the lower one; the reviewer would go back."""
    shown = (SpecTest("", "middle([1, 2])", "2"),)
    found = verified(executor, LOWER, UPPER_TOO, examples=shown, base=Base(program(UPPER), suite()))
    assert (found.case, found.decision) == (Case.UNDECIDED, UNAVAILABLE), found.reasons
    assert any("not used to judge the change" in reason for reason in found.reasons)


def test_where_both_fail_what_fails_without_the_change_too_counts_for_nobody(executor: Executor) -> None:
    rainy = TESTS + "\ndef test_weather():\n    assert False\n"
    assert verified(executor, UPPER, UPPER_TOO, rainy).case is Case.BOTH_FAIL
    found = verified(executor, UPPER, UPPER_TOO, rainy, red=lambda: {"test_it.py::test_weather", "test_other.py::test"})
    assert (found.case, found.decision) == (Case.EQUIVALENT, ACCEPT), found.reasons


def test_a_test_that_the_change_brings_itself_makes_no_fix_needless(executor: Executor) -> None:
    """Its author may be wrong in it as in the code. With one of the base's that fails, the fix breaks things."""
    own = TESTS + "\ndef test_own():\n    two = [1, 2]\n    assert middle(two) == 2\n"
    assert verified(executor, UPPER, LOWER, own).case is Case.OVER_REPAIR
    found = verified(executor, UPPER, LOWER, own, own=lambda tests: tests & {"test_it.py::test_own"})
    assert (found.case, found.decision) == (Case.UNDECIDED, UNAVAILABLE), found.reasons
    assert "The fix fails 1 test that the change brings or rewrites itself. This speaks for nobody." in found.reasons
    found = verified(executor, UPPER, BROKEN, own, own=lambda tests: tests & {"test_it.py::test_own"})
    assert (found.case, found.decision) == (Case.OVER_REPAIR, ACCEPT), found.reasons


def test_a_change_that_breaks_a_test_is_not_let_through(executor: Executor) -> None:
    """The reviewer's fix is not needed, but the change had to rewrite a test to pass."""
    of_base = suite(TESTS + "\ndef test_even():\n    assert middle([1, 2]) == 1\n")
    alone = verified(executor, UPPER, UPPER_TOO, TESTS + "\ndef test_there():\n    assert middle\n")
    assert alone.decision is ACCEPT and alone.fix
    assert (len(alone.fix.results), alone.fix.numbers.total()) == (1, 2), "names of tests would be stored"
    found = verified(executor, UPPER, UPPER_TOO, base=Base(program(LOWER), of_base))
    assert (found.case, found.decision) == (Case.EQUIVALENT, BOUNCE)
    assert found.patch
    assert found.patch.regressions == ("test_it.py::test_even",)


def test_blind_judges_may_tie_a_difference_to_the_specification(executor: Executor) -> None:
    blind = Script(demand=SpecTest("Of two middles take the lower one.", "", "1"))
    found = verified(executor, UPPER, LOWER, specification=SPECIFICATION, jury=BlindJury((blind,) * 2))
    assert (found.case, found.decision) == (Case.UNDECIDED, BOUNCE)
    assert found.difference
    assert found.difference.favours is Side.FIX


ASKED = question(
    Difference("middle([1, 2])", Observed(Ending.RETURNED, "2"), Observed(Ending.RETURNED, "1"), Generator.MUTATION),
    SPECIFICATION,
    "solution",
)


def test_a_maintainers_answer_becomes_a_test(executor: Executor) -> None:
    assert ASKED
    answer = rule(ASKED, AnswerChoice.A if ASKED.a.value == "1" else AnswerChoice.B)
    found = verified(executor, UPPER, LOWER, specification=SPECIFICATION, answers=(answer,))
    assert (found.case, found.decision) == (Case.REPAIR_SUCCESS, BOUNCE)


def test_where_either_will_do_a_difference_is_no_evidence(executor: Executor) -> None:
    assert ASKED
    answer = rule(ASKED, AnswerChoice.EITHER)
    found = verified(executor, UPPER, LOWER, specification=SPECIFICATION, answers=(answer,))
    assert found.difference
    assert found.difference.call != ASKED.call


LOWER_OF_FOUR = SpecTest("Of two middles take the lower one.", "middle([1, 2, 3, 4])", "2")


def test_the_reviewer_is_asked_again_and_may_give_in(executor: Executor) -> None:
    reviewer = Script(
        tests=(LOWER_OF_FOUR,), reviews=[NoJudgement("a script", "down", retry=True), CodeReview(Opinion.YES, "x")]
    )
    script: dict[str, Any] = {"test_writers": (reviewer,), "reviewer": reviewer}
    found = verified(executor, UPPER, UPPER_TOO, specification=SPECIFICATION, **script)
    assert (found.case, found.decision, found.rounds) == (Case.BOTH_FAIL, ACCEPT, 2)
    assert "test_specification_1" in reviewer.shown[0][0]


def test_the_reviewer_may_offer_a_better_fix(executor: Executor) -> None:
    reviewer = Script(reviews=[CodeReview(Opinion.NO, "x", fix=UPPER)])
    found = verified(executor, BROKEN, BROKEN.replace("len(xs)", "9"), reviewer=reviewer)
    assert (found.case, found.decision, found.rounds) == (Case.REPAIR_SUCCESS, BOUNCE, 1)


@pytest.mark.parametrize(
    ("demanded", "decision"), [("1", BOUNCE), ("7", UNAVAILABLE), ("", UNAVAILABLE)], ids=["same", "other", "silent"]
)
def test_a_counterexample_counts_where_judges_say_the_same_without_having_seen_it(
    executor: Executor, demanded: str, decision: Decision
) -> None:
    stated = replace(LOWER_OF_FOUR, call="middle([1, 2])", expected="1")
    reviewer = Script(
        tests=(LOWER_OF_FOUR,),
        reviews=[CodeReview(Opinion.NO, "x", fix=LOWER, counterexample=stated)],
    )
    blind = Script(demand=replace(stated, expected=demanded) if demanded else None)
    script: dict[str, Any] = {"test_writers": (reviewer,), "reviewer": reviewer, "jury": BlindJury((blind,) * 2)}
    found = verified(executor, UPPER, UPPER_TOO, specification=SPECIFICATION, **script)
    assert (found.decision, found.rounds) == (decision, 1)
    assert found.augmented_original
    failing = [each.message for each in found.augmented_original.failing]
    assert [call for call in ("middle([1, 2])", "middle([1, 2, 3, 4])") if call in "".join(failing)] == [
        *(["middle([1, 2])"] if demanded != "7" else []),  # contradicted, it counts for nobody
        "middle([1, 2, 3, 4])",
    ]
    assert ("assert middle([1, 2]) == 1" in found.shown) is (decision is BOUNCE)


def test_a_models_test_counts_for_nobody_where_blind_judges_demand_something_else(executor: Executor) -> None:
    """It demands what neither program does, and the rejection asks for what changes nothing."""
    writer = Script(tests=(LOWER_OF_FOUR,))
    blind = Script(demand=SpecTest("Of two middles take the lower one.", "", "3"), name="a judge")
    script: dict[str, Any] = {"test_writers": (writer,), "specification": SPECIFICATION}
    assert verified(executor, UPPER, UPPER_TOO, **script).decision is UNAVAILABLE
    found = verified(executor, UPPER, UPPER_TOO, **script, jury=BlindJury((blind,) * 2))
    assert (found.case, found.decision) == (Case.EQUIVALENT, ACCEPT), found.reasons
    assert found.heard == (BlindAnswer("a judge", LOWER_OF_FOUR.call, "3", "Of two middles take the lower one."),) * 2


def test_two_writers_are_asked_in_turn(executor: Executor) -> None:
    """What both say counts once, and of what they contradict each other nothing."""
    other = replace(LOWER_OF_FOUR, call="middle([1, 2])", expected="1")
    one = Script(tests=(LOWER_OF_FOUR, other))
    two = Script(tests=(replace(LOWER_OF_FOUR, expected="3"), other, replace(other, call="middle([5])", expected="5")))
    found = verified(executor, UPPER, UPPER_TOO, specification=SPECIFICATION, test_writers=(one, two))
    assert found.augmented_original
    assert [each.status for each in found.augmented_original.results] == [TestStatus.FAILED, TestStatus.PASSED]


def test_of_several_differences_one_that_judges_settle_decides(executor: Executor) -> None:
    """The first is outside of what they find settled."""

    class OfFour(Script):
        def demands(self, specification: str, interface: Interface, call: str) -> Answered[SpecTest | None]:
            self.asked.append(call)
            return Answered(LOWER_OF_FOUR if len(self.asked) > 1 and call.count(",") == 3 else None, self.name)

    blind = OfFour()
    script: dict[str, Any] = {"test_writers": (Script(tests=(LOWER_OF_FOUR,)),), "specification": SPECIFICATION}
    found = verified(executor, UPPER, LOWER, **script, jury=BlindJury((blind,)))
    assert len(found.heard) == len(dict.fromkeys(blind.asked)) <= 1 + filter.MOST_ASKED


IN_A_CLASS = "class Row:\n    def __init__(self, xs):\n        self.xs = xs\n\n    def middle(self):\n        return "


@pytest.mark.parametrize(("demanded", "decision"), [("1", BOUNCE), ("2", ACCEPT), ("", UNAVAILABLE)])
def test_blind_judges_are_asked_about_methods(executor: Executor, demanded: str, decision: Decision) -> None:
    """They are told how the class is made and called, and the input on which two versions differ."""

    class Telling(Script):
        def demands(self, specification: str, interface: Interface, call: str) -> Answered[SpecTest | None]:
            self.asked.append(str(interface))
            first = call.partition("[")[2].partition(",")[0]
            right = {"1": first, "2": call.partition(", ")[2].partition("]")[0]}.get(demanded, "")
            said = SpecTest("Of two middles take the lower one.", call, right) if call.count(",") == 1 else None
            return Answered(said if right else None, self.name)

    tests = "from solution import Row\n\ndef test_odd():\n    assert Row([1, 2, 3]).middle() == 2\n"
    both = (f"{IN_A_CLASS}self.xs[{at} // 2]\n" for at in ("len(self.xs)", "(len(self.xs) - 1)"))
    blind = Telling()
    found = verified(executor, *both, tests, specification=SPECIFICATION, jury=BlindJury((blind,) * 2))
    assert "def Row.__init__(self, xs)\ndef Row.middle(self)" in blind.asked[0]
    assert found.difference, found.reasons
    assert found.decision is decision, (found.reasons, found.heard)


def test_an_example_in_the_reviewers_words_is_tried(executor: Executor) -> None:
    """One that no generator comes upon."""
    right = "def double(n):\n    return 2 * n\n"
    wrong = "def double(n):\n    return 0 if n * n % 99991 == 23054 else 2 * n\n"
    tests = (
        "from solution import double\n\ndef test():\n    assert double(1) == 2\n    assert double(2000000) == 4000000\n"
    )
    review = "This is wrong: for example `double(987654)` comes out as 0."
    found = verified(executor, wrong, right, tests, review=review)
    assert found.case is Case.UNDECIDED
    assert found.difference is not None
    assert (found.difference.call, found.difference.generator) == ("double(987654)", Generator.REVIEW)
    assert any("the reviewer's own example" in reason for reason in found.reasons)


def test_rounds_end(executor: Executor) -> None:
    reviewer = Script(reviews=[CodeReview(Opinion.NO, "x"), CodeReview(Opinion.NO, "x", fix=BROKEN)])
    found = verified(executor, BROKEN, BROKEN.replace("len(xs)", "9"), reviewer=reviewer)
    assert (found.case, found.decision, found.rounds) == (Case.BOTH_FAIL, BOUNCE, 2)


def test_only_what_ran_in_time_counts(executor: Executor) -> None:
    slow = TESTS + "\ndef test_slow():\n    import time\n    time.sleep(60)\n"
    found = verified(executor, UPPER, UPPER_TOO, slow, seconds=3)
    assert (found.case, found.decision) == (None, UNAVAILABLE)
    assert "did not finish in time" in found.reasons[0]


class Scripted:
    """Stands for running a suite: says what the next run on each program was."""

    def __init__(self, original: list[TestRun], fix: list[TestRun]) -> None:
        self.runs = {UPPER: original, LOWER: fix}

    def __call__(self, executor: object, program: Program, suite: Suite, **more: object) -> TestRun:
        return self.runs[(program.files["solution.py"] or b"").decode()].pop(0)


def outcome(status: str, *, unavailable: bool = False) -> TestRun:
    return TestRun((TestResult("t", TestStatus(status)),), 0.1, "No sandbox." if unavailable else "", unavailable)


@pytest.mark.parametrize(
    ("original", "case", "decision"),
    [
        ([outcome("failed"), outcome("failed")], Case.REPAIR_SUCCESS, BOUNCE),
        ([outcome("failed"), outcome("passed")], None, UNAVAILABLE),
        ([outcome("failed"), outcome("passed", unavailable=True)], Case.REPAIR_SUCCESS, UNAVAILABLE),
    ],
    ids=["steady", "flaky", "no second run"],
)
def test_what_decides_runs_a_second_time(
    monkeypatch: pytest.MonkeyPatch, executor: Executor, original: list[TestRun], case: Case | None, decision: Decision
) -> None:
    monkeypatch.setattr(filter, "run_suite", Scripted(original, [outcome("passed"), outcome("passed")]))
    found = verified(executor, UPPER, LOWER)
    assert (found.case, found.decision) == (case, decision)


def test_an_example_of_the_issue_counts_where_a_fix_changes_two_modules(executor: Executor) -> None:
    """Of the two the one that has what it calls."""
    adding, naming = b"def add(a, b):\n    return a + b + (a == b)\n", b"def name():\n    return 'b'\n"
    files: dict[str, bytes | None] = {"adding.py": adding, "naming.py": naming}
    fixed = {
        "adding.py": b"def add(a, b):\n    return a + b\n",
        "naming.py": naming + b"\n\ndef other():\n    return 'c'\n",
    }
    tests = suite("from adding import add\n\ndef test_it():\n    assert add(2, 3) == 5\n")
    for shown, decision in (
        ((SpecTest("", "add(2, 2)", "4"),), BOUNCE),
        ((SpecTest("", "less(2, 2)", "4"),), UNAVAILABLE),
    ):
        given = RejectedProgram(executor, Program(None, files), tests, examples=shown)
        found = verify_fix(given, Program(None, {**files, **fixed}))
        assert found.decision is decision, found.reasons


@pytest.mark.parametrize("decoy", ["", "before", "added"])
@pytest.mark.parametrize(("change", "fix"), [("a + b + (a == b)", "a + b"), ("a + b", "a + b + (a == b)")])
def test_an_example_of_the_issue_counts_where_it_calls_the_module_that_tests_ask(
    executor: Executor, change: str, fix: str, decoy: str
) -> None:
    """The fix changes another one, which that calls. A module that the change adds does not answer for it, and of two
    that were there nobody knows which is meant."""
    outer = b"from parts import summed\n\n\ndef add(a, b):\n    return summed(a, b)\n"
    other = {"aaa.py": b"def add(a, b):\n    return 4\n"}
    test = "from adding import add\n\ndef test_it():\n    assert add(2, 3) == 5\n"
    original, fixed = ({"parts.py": f"def summed(a, b):\n    return {each}\n".encode()} for each in (change, fix))
    here = {"adding.py": outer, **(other if decoy else {})}
    there = {
        "adding.py": outer,
        "parts.py": b"def summed(a, b):\n    return 0\n",
        **(other if decoy == "before" else {}),
    }
    tests, was = (
        suite(f"import aaa\n{test}" if decoy else test),
        suite(f"import aaa\n{test}" if decoy == "before" else test),
    )
    base = Base(Program(None, {**there, **was.files}), was)
    shown = (SpecTest("", "add(2, 2)", "4"),)
    given = RejectedProgram(executor, Program(None, {**here, **original}), tests, examples=shown, base=base)
    found = verify_fix(given, Program(None, {**here, **fixed}))
    wanted = UNAVAILABLE if decoy == "before" else ACCEPT if change == "a + b" else BOUNCE
    assert found.decision is wanted, found.reasons
