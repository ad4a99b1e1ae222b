"""How an accepted patch stands after the tests, and what several suites say of it together."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from bot.verdicts import Decision
from bot.verification.evidence import Case, TrialDigests, Verified
from bot.verification.overall import overall_digests, overall_evidence
from bot.verification.patch_evidence import (
    Contradiction,
    Control,
    Fate,
    PatchEvidence,
    PatchFacts,
    Proof,
    Standing,
    TestModules,
    UnrunSuite,
)
from bot.verification.trial.outcomes import judge_patch, unlike
from bot.verification.values import TestResult, TestRun, TestStatus
from tests.support.cases import cases

PLAUSIBLE, IMPLAUSIBLE, OPEN = Standing.PLAUSIBLE, Standing.IMPLAUSIBLE, Standing.OPEN
findings = partial(PatchEvidence, OPEN, ())


def run(problem: str = "", unavailable: bool = False, **tests: str) -> TestRun:
    results = tuple(TestResult(name, TestStatus(status)) for name, status in tests.items())
    return TestRun(results, 0.1, problem, unavailable)


GOOD = run(a="passed", b="passed")
ENDED = replace(run("the time for the whole suite ran out", a="passed"), seconds=30.0)
A_FAILS = run(a="failed", b="passed")


@pytest.mark.parametrize(
    ("facts", "standing", "said"),
    [
        (PatchFacts(GOOD, GOOD, GOOD), PLAUSIBLE, "passes without the change passes with it"),
        (PatchFacts(GOOD, A_FAILS, A_FAILS), IMPLAUSIBLE, "1 test passes without the change and no longer with it"),
        (PatchFacts(GOOD, run(b="passed"), run(b="passed")), IMPLAUSIBLE, "no longer with it"),
        (PatchFacts(GOOD, run(a="skipped", b="passed"), run(b="passed")), IMPLAUSIBLE, "no longer with it"),
        (PatchFacts(GOOD, run(a="flaky", b="passed"), GOOD), PLAUSIBLE, "passes without the change passes with it"),
        (PatchFacts(A_FAILS, A_FAILS, A_FAILS), PLAUSIBLE, "passes without the change passes with it"),
        (PatchFacts(A_FAILS, GOOD, GOOD), PLAUSIBLE, "1 test fails without the change and passes with it"),
        (PatchFacts(run(), run(), run()), OPEN, "No test passes without"),
        (PatchFacts(run("No sandbox.", True), GOOD, GOOD), OPEN, "No sandbox."),
        (PatchFacts(GOOD, run("No sandbox.", True), GOOD), OPEN, "No sandbox."),
        (PatchFacts(GOOD, run("It broke off.", a="passed"), GOOD), OPEN, "do not finish"),
        (
            PatchFacts(GOOD, GOOD, run("tests were left out: t.py::b", a="passed")),
            OPEN,
            "On its own head, its own tests are not all run: tests were left out: t.py::b.",
        ),
        (PatchFacts(GOOD, ENDED, GOOD), OPEN, "With the change, the base's tests do not finish"),
        (PatchFacts(replace(GOOD, seconds=90.0), ENDED, GOOD), OPEN, "raise the policy's `verify.timeout`"),
        (PatchFacts(run("It gave up.", pytest="error"), GOOD, GOOD), OPEN, "without the change either: It gave up"),
        (PatchFacts(GOOD, run("It broke off.", a="failed"), A_FAILS), IMPLAUSIBLE, "no longer with it"),
    ],
)
def test_standing(facts: PatchFacts, standing: Standing, said: str) -> None:
    found = judge_patch(findings(facts))
    assert found.standing is standing, found.reasons
    assert said in " ".join(found.reasons)
    assert "valid" not in " ".join(found.reasons)


@cases
def test_modules_of_which_no_test_begins_are_counted(base: dict[str, str], modules: TestModules) -> None:
    ran = run(**base)
    assert judge_patch(findings(PatchFacts(ran, ran, ran))).modules == modules
    fewer = judge_patch(findings(PatchFacts(GOOD, ran, ran))).modules
    assert fewer.fewer == modules.unread


def test_a_test_that_the_change_rewrote_contradicts_it_and_one_that_it_left_alone_is_broken() -> None:
    facts = PatchFacts(GOOD, run(a="failed", b="failed"), run(a="passed", b="failed"))
    found = judge_patch(findings(facts, contradictions=(Contradiction("a", Fate.REWRITTEN),)))
    assert found.regressions == ("b",)
    alone = judge_patch(replace(findings(replace(facts, head=A_FAILS)), contradictions=found.contradictions))
    assert (alone.standing, alone.regressions) == (OPEN, ())
    assert "passes without the change passes with it" not in " ".join(alone.reasons)


def test_what_only_the_changes_own_settings_mend_is_shown_and_blamed_on_nobody() -> None:
    pushed = run(a="passed", b="skipped")
    found = judge_patch(findings(PatchFacts(GOOD, A_FAILS, A_FAILS, as_pushed=pushed)))
    assert (found.regressions, found.unlike, found.standing) == ((), ("a", "b"), OPEN)
    worse = judge_patch(findings(PatchFacts(GOOD, A_FAILS, A_FAILS, as_pushed=A_FAILS)))
    assert (worse.regressions, worse.unlike) == (("a",), ())


def test_a_file_that_cannot_be_read_beside_the_bases_own_is_blamed_on_nobody_where_its_tests_pass_as_pushed() -> None:
    base, unread = run(**{"t.py::a": "passed", "u.py::b": "passed"}), run(**{"t.py": "error", "u.py::b": "passed"})
    found = judge_patch(findings(PatchFacts(base, unread, base, as_pushed=base)))
    assert (found.regressions, found.unlike, found.standing) == ((), ("t.py",), OPEN)
    gone = judge_patch(findings(PatchFacts(base, unread, base, as_pushed=unread)))
    missing = judge_patch(findings(PatchFacts(base, run(**{"u.py::b": "passed"}), base, as_pushed=base)))
    assert gone.regressions == missing.regressions == ("t.py::a",)


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        (
            "ImportError while loading conftest '/there/tests/conftest.py'.\ntests/conftest.py:1: in <module>\n"
            "    import tools\nE   ModuleNotFoundError: No module named 'tools'",
            "looked for tests: ModuleNotFoundError: No module named 'tools'.",
        ),
        (
            "ERROR: usage: pytest [options]\npytest: error: unrecognized arguments: --fast",
            "looked for tests: pytest: error: unrecognized arguments: --fast.",
        ),
        ("E   SystemExit: \u202e\x1b[2J" + "a" * 999, f"looked for tests: SystemExit: [2J{'a' * 185}."),
        ("", "looked for tests."),
    ],
)
def test_why_pytest_gave_up_stands_in_the_reason(said: str, cause: str) -> None:
    gave_up = TestRun((TestResult("pytest", TestStatus.ERROR, said),), 0.1, "pytest gave up before it looked for tests")
    found = judge_patch(findings(PatchFacts(GOOD, GOOD, GOOD, as_pushed=gave_up)))
    assert found.reasons[0] == found.gone
    assert found.gone.startswith("With its own configuration, the tests do not finish: pytest gave up")
    assert found.gone.endswith(cause)


@pytest.mark.parametrize(
    ("facts", "decision", "first"),
    [
        (PatchFacts(GOOD, GOOD, GOOD), Decision.ACCEPT, "They agree."),
        (PatchFacts(GOOD, A_FAILS, A_FAILS), Decision.BOUNCE, "1 test passes without"),
        (PatchFacts(GOOD, run("No sandbox.", True), GOOD), Decision.ACCEPT, "They agree."),
    ],
)
def test_what_a_lifted_rejection_needs_behind_it(facts: PatchFacts, decision: Decision, first: str) -> None:
    evidence = judge_patch(findings(facts))
    found = Verified(Decision.ACCEPT, Case.EQUIVALENT, ("They agree.",)).beside(evidence)
    assert (found.decision, found.case) == (decision, Case.EQUIVALENT)
    assert found.reasons[0].startswith(first)
    assert ("plausible" in " ".join(found.reasons)) is (evidence.standing is PLAUSIBLE)
    assert found.patch is evidence


def test_a_rejection_is_not_lifted_over_tests_that_fail_once_nothing_tests() -> None:
    found = findings(PatchFacts(GOOD, GOOD, GOOD))
    evidence = judge_patch(replace(found, only_tested=run(n="failed").results))
    assert evidence.reasons[0].startswith("1 test passes only while")
    assert Verified(Decision.ACCEPT, Case.EQUIVALENT, ()).beside(evidence).decision is Decision.UNAVAILABLE
    alike = judge_patch(replace(found, alike=("n",)))
    assert Verified(Decision.ACCEPT, Case.EQUIVALENT, ()).beside(alike).decision is Decision.UNAVAILABLE


def test_what_was_late_as_pushed_ends_no_otherwise() -> None:
    """It was not run there; what was run and left out still counts."""
    pushed = replace(run(a="passed"), late=("b",))
    facts = PatchFacts(run(a="passed", b="passed"), run(a="passed", b="passed"), GOOD, as_pushed=pushed)
    assert unlike(facts, frozenset()) == set()
    assert unlike(replace(facts, as_pushed=replace(pushed, late=())), frozenset()) == {"b"}


def test_what_pytest_said_when_it_began_again_is_no_test_that_ends_otherwise() -> None:
    facts = PatchFacts(run(a="passed"), run(a="passed", pytest="error"), GOOD, as_pushed=run(a="passed"))
    assert unlike(facts, frozenset()) == set()


def suite_run(problem: str = "", **tests: str) -> TestRun:
    results = tuple(TestResult(f"{name}.x::t", TestStatus(status)) for name, status in tests.items())
    return TestRun(results, 1.0, problem)


def suite(base: TestRun, head: TestRun, proof: Proof = Proof.PROVED, **facts: Any) -> PatchEvidence:
    ran = PatchFacts(base, head, facts.pop("own", head), **facts)
    found = judge_patch(PatchEvidence(Standing.OPEN, (), ran))
    return replace(found, control=Control(proof, (proof.value,))).to_keep()


ALL_GOOD, BROKEN = (
    suite(suite_run(a="passed"), suite_run(a="passed")),
    suite(suite_run(b="passed"), suite_run(b="failed")),
)
NONE, ONE_ENDED = suite_run("no tests were found"), suite_run("it broke off")
NOTHING, CUT = suite(NONE, NONE), suite(ONE_ENDED, ONE_ENDED)
OWN = suite(suite_run(c="passed"), suite_run(c="passed"), own=suite_run(d="passed"), own_base=suite_run(d="failed"))
RED = suite(suite_run(e="failed"), suite_run(e="failed"))
LATE = suite(suite_run(f="passed"), ONE_ENDED)


@pytest.mark.parametrize(
    ("suites", "standing", "regressions", "unrun"),
    [
        ((ALL_GOOD, ALL_GOOD), Standing.PLAUSIBLE, (), ()),
        ((ALL_GOOD, BROKEN), Standing.IMPLAUSIBLE, ("b.x::t",), ()),
        ((BROKEN, ALL_GOOD), Standing.IMPLAUSIBLE, ("b.x::t",), ()),
        # Where there are no tests, there is no suite; where they do not come to their end, nobody else speaks for them
        ((NOTHING, ALL_GOOD), Standing.PLAUSIBLE, (), ()),
        ((NOTHING, BROKEN), Standing.IMPLAUSIBLE, ("b.x::t",), ()),
        ((ALL_GOOD, CUT), Standing.PLAUSIBLE, (), ("1", False)),
        ((CUT, BROKEN), Standing.IMPLAUSIBLE, ("b.x::t",), ("0", False)),
        ((ALL_GOOD, RED), Standing.PLAUSIBLE, (), ("1", False)),
        ((CUT, CUT), Standing.OPEN, (), ("0", False, "1", False)),
        # A head that cannot be judged though its base can
        ((ALL_GOOD, LATE), Standing.OPEN, (), ()),
    ],
)
def test_what_one_suite_cannot_say_no_other_says_in_its_place(
    suites: tuple[PatchEvidence, ...], standing: Standing, regressions: tuple[str, ...], unrun: tuple[object, ...]
) -> None:
    found = overall_evidence({str(number): each for number, each in enumerate(suites)})
    assert (found.standing, found.regressions) == (standing, regressions)
    assert tuple(each for suite in found.unrun for each in (suite.test, suite.by_change)) == unrun
    assert all(each.why for each in found.unrun)
    assert bool(found.gone) is (LATE in suites)


def test_one_suite_says_what_it_says_and_those_that_could_not_be_set_up_are_named() -> None:
    absent = (UnrunSuite("npm test", "npm is not there"),)
    assert overall_evidence({"pytest": BROKEN}, absent) == replace(BROKEN, unrun=absent)
    assert overall_evidence({"pytest": ALL_GOOD, "go test": CUT}, absent).unrun[0] == absent[0]


def test_tests_of_its_own_in_one_language_stand_alone() -> None:
    found = overall_evidence({"a": ALL_GOOD, "b": OWN})
    assert (found.facts.own.passing.keys(), found.facts.own_base and found.facts.own_base.failing[0].name) == (
        {"d.x::t"},
        "d.x::t",
    )
    assert found.facts.head.passing.keys() == {"a.x::t", "c.x::t"}
    assert (
        overall_evidence({"a": ALL_GOOD, "b": ALL_GOOD}).facts.own
        == overall_evidence({"a": ALL_GOOD, "b": ALL_GOOD}).facts.head
    )
    assert found.modules == TestModules(2)
    assert sum(found.facts.base.numbers.values()) == 2


@cases
def test_tests_that_can_no_longer_fail_in_one_suite_are_not_outweighed(
    proofs: tuple[Proof, Proof], overall: Proof
) -> None:
    one, two = (replace(ALL_GOOD, control=Control(proof, (proof.value,))) for proof in proofs)
    control = overall_evidence({"a": one, "b": two}).control
    assert control and (control.proof, set(control.broken)) == (overall, {each.value for each in proofs})
    assert overall_evidence({"a": ALL_GOOD, "b": replace(ALL_GOOD, control=None)}).control == ALL_GOOD.control
    assert overall_evidence({"a": replace(one, control=None), "b": replace(two, control=None)}).control is None


def test_what_one_suite_notices_carries_no_other_file() -> None:
    seen = replace(ALL_GOOD, control=Control(Proof.PROVED, ("a.py:f",)))
    for name, proof in (("a.py:g", Proof.PROVED), ("b.js:g", Proof.PARTLY)):
        blind = replace(ALL_GOOD, control=Control(Proof.UNPROVED, unnoticed=(name,), why="No test calls it."))
        control = overall_evidence({"a": seen, "b": blind}).control
        assert control and (control.proof, control.unnoticed) == (proof, (name,) * (proof is Proof.PARTLY))


def test_digests_are_of_all() -> None:
    alone = TrialDigests(environment="e", environment_of_head="h")
    assert overall_digests([alone], "t") == replace(alone, tests="t")
    pair = overall_digests([TrialDigests(environment="e"), TrialDigests(environment="f")], "t")
    assert (pair.tests, len(pair.environment), pair.environment_of_head) == ("t", 64, "")
