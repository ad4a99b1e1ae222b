"""What a bounce hands back on GitHub, how often, and a rejected pull request the whole way."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from bot.demo.sample_repository import FILES
from bot.judges.patches import NamedRejection, Rejection
from bot.rendering.gate import NAME
from bot.verdicts import Decision
from bot.verification.evidence import Case, Claimant, ClaimEvidence, HeadTrial, Ran, Verified
from bot.verification.execution import RUNS
from bot.verification.fix_guided import filter
from bot.workflows.pull.base import PATIENCE
from fake_github.world import FakeReview
from tests.judges.stepping import step
from tests.support.databases import Databases
from tests.support.github import KEY
from tests.support.model import Answering, completion, says
from tests.workflows.house import PLAUSIBLE, House, Told
from tests.workflows.test_gate import AGENT, BREAKS, CODE, ENFORCE, check, propose, push

POLICY = "mode: enforce\nissues: {enabled: false}\nverify:\n  setup: []\n  test: pytest\n"
ASKED = (
    "split_bill() loses cents",
    "The shares must add up to the bill. For 100 cents and 3 people they are 34, 33 and 33, the larger ones first.",
)
QUOTE = "For 100 cents and 3 people they are 34, 33 and 33"
ROUNDED = FILES["kettle/bill.py"].replace("cents // people", "round(cents / people)")
SHARED = "    share, rest = divmod(cents, people)\n    return [share + 1] * rest + [share] * (people - rest)\n"


@pytest.fixture
def kitchen(databases: Databases, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """A house where a scripted model rejects and mends, and everything runs; beside the tests little is looked at."""
    for module, name in ((filter, "FOR_COMPARING"), (filter, "FOR_STRENGTH")):
        monkeypatch.setattr(module, name, 1.0)
    claim = {"kind": "wrong_output", "symptom": "The shares do not add up.", "quote": QUOTE}
    model = Answering(
        tools=[completion("I have seen enough.")],
        verdict=says(verdict="no"),
        claims=says(claims=[{**claim, "how": "none", "what": "", "expected": "", "guess": ""}]),
        label=says(quote="", label="consistent"),
        command=[step("edit", path="kettle/bill.py", first=6, last=6, text=SHARED), step("finish", outcome="success")],
        settled=says(working="", settled=True, clause=QUOTE, expected="[34, 33, 33]"),
        tests=says(tests=[{"clause": QUOTE, "call": "split_bill(100, 3)", "expected": "[34, 33, 33]"}]),
    )
    settings = {"judge": "openai", "model_base_url": model.base_url, "model_api_key": "x", "executor": "bubblewrap"}
    house = House(databases.migrated(), KEY, settings)
    yield house
    house.close()
    model.close()
    assert not model.unscripted


def test_a_wrong_change_is_handed_back_with_a_test_and_a_fix(kitchen: House) -> None:
    repo = kitchen.repository(POLICY)
    kitchen.github.push(repo, {path: text for path, text in FILES.items() if not path.startswith(".github")})
    issue = kitchen.github.open_issue(repo, *ASKED, by="reporter")
    wrong = {"kettle/bill.py": ROUNDED}
    number = kitchen.github.open_pull(repo, "Round the shares", wrong, body=f"Fixes #{issue}", by=AGENT)
    kitchen.settle(120)
    assert check(kitchen, repo, number) == (
        "failure",
        "Bounced: A fix for this change was tried: the fix passes where this change fails.",
    )
    told = summary(kitchen, repo)
    assert "assert split_bill(100, 3) == [34, 33, 33]" in told
    assert "diff --git a/kettle/bill.py b/kettle/bill.py" in told
    assert "+    share, rest = divmod(cents, people)" in told
    (review,) = own_reviews(kitchen, repo, number)
    assert (review.state, [(item.path, item.line) for item in review.remarks]) == ("commented", [("kettle/bill.py", 6)])
    assert review.remarks[0].body == f"```suggestion\n{SHARED}```"


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
