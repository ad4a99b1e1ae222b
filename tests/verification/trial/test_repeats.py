"""What repeated runs, further looks and late runs amount to."""

from dataclasses import replace

import pytest

from bot.verification.syntax import Function
from bot.verification.trial.repeats import (
    Look,
    Steadiness,
    Tally,
    choose_for_looks,
    enter_changed,
    looks,
    run_again,
    steadiness,
)
from bot.verification.trial.setup import suspicions
from bot.verification.trial.times import level, out_of_time
from bot.verification.values import Order, Suite, TestResult, TestRun, TestStatus
from tests.support.cases import cases


@cases
def test_what_repeats_say(tally: Tally, last: bool, found: Steadiness) -> None:
    assert steadiness(tally, last=last) is found


def ran(**ends: str) -> TestRun:
    return TestRun(tuple(TestResult(f"t.py::{name}", TestStatus(end), seconds=0.1) for name, end in ends.items()), 0.1)


GREEN, RED = ran(a="passed", b="passed"), ran(a="failed", b="passed")


OF = frozenset({"t.py::a", "t.py::b"})


@pytest.mark.parametrize(
    ("look", "pairs", "end", "unsteady"),
    [
        (GREEN, [], "passed", ()),
        # Red under a seed of its own, and so again: `hash('shop') % 2`
        (RED, [(GREEN, GREEN)] * 2 + [(GREEN, RED)] * 3 + [(GREEN, GREEN), (GREEN, RED)], "failed", ()),
        # Red by chance, and so again: `random.random() < 0.7`
        (RED, [(GREEN, RED), *[(GREEN, GREEN)] * 4, *[(GREEN, RED)] * 3, *[(GREEN, GREEN)] * 2], "failed", ()),
        (RED, [(GREEN, RED), *[(GREEN, GREEN)] * 9], "flaky", ("t.py::a",)),
        (RED, [(GREEN, GREEN)] * 4, "flaky", ("t.py::a",)),  # no time was left to ask more often
        (RED, [(GREEN, GREEN)] * 10, "flaky", ()),  # once in so many runs is the suite's own
        (RED, [], "flaky", ("t.py::a",)),  # no time was left
        (RED, [(GREEN, GREEN), (RED, RED)], "flaky", ()),  # it fails without the change as well
    ],
)
def test_what_is_green_at_first_and_red_in_another_look(
    look: TestRun, pairs: list[tuple[TestRun, TestRun]], end: str, unsteady: tuple[str, ...]
) -> None:
    left = iter(pairs)
    seeds = []

    def again(suite: Suite, order: Order) -> tuple[TestRun, TestRun] | None:
        seeds.append(order.seed)
        return next(left, None)

    base = GREEN if look is RED else None
    shown = run_again(GREEN, GREEN, Suite(), again, (Look(7, OF, GREEN), Look(8, OF, look, base)))
    ends = {result.name: result.status for result in shown.after.results}
    assert (ends["t.py::a"], ends["t.py::b"], shown.unsteady) == (end, "passed", unsteady)
    assert set(seeds[:4]) <= {None, 8}  # what was red by a seed is asked by that again


def test_a_test_that_cannot_be_run_by_itself_says_nothing() -> None:
    (look, *_) = looks(tuple(OF), Suite(), lambda asked: [RED for _ in asked], lambda some, seed: RED)
    assert look.red == frozenset()
    (look, *_) = looks(tuple(OF), Suite(), lambda asked: [RED for _ in asked], lambda some, seed: GREEN)
    assert look.red == {"t.py::a"}


def test_those_that_enter_what_changed_are_looked_at_first() -> None:
    entered = (("t.py::b", (Function("pkg/a.py", "f", 1, 2),)),)
    assert choose_for_looks(replace(GREEN, entered=entered), GREEN, {"pkg/a.py"}, whole=False) == ("t.py::b", "t.py::a")
    assert choose_for_looks(GREEN, RED, {"pkg/a.py"}, whole=True) == ("t.py::b",)
    assert choose_for_looks(replace(GREEN, seconds=99.0), GREEN, {"pkg/a.py"}, whole=True) == ()
    # Nor is a slow test spared that enters what changed.
    long = replace(GREEN, entered=entered, results=tuple(replace(each, seconds=9.0) for each in GREEN.results))
    assert choose_for_looks(long, GREEN, {"pkg/a.py"}, whole=False) == ("t.py::b",)
    # What many cases of one test take counts as a whole, with what pytest takes around each.
    many = ran(**{f"b[{number}]": "passed" for number in range(500)})
    many = replace(many, results=tuple(replace(each, seconds=0.001) for each in many.results), seconds=6.0)
    assert choose_for_looks(many, many, {"pkg/a.py"}, whole=False) == ()
    assert len(choose_for_looks(replace(many, seconds=1.0), many, {"pkg/a.py"}, whole=False)) == 500
    # A change that makes its tests slow is looked at all the same.
    slow = replace(GREEN, seconds=99.0, results=tuple(replace(each, seconds=9.0) for each in GREEN.results))
    assert set(choose_for_looks(GREEN, slow, {"pkg/a.py"}, whole=False)) == {"t.py::a", "t.py::b"}
    assert set(choose_for_looks(GREEN, slow, {"pkg/a.py"}, whole=True)) == {"t.py::a", "t.py::b"}


def test_two_runs_that_are_late_count_as_far_as_both_came_unless_the_change_is_slow() -> None:
    names = ("t.py::a", "u.py::b", "u.py::c")
    a, b, c = (TestResult(name, TestStatus.PASSED, "", 20.0) for name in names)
    b = replace(b, seconds=4.0)
    whole, two = TestRun((a, b, c), 60.0), TestRun((a, b), 42.0, late=names[2:])
    one = TestRun((a,), 45.0, late=names[1:])
    told = ("2 of the base's 3 tests, which come last: none imports what changes, or they are slow",)
    assert level(whole, whole) == (whole, whole, ())
    assert level(two, one) == (replace(two, results=(a,)), one, told)
    assert level(two, whole)[1].results == (a, b)
    far = replace(two, results=(a, replace(b, seconds=9.0)))  # much more of it than the head came to
    for base in (whole, far):
        _, slow, said = level(base, one)
        assert out_of_time(slow) and said == ()


@pytest.mark.parametrize(("seconds", "red"), [(29.0, {"t.py::a"}), (2.0, None)], ids=["it hung", "no time was left"])
def test_a_look_that_does_not_end_in_many_times_its_time_is_red(seconds: float, red: set[str] | None) -> None:
    cut = replace(
        ran(b="passed"), seconds=seconds, problem="ended after 1 of 2 tests: the time for the whole suite ran out"
    )
    told = looks(tuple(sorted(OF)), Suite(), lambda asked: [cut], lambda some, seed: GREEN)
    assert [set(look.red) for look in told] == ([red] if red else [])


def test_what_any_run_of_the_head_tells_counts_unless_the_bases_own_code_does_the_same() -> None:
    tells = replace(GREEN, written=("tests/test_a.py",), replaced=("the hook pytest_x",))
    assert suspicions(GREEN, [(None, GREEN), (GREEN, tells)]) == (
        "the report is forged: the program replaced the hook pytest_x",
        ("tests/test_a.py",),
    )
    assert suspicions(GREEN, [(tells, tells)]) == suspicions(tells, [(None, tells)]) == ("", ())
    # A look that tells of more than how its tests end is asked of the base as well.
    (look, *_) = looks(tuple(OF), Suite(), lambda asked: [tells for _ in asked], lambda some, seed: GREEN)
    assert look.base is None
    (look, *_) = looks(tuple(OF), Suite(), lambda asked: [tells for _ in asked], lambda some, seed: GREEN, tells.__eq__)
    assert look.base is GREEN


def test_one_look_is_at_all_and_what_the_base_fails_in_a_look_is_asked_once() -> None:
    asked, of_base = list[tuple[str, ...]](), list[int]()
    told = looks(
        tuple(sorted(OF)),
        Suite(),
        lambda suites: [asked.append(suite.select) or RED for suite, _ in suites],
        lambda _, seed: of_base.append(seed) or RED,
        near={"t.py::a"},
    )
    assert (asked, len(told), len(of_base)) == ([("t.py::a", "t.py::b"), ("t.py::a",), ("t.py::a",)], 3, 1)
    # Of many cases some are asked by their names, and what was not asked is not red.
    many = ran(**{f"b[{number}]": "passed" for number in range(200)})
    (look, *_) = looks(tuple(many.passing), Suite(), lambda asked: [many for _ in asked], lambda _some, _seed: many)
    assert look.of is not None and len(look.of) == 150


def test_which_tests_enter_what_changed() -> None:
    f, g, both = b"def f():\n    return 1\n", b"def g():\n    return 1\n", {"t.py::f", "t.py::g"}
    entered = tuple((f"t.py::{name}[1]", (Function("a.py", name, 1, 2),)) for name in "fg")
    for new, near in (
        (f + b"# more\n" + g, both),
        (f + g + b"def h():\n    return 1\n", both),
        (f[:-2] + b"2\n" + g, {"t.py::f"}),
    ):
        assert enter_changed(replace(GREEN, entered=entered), {"a.py": (f + g, new)}) == near
