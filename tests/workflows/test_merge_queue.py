"""Groups of the merge queue: what was found of the pull requests in them, and what their merged result does."""

from dataclasses import replace

import pytest

from bot.github.deliveries import Delivery
from bot.github.events import read
from bot.rendering.gate import NAME
from bot.storage.gates import MergeGroupState
from bot.verification.evidence import HeadTrial
from bot.verification.patch_evidence import PatchEvidence, PatchFacts, Standing
from tests.workflows.house import CLEAR, CLEAR_TITLE, PLAUSIBLE, House, Told
from tests.workflows.test_gate import AGENT, BREAKS, CODE, ENFORCE, FAILED, MENDS, check, propose, told

__all__ = ["told"]

GONE = HeadTrial(replace(PLAUSIBLE.patch, gone="None of the base's tests is found any more."))
OPEN = HeadTrial(PatchEvidence(Standing.OPEN, ("No test passes on the base.",), PatchFacts(FAILED, FAILED, FAILED)))


def answer(house: House, repo: str, group: str) -> tuple[str, str, str]:
    """Conclusion, title and summary of the check on a group's commit."""
    (run,) = (run for run in house.github.checks(repo) if run.name == NAME and run.head_sha == group)
    return str(run.conclusion), run.title, run.summary


def queued(house: House, told: Told, repo: str, number: int, stood: HeadTrial = PLAUSIBLE) -> str:
    """Its group's head, with the answer there."""
    told.stood = stood
    group = house.github.queue(repo, number)
    house.settle()
    return group


@pytest.mark.parametrize(
    ("stood", "conclusion", "says"),
    [
        (PLAUSIBLE, "success", "The merged result was run, and nothing broke."),
        (BREAKS, "failure", "This change breaks a test that passes without it: `test_half`."),
        (GONE, "action_required", "None of the base's tests is found any more."),
        (OPEN, "success", "The merged result was run, but the outcome is open: No test passes on the base."),
        (
            HeadTrial(problem="Nothing isolates here."),
            "success",
            "The merged result was not run: Nothing isolates here.",
        ),
    ],
)
def test_the_merged_result_is_executed(house: House, told: Told, stood: HeadTrial, conclusion: str, says: str) -> None:
    repo, number = propose(house)
    base = house.github.repo(repo).branches["main"]
    group = queued(house, told, repo, number, stood)
    assert answer(house, repo, group)[0] == conclusion
    assert says in answer(house, repo, group)[2]
    own, merged = told.checked
    assert (own.number, merged.number) == (number, 0)
    assert (merged.head, merged.base) == (group, base)
    assert house.github.queue_merges(repo, number) is (conclusion == "success")
    assert check(house, repo)[0] == "success", "the pull request's own check says what it said"


def test_it_is_executed_with_what_was_asked_for(house: House, told: Told) -> None:
    told.stood = MENDS
    repo = house.repository(ENFORCE)
    issue = house.github.open_issue(repo, CLEAR_TITLE, CLEAR)
    house.propose(repo, "Add half()", {"half.py": CODE}, body=f"Fixes #{issue}", by=AGENT)
    queued(house, told, repo, issue + 1)
    assert CLEAR_TITLE in told.checked[1].specification


def test_a_bounced_one_is_not_executed_and_an_overridden_one_passes(house: House, told: Told) -> None:
    told.stood = BREAKS
    repo, number = propose(house)
    group = queued(house, told, repo, number)
    assert answer(house, repo, group)[:2] == (
        "failure",
        "Bounced: This change breaks a test that passes without it: test_half.",
    )
    house.github.leave_queue(repo, number)
    house.say(repo, number, "/bouncer override Fine.", by="maintainer")
    group = queued(house, told, repo, number, BREAKS)
    assert answer(house, repo, group)[:2] == ("success", "Overridden by maintainer")
    assert len(told.checked) == 1


def test_advice_blocks_no_queue(house: House, told: Told) -> None:
    repo, number = propose(house, "mode: advise\n")
    group = queued(house, told, repo, number, BREAKS)
    assert answer(house, repo, group)[:2] == (
        "neutral",
        "Would be bounced: This change breaks a test that passes without it: test_half.",
    )


def test_a_group_answers_for_all_the_pull_requests_in_it(house: House, told: Told) -> None:
    told.stood = BREAKS
    repo, bad = propose(house)
    told.stood = PLAUSIBLE
    good = house.github.open_pull(repo, "Add twice()", {"twice.py": CODE}, by=AGENT)
    person = house.propose(repo, "Add thrice()", {"thrice.py": CODE}, by="contributor")
    house.github.queue(repo, bad)
    groups = [house.github.queue(repo, good), house.github.queue(repo, person)]
    house.settle()
    for group in groups:
        title = f"Pull request {bad}: Bounced: This change breaks a test that passes without it: test_half."
        assert answer(house, repo, group)[:2] == ("failure", title)
    house.github.leave_queue(repo, bad)
    groups = [queued(house, told, repo, good, BREAKS), queued(house, told, repo, person)]
    assert [answer(house, repo, group)[0] for group in groups] == ["failure", "failure"]
    assert answer(house, repo, groups[1])[1].startswith(f"Pull request {good}: Bounced: This change breaks a test")
    house.github.leave_queue(repo, good)
    group = queued(house, told, repo, person)
    assert answer(house, repo, group)[:2] == ("success", "Let through, as the pull request was")


def test_a_group_that_is_gone_is_left_alone_whatever_comes_when(house: House, told: Told) -> None:
    repo, number = propose(house)
    told.meanwhile = lambda: house.meanwhile(lambda: house.github.leave_queue(repo, number))
    group = queued(house, told, repo, number)
    assert answer(house, repo, group)[:2] == ("cancelled", "The merge queue dropped this group")
    told.meanwhile = lambda: None
    before = house.github.checks(repo)
    house.github.queue(repo, number)
    house.github.leave_queue(repo, number)
    house._fed = len(house.github.deliveries)
    asked, gone = [item for item in house.github.deliveries if item.event == "merge_group"][-2:]
    for item in (gone, asked):
        delivery = read(item.event, item.payload)
        assert isinstance(delivery, Delivery)
        house.services.inbox.claim(item.guid, delivery, now=house.clock())
        house.settle()
    assert house.github.checks(repo) == before
    assert len(told.checked) == 2, "the pull request and the first group"


def test_a_group_that_github_tells_nothing_of_is_answered_at_once(house: House, told: Told) -> None:
    repo, number = propose(house)
    house.github.fail(403, method="POST", route="/graphql")
    group = queued(house, told, repo, number)
    said = ("action_required", "Could not be judged: GitHub did not give the data that this needs")
    assert answer(house, repo, group)[:2] == said


def test_a_group_that_hangs_is_answered_and_a_late_answer_counts(house: House, told: Told) -> None:
    repo, number = propose(house)
    group = queued(house, told, repo, number)
    kept = house.services.merge_groups.get(house.github.repo(repo).id, group)
    assert kept is not None
    assert (kept.state, kept.pulls) == (MergeGroupState.DONE, (number,))
    house.services.merge_groups.save(replace(kept, state=MergeGroupState.RUNNING, due_at=house.clock()))
    house.tick(minutes=2)
    assert answer(house, repo, group)[:2] == ("action_required", "Could not be judged: it took too long")
    run = next(run for run in house.github.checks(repo) if run.head_sha == group)
    for who, times in (("contributor", 2), ("maintainer", 3)):
        house.github.rerun(repo, run.id, by=who)
        house.settle()
        assert len(told.checked) == times
    assert answer(house, repo, group)[0] == "success"


def test_what_is_not_judged_yet_has_to_be_queued_again(house: House, told: Told) -> None:
    repo, number = propose(house)
    record = house.services.gates.get(house.github.repo(repo).id, number)
    assert record is not None
    house.services.gates.save(replace(record, state=type(record.state).JUDGING))
    group = queued(house, told, repo, number)
    assert answer(house, repo, group)[:2] == ("action_required", "Not judged yet: queue it again when it is judged")
