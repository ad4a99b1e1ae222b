"""The decision about a pull request. Each row states what differs from a change that breaks nothing, that nobody asked
for, and that the judge likes."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
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
    AnswerBeside,
    Contradiction,
    Control,
    ExampleRuns,
    Fate,
    Hole,
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
from bot.verification.values import TestResult, TestRun, TestStatus
from tests.pulls.results import decided, known
from tests.support.cases import cases, tables

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


BREAKS = trial(standing=Standing.IMPLAUSIBLE, regressions=("test_a",))
UNTESTED = trial(
    standing=Standing.OPEN, reasons=("No test passes without the change.",), facts=Runs(FAILED, FAILED, FAILED)
)
BY_CHANGE = UnrunSuite("npm test", "x", True)
AWAY_SUITE = (UnrunSuite("npm test", "line 1 of setup failed: npm ci"),)
UNREADABLE = TestRun((*PASSED.results, TestResult("a.py", TestStatus.ERROR, "a.py:1: in f\nE   KeyError: 'A'")), 1.0)
UNREAD = TestModules(3, ("a.py", "b.py"), ("a.py", "b.py"))
FEWER = TestModules(3, (), ("a.py", "b.py"))
A_THIRD, A_THIRD_WITH_IT = TestModules(3, ("a.py",), ("a.py",)), TestModules(3, (), ("a.py",))
ALONE = FAILED.results  # tests that fail once nothing tests
RED = Turned("test_new", Red.ASSERTION, counts=True)
NAMELESS = Turned("test_new", Red.ERROR)
TURNED, NEARLY = trial(turned=(RED,)), trial(turned=(NAMELESS,))


OLD_TEST = Contradiction("test_old", Fate.REWRITTEN, "test_old", "assert f() == 1", "assert f() == 2")
CONTRADICTS_OLD, CONTRADICTS_OPEN, CONTRADICTS_NEW = (
    trial(standing=Standing.OPEN, contradictions=(replace(OLD_TEST, settled=settled),))
    for settled in (Settled.OLD, Settled.OPEN, Settled.NEW)
)
RED_BASE, OTHER = (
    trial(facts=replace(RUNS, base=TestRun((*FAILED.results, TestResult("test_b", TestStatus.PASSED)), 1.0))),
    TestRun((TestResult("test_b", TestStatus.FAILED),), 1.0),
)
NOTHING = Control(Proof.NOTHING, why="It changes nothing that could be broken on purpose.")
UNPROVED = Control(Proof.UNPROVED, why="No test runs it.")
PARTLY = Control(Proof.PARTLY, ("a.py:f", "b.py:g"), ("b.py:g",), "No test notices it.")
BLIND, UNTRIED = (Control(each, ("a.py:f",), ("a.py:f",), "No time.") for each in (Proof.BLIND, Proof.UNTRIED))
LOSES = (LostKills("test_old", 5, 2, ("a.py:1: + → -",)),)
FAILS_STILL, MENDS = (
    ExampleRuns(("issue 12, the example",)),
    ExampleRuns(mended=("issue 12, the example",)),
)
HOLES = (Hole("pull request 7 by ann", "", "issue 12, the example", "f(1)", "1", "2"),)
IDLE = ExampleRuns(idle=("It does not fail.",))
NEEDLESS = NeedlessChange((12,), "b" * 40, "f" * 40)
LEFT_ALONE = replace(NEEDLESS, leaves_code=True)


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
UNDECIDED = filtered(Case.UNDECIDED, Claimant.FIX, Ran.DIFFER)
NO_FIX, NOTHING_RAN = (filtered(case, Claimant.REVIEWER, Ran.NOTHING) for case in (Case.NO_FIX, None))
SAYS_RIGHT = Repair((Attempt(LoopEnd.RIGHT, "It says that the change is right.", (), {}),), problem="No fix was found.")
ITS_CALL = (SpecTest("half(3) is 1.5", "half(3)", "1.5"),)
BUG = "issue 12"
UPHELD = Evidence("maintainers_answer", Effect.MISSING, "A maintainer said what is right.", "f(3)", "a" * 40)
OVERRULED = replace(UPHELD, effect=Effect.CLEAR)
RISK = ("It holds a secret.",)
TABLE = Path(__file__).with_suffix(".yaml")


def told(differs: Mapping[str, Any]) -> dict[str, Any]:
    """What a row of the table says, beside what it differs from: capitals are the names of values above, `of` names the
    value that is given but for the other fields."""
    return {"review": YES, "patch": PLAUSIBLE, **{name: _made(name, value) for name, value in differs.items()}}


def _made(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        fields = {each: _made(each, given) for each, given in value.items() if each != "of"}
        return replace(_made("", value.get("of", {"patch": "PLAUSIBLE", "facts": "RUNS"}.get(name))), **fields)
    if isinstance(value, list):
        return tuple(_made("", each) for each in value)
    if isinstance(value, int) and not isinstance(value, bool):
        return run(seconds=value)
    if isinstance(value, str):
        return (
            globals()[value]
            if value.isupper()
            else {"substance": Substance, "asked": RequestKind}.get(name, str)(value)
        )
    return value


@cases
def test_the_table(differs: dict[str, Any], outcome: str, rule: str) -> None:
    facts = known(**told(differs))
    verdict = decide_pull(facts)
    assert (verdict.cause or verdict.decision, ground_of(facts)) == (globals()[outcome], rule)
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
    assert {row[2] for row in tables(TABLE)["test_the_table"]} == set(PullGround)


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


@cases
def test_the_first_reason_says_what_decided(differs: dict[str, Any], reason: str) -> None:
    assert reasons(decided(**told(differs)))[0] == reason


def test_a_verdict_says_what_it_did_not_cover() -> None:
    patch = trial(unfinished=("the rest of the tests",), control=Control(Proof.UNPROVED, why="No test runs it."))
    result = decided(patch=patch, substance=Substance.TESTS)
    assert not_covered(result) == (
        "Not run, because the time ran out: the rest of the tests.",
        "Unproved: nothing shows that the tests can still fail here. No test runs it.",
    )
    assert not set(not_covered(result)) & set(reasons(result)), "it has a place of its own, where it is not cut"
    other = trial(untested=(AnswerBeside("shop.price(3)", "raises ValueError", "7"),))
    assert not_covered(decided(patch=other))[0] == "No test asks for this: shop.price(3): raises ValueError → 7."
    other = trial(untested=(AnswerBeside("shop.price(-3)", "[]", "[]"),))
    assert not_covered(decided(patch=other))[0] == "No test asks for this, and it is as before: shop.price(-3): []."
    alone = trial(not_made=("a.py:total", "b.ts"))
    assert not_covered(decided(patch=alone))[0] == "No call could be made again without the tests: a.py:total and b.ts."
    some = not_covered(decided(patch=trial(modules=TestModules(48, ("a.py", "b.py"), ("a.py", "b.py")))))
    assert some[0] == "2 of 48 test modules do not run here, without this change either: a.py and b.py."


@pytest.mark.parametrize("patch", [BREAKS, CONTRADICTS_OPEN, TURNED, trial(unlike=("test_old",))])
def test_tests_that_are_listed_are_not_counted_beside(patch: PatchEvidence) -> None:
    patch = replace(patch, reasons=(*count_sentences(patch).values(), "Another thing."))
    assert len(patch.reasons) > 1
    assert reasons(decided(review=YES, patch=patch, demanded=BUG))[1:] == ("Another thing.",)


@pytest.mark.parametrize(("risks", "said"), [((), False), (RISK, True)])
def test_that_nothing_broke_is_said_once(risks: tuple[str, ...], said: bool) -> None:
    assert (KEPT in reasons(decided(review=YES, patch=TURNED, demanded=BUG, risks=risks))) is said


def test_what_the_reports_example_does_is_said_beside() -> None:
    found = reasons(decided(review=YES, patch=TURNED, demanded=BUG, examples=MENDS))
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
    result = decided(review=YES, patch=PLAUSIBLE)
    verdict = result.verdict
    assert (verdict.judge, verdict.label, verdict.probability) == ("a judge", PatchLabel.CORRECT_AND_PRECISE, 0.1)
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
