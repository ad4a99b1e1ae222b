"""The claims of a review one by one and together, by what running their suggestions says."""

from bot.pulls.review_claims import ReviewClaim, Severity
from bot.pulls.review_trial import Run, outcome_of, try_claims
from bot.pulls.suggestions import Suggestion, SuggestionError
from bot.verdicts import ClaimOutcome, Decision, Topic
from bot.verification.evidence import Case, Verified
from bot.verification.values import Difference, Ending, Observed, Side
from tests.support.cases import cases

SEEN = Observed(Ending.RETURNED, "1")
ENDS = {
    "held": (Decision.BOUNCE, Case.REPAIR_SUCCESS),
    "refuted": (Decision.ACCEPT, Case.OVER_REPAIR),
    "same": (Decision.ACCEPT, Case.EQUIVALENT),
    "both fail": (Decision.BOUNCE, Case.BOTH_FAIL),
    "unsettled": (Decision.UNAVAILABLE, Case.UNDECIDED),
    "nothing": (Decision.UNAVAILABLE, None),
}


def claim(*fixes: str) -> ReviewClaim:
    """Each fix is a name; `a/b` names what is offered one instead of the other."""
    offered = tuple((Suggestion(name, 1, 1, ""),) for name in fixes)
    return ReviewClaim(1, f"{fixes[0] if fixes else ''}.py", 1, 1, Severity.UNSTATED, Topic.UNSTATED, "", offered)


def runs(said: dict[str, str]) -> Run:
    """What running these suggestions together says; what is not named fits nowhere."""

    def run(suggestions: tuple[Suggestion, ...]) -> tuple[Verified, None]:
        names = "+".join(each.path for each in suggestions)
        if names not in said:
            raise SuggestionError("Two suggestions change the same lines.")
        return Verified(*ENDS[said[names]], (names,)), None

    return run


@cases
def test_what_is_said_of_one_is_not_said_against_those_that_belong_to_it(
    claims: list[str], said: dict[str, str], outcomes: list[ClaimOutcome], among: list[int]
) -> None:
    found = try_claims([claim(*names.split("/")) if names else claim() for names in claims], runs(said), lambda: False)
    assert [each.outcome for each in found] == outcomes
    assert [each.among for each in found] == among
    assert {each.clashes for each in found if each.outcome.ran} <= {outcomes == ["same", "held"]}


def test_when_the_time_is_over_the_rest_is_named_and_not_run() -> None:
    asked: list[str] = []

    def run(suggestions: tuple[Suggestion, ...]) -> tuple[Verified, None]:
        asked.extend(each.path for each in suggestions)
        return Verified(*ENDS["same"], ("Same.",)), None

    many = [claim(f"{at}") for at in range(50)]
    found = try_claims(many, run, lambda: len(asked) >= 7)
    assert asked == [f"{at}" for at in range(7)]
    assert [each.outcome for each in found] == [ClaimOutcome.SAME] * 7 + [ClaimOutcome.LATE] * 43


def test_a_difference_that_a_requirement_settles_settles_the_claim() -> None:
    for favours, decision, outcome in (
        (Side.FIX, Decision.BOUNCE, ClaimOutcome.HELD),
        (Side.ORIGINAL, Decision.ACCEPT, ClaimOutcome.REFUTED),
        (None, Decision.UNAVAILABLE, ClaimOutcome.OPEN),
    ):
        found = Difference("f(1)", SEEN, SEEN, "mutation", favours=favours)
        assert outcome_of(Verified(decision, Case.UNDECIDED, (), difference=found)) is outcome
