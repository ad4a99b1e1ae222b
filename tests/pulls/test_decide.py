"""The decision about a pull request. Each row states what differs from a change that breaks nothing, that nobody asked
for, and that the judge likes."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.judges.claims import Claim, ClaimKind, Counterexample, How
from bot.judges.code import SpecTest
from bot.judges.patches import NamedRejection, Rejection
from bot.judges.reviews import Consistency, PatchReview, ReviewMode
from bot.judges.steps import Attempt, LoopEnd, Repair
from bot.policy_choices import Mode, WhenUnavailable
from bot.pulls.decide import NOBODY, PullGround, decide_pull, ground_of
from bot.pulls.facts import NeedlessChange, PullFacts, RequestKind, Substance
from bot.rendering.gate import gate_view
from bot.rendering.pull_page import page_of
from bot.rendering.pull_reasons import evidence_of, not_covered, reasons
from bot.rendering.pull_view import pull_json
from bot.rendering.words import REJECTIONS
from bot.verdicts import Cause, Decision, Effect, Evidence, PatchLabel
from bot.verification.evidence import Case, Claimant, ClaimEvidence, Jury, Ran, Verified
from bot.verification.patch_evidence import (
    ChangedAnswer,
    Contradiction,
    Control,
    ExampleRuns,
    Fate,
    LostKills,
    PatchEvidence,
    Proof,
    Red,
    Settled,
    Standing,
    TestModules,
    Turned,
    UnrunSuite,
)
from bot.verification.patch_evidence import PatchFacts as Runs
from bot.verification.reasons import KEPT, count_sentences
from bot.verification.values import Strength, TestResult, TestRun, TestStatus
from tests.pulls.results import decided, known

ACCEPT, BOUNCE = Decision.ACCEPT, Decision.BOUNCE
OUTSIDE, CHANGE, PERSON = Cause  # of `UNAVAILABLE`
CONFIRMED = Claim(ClaimKind.WRONG_OUTPUT, "It is wrong.", "half(3) is 1.5", Counterexample(How.CALL, "half(3)", "1.5"))
YES = PatchReview(PatchLabel.CORRECT_AND_PRECISE, False, 0.1, "a judge", ReviewMode.DIRECT)
NO = PatchReview(PatchLabel.INCORRECT, True, 0.9, "a judge", ReviewMode.DIRECT)
GROUNDED = replace(NO, claims=(CONFIRMED,))
MUDDLED = replace(NO, consistency=Consistency.NO_BUT_POSITIVE)


def run(status: TestStatus = TestStatus.PASSED, *, seconds: float = 1.0, **problem: Any) -> TestRun:
    return TestRun((TestResult("test_it", status, "", 0.1),), seconds, **problem)


PASSED, FAILED = run(), run(TestStatus.FAILED)
ENDED = TestRun((), 60.0, "the time ran out")
AWAY = replace(ENDED, unavailable=True)
RUNS = Runs(PASSED, PASSED, PASSED)
LEFT_OUT = TestRun((TestResult("test_it", TestStatus.SKIPPED, "could not import 'a'\nmore"),), 1.0)
PROVED = Control(Proof.PROVED, ("a.py:f",))
PLAUSIBLE = PatchEvidence(Standing.PLAUSIBLE, (KEPT,), RUNS, control=PROVED)


def trial(**differs: Any) -> PatchEvidence:
    return replace(PLAUSIBLE, **differs)


def ran(**differs: Any) -> PatchEvidence:
    return trial(facts=replace(RUNS, **differs))


BREAKS = trial(standing=Standing.IMPLAUSIBLE, regressions=("test_a",))
UNTESTED = trial(
    standing=Standing.OPEN, reasons=("No test passes without the change.",), facts=Runs(FAILED, FAILED, FAILED)
)
AWAY_SUITE = (UnrunSuite("npm test", "line 1 of setup failed: npm ci"),)
UNREADABLE = TestRun((*PASSED.results, TestResult("a.py", TestStatus.ERROR, "a.py:1: in f\nE   KeyError: 'A'")), 1.0)
UNREAD = TestModules(3, ("a.py", "b.py"), ("a.py", "b.py"))
FEWER = TestModules(3, (), ("a.py", "b.py"))
ALONE = FAILED.results  # tests that fail once nothing tests
RED = Turned("test_new", Red.ASSERTION, counts=True)
NAMELESS = Turned("test_new", Red.MISSING, missing="half")
TURNED, NEARLY = trial(turned=(RED,)), trial(turned=(NAMELESS,))


def contradicts(settled: Settled, **differs: Any) -> PatchEvidence:
    told = Contradiction("test_old", Fate.REWRITTEN, "test_old", "assert f() == 1", "assert f() == 2", settled=settled)
    return trial(standing=Standing.OPEN, contradictions=(told,), **differs)


RED_BASE, OTHER = (
    ran(base=TestRun((*FAILED.results, TestResult("test_b", TestStatus.PASSED)), 1.0)),
    TestRun((TestResult("test_b", TestStatus.FAILED),), 1.0),
)
NOTHING = Control(Proof.NOTHING, why="It changes nothing that could be broken on purpose.")
UNPROVED = Control(Proof.UNPROVED, why="No test runs it.")
LOSES = (LostKills("test_old", 5, 2, ("a.py:1: + → -",)),)
FAILS_STILL, MENDS = (
    ExampleRuns(("issue 12, the example",)),
    ExampleRuns(mended=("issue 12, the example",)),
)
NEEDLESS = NeedlessChange((12,), "b" * 40, "f" * 40)
LEFT_ALONE = replace(NEEDLESS, leaves_code=True)


def control(proof: Proof, **runs: Any) -> PatchEvidence:
    return trial(
        turned=(RED,), control=Control(proof, ("a.py:f",), ("a.py:f",), "No time."), facts=replace(RUNS, **runs)
    )


def filtered(case: Case | None, claimant: Claimant, ran: Ran, jury: Jury = Jury.SILENT, **more: Any) -> Verified:
    outcome = ClaimEvidence(claimant, ran, jury)
    return Verified(outcome.row.rejection, case, ("It was executed.",), outcome=outcome, **more)


HOLDS = filtered(Case.REPAIR_SUCCESS, Claimant.BASE_TESTS, Ran.REPAIRED)
BOTH = filtered(Case.BOTH_FAIL, Claimant.BASE_TESTS, Ran.FAILS)
AS_ANSWERED = filtered(Case.REPAIR_SUCCESS, Claimant.ANSWER, Ran.REPAIRED)
BY_EXAMPLE = filtered(Case.REPAIR_SUCCESS, Claimant.EXAMPLE, Ran.REPAIRED)
BY_A_MODEL = filtered(Case.REPAIR_SUCCESS, Claimant.MODEL_TEST, Ran.REPAIRED)
BY_THE_JURY = filtered(Case.REPAIR_SUCCESS, Claimant.MODEL_TEST, Ran.REPAIRED, Jury.SAME)
TIED = filtered(Case.UNDECIDED, Claimant.FIX, Ran.DIFFER, Jury.SAME)
SAME, OVER = (
    filtered(Case.EQUIVALENT, Claimant.FIX, Ran.ALIKE),
    filtered(Case.OVER_REPAIR, Claimant.BASE_TESTS, Ran.BROKEN),
)
DOUBTED = filtered(Case.OVER_REPAIR, Claimant.FIX, Ran.DOUBTED)
WEAK, SIXTH, UNNOTICED, CUT_SHORT, TOO_FEW, NO_MUTANT = (
    Strength(mutants, killed, complete, "")
    for mutants, killed, complete in (
        *((12, 3, True), (12, 2, True), (10, 0, True)),
        *((3, 0, False), (2, 0, False), (0, 0, True)),
    )
)
UNDECIDED = filtered(Case.UNDECIDED, Claimant.FIX, Ran.DIFFER)
NO_FIX, NOTHING_RAN = (filtered(case, Claimant.REVIEWER, Ran.NOTHING) for case in (Case.NO_FIX, None))
SAYS_RIGHT = Repair((Attempt(LoopEnd.RIGHT, "It says that the change is right.", (), {}),), problem="No fix was found.")
ITS_CALL = (SpecTest("half(3) is 1.5", "half(3)", "1.5"),)
BUG = "issue 12"
UPHELD = Evidence("maintainers_answer", Effect.MISSING, "A maintainer said what is right.", "f(3)", "a" * 40)
RISK = ("It holds a secret.",)


@pytest.mark.parametrize(
    ("differs", "outcome", "rule"),
    [
        ({}, ACCEPT, "nothing broke"),
        # What the change is, whoever likes it
        ({"unread": "It is too large.", "blame": CHANGE}, CHANGE, "could not be read"),
        ({"unread": "The budget is spent."}, OUTSIDE, "could not be read"),
        ({"substance": Substance.EMPTY}, BOUNCE, "empty"),
        ({"conflict": ("a.py",), "patch": None}, CHANGE, "conflicts"),
        ({"substance": Substance.NO_OP}, BOUNCE, "does nothing"),
        ({"unneeded": NEEDLESS}, BOUNCE, "fixed already"),
        ({"unneeded": NEEDLESS, "review": None, "patch": None}, BOUNCE, "fixed already"),
        ({"unneeded": NEEDLESS, "substance": Substance.NO_OP}, BOUNCE, "does nothing"),
        ({"unneeded": NEEDLESS, "unread": "It is too large."}, OUTSIDE, "could not be read"),
        ({"unneeded": LEFT_ALONE, "substance": Substance.PAPER}, ACCEPT, "fixed already, and left alone"),
        ({"unneeded": LEFT_ALONE, "substance": Substance.NO_OP}, ACCEPT, "fixed already, and left alone"),
        ({"unneeded": LEFT_ALONE, "substance": Substance.PAPER, "risks": RISK}, PERSON, "fixed already, but look"),
        ({"unneeded": LEFT_ALONE, "risks": RISK}, PERSON, "fixed already, but look"),
        ({"unneeded": LEFT_ALONE, "review": None}, ACCEPT, "fixed already, and nothing broke"),
        ({"unneeded": LEFT_ALONE, "demanded": BUG}, ACCEPT, "fixed already, and nothing broke"),
        ({"unneeded": LEFT_ALONE, "patch": None}, OUTSIDE, "not executed"),
        ({"unneeded": LEFT_ALONE, "patch": BREAKS}, BOUNCE, "breaks tests"),
        ({"unneeded": LEFT_ALONE, "patch": trial(own_failing=("test_new",))}, BOUNCE, "fails its own tests"),
        ({"unneeded": LEFT_ALONE, "patch": trial(lost_kills=LOSES)}, PERSON, "weakens tests"),
        ({"asked": RequestKind.UNCLEAR}, BOUNCE, "unclear issue"),
        ({"asked": RequestKind.NOTHING}, BOUNCE, "no issue"),
        # Tests that fail
        ({"patch": BREAKS}, BOUNCE, "breaks tests"),
        ({"patch": BREAKS, "review": None}, BOUNCE, "breaks tests"),
        ({"patch": replace(BREAKS, turned=(RED,)), "risks": RISK}, BOUNCE, "breaks tests"),
        ({"patch": trial(own_failing=("test_new",))}, BOUNCE, "fails its own tests"),
        ({"patch": trial(own_failing=("test_new",)), "substance": Substance.TESTS}, BOUNCE, "fails its own tests"),
        ({"patch": trial(only_tested=ALONE), "demanded": BUG}, BOUNCE, "passes only while it is tested"),
        (
            {"patch": trial(only_tested=ALONE, turned=(RED,)), "demanded": BUG},
            PERSON,
            "passes only while it is tested, but look",
        ),
        ({"patch": trial(only_tested=ALONE), "risks": RISK}, PERSON, "passes only while it is tested, but look"),
        ({"examples": FAILS_STILL}, PERSON, "leaves the report as it is"),
        ({"examples": FAILS_STILL, "patch": TURNED, "demanded": BUG}, PERSON, "leaves the report as it is"),
        ({"examples": FAILS_STILL, "review": NO, "verified": SAME}, PERSON, "leaves the report as it is"),
        ({"examples": FAILS_STILL, "review": NO, "verified": HOLDS}, BOUNCE, "rejection holds"),
        ({"review": GROUNDED, "verified": BY_EXAMPLE}, PERSON, "leaves the report as it is"),
        ({"examples": FAILS_STILL, "review": NO, "verified": TIED}, BOUNCE, "rejection holds"),
        ({"examples": FAILS_STILL, "patch": BREAKS}, BOUNCE, "breaks tests"),
        # A maintainer said which of the two is right
        ({"answered": UPHELD, "patch": TURNED, "demanded": BUG}, BOUNCE, "upheld by a maintainer"),
        ({"answered": replace(UPHELD, effect=Effect.CLEAR)}, ACCEPT, "nothing broke"),
        # A test that it rewrites is weighed against the issue
        ({"patch": contradicts(Settled.OLD), "demanded": BUG}, BOUNCE, "changes the test its issue asks for"),
        ({"patch": contradicts(Settled.OPEN)}, PERSON, "contradicts a test"),
        ({"patch": contradicts(Settled.OPEN, turned=(RED,)), "demanded": BUG}, PERSON, "contradicts a test"),
        ({"patch": contradicts(Settled.NEW, turned=(RED,)), "demanded": BUG}, ACCEPT, "red to green"),
        # What judges, judges by itself
        ({"patch": trial(gone="No test is found any more.", turned=(RED,))}, CHANGE, "cannot be judged"),
        ({"patch": control(Proof.BLIND)}, CHANGE, "the tests cannot fail"),
        ({"patch": control(Proof.UNTRIED)}, OUTSIDE, "not known to be able to fail"),
        ({"patch": control(Proof.UNTRIED, head=run(seconds=99))}, CHANGE, "not known to be able to fail"),
        ({"patch": control(Proof.UNTRIED, own_base=run(seconds=99))}, CHANGE, "not known to be able to fail"),
        ({"patch": control(Proof.PROVED), "demanded": BUG}, ACCEPT, "red to green"),
        ({"patch": trial(control=None)}, OUTSIDE, "not known to be able to fail"),
        ({"patch": trial(control=None, turned=(RED,))}, OUTSIDE, "not known to be able to fail"),
        ({"substance": Substance.PAPER, "patch": None}, ACCEPT, "nothing to execute"),
        ({"patch": trial(control=UNPROVED)}, OUTSIDE, "nothing looks"),
        ({"patch": trial(control=UNPROVED), "person_if_unproved": True}, PERSON, "nothing looks"),
        ({"patch": trial(control=UNPROVED), "strength": WEAK}, ACCEPT, "nothing broke"),
        ({"patch": trial(control=UNPROVED), "strength": UNNOTICED}, OUTSIDE, "nothing looks"),
        ({"patch": trial(control=UNPROVED), "strength": SIXTH}, OUTSIDE, "hardly looked at"),
        ({"patch": trial(control=UNPROVED), "substance": Substance.TESTS}, ACCEPT, "nothing broke"),
        ({"patch": trial(control=NOTHING)}, ACCEPT, "nothing broke"),
        ({"patch": trial(control=NOTHING), "demanded": BUG, "examples": MENDS}, CHANGE, "unproved"),
        ({"patch": trial(control=UNPROVED, turned=(RED,)), "demanded": BUG}, ACCEPT, "red to green"),
        ({"patch": trial(control=UNPROVED), "demanded": BUG, "examples": MENDS}, CHANGE, "unproved"),
        ({"patch": trial(control=UNPROVED), "demanded": BUG}, CHANGE, "nothing turned"),
        ({"patch": trial(written=("tests/test_a.py",))}, PERSON, "writes to what judges"),
        ({"patch": trial(unlike=("test_a",))}, PERSON, "steers its tests"),
        ({"patch": trial(answers=("shop.price(3)",))}, PERSON, "answers its tests"),
        ({"patch": trial(detours=("test_a: shop.price(3)",))}, PERSON, "leads tests elsewhere"),
        ({"patch": trial(elsewhere=("shop.price(3): 3 → 4",))}, PERSON, "answers otherwise elsewhere"),
        ({"patch": trial(alike=("test_new",))}, PERSON, "fails its own tests as the base fails"),
        ({"patch": trial(alike=("test_new",), own_failing=("test_b",))}, BOUNCE, "fails its own tests"),
        (
            {"patch": trial(alike=("test_new",), turned=(RED,)), "demanded": BUG},
            PERSON,
            "fails its own tests as the base fails",
        ),
        ({"patch": trial(unsteady=("test_a",), turned=(RED,))}, PERSON, "unsteady with it"),
        ({"patch": trial(lost_kills=LOSES)}, PERSON, "weakens tests"),
        ({"patch": contradicts(Settled.NEW, lost_kills=LOSES)}, ACCEPT, "nothing broke"),
        ({"risks": RISK}, PERSON, "named risk"),
        ({"risks": RISK, "patch": TURNED, "review": NO, "verified": SAME}, PERSON, "named risk"),
        ({"risks": RISK, "substance": Substance.PAPER, "patch": None}, PERSON, "named risk"),
        # Nothing that runs
        ({"substance": Substance.PAPER, "patch": None}, ACCEPT, "nothing to execute"),
        ({"substance": Substance.PAPER, "patch": None, "review": NO}, ACCEPT, "nothing to execute"),
        ({"substance": Substance.PAPER, "patch": None, "review": None}, ACCEPT, "nothing to execute"),
        ({"substance": Substance.PAPER, "patch": None, "demanded": BUG}, CHANGE, "nothing turned, on paper"),
        ({"substance": Substance.TESTS}, ACCEPT, "nothing broke"),
        # Nothing ran
        ({"patch": None, "problem": "There is no sandbox."}, OUTSIDE, "not executed"),
        ({"patch": None, "review": NO}, OUTSIDE, "not executed"),
        ({"patch": None, "problem": "Its setup fails.", "blame": CHANGE}, CHANGE, "not executed"),
        ({"patch": UNTESTED}, OUTSIDE, "not executed"),
        ({"patch": replace(UNTESTED, turned=(RED,))}, OUTSIDE, "not executed"),
        ({"patch": ran(base=ENDED, head=ENDED)}, OUTSIDE, "not executed"),
        ({"patch": ran(head=ENDED)}, CHANGE, "not executed"),
        # The base took the time, or the change's own tests did, which ran beside it
        ({"patch": ran(base=run(seconds=90), head=replace(ENDED, seconds=30.0))}, OUTSIDE, "not executed"),
        ({"patch": ran(base=run(seconds=90), head=ENDED, own=run(seconds=80))}, CHANGE, "not executed"),
        ({"patch": ran(base=ENDED, head=ENDED, own=run(seconds=59))}, CHANGE, "not executed"),
        # With its own configuration as well: what did not come to its end there is not called green
        ({"patch": ran(base=run(seconds=90), as_pushed=ENDED)}, OUTSIDE, "not executed"),
        ({"patch": ran(as_pushed=ENDED)}, CHANGE, "not executed"),
        ({"patch": ran(head=AWAY)}, CHANGE, "not executed"),
        ({"patch": ran(base=AWAY)}, OUTSIDE, "not executed"),
        # A suite that the change concerns and that gave no result: nothing is green, and what broke is broken
        ({"patch": trial(unrun=AWAY_SUITE)}, OUTSIDE, "a suite without a result"),
        ({"patch": trial(unrun=AWAY_SUITE, turned=(RED,)), "demanded": BUG}, OUTSIDE, "a suite without a result"),
        ({"patch": trial(unrun=(UnrunSuite("npm test", "x", True),))}, CHANGE, "a suite without a result"),
        ({"patch": trial(unrun=AWAY_SUITE, regressions=("test_a",))}, BOUNCE, "breaks tests"),
        ({"patch": trial(unrun=AWAY_SUITE), "risks": RISK}, PERSON, "named risk"),
        # Modules of the base's tests that do not run: a third of them says nothing, more makes nothing green
        ({"patch": trial(modules=UNREAD)}, OUTSIDE, "tests do not run"),
        ({"patch": trial(modules=UNREAD, turned=(RED,)), "demanded": BUG}, OUTSIDE, "tests do not run"),
        ({"patch": trial(modules=UNREAD), "unneeded": LEFT_ALONE}, OUTSIDE, "tests do not run"),
        ({"patch": trial(modules=FEWER, turned=(RED,)), "demanded": BUG}, PERSON, "tests do not run"),
        ({"patch": trial(modules=UNREAD, regressions=("test_a",))}, BOUNCE, "breaks tests"),
        ({"patch": trial(modules=UNREAD), "risks": RISK}, PERSON, "named risk"),
        ({"patch": replace(UNTESTED, modules=UNREAD)}, OUTSIDE, "not executed"),
        ({"patch": trial(modules=TestModules(3, ("a.py",), ("a.py",)))}, ACCEPT, "nothing broke"),
        ({"patch": trial(modules=TestModules(3, (), ("a.py",)))}, ACCEPT, "nothing broke"),
        # What was asked for decides what green means
        ({"demanded": BUG}, CHANGE, "nothing turned"),
        ({"demanded": BUG, "patch": NEARLY}, CHANGE, "nothing turned"),
        ({"demanded": BUG, "substance": Substance.TESTS}, CHANGE, "nothing turned"),
        ({"demanded": BUG, "patch": TURNED}, ACCEPT, "red to green"),
        ({"demanded": BUG, "examples": MENDS}, ACCEPT, "red to green"),
        ({"demanded": BUG, "examples": ExampleRuns(idle=("It does not fail.",))}, CHANGE, "nothing turned"),
        ({"demanded": BUG, "patch": trial(repaired=("test_old",))}, CHANGE, "nothing turned"),
        ({"patch": TURNED}, ACCEPT, "red to green"),
        ({"asked": RequestKind.DESCRIPTION}, ACCEPT, "nothing broke"),
        # An acceptance takes tests that look
        ({"strength": WEAK}, ACCEPT, "nothing broke"),
        ({"strength": SIXTH}, OUTSIDE, "hardly looked at"),
        ({"strength": SIXTH, "patch": TURNED, "demanded": BUG}, CHANGE, "hardly looked at"),
        ({"strength": UNNOTICED, "review": None}, OUTSIDE, "hardly looked at"),
        ({"strength": CUT_SHORT}, OUTSIDE, "hardly looked at"),
        ({"strength": CUT_SHORT, "person_if_unproved": True}, PERSON, "hardly looked at"),
        ({"strength": TOO_FEW}, ACCEPT, "nothing broke"),
        ({"strength": NO_MUTANT, "patch": TURNED}, ACCEPT, "red to green"),
        # An opinion: alone it blocks nobody and passes nobody
        ({"review": None, "unjudged": "The model is away."}, ACCEPT, "nothing broke"),
        ({"review": None, "patch": TURNED, "demanded": BUG}, ACCEPT, "red to green"),
        ({"review": NO}, OUTSIDE, "opinion alone"),
        ({"review": GROUNDED}, OUTSIDE, "opinion alone"),
        ({"review": NO, "patch": TURNED}, ACCEPT, "red to green"),
        ({"review": GROUNDED, "patch": TURNED, "demanded": BUG}, ACCEPT, "red to green"),
        ({"review": MUDDLED}, ACCEPT, "nothing broke"),
        ({"review": MUDDLED, "verified": HOLDS}, ACCEPT, "nothing broke"),
        # A rejection is worth what its execution is worth
        ({"review": NO, "verified": HOLDS}, BOUNCE, "rejection holds"),
        ({"review": NO, "verified": HOLDS, "patch": TURNED}, BOUNCE, "rejection holds"),
        ({"review": NO, "verified": TIED}, BOUNCE, "rejection holds"),
        ({"review": NO, "verified": HOLDS, "risks": RISK}, BOUNCE, "rejection holds"),
        ({"review": NO, "verified": HOLDS, "patch": UNTESTED}, BOUNCE, "rejection holds"),
        ({"review": GROUNDED, "verified": BOTH}, BOUNCE, "rejection holds"),
        ({"review": NO, "verified": AS_ANSWERED}, BOUNCE, "rejection holds"),
        ({"review": NO, "verified": BY_THE_JURY}, BOUNCE, "rejection holds"),
        ({"review": NO, "verified": BY_EXAMPLE}, PERSON, "leaves the report as it is"),
        ({"review": GROUNDED, "verified": BY_A_MODEL}, OUTSIDE, "rejection stays unresolved"),
        ({"review": NO, "verified": BY_A_MODEL, "patch": TURNED}, ACCEPT, "red to green"),
        # A test that fails without the change as well is none that it breaks, whatever a fix does to it
        ({"review": NO, "verified": replace(HOLDS, original=FAILED)}, BOUNCE, "rejection holds"),
        ({"review": NO, "verified": replace(HOLDS, original=FAILED), "patch": RED_BASE}, OUTSIDE, "open question"),
        ({"review": NO, "verified": replace(HOLDS, original=OTHER), "patch": RED_BASE}, BOUNCE, "rejection holds"),
        ({"review": NO, "verified": SAME}, ACCEPT, "nothing broke"),
        ({"review": GROUNDED, "verified": OVER}, ACCEPT, "nothing broke"),
        ({"review": NO, "verified": SAME, "patch": UNTESTED}, OUTSIDE, "not executed"),
        ({"review": GROUNDED, "verified": SAME, "claimed": FAILED}, ACCEPT, "nothing broke"),
        ({"review": NO, "verified": UNDECIDED}, OUTSIDE, "open question"),
        ({"review": NO, "verified": UNDECIDED, "patch": TURNED}, ACCEPT, "red to green"),
        ({"review": GROUNDED, "verified": UNDECIDED, "claimed": FAILED}, OUTSIDE, "open question"),
        # A counterexample is a claim: it counts where judges who did not see it say the same
        ({"review": GROUNDED, "verified": NO_FIX, "claimed": FAILED}, OUTSIDE, "opinion alone"),
        ({"review": GROUNDED, "claimed": FAILED}, OUTSIDE, "opinion alone"),
        ({"review": GROUNDED, "claimed": FAILED, "repair": SAYS_RIGHT}, OUTSIDE, "opinion alone"),
        ({"review": GROUNDED, "claimed": FAILED, "patch": TURNED, "demanded": BUG}, ACCEPT, "red to green"),
        ({"review": GROUNDED, "claimed": FAILED, "upheld": ITS_CALL}, BOUNCE, "counterexample holds"),
        ({"review": GROUNDED, "verified": SAME, "claimed": FAILED, "upheld": ITS_CALL}, BOUNCE, "counterexample holds"),
        ({"review": YES, "claimed": FAILED, "upheld": ITS_CALL}, ACCEPT, "nothing broke"),
        # Whoever was to make a fix contradicts the rejection
        ({"review": NO, "verified": NO_FIX, "repair": SAYS_RIGHT}, ACCEPT, "nothing broke"),
        ({"review": GROUNDED, "repair": SAYS_RIGHT, "patch": None}, OUTSIDE, "not executed"),
        ({"review": YES, "claimed": FAILED}, ACCEPT, "nothing broke"),
        ({"review": GROUNDED, "claimed": PASSED}, ACCEPT, "nothing broke"),
        ({"review": NO, "verified": DOUBTED}, OUTSIDE, "opinion alone"),
        ({"review": NO, "verified": NO_FIX}, OUTSIDE, "opinion alone"),
        ({"review": GROUNDED, "verified": NOTHING_RAN}, OUTSIDE, "opinion alone"),
        ({"verified": HOLDS}, ACCEPT, "nothing broke"),
    ],
)
def test_the_table(differs: dict[str, Any], outcome: Decision | Cause, rule: str) -> None:
    given: dict[str, Any] = {"review": YES, "patch": PLAUSIBLE, **differs}
    facts = known(**given)
    verdict = decide_pull(facts)
    assert (verdict.cause or verdict.decision, ground_of(facts)) == (outcome, rule)
    assert (verdict.cause is None) is (verdict.decision is not Decision.UNAVAILABLE)


BLOCKS = {ACCEPT: 0, OUTSIDE: 0, CHANGE: 1, PERSON: 1, BOUNCE: 2}
CLAIMED = {
    "review": [None, YES, NO, GROUNDED, MUDDLED],
    "verified": [
        None,
        HOLDS,
        BOTH,
        AS_ANSWERED,
        BY_EXAMPLE,
        BY_A_MODEL,
        BY_THE_JURY,
        TIED,
        SAME,
        OVER,
        DOUBTED,
        UNDECIDED,
    ],
    "claimed": [None, PASSED, FAILED],
    "upheld": [(), ITS_CALL],
    "repair": [None, SAYS_RIGHT],
    "examples": [ExampleRuns(), FAILS_STILL],
    "answered": [None, UPHELD],
}


@settings(max_examples=400, deadline=None)
@given(st.fixed_dictionaries({name: st.sampled_from(values) for name, values in CLAIMED.items()}), st.data())
def test_less_evidence_never_gives_a_harder_verdict(found: dict[str, Any], data: st.DataObject) -> None:
    """Whatever of a claim's evidence is taken away, whatever the tests say."""
    patch = data.draw(st.sampled_from([PLAUSIBLE, TURNED, UNTESTED, RED_BASE, BREAKS, None]))
    demanded = data.draw(st.sampled_from(["", BUG]))
    taken = data.draw(st.sampled_from(sorted(CLAIMED)))
    less = {**found, taken: CLAIMED[taken][0]}
    more_said, less_said = (decide_pull(known(patch=patch, demanded=demanded, **each)) for each in (found, less))
    assert BLOCKS[less_said.cause or less_said.decision] <= BLOCKS[more_said.cause or more_said.decision]


def test_every_rule_has_a_row() -> None:
    mark = next(mark for mark in test_the_table.pytestmark if mark.name == "parametrize")
    assert {row[2] for row in mark.args[1]} == set(PullGround)


@pytest.mark.parametrize("review", [None, YES, NO, GROUNDED, MUDDLED])
@pytest.mark.parametrize("patch", [PLAUSIBLE, TURNED, UNTESTED, None, BREAKS, trial(unlike=("test_a",))])
@pytest.mark.parametrize("demanded", ["", BUG])
def test_opinion_never_passes_and_never_blocks(
    review: PatchReview | None, patch: PatchEvidence | None, demanded: str
) -> None:
    """At most it turns a success into a neutral check, which is merged like one."""
    results = [decided(review=each, patch=patch, demanded=demanded) for each in (None, review)]
    silent, told = (each.verdict for each in results)
    same = (told.decision, told.cause) == (silent.decision, silent.cause)
    assert same or (silent.decision is ACCEPT and told.cause is OUTSIDE and "opinion alone" in reasons(results[1])[0])


@pytest.mark.parametrize(
    ("differs", "reason"),
    [
        ({}, "Nothing broke. Nothing was asked for."),
        ({"substance": Substance.PAPER, "patch": None}, "Nothing broke. This change edits nothing that runs."),
        (
            {"patch": trial(regressions=tuple("abcde"))},
            "This change breaks 5 tests that pass without it: a, b, c and 2 more.",
        ),
        ({"patch": BREAKS}, "This change breaks a test that passes without it: test_a."),
        (
            {"patch": trial(only_tested=ALONE), "demanded": BUG},
            "This change does what issue 12 asks for only during tests: test_it fails when the code cannot see that "
            "it is tested.",
        ),
        ({"patch": trial(own_failing=("test_new",))}, "This change fails a test that it adds or edits: test_new."),
        (
            {"patch": TURNED, "demanded": BUG},
            "test_new fails without this change and passes with it. Nothing broke.",
        ),
        (
            {"patch": NEARLY, "demanded": BUG},
            "No test goes from red to green, but issue 12 asks for a change of behaviour. test_new fails without it "
            "only because half is not there.",
        ),
        (
            {"patch": trial(facts=replace(RUNS, own=LEFT_OUT, own_base=LEFT_OUT)), "demanded": BUG},
            "No test goes from red to green, but issue 12 asks for a change of behaviour. Of its own tests, test_it is "
            "skipped (could not import 'a').",
        ),
        (
            {"strength": SIXTH},
            "The tests hardly check the changed lines: they notice 2 of 12 small defects there. More than 1 in 6 are "
            "needed.",
        ),
        (
            {"strength": Strength(1, 0, True, "tree-sitter 0.26.1")},
            "The tests hardly check the changed lines: they notice 0 of 1 small defect there. More than 1 in 6 are "
            "needed.",
        ),
        (
            {"patch": control(Proof.BLIND)},
            "The tests can no longer fail: a.py:f was broken on purpose, and no test failed.",
        ),
        (
            {"patch": trial(lost_kills=LOSES)},
            "With this change test_old notices fewer defects than before, such as a.py:1: + → -.",
        ),
        (
            {"patch": contradicts(Settled.OPEN)},
            "This change edits test_old. The base's version fails with this change, and nothing says which version is "
            "right.",
        ),
        ({"patch": trial(unsteady=("test_a",))}, "test_a sometimes fails with this change, and never without it."),
        ({"patch": trial(gone="The conftest.py raises ImportError.")}, "The conftest.py raises ImportError."),
        ({"patch": UNTESTED}, "No test passes without the change."),
        (
            {"patch": trial(modules=UNREAD, facts=replace(RUNS, base=UNREADABLE))},
            "2 of 3 test modules do not run here, with or without this change: a.py and b.py (KeyError: 'A').",
        ),
        (
            {"patch": trial(modules=FEWER)},
            "With this change, 2 instead of 0 of 3 test modules do not run: a.py and b.py.",
        ),
        (
            {"patch": trial(control=UNPROVED), "demanded": BUG, "examples": MENDS},
            "This change is unproved: nothing shows that a test can fail here, and it adds none that goes from red "
            "to green. No test runs it.",
        ),
        ({"risks": RISK}, "It holds a secret."),
    ],
)
def test_the_first_reason_says_what_decided(differs: dict[str, Any], reason: str) -> None:
    given: dict[str, Any] = {"review": YES, "patch": PLAUSIBLE, **differs}
    assert reasons(decided(**given))[0] == reason


def test_a_verdict_says_what_it_did_not_cover() -> None:
    patch = trial(unfinished=("the rest of the tests",), control=Control(Proof.UNPROVED, why="No test runs it."))
    result = decided(patch=patch, strength=TOO_FEW, substance=Substance.TESTS)
    assert not_covered(result) == (
        "Not run, because the time ran out: the rest of the tests.",
        "Unproved: nothing shows that the tests can still fail here. No test runs it.",
        "Not every small defect in the changed lines was tried, because the time ran out.",
    )
    assert not set(not_covered(result)) & set(reasons(result)), "it has a place of its own, where it is not cut"
    other = trial(untested=(ChangedAnswer("shop.price(3)", "raises ValueError", "7"),))
    assert not_covered(decided(patch=other))[0] == "No test asks for this: shop.price(3): raises ValueError → 7."
    some = not_covered(decided(patch=trial(modules=TestModules(48, ("a.py", "b.py"), ("a.py", "b.py")))))
    assert some[0] == "2 of 48 test modules do not run here, without this change either: a.py and b.py."


@pytest.mark.parametrize(
    ("differs", "said"),
    [
        ({}, True),
        ({"strength": NO_MUTANT}, True),
        ({"strength": WEAK}, False),
        ({"substance": Substance.TESTS}, False),
        ({"patch": BREAKS}, False),
    ],
)
def test_an_acceptance_says_when_no_small_defect_was_tried(differs: dict[str, Any], said: bool) -> None:
    found = not_covered(decided(**{"review": YES, "patch": PLAUSIBLE, **differs}))
    assert any(each.startswith("No small defect was tried in the changed lines") for each in found) is said


@pytest.mark.parametrize(
    ("patch", "said", "ground"),
    [
        (BREAKS, (), PullGround.BREAKS_TESTS),
        (trial(own_failing=("test_new",)), (), PullGround.FAILS_ITS_OWN_TESTS),
        (trial(unsteady=("test_new",)), (), PullGround.UNSTEADY_WITH_IT),
        (trial(alike=("test_new",)), (), PullGround.FAILS_ITS_OWN_TESTS_AS_THE_BASE_FAILS),
        (trial(unlike=("test_old",)), (), PullGround.STEERS_ITS_TESTS),
        (contradicts(Settled.OPEN), (), PullGround.CONTRADICTS_A_TEST),
        (contradicts(Settled.OLD), (), PullGround.CHANGES_THE_TEST_ITS_ISSUE_ASKS_FOR),
        (trial(only_tested=ALONE), (), PullGround.PASSES_ONLY_WHILE_IT_IS_TESTED),
        (TURNED, (KEPT,), PullGround.RED_TO_GREEN),
    ],
)
def test_what_the_first_sentence_says_is_not_counted_again(
    patch: PatchEvidence, said: tuple[str, ...], ground: PullGround
) -> None:
    patch = replace(patch, reasons=(*count_sentences(patch).values(), *said, "Another thing."))
    assert len(patch.reasons) > 1
    result = decided(review=YES, patch=patch, demanded="issue 12")
    assert (result.verdict.ground, reasons(result)[1:]) == (ground, ("Another thing.",))


def test_what_the_first_sentence_does_not_say_is_counted() -> None:
    patch = trial(regressions=("test_a",), own_failing=("test_new",))
    patch = replace(patch, reasons=tuple(count_sentences(patch).values()))
    assert reasons(decided(review=YES, patch=patch))[1:] == ("1 test that the change adds or edits fails with it.",)
    found = reasons(decided(review=YES, patch=TURNED, demanded="issue 12", examples=MENDS))
    assert "With this change the report's reproduction passes: issue 12, the example." in found


@pytest.mark.parametrize(
    ("shown", "patch", "said", "form"),
    [
        (ExampleRuns(sources=("issue 12",), form="f(1)"), PLAUSIBLE, ("No example was recognised in issue 12",), True),
        (ExampleRuns(sources=("issue 12",), form="f(1)"), TURNED, ("No example was recognised in issue 12",), False),
        (ExampleRuns(idle=("issue 12: no",), form="f(1)"), PLAUSIBLE, ("This example does not count: issue 12",), True),
        (replace(MENDS, sources=("issue 12",)), PLAUSIBLE, (), False),
        (ExampleRuns(), PLAUSIBLE, (), False),
    ],
)
def test_an_example_that_says_nothing_is_said_to_and_which_would(
    shown: ExampleRuns, patch: PatchEvidence, said: tuple[str, ...], form: bool
) -> None:
    result = decided(review=YES, patch=patch, demanded="issue 12", examples=shown)
    told = [each for each in not_covered(result) if "example" in each]
    assert [each.startswith(words) for each, words in zip(told, said, strict=True)] == [True] * len(said)
    views = pull_json(result, base="", seconds=1.0)["form"], page_of(result).form
    assert [bool(each) for each in views] == [form] * 2
    assert ("f(1)" in gate_view(result, Mode.ENFORCE, WhenUnavailable.PASS).summary) is form


def test_an_opinion_is_shown_beside_what_ran() -> None:
    said = reasons(decided(review=NO, patch=TURNED))
    assert "The judge would not accept this change. An opinion alone neither blocks nor passes." in said


def test_a_verdict_says_who_judged_and_what_ran() -> None:
    result = decided(review=YES, patch=PLAUSIBLE, strength=Strength(10, 3, True, "a tool"))
    verdict = result.verdict
    assert (verdict.judge, verdict.label, verdict.probability) == ("a judge", PatchLabel.CORRECT_AND_PRECISE, 0.1)
    assert reasons(result)[1:] == ("The tests notice 3 of 10 small defects in the changed lines.",)
    assert decide_pull(PullFacts(substance=Substance.EMPTY)).judge == NOBODY


def test_a_change_nobody_needs_is_told_so() -> None:
    (reason,) = reasons(decided(unneeded=NEEDLESS))
    assert reason == (
        "No change was needed: what issue 12 reports is fixed already by commit ffffffffff. "
        "It was run at the base, and passes."
    )
    (reason,) = reasons(decided(unneeded=replace(NEEDLESS, issues=(1, 2), commit="")))
    assert "what its issues report is fixed already." in reason


def test_a_remark_is_made_and_decides_nothing() -> None:
    result = decided(review=YES, patch=PLAUSIBLE, remarks=("It names no issue.",))
    assert result.verdict.decision is ACCEPT
    assert reasons(result)[-1] == "It names no issue."


def test_a_refuted_rejection_is_named() -> None:
    named = NamedRejection(Rejection.ADDED_REQUIREMENT, "a judge")
    (found,) = evidence_of(decided(review=NO, patch=PLAUSIBLE, verified=SAME, named=named))
    assert found.found.endswith("a judge names its kind: a requirement that nobody wrote.")
    assert set(REJECTIONS) == set(Rejection)


def test_a_reason_is_never_empty() -> None:
    assert all(reasons(decided(substance=substance)) for substance in Substance)
