"""How an accepted patch stands after the tests."""

from dataclasses import replace
from functools import partial

import pytest

from bot.verdicts import Decision
from bot.verification.evidence import Case, Verified
from bot.verification.patch_evidence import Contradiction, Fate, PatchEvidence, PatchFacts, Standing, TestModules
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
