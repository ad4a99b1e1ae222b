"""The table of evidence: it is whole, no claim bounces alone, and less evidence never gives a harder verdict."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.verdicts import Decision
from bot.verification.evidence import ROWS, Claimant, ClaimEvidence, GateAnswer, Jury, Ran
from bot.verification.fix_guided.cases import FilterFacts, decide, part_of
from bot.verification.model_tests import CLAIMS_FILE, EXAMPLES_FILE
from bot.verification.values import (
    Difference,
    Differential,
    Ending,
    Generator,
    Observed,
    Side,
    Strength,
    TestResult,
    TestRun,
    TestStatus,
)
from tests.verification.fix_guided.test_cases import TEST

HARDNESS = {GateAnswer.BOUNCE: 2, GateAnswer.PERSON: 1, GateAnswer.NEUTRAL: 0, GateAnswer.NOTHING: 0}
ENDED = Observed(Ending.RETURNED, "1"), Observed(Ending.RETURNED, "2")


def test_what_blocks_stands_before_what_does_not() -> None:
    levels = [HARDNESS[row.gate] for row in ROWS]
    assert levels == sorted(levels, reverse=True)
    assert {row.gate for row in ROWS} == set(GateAnswer)


def test_each_outcome_has_one_row() -> None:
    told = [found for row in ROWS for found in product(row.claimants, row.ran, row.jury)]
    assert len(told) == len(set(told)), "two rows speak of the same"
    assert {claimant for claimant, _, _ in told} == set(Claimant) and {ran for _, ran, _ in told} == set(Ran)
    assert all(ClaimEvidence(*found).row in ROWS for found in told)


def test_only_tests_answers_and_clauses_that_judges_settle_blind_bounce() -> None:
    for row in ROWS:
        if row.gate is GateAnswer.BOUNCE:
            assert set(row.claimants) <= {Claimant.BASE_TESTS, Claimant.ANSWER} or row.jury == (Jury.SAME,)
            assert row.rejection is Decision.BOUNCE


statuses = st.sampled_from(["passed", "failed", "error", "skipped", "flaky"])


def runs(prefix: str) -> st.SearchStrategy[TestRun]:
    def made(ended: list[str], problem: str) -> TestRun:
        results = (TestResult(f"{prefix}::t{number}", TestStatus(each)) for number, each in enumerate(ended))
        return TestRun(tuple(results), 0.1, problem)

    return st.builds(made, st.lists(statuses, max_size=2), st.sampled_from(["", "", "", "It ended early."]))


def joined(one: TestRun, other: TestRun) -> TestRun:
    return TestRun((*one.results, *other.results), 0.1, one.problem or other.problem)


written = st.builds(joined, runs(EXAMPLES_FILE), runs(CLAIMS_FILE))
differences = st.builds(
    lambda call, favours, quote: Difference(call, *ENDED, Generator.MUTATION, favours, quote=quote if favours else ""),
    st.sampled_from(["f(0)", "f(1)"]),
    st.sampled_from([None, *Side]),
    st.sampled_from(["", "a clause"]),
)
differentials = st.builds(
    lambda found, doubt: Differential(("f(2)",), tuple(found), doubt=doubt),
    st.lists(differences, max_size=2),
    st.sampled_from(["", "It ends too early."]),
)
gathered = st.builds(
    FilterFacts,
    original=runs("test_a.py"),
    fix=runs("test_a.py"),
    augmented_original=written,
    augmented_fix=written,
    differential=st.none() | differentials,
    doubt=st.sampled_from(["", "It gives one value."]),
    strength=st.sampled_from([None, Strength(9, 1, True, ""), Strength(4, 4, True, "")]),
    answered=st.sampled_from([frozenset(), frozenset({"f(0)"})]),
    withdrawn=st.booleans(),
    settled=st.sampled_from([(), (TEST,)]),
)


def without_jury(facts: FilterFacts) -> FilterFacts:
    kept = facts.differential
    if kept:
        unsaid = (replace(each, favours=None if each.quote else each.favours, quote="") for each in kept.differences)
        kept = replace(kept, differences=tuple(unsaid))
    return replace(facts, settled=(), differential=kept)


def only(claimant: Claimant) -> Callable[[FilterFacts], FilterFacts]:
    def taken(facts: FilterFacts) -> FilterFacts:
        both = facts.augmented_original, facts.augmented_fix
        original, fix = (run and part_of(run, claimant) for run in both)
        settled = facts.settled if claimant is Claimant.MODEL_TEST else ()
        return replace(facts, augmented_original=original, augmented_fix=fix, settled=settled)

    return taken


TAKEN: dict[str, Callable[[FilterFacts], FilterFacts]] = {
    "the change's run": lambda facts: replace(facts, original=None),
    "the fix's run": lambda facts: replace(facts, fix=None),
    "the second run": lambda facts: replace(facts, once=True),
    "the issue's examples": only(Claimant.MODEL_TEST),
    "the model's tests": only(Claimant.EXAMPLE),
    "both": lambda facts: replace(facts, augmented_original=None, augmented_fix=None, settled=()),
    "the comparison": lambda facts: replace(facts, differential=None),
    "the jury": without_jury,
    "the answer": lambda facts: replace(facts, answered=frozenset()),
    "the doubt": lambda facts: replace(facts, doubt=""),
    "the strength": lambda facts: replace(facts, strength=None),
    "the withdrawal": lambda facts: replace(facts, withdrawn=False),
}


@pytest.mark.parametrize("taken", TAKEN)
@settings(max_examples=150, deadline=None)
@given(facts=gathered)
def test_less_evidence_never_gives_a_harder_verdict(taken: str, facts: FilterFacts) -> None:
    more, less = decide(facts), decide(TAKEN[taken](facts))
    assert more.outcome and less.outcome
    assert HARDNESS[less.outcome.row.gate] <= HARDNESS[more.outcome.row.gate], (more.reasons, less.reasons)
    assert less.decision is not Decision.BOUNCE or more.decision is Decision.BOUNCE, (more.reasons, less.reasons)
