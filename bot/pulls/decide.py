"""The decision about a pull request: one pure function, the first line of a table that applies.

Opinion decides nothing. What bounces is a fact about the change (it is empty, or does nothing where an issue asks for
behaviour), something that was executed (a test that it breaks, a test of its own that fails, a rejection that held), or
an issue nobody can answer yet. What passes is what ran: something turned from red to green where an issue asks for
behaviour, and nothing broke.
Everything else is `UNAVAILABLE`, for one of three causes.
"""

from collections.abc import Callable, Container
from enum import StrEnum

from bot.pulls.facts import RUN, PullFacts, RequestKind, Substance
from bot.pulls.outcomes import (
    control_is,
    mended,
    mostly_unread,
    nothing_looks,
    nothing_missed,
    of_unproved,
    of_unread,
    of_unrun,
    of_untried,
    settled,
    strongest,
    unbroken,
    unfit,
    unproved,
    untried,
)
from bot.verdicts import Cause, Decision, Effect, Verdict
from bot.verification.evidence import Claimant, GateAnswer, Ran
from bot.verification.patch_evidence import Proof, Settled

NOBODY = "nobody"  # the judge of a verdict for which none was needed


def _claim(
    gate: GateAnswer, claimants: Container[Claimant] = tuple(Claimant), ran: Container[Ran] = tuple(Ran)
) -> Callable[[PullFacts], bool]:
    """Whether the claim that the table of evidence puts first is one of theirs, with what ran, and what the gate makes
    of it."""

    def applies(facts: PullFacts) -> bool:
        found = strongest(facts)
        return found is not None and found.row.gate is gate and found.claimant in claimants and found.ran in ran

    return applies


def _has(name: str) -> Callable[[PullFacts], bool]:
    """Whether the evidence of the change's trial has any of this."""
    return lambda facts: bool(getattr(facts.patch, name))


def _only_pretends(facts: PullFacts) -> bool:
    """Whether it behaves as an issue asks while it is tested alone, and nothing turns from red to green."""
    return bool(facts.demanded) and _has("only_tested")(facts) and not mended(facts)


def _is_paper(facts: PullFacts) -> bool:
    return facts.substance is Substance.PAPER


def _left_alone(facts: PullFacts) -> bool:
    """Whether nothing had to be changed, and nothing was but documentation, tests and comments."""
    return facts.unneeded is not None and facts.unneeded.leaves_code


BOUNCE, ACCEPT, CHANGE, PERSON, OUTSIDE = Decision.BOUNCE, Decision.ACCEPT, Cause.CHANGE, Cause.PERSON, Cause.OUTSIDE
Outcome = Decision | Cause | Callable[[PullFacts], Cause]  # a cause is of an `UNAVAILABLE`


class PullGround(StrEnum):
    """The table: why a verdict is what it is, by the first that applies. Stored with the verdict; `pull_reasons.j2` has
    its sentence."""

    applies: Callable[[PullFacts], bool]
    outcome: Outcome

    COULD_NOT_BE_READ = "could not be read", lambda facts: bool(facts.unread), lambda facts: facts.blame
    EMPTY = "empty", lambda facts: facts.substance is Substance.EMPTY, BOUNCE
    CONFLICTS = "conflicts", lambda facts: bool(facts.trial.conflict), CHANGE
    FIXED_ALREADY_AND_LEFT_ALONE = (
        "fixed already, and left alone",
        lambda facts: _left_alone(facts) and not facts.risks and facts.substance not in RUN,
        ACCEPT,
    )
    DOES_NOTHING = "does nothing", lambda facts: facts.substance is Substance.NO_OP, BOUNCE
    UNCLEAR_ISSUE = "unclear issue", lambda facts: facts.asked is RequestKind.UNCLEAR, BOUNCE
    NO_ISSUE = "no issue", lambda facts: facts.asked is RequestKind.NOTHING, BOUNCE
    FIXED_ALREADY = "fixed already", lambda facts: facts.unneeded is not None and not facts.unneeded.leaves_code, BOUNCE
    BREAKS_TESTS = "breaks tests", _has("regressions"), BOUNCE
    FAILS_ITS_OWN_TESTS = "fails its own tests", _has("own_failing"), BOUNCE
    PASSES_ONLY_WHILE_IT_IS_TESTED = "passes only while it is tested", _only_pretends, BOUNCE
    CHANGES_THE_TEST_ITS_ISSUE_ASKS_FOR = (
        "changes the test its issue asks for",
        lambda facts: bool(settled(facts, Settled.OLD)),
        BOUNCE,
    )
    UPHELD_BY_A_MAINTAINER = (
        "upheld by a maintainer",
        lambda facts: facts.answered is not None and facts.answered.effect is Effect.MISSING,
        BOUNCE,
    )
    COUNTEREXAMPLE_HOLDS = "counterexample holds", _claim(GateAnswer.BOUNCE, (Claimant.COUNTEREXAMPLE,)), BOUNCE
    REJECTION_HOLDS = "rejection holds", _claim(GateAnswer.BOUNCE), BOUNCE
    LEAVES_THE_REPORT_AS_IT_IS = "leaves the report as it is", _claim(GateAnswer.PERSON), PERSON
    CANNOT_BE_JUDGED = "cannot be judged", _has("gone"), CHANGE
    THE_TESTS_CANNOT_FAIL = "the tests cannot fail", lambda facts: control_is(facts, Proof.BLIND), CHANGE
    CONTRADICTS_A_TEST = "contradicts a test", lambda facts: bool(settled(facts, Settled.OPEN)), PERSON
    UNSTEADY_WITH_IT = "unsteady with it", _has("unsteady"), PERSON
    FAILS_ITS_OWN_TESTS_AS_THE_BASE_FAILS = "fails its own tests as the base fails", _has("alike"), PERSON
    PASSES_ONLY_WHILE_IT_IS_TESTED_BUT_LOOK = "passes only while it is tested, but look", _has("only_tested"), PERSON
    WRITES_TO_WHAT_JUDGES = "writes to what judges", _has("written"), PERSON
    STEERS_ITS_TESTS = "steers its tests", _has("unlike"), PERSON
    ANSWERS_ITS_TESTS = "answers its tests", _has("answers"), PERSON
    MISSES_AN_EXAMPLE = "misses an example", _has("unmet"), PERSON
    LEADS_TESTS_ELSEWHERE = "leads tests elsewhere", _has("detours"), PERSON
    ANSWERS_OTHERWISE_ELSEWHERE = "answers otherwise elsewhere", _has("elsewhere"), PERSON
    LETS_ANSWERS_PASS = "lets answers pass", _has("let_pass"), PERSON
    WEAKENS_TESTS = "weakens tests", lambda facts: not nothing_missed(facts), PERSON
    FIXED_ALREADY_BUT_LOOK = "fixed already, but look", lambda facts: _left_alone(facts) and bool(facts.risks), PERSON
    NAMED_RISK = "named risk", lambda facts: bool(facts.risks), PERSON
    SUITE_WITHOUT_RESULT = "a suite without a result", _has("unrun"), of_unrun
    TESTS_DO_NOT_RUN = "tests do not run", lambda facts: unbroken(facts) and mostly_unread(facts), of_unread
    FIXED_ALREADY_AND_NOTHING_BROKE = (
        "fixed already, and nothing broke",
        lambda facts: _left_alone(facts) and unbroken(facts),
        ACCEPT,
    )
    NOTHING_TURNED_ON_PAPER = (
        "nothing turned, on paper",
        lambda facts: _is_paper(facts) and bool(facts.demanded),
        CHANGE,
    )
    NOTHING_TO_EXECUTE = "nothing to execute", _is_paper, ACCEPT
    NOT_EXECUTED = "not executed", lambda facts: not unbroken(facts), unfit
    NOTHING_TURNED = "nothing turned", lambda facts: bool(facts.demanded) and not mended(facts), CHANGE
    NOT_KNOWN_TO_BE_ABLE_TO_FAIL = "not known to be able to fail", untried, of_untried
    UNPROVED = "unproved", unproved, CHANGE
    NOTHING_LOOKS = "nothing looks", nothing_looks, of_unproved
    RED_TO_GREEN = "red to green", mended, ACCEPT
    REJECTION_STAYS_UNRESOLVED = (
        "rejection stays unresolved",
        _claim(GateAnswer.NEUTRAL, (Claimant.MODEL_TEST,)),
        OUTSIDE,
    )
    OPEN_QUESTION = "open question", _claim(GateAnswer.NEUTRAL, ran=(Ran.DIFFER,)), OUTSIDE
    OPINION_ALONE = "opinion alone", _claim(GateAnswer.NEUTRAL), OUTSIDE
    NOTHING_BROKE = "nothing broke"

    def __new__(
        cls, value: str, applies: Callable[[PullFacts], bool] = lambda facts: True, outcome: Outcome = ACCEPT
    ) -> "PullGround":
        ground = str.__new__(cls, value)
        ground._value_, ground.applies, ground.outcome = value, applies, outcome
        return ground


def decide_pull(facts: PullFacts) -> Verdict:
    """The verdict on one head commit."""
    ground = ground_of(facts)
    outcome = ground.outcome(facts) if callable(ground.outcome) else ground.outcome
    review, answered = facts.review, (facts.answered,) if facts.answered else ()
    return Verdict(
        decision=outcome if isinstance(outcome, Decision) else Decision.UNAVAILABLE,
        label=review.label if review else None,
        probability=review.probability if review else None,
        judge=review.judge if review else NOBODY,
        kind=None,
        evidence=(*facts.evidence, *answered, *(review.evidence if review else ())),
        cause=outcome if isinstance(outcome, Cause) else None,
        ground=ground.value,
    )


def ground_of(facts: PullFacts) -> PullGround:
    """The first that applies; the last one always does."""
    return next(ground for ground in PullGround if ground.applies(facts))
