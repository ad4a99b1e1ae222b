"""The decision about a pull request: one pure function, the first rule that applies.

Opinion decides nothing. What bounces is a fact about the change (it is empty, or does nothing where an issue asks for
behaviour), something that was executed (a test that it breaks, a test of its own that fails, a rejection that held), or
an issue nobody can answer yet. What passes is what ran: something turned from red to green where an issue asks for
behaviour, and nothing broke.
Everything else is `UNAVAILABLE`, for one of three causes.
"""

from collections.abc import Callable, Container
from dataclasses import dataclass
from enum import StrEnum

from bot.pulls.facts import RUN, PullFacts, RequestKind, Substance
from bot.pulls.outcomes import (
    barely_noticed,
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


class PullGround(StrEnum):
    """Which rule decided. Stored with its verdict; `pull_reasons.j2` has its sentence."""

    COULD_NOT_BE_READ = "could not be read"
    EMPTY = "empty"
    CONFLICTS = "conflicts"
    FIXED_ALREADY_AND_LEFT_ALONE = "fixed already, and left alone"
    DOES_NOTHING = "does nothing"
    UNCLEAR_ISSUE = "unclear issue"
    NO_ISSUE = "no issue"
    FIXED_ALREADY = "fixed already"
    BREAKS_TESTS = "breaks tests"
    FAILS_ITS_OWN_TESTS = "fails its own tests"
    PASSES_ONLY_WHILE_IT_IS_TESTED = "passes only while it is tested"
    CHANGES_THE_TEST_ITS_ISSUE_ASKS_FOR = "changes the test its issue asks for"
    LEAVES_THE_REPORT_AS_IT_IS = "leaves the report as it is"
    UPHELD_BY_A_MAINTAINER = "upheld by a maintainer"
    CANNOT_BE_JUDGED = "cannot be judged"
    THE_TESTS_CANNOT_FAIL = "the tests cannot fail"
    REJECTION_HOLDS = "rejection holds"
    COUNTEREXAMPLE_HOLDS = "counterexample holds"
    CONTRADICTS_A_TEST = "contradicts a test"
    UNSTEADY_WITH_IT = "unsteady with it"
    FAILS_ITS_OWN_TESTS_AS_THE_BASE_FAILS = "fails its own tests as the base fails"
    WRITES_TO_WHAT_JUDGES = "writes to what judges"
    STEERS_ITS_TESTS = "steers its tests"
    ANSWERS_ITS_TESTS = "answers its tests"
    LEADS_TESTS_ELSEWHERE = "leads tests elsewhere"
    ANSWERS_OTHERWISE_ELSEWHERE = "answers otherwise elsewhere"
    WEAKENS_TESTS = "weakens tests"
    FIXED_ALREADY_BUT_LOOK = "fixed already, but look"
    NAMED_RISK = "named risk"
    FIXED_ALREADY_AND_NOTHING_BROKE = "fixed already, and nothing broke"
    SUITE_WITHOUT_RESULT = "a suite without a result"
    TESTS_DO_NOT_RUN = "tests do not run"
    NOTHING_TURNED_ON_PAPER = "nothing turned, on paper"
    NOTHING_TO_EXECUTE = "nothing to execute"
    NOT_EXECUTED = "not executed"
    NOTHING_TURNED = "nothing turned"
    NOT_KNOWN_TO_BE_ABLE_TO_FAIL = "not known to be able to fail"
    UNPROVED = "unproved"
    NOTHING_LOOKS = "nothing looks"
    HARDLY_LOOKED_AT = "hardly looked at"
    RED_TO_GREEN = "red to green"
    REJECTION_STAYS_UNRESOLVED = "rejection stays unresolved"
    OPEN_QUESTION = "open question"
    OPINION_ALONE = "opinion alone"
    NOTHING_BROKE = "nothing broke"


@dataclass(frozen=True, slots=True)
class PullRule:
    """One line of the table. cause: of an `UNAVAILABLE`, or what asks the facts for it."""

    ground: PullGround
    applies: Callable[[PullFacts], bool]
    decision: Decision
    cause: Cause | Callable[[PullFacts], Cause] | None = None

    def cause_of(self, facts: PullFacts) -> Cause | None:
        """Why it is `UNAVAILABLE`; `None` for every other decision."""
        return self.cause(facts) if callable(self.cause) else self.cause


def decide_pull(facts: PullFacts) -> Verdict:
    """The verdict on one head commit. Total: the last rule always applies."""
    rule = rule_of(facts)
    review, answered = facts.review, (facts.answered,) if facts.answered else ()
    return Verdict(
        decision=rule.decision,
        label=review.label if review else None,
        probability=review.probability if review else None,
        judge=review.judge if review else NOBODY,
        kind=None,
        evidence=(*facts.evidence, *answered, *(review.evidence if review else ())),
        cause=rule.cause_of(facts),
        ground=rule.ground.value,
    )


def rule_of(facts: PullFacts) -> PullRule:
    """The first rule that applies."""
    return next(rule for rule in RULES if rule.applies(facts))


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
    return lambda facts: facts.patch is not None and bool(getattr(facts.patch, name))


def _only_pretends(facts: PullFacts) -> bool:
    """Whether it behaves as an issue asks while it is tested alone, and nothing turns from red to green."""
    return bool(facts.demanded) and _has("only_tested")(facts) and not mended(facts)


def _is_paper(facts: PullFacts) -> bool:
    return facts.substance is Substance.PAPER


def _left_alone(facts: PullFacts) -> bool:
    """Whether nothing had to be changed, and nothing was but documentation, tests and comments."""
    return facts.unneeded is not None and facts.unneeded.leaves_code


OPEN, BOUNCE, ACCEPT = Decision.UNAVAILABLE, Decision.BOUNCE, Decision.ACCEPT

RULES: tuple[PullRule, ...] = (
    PullRule(PullGround.COULD_NOT_BE_READ, lambda facts: bool(facts.unread), OPEN, cause=lambda facts: facts.blame),
    PullRule(PullGround.EMPTY, lambda facts: facts.substance is Substance.EMPTY, BOUNCE),
    PullRule(PullGround.CONFLICTS, lambda facts: bool(facts.conflict), OPEN, Cause.CHANGE),
    PullRule(
        PullGround.FIXED_ALREADY_AND_LEFT_ALONE,
        lambda facts: _left_alone(facts) and not facts.risks and facts.substance not in RUN,
        ACCEPT,
    ),
    PullRule(PullGround.DOES_NOTHING, lambda facts: facts.substance is Substance.NO_OP, BOUNCE),
    PullRule(PullGround.UNCLEAR_ISSUE, lambda facts: facts.asked is RequestKind.UNCLEAR, BOUNCE),
    PullRule(PullGround.NO_ISSUE, lambda facts: facts.asked is RequestKind.NOTHING, BOUNCE),
    PullRule(
        PullGround.FIXED_ALREADY, lambda facts: facts.unneeded is not None and not facts.unneeded.leaves_code, BOUNCE
    ),
    PullRule(PullGround.BREAKS_TESTS, _has("regressions"), BOUNCE),
    PullRule(PullGround.FAILS_ITS_OWN_TESTS, _has("own_failing"), BOUNCE),
    PullRule(PullGround.PASSES_ONLY_WHILE_IT_IS_TESTED, _only_pretends, BOUNCE),
    PullRule(PullGround.CHANGES_THE_TEST_ITS_ISSUE_ASKS_FOR, lambda facts: bool(settled(facts, Settled.OLD)), BOUNCE),
    PullRule(
        PullGround.UPHELD_BY_A_MAINTAINER,
        lambda facts: facts.answered is not None and facts.answered.effect is Effect.MISSING,
        BOUNCE,
    ),
    PullRule(PullGround.COUNTEREXAMPLE_HOLDS, _claim(GateAnswer.BOUNCE, (Claimant.COUNTEREXAMPLE,)), BOUNCE),
    PullRule(PullGround.REJECTION_HOLDS, _claim(GateAnswer.BOUNCE), BOUNCE),
    PullRule(PullGround.LEAVES_THE_REPORT_AS_IT_IS, _claim(GateAnswer.PERSON), OPEN, Cause.PERSON),
    PullRule(PullGround.CANNOT_BE_JUDGED, _has("gone"), OPEN, Cause.CHANGE),
    PullRule(PullGround.THE_TESTS_CANNOT_FAIL, lambda facts: control_is(facts, Proof.BLIND), OPEN, Cause.CHANGE),
    PullRule(PullGround.CONTRADICTS_A_TEST, lambda facts: bool(settled(facts, Settled.OPEN)), OPEN, Cause.PERSON),
    PullRule(PullGround.UNSTEADY_WITH_IT, _has("unsteady"), OPEN, Cause.PERSON),
    PullRule(PullGround.FAILS_ITS_OWN_TESTS_AS_THE_BASE_FAILS, _has("alike"), OPEN, Cause.PERSON),
    PullRule(PullGround.PASSES_ONLY_WHILE_IT_IS_TESTED, _has("only_tested"), OPEN, Cause.PERSON),
    PullRule(PullGround.WRITES_TO_WHAT_JUDGES, _has("written"), OPEN, Cause.PERSON),
    PullRule(PullGround.STEERS_ITS_TESTS, _has("unlike"), OPEN, Cause.PERSON),
    PullRule(PullGround.ANSWERS_ITS_TESTS, _has("answers"), OPEN, Cause.PERSON),
    PullRule(PullGround.LEADS_TESTS_ELSEWHERE, _has("detours"), OPEN, Cause.PERSON),
    PullRule(PullGround.ANSWERS_OTHERWISE_ELSEWHERE, _has("elsewhere"), OPEN, Cause.PERSON),
    PullRule(PullGround.WEAKENS_TESTS, lambda facts: not nothing_missed(facts), OPEN, Cause.PERSON),
    PullRule(
        PullGround.FIXED_ALREADY_BUT_LOOK, lambda facts: _left_alone(facts) and bool(facts.risks), OPEN, Cause.PERSON
    ),
    PullRule(PullGround.NAMED_RISK, lambda facts: bool(facts.risks), OPEN, Cause.PERSON),
    PullRule(PullGround.SUITE_WITHOUT_RESULT, _has("unrun"), OPEN, of_unrun),
    PullRule(PullGround.TESTS_DO_NOT_RUN, lambda facts: unbroken(facts) and mostly_unread(facts), OPEN, of_unread),
    PullRule(PullGround.FIXED_ALREADY_AND_NOTHING_BROKE, lambda facts: _left_alone(facts) and unbroken(facts), ACCEPT),
    PullRule(
        PullGround.NOTHING_TURNED_ON_PAPER, lambda facts: _is_paper(facts) and bool(facts.demanded), OPEN, Cause.CHANGE
    ),
    PullRule(PullGround.NOTHING_TO_EXECUTE, _is_paper, ACCEPT),
    PullRule(PullGround.NOT_EXECUTED, lambda facts: not unbroken(facts), OPEN, unfit),
    PullRule(PullGround.NOTHING_TURNED, lambda facts: bool(facts.demanded) and not mended(facts), OPEN, Cause.CHANGE),
    PullRule(PullGround.NOT_KNOWN_TO_BE_ABLE_TO_FAIL, untried, OPEN, of_untried),
    PullRule(PullGround.UNPROVED, unproved, OPEN, Cause.CHANGE),
    PullRule(PullGround.NOTHING_LOOKS, nothing_looks, OPEN, of_unproved),
    PullRule(PullGround.HARDLY_LOOKED_AT, barely_noticed, OPEN, of_unproved),
    PullRule(PullGround.RED_TO_GREEN, mended, ACCEPT),
    PullRule(
        PullGround.REJECTION_STAYS_UNRESOLVED, _claim(GateAnswer.NEUTRAL, (Claimant.MODEL_TEST,)), OPEN, Cause.OUTSIDE
    ),
    PullRule(PullGround.OPEN_QUESTION, _claim(GateAnswer.NEUTRAL, ran=(Ran.DIFFER,)), OPEN, Cause.OUTSIDE),
    PullRule(PullGround.OPINION_ALONE, _claim(GateAnswer.NEUTRAL), OPEN, Cause.OUTSIDE),
    PullRule(PullGround.NOTHING_BROKE, lambda facts: True, ACCEPT),
)
