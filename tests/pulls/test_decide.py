"""The decision about a pull request. Each row states what differs from a change that everybody is content with."""

from dataclasses import replace
from typing import Any

import pytest

from bot.judges.claims import Claim, ClaimKind, Counterexample, How
from bot.judges.rejections import Named, Rejection
from bot.judges.reviews import Consistency, Mode, PatchReview
from bot.pulls.decide import NOBODY, RULES, decide_pull, rule_of
from bot.pulls.facts import Asked, PullFacts, Reproduced, Substance, Unneeded
from bot.rendering.words import REJECTIONS
from bot.verdicts import Decision, PatchLabel
from bot.verification.values import Case, PatchEvidence, Standing, Strength, TestResult, TestRun, TestStatus, Verified
from bot.verification.values import PatchFacts as Runs

ACCEPT, BOUNCE, OPEN = Decision.ACCEPT, Decision.BOUNCE, Decision.UNAVAILABLE
CONFIRMED = Claim(ClaimKind.WRONG_OUTPUT, "It is wrong.", "half(3) is 1.5", Counterexample(How.CALL, "half(3)", "1.5"))
YES = PatchReview(PatchLabel.CORRECT_AND_PRECISE, False, 0.1, "a judge", Mode.DIRECT)
NO = PatchReview(PatchLabel.INCORRECT, True, 0.9, "a judge", Mode.DIRECT)
GROUNDED = replace(NO, claims=(CONFIRMED,))
MUDDLED = replace(NO, consistency=Consistency.NO_BUT_POSITIVE)
RUN = TestRun((), 1.0)
PASSED = TestRun((TestResult("test_it", TestStatus.PASSED, "", 0.1),), 1.0)
FAILED = TestRun((TestResult("test_it", TestStatus.FAILED, "", 0.1),), 1.0)
RUNS = Runs(RUN, RUN, RUN)
PLAUSIBLE = PatchEvidence(Standing.PLAUSIBLE, ("Every test that passed before the patch still passes.",), RUNS)
IMPLAUSIBLE = PatchEvidence(Standing.IMPLAUSIBLE, ("The reproduction still fails.",), RUNS)
UNTESTED = PatchEvidence(Standing.OPEN, ("No test passes before the patch.",), RUNS)
REPAIRS = replace(PLAUSIBLE, repaired=("test_a",))
BREAKS = PatchEvidence(Standing.IMPLAUSIBLE, ("1 test no longer passes.",), RUNS, regressions=("test_a",))

FAILS_STILL, MENDS = Reproduced(("issue 12, the example",)), Reproduced(mended=("issue 12, the example",))
NEEDLESS = Unneeded((12,), "b" * 40, "f" * 40)
LEFT_ALONE = replace(NEEDLESS, leaves_code=True)


def filtered(decision: Decision, case: Case | None) -> Verified:
    return Verified(decision, case, ("It was executed.",))


HOLDS, BOTH = filtered(BOUNCE, Case.REPAIR_SUCCESS), filtered(BOUNCE, Case.BOTH_FAIL)
TIED = filtered(BOUNCE, Case.UNDECIDED)
SAME, OVER = filtered(ACCEPT, Case.EQUIVALENT), filtered(ACCEPT, Case.OVER_REPAIR)
DOUBTED = filtered(OPEN, Case.OVER_REPAIR)
WEAK, BLIND, UNFINISHED = (
    Strength(10, killed, complete, "") for killed, complete in ((1, True), (0, True), (0, False))
)
UNDECIDED, NO_FIX, NOTHING_RAN = filtered(OPEN, Case.UNDECIDED), filtered(OPEN, Case.NO_FIX), filtered(OPEN, None)


@pytest.mark.parametrize(
    ("differs", "decision", "rule"),
    [
        ({}, ACCEPT, "plausible"),
        # What the change is, whoever likes it
        ({"unread": "It is too large."}, OPEN, "could not be read"),
        ({"substance": Substance.EMPTY}, BOUNCE, "empty"),
        ({"substance": Substance.NO_OP}, BOUNCE, "does nothing"),
        ({"unneeded": NEEDLESS}, BOUNCE, "fixed already"),
        ({"unneeded": NEEDLESS, "review": None, "patch": None}, BOUNCE, "fixed already"),
        ({"unneeded": NEEDLESS, "substance": Substance.NO_OP}, BOUNCE, "does nothing"),
        ({"unneeded": NEEDLESS, "unread": "It is too large."}, OPEN, "could not be read"),
        ({"unneeded": LEFT_ALONE, "review": None}, ACCEPT, "fixed already, and left alone"),
        ({"unneeded": LEFT_ALONE, "substance": Substance.NO_OP}, ACCEPT, "fixed already, and left alone"),
        ({"unneeded": LEFT_ALONE, "risks": ("A secret.",)}, OPEN, "fixed already, but look"),
        ({"asked": Asked.UNCLEAR}, BOUNCE, "unclear issue"),
        ({"asked": Asked.NOTHING}, BOUNCE, "no issue"),
        ({"asked": Asked.DESCRIPTION}, ACCEPT, "plausible"),
        # What was executed beats what was said
        ({"patch": BREAKS}, BOUNCE, "breaks tests"),
        ({"patch": BREAKS, "review": None}, BOUNCE, "breaks tests"),
        ({"patch": BREAKS, "review": NO, "filtered": SAME}, BOUNCE, "breaks tests"),
        ({"patch": IMPLAUSIBLE}, BOUNCE, "leaves the issue as it is"),
        ({"reproduced": FAILS_STILL}, BOUNCE, "leaves the report as it is"),
        ({"reproduced": FAILS_STILL, "review": None}, BOUNCE, "leaves the report as it is"),
        ({"reproduced": FAILS_STILL, "review": NO, "filtered": SAME}, BOUNCE, "leaves the report as it is"),
        ({"reproduced": MENDS}, ACCEPT, "plausible"),
        # A judge that says nothing, or two things
        ({"review": None, "unjudged": "The model is away."}, OPEN, "nobody judged"),
        ({"review": MUDDLED, "filtered": HOLDS}, OPEN, "judge contradicts itself"),
        # A rejection is worth what its execution is worth
        ({"review": NO, "filtered": HOLDS}, BOUNCE, "rejection holds"),
        ({"review": NO, "filtered": TIED}, BOUNCE, "rejection holds"),
        ({"review": NO, "filtered": HOLDS, "risks": ("A secret.",)}, BOUNCE, "rejection holds"),
        ({"review": NO, "filtered": HOLDS, "patch": UNTESTED}, BOUNCE, "rejection holds"),
        ({"review": GROUNDED, "filtered": BOTH}, BOUNCE, "rejection holds"),
        ({"review": NO, "filtered": BOTH}, OPEN, "rejection stays unresolved"),
        ({"review": NO, "filtered": SAME}, ACCEPT, "rejection does not hold"),
        ({"review": GROUNDED, "filtered": OVER}, ACCEPT, "rejection does not hold"),
        ({"review": NO, "filtered": SAME, "risks": ("A secret.",)}, OPEN, "rejection does not hold, but look"),
        ({"review": NO, "filtered": SAME, "patch": UNTESTED}, OPEN, "rejection does not hold, but look"),
        ({"review": NO, "filtered": SAME, "strength": BLIND}, OPEN, "rejection does not hold, but look"),
        ({"review": GROUNDED, "filtered": SAME, "claimed": FAILED}, ACCEPT, "rejection does not hold"),
        ({"review": NO, "filtered": UNDECIDED}, OPEN, "open question"),
        ({"review": GROUNDED, "filtered": UNDECIDED, "claimed": FAILED}, OPEN, "open question"),
        ({"review": GROUNDED, "filtered": NO_FIX, "claimed": FAILED}, BOUNCE, "counterexample holds"),
        ({"review": NO, "filtered": DOUBTED}, OPEN, "opinion alone"),
        ({"review": GROUNDED, "claimed": FAILED}, BOUNCE, "counterexample holds"),
        ({"review": GROUNDED, "claimed": PASSED}, ACCEPT, "counterexample does not hold"),
        ({"review": GROUNDED, "claimed": PASSED, "patch": UNTESTED}, OPEN, "opinion alone"),
        ({"review": GROUNDED, "claimed": PASSED, "risks": ("A secret.",)}, OPEN, "opinion alone"),
        ({"review": YES, "claimed": FAILED}, ACCEPT, "plausible"),
        ({"review": NO, "filtered": NO_FIX}, OPEN, "opinion alone"),
        ({"review": GROUNDED, "filtered": NOTHING_RAN}, OPEN, "opinion alone"),
        ({"review": GROUNDED, "filtered": None}, OPEN, "opinion alone"),
        ({"review": NO, "filtered": None, "substance": Substance.PAPER}, OPEN, "opinion alone"),
        # An acceptance too
        ({"filtered": HOLDS}, ACCEPT, "plausible"),
        ({"strength": WEAK}, ACCEPT, "plausible"),
        ({"strength": BLIND}, OPEN, "nothing looks at it"),
        ({"strength": BLIND, "patch": REPAIRS}, ACCEPT, "plausible"),
        ({"strength": UNFINISHED}, ACCEPT, "plausible"),
        ({"risks": ("It holds a secret.",)}, OPEN, "accepted, but look"),
        ({"substance": Substance.PAPER, "patch": None}, ACCEPT, "nothing to execute"),
        ({"patch": UNTESTED}, OPEN, "not executed"),
        ({"patch": None, "unexecuted": "There is no sandbox."}, OPEN, "not executed"),
    ],
)
def test_the_table(differs: dict[str, Any], decision: Decision, rule: str) -> None:
    given: dict[str, Any] = {"review": YES, "patch": PLAUSIBLE, **differs}
    facts = PullFacts(**given)
    assert (decide_pull(facts).decision, rule_of(facts).name) == (decision, rule)


def test_every_rule_has_a_row() -> None:
    mark = next(mark for mark in test_the_table.pytestmark if mark.name == "parametrize")
    assert {row[2] for row in mark.args[1]} == {rule.name for rule in RULES}


def test_a_verdict_says_who_judged_and_what_ran() -> None:
    verdict = decide_pull(PullFacts(review=YES, patch=PLAUSIBLE, strength=Strength(10, 3, True, "a tool")))
    assert (verdict.judge, verdict.label, verdict.probability) == ("a judge", PatchLabel.CORRECT_AND_PRECISE, 0.1)
    assert verdict.reasons[1:] == (
        "Every test that passed before the patch still passes.",
        "The tests notice 3 of 10 small defects in the changed lines.",
    )
    assert decide_pull(PullFacts(substance=Substance.EMPTY)).judge == NOBODY


def test_a_change_nobody_needs_is_told_so() -> None:
    (reason,) = decide_pull(PullFacts(unneeded=NEEDLESS)).reasons
    assert reason == (
        "No change was needed: what issue 12 reports is fixed already by commit ffffffffff; "
        "it was run at the base, and passes."
    )
    (reason,) = decide_pull(PullFacts(unneeded=replace(NEEDLESS, issues=(1, 2), commit=""))).reasons
    assert "what its issues report is fixed already;" in reason


def test_a_remark_is_made_and_decides_nothing() -> None:
    facts = PullFacts(review=YES, patch=PLAUSIBLE, remarks=("It names no issue.",))
    assert decide_pull(facts).decision is ACCEPT
    assert decide_pull(facts).reasons[-1] == "It names no issue."


def test_a_refuted_rejection_is_named() -> None:
    named = Named(Rejection.ADDED_REQUIREMENT, "a judge")
    (found,) = decide_pull(PullFacts(review=NO, patch=PLAUSIBLE, filtered=SAME, named=named)).evidence
    assert found.found.endswith("as a judge names it: a requirement that nobody wrote.")
    assert set(REJECTIONS) == set(Rejection)


def test_a_reason_is_never_empty() -> None:
    assert all(decide_pull(PullFacts(substance=substance)).reasons for substance in Substance)
