"""What a bounce hands back on GitHub, and how often: a fix as suggestions, once for each commit."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from bot.judges.patches import NamedRejection, Rejection
from bot.rendering.gate import NAME
from bot.verdicts import Decision
from bot.verification.evidence import Case, Claimant, ClaimEvidence, HeadTrial, Ran, Verified
from bot.verification.execution import RUNS
from bot.workflows.pull.base import PATIENCE
from fake_github.world import FakeReview
from tests.workflows.house import PLAUSIBLE, House, Told
from tests.workflows.test_gate import BREAKS, CODE, ENFORCE, check, propose, push

HOLDS = Verified(
    Decision.BOUNCE,
    Case.REPAIR_SUCCESS,
    ("The change fails a test that the fix passes.",),
    outcome=ClaimEvidence(Claimant.BASE_TESTS, Ran.REPAIRED),
)
FIX = """\
diff --git a/half.py b/half.py
--- a/half.py
+++ b/half.py
@@ -1,2 +1,2 @@
 def half(n):
-    return wrong
+    return n // 2
"""


def summary(house: House, repo: str) -> str:
    return next(run for run in house.github.checks(repo) if run.name == NAME).summary


def own_reviews(house: House, repo: str, number: int) -> list[FakeReview]:
    pull = house.github.repo(repo).issues[number].pull
    assert pull is not None
    return [review for review in pull.reviews if review.user.login.startswith("bouncer")]


@pytest.fixture
def told(house: House) -> Iterator[Told]:
    """Rejects, and has found a fix."""
    house.verifier.tried = HeadTrial(verified=HOLDS, fix=FIX)
    yield house.verifier
    house.verifier.tried, house.verifier.stood = HeadTrial(), PLAUSIBLE


WRONG = CODE.replace("n // 2", "wrong")


def test_a_fix_is_suggested_once_for_each_commit(house: House, told: Told) -> None:
    repo, number = propose(house, code=WRONG)
    assert check(house, repo, number)[0] == "failure"
    assert "git apply" in summary(house, repo)
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    house.say(repo, number, "/bouncer override I like it.", by="maintainer")
    house.say(repo, number, "/bouncer override-cancel", by="maintainer")
    assert len(own_reviews(house, repo, number)) == 1
    house.github.push_to_pull(repo, number, {"half.py": f"{WRONG}\n"})
    house.settle()
    assert [review.head for review in own_reviews(house, repo, number)][1:] == [
        house.github.repo(repo).issues[number].pull.head  # type: ignore[union-attr]
    ]


def test_a_review_that_was_lost_on_the_way_is_found_again(house: House, told: Told) -> None:
    """GitHub did it and the answer never came: as after a kill, the whole step is done again."""
    house.github.fail(500, method="POST", route="/pulls/{pull_number}/reviews", after_effect=True)
    repo, number = propose(house, code=WRONG)
    house.tick(minutes=2)
    assert len(own_reviews(house, repo, number)) == 1


@pytest.mark.parametrize(("policy", "count"), [("mode: observe\n", 0), ("mode: advise\n", 1)])
def test_nothing_is_suggested_where_nothing_may_be_said(house: House, told: Told, policy: str, count: int) -> None:
    repo, number = propose(house, policy, code=WRONG)
    assert len(own_reviews(house, repo, number)) == count


def test_a_fix_is_no_longer_shown_after_the_last_round(house: House, told: Told) -> None:
    repo, number = propose(house, f"{ENFORCE}pulls: {{rounds: 1}}\n", code=WRONG)
    assert "git apply" not in summary(house, repo)
    assert own_reviews(house, repo, number) == [], "people are asked"


def test_a_fix_stands_beside_a_broken_test(house: House, told: Told) -> None:
    """Whatever decided: who rejects it shows how it could be right."""
    told.stood = BREAKS
    repo, number = propose(house, code=WRONG)
    assert check(house, repo, number)[1] == "Bounced: This change breaks a test that passes without it: test_half."
    assert len(own_reviews(house, repo, number)) == 1
    told.stood = PLAUSIBLE
    told.tried = replace(told.tried, verified=None, fix="")
    push(house, repo, number)
    house.settle()
    assert len(own_reviews(house, repo, number)) == 1


def test_without_a_fix_a_rejection_stays_an_opinion(house: House, told: Told) -> None:
    nothing = Verified(Decision.UNAVAILABLE, Case.NO_FIX, ("No fix was found. It was not done in time.",))
    told.tried = HeadTrial(verified=nothing)
    repo, number = propose(house, code=WRONG)
    conclusion, title = check(house, repo, number)
    assert conclusion == "neutral"
    assert title.startswith(
        "Could not be judged: The judge would not accept this change, but nothing that ran confirms that."
    )
    assert "No fix was found." in summary(house, repo)


def test_a_judgement_has_the_time_it_may_take(house: House, told: Told) -> None:
    """By itself, then beside a fix; what is left of it, and the half hour, are for setup and models."""
    due: list[float] = []

    def look() -> None:
        (record,) = house.services.gates.overdue(house.clock() + PATIENCE * 100)
        assert record.due_at is not None
        due.append((record.due_at - house.clock()).total_seconds())

    told.meanwhile = look
    propose(house, f"{ENFORCE}verify: {{timeout: 3600}}\n", code=WRONG)
    told.meanwhile = lambda: None
    assert due[0] > (1 + RUNS) * 3600 + PATIENCE.total_seconds()


def test_a_right_change_is_lifted_and_its_rejection_named(house: House, told: Told) -> None:
    broken = ClaimEvidence(Claimant.BASE_TESTS, Ran.BROKEN)
    lifted = Verified(Decision.ACCEPT, Case.OVER_REPAIR, ("The fix was not needed.",), outcome=broken)
    told.tried = HeadTrial(verified=lifted, named=NamedRejection(Rejection.ADDED_REQUIREMENT, "plain/1"))
    repo, number = propose(house, code=WRONG)
    conclusion, title = check(house, repo, number)
    assert conclusion == "success"
    assert title == "Plausible: Nothing broke. Nothing was asked for."
    assert "plain/1 names its kind: a requirement that nobody wrote." in summary(house, repo)
    assert own_reviews(house, repo, number) == []
