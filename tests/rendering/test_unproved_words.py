"""A model's words are never the issue's, and what nobody tried is said: in the check and on the page alike."""

import pytest

from bot.judges.claims import Claim, ClaimKind, Counterexample, How
from bot.judges.reviews import PatchReview, ReviewMode
from bot.pulls.facts import PullFacts, Substance
from bot.pulls.judgement import ReviewAnswer, judged
from bot.rendering.pull_findings import origin_of
from bot.rendering.pull_reasons import not_covered
from bot.verdicts import PatchLabel
from bot.verification.evidence import HeadTrial
from tests.pulls.results import decided
from tests.support.cases import cases

STATED = (
    Counterexample(How.CALL, "pour(1)", "2"),
    Counterexample(How.COMMAND, "tea --pour", "exit 1"),
    Counterexample(How.STATE, "pot.txt", "exists"),
)


@cases
def test_an_example_that_a_judge_gives_is_not_the_issues(name: str, origin: str) -> None:
    assert origin_of(name) == origin


def test_what_a_judge_names_and_nobody_tried_is_named() -> None:
    said = [each for each in not_covered(decided(not_run=STATED)) if each.startswith("The judge names")]
    assert said == [
        "The judge names a call that was not tried: pour(1).",
        "The judge names a command that was not tried: tea --pour.",
        "The judge names a file that was not tried: pot.txt.",
    ]


@pytest.mark.parametrize(("tried", "left"), [((), STATED), (("pour(1)", "tea --pour"), STATED[1:])])
def test_only_a_call_that_ran_was_tried(tried: tuple[str, ...], left: tuple[Counterexample, ...]) -> None:
    claims = tuple(Claim(ClaimKind.WRONG_OUTPUT, "", counterexample=each) for each in STATED)
    review = PatchReview(PatchLabel.INCORRECT, True, 0.5, "a judge", ReviewMode.DIRECT, claims=claims)
    ran = HeadTrial(tried=tried)
    assert judged(PullFacts(substance=Substance.CODE), lambda: ReviewAnswer(review), lambda _: ran).not_run == left


@pytest.mark.parametrize("without", [True, False])
def test_what_a_model_would_have_done_is_said_where_there_is_none(without: bool) -> None:
    told = any(each.startswith("No model is set up.") for each in not_covered(decided(without_model=without)))
    assert told is without
