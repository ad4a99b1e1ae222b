"""What each delivery asks for: a table."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.github.deliveries import Delivery, MergeGroup, Press
from bot.github.errors import Unavailable
from bot.github.values import Comment, Commits, Issue, Pull, Repository, Review
from bot.storage.endings import EndingSort
from bot.storage.inbox import Queued
from bot.workflows import dispatcher, endings
from bot.workflows.delivery import AppIdentity, Intent
from bot.workflows.dispatcher import Dispatcher, intents, reason
from tests.workflows.house import House

CONTEXT = AppIdentity("bouncer", 4242)
ISSUE = Issue(7, "t", "b", "reporter", False, "none", "open", False, (), 0, "", "", "")
COMMENT = Comment(1, "reporter", False, "none", "hello", "", "", "")
COMMITS = Commits("a" * 40, "b" * 40, "main", True)


def delivery(event: str = "issues", action: str = "opened", **changes: Any) -> Delivery:
    """An issue opened by its reporter, except for the changes."""
    base = Delivery(event, action, 1, "reporter", False, Repository(5, "acme/widgets"), ISSUE)
    return replace(base, **changes)


def comment(action: str = "created", **changes: Any) -> Delivery:
    return delivery("issue_comment", action, comment=replace(COMMENT, **changes))


def on_pull(arrived: Delivery) -> Delivery:
    return replace(arrived, issue=replace(ISSUE, is_pull_request=True))


PULL = Pull(3, "Title", "", "agent[bot]", True, "a" * 40, "acme/widgets", "b" * 40, "main", "open", False, "")
REVIEW = Review(8, "critic[bot]", True, "changes_requested", "No.", "a" * 40, "")


GROUP = MergeGroup("a" * 40, "b" * 40, "main", 3)


def review(**changes: Any) -> Delivery:
    base = delivery("pull_request_review", "submitted", issue=None, sender="critic[bot]", sender_is_bot=True)
    return replace(base, pull=PULL, review=replace(REVIEW, **changes))


def proposal(action: str = "opened", **changes: Any) -> Delivery:
    commits = replace(COMMITS, number=3, touches_policy=None)
    return delivery("pull_request", action, issue=None, commits=commits, pull=replace(PULL, **changes))


def push(**changes: Any) -> Delivery:
    return delivery("push", "", issue=None, commits=replace(COMMITS, **changes))


def taken(found: dict[str, Intent]) -> set[str]:
    """Who wants it, beside the gate and the endings, which have tables of their own."""
    return {name for name, intent in found.items() if intent.wanted} - {"pull", "endings"}


@pytest.mark.parametrize(
    ("arrived", "to", "look"),
    [
        (delivery(), "issue", True),
        (delivery(action="edited"), "issue", True),
        (delivery(action="reopened"), "issue", True),
        (delivery(action="closed"), "", False),
        (delivery(action="labeled", label="bug"), "issue", False),
        (delivery(action="unlabeled", label="bug"), "issue", False),
        (delivery(action="typed"), "issue", False),
        (delivery(sender="bouncer[bot]", sender_is_bot=True), "", False),
        (delivery(action="unlabeled", sender="bouncer[bot]", sender_is_bot=True), "", False),
        (delivery(sender="agent[bot]", sender_is_bot=True), "issue", True),
        (delivery(repository=None), "", False),
        (delivery(issue=None), "", False),
        (comment(), "issue", False),
        (comment("edited"), "issue", False),
        (comment("deleted"), "issue", False),
        (comment(author="agent[bot]", author_is_bot=True), "", False),
        (comment(author="bouncer[bot]", author_is_bot=True), "", False),
        (comment(app_id=4242), "", False),
        (comment(app_id=99), "issue", False),
        (delivery("issue_comment", "created", comment=None), "", False),
        (on_pull(comment(body="/bouncer recheck")), "review", False),
        (on_pull(comment()), "", False),
        (on_pull(comment("edited", author="bouncer[bot]", author_is_bot=True)), "review", False),
        (on_pull(comment("created", author="agent[bot]", author_is_bot=True)), "", False),
        (on_pull(comment("deleted")), "", False),
        (replace(on_pull(comment()), sender="agent[bot]", sender_is_bot=True), "", False),
        (review(), "review", True),
        (review(state="commented"), "review", True),
        (review(state="approved"), "review", True),
        (review(author="reviewer", author_is_bot=False), "", False),
        (replace(review(), pull=replace(PULL, state="closed")), "", False),
        (replace(review(), pull=None), "", False),
        (replace(review(), sender="bouncer[bot]", sender_is_bot=True), "", False),
        (push(), "policy_check", False),
        (push(touches_policy=None), "policy_check", False),
        (push(touches_policy=False), "", False),
        (delivery("push", "", issue=None), "", False),
        (proposal(), "", False),  # a push of the same commits says whether the policy changed
        (proposal("synchronize", head_repository="somebody/widgets"), "policy_check", False),
        (proposal(head_repository=""), "policy_check", False),  # the fork is gone
        (delivery("pull_request", "labeled", issue=None, commits=replace(COMMITS, number=3)), "", False),
        (delivery("pull_request", "closed", issue=None, commits=replace(COMMITS, number=3)), "", False),
        (delivery("check_run", "rerequested", issue=None, press=Press("a" * 40, 4242)), "", False),
        (delivery("check_suite", "rerequested", issue=None, press=Press("a" * 40, 99)), "", False),
        (delivery("merge_group", "checks_requested", issue=None, group=GROUP), "", False),
        (delivery("installation", "deleted", repository=None, issue=None), "installation", False),
        (delivery("installation_repositories", "added", repository=None, issue=None), "installation", False),
        (delivery("star", "created"), "", False),
    ],
)
def test_routes(arrived: Delivery, to: str, look: bool) -> None:
    found = intents(arrived, CONTEXT)
    assert taken(found) == ({to} if to else set())
    assert any(intent.look for name, intent in found.items() if name == to) is look
    assert reason(found)


@pytest.mark.parametrize(("account", "to"), [("acme", "issue"), ("ACME", "issue"), ("other", "")])
def test_only_allowed_accounts_are_served(account: str, to: str) -> None:
    context = AppIdentity("bouncer", 4242, frozenset({"acme"}))
    arrived = delivery(repository=Repository(5, f"{account}/widgets"))
    assert taken(intents(arrived, context)) == ({to} if to else set())


@pytest.mark.parametrize(
    ("arrived", "wanted"),
    [
        (proposal(), True),
        (proposal("closed"), True),
        (delivery("pull_request", "opened", issue=None, pull=None), False),
        (delivery("check_run", "rerequested", issue=None, press=Press("a" * 40, 4242)), True),
        (delivery("check_suite", "rerequested", issue=None, press=Press("a" * 40, 99)), False),
        (delivery("merge_group", "checks_requested", issue=None, group=GROUP), True),
        (on_pull(comment(body="/bouncer recheck")), True),
        (replace(on_pull(comment()), sender="agent[bot]", sender_is_bot=True), False),
        (comment(), False),
    ],
)
def test_what_the_gate_hears_of(arrived: Delivery, wanted: bool) -> None:
    assert intents(arrived, CONTEXT)["pull"].wanted is wanted


@pytest.mark.parametrize(
    ("arrived", "kept"),
    [
        (delivery(action="closed"), True),
        (delivery(action="reopened"), True),
        (proposal("closed"), True),
        (proposal("reopened"), True),
        (proposal("opened"), False),
        (delivery(), False),
        (delivery(action="closed", sender="bouncer[bot]", sender_is_bot=True), True),
        (delivery("pull_request", "closed", issue=None), False),
    ],
)
def test_how_it_ended_is_kept(arrived: Delivery, kept: bool) -> None:
    assert intents(arrived, CONTEXT)["endings"].wanted is kept


def test_a_pull_request_that_is_opened_again_has_not_ended_and_says_nothing_of_its_verdict(house: House) -> None:
    start = datetime(2026, 1, 31, tzinfo=UTC)
    for minutes, action in enumerate(("closed", "reopened")):
        arrived = replace(proposal(action), sender="maintainer")
        queued = Queued(minutes, action, arrived, start + timedelta(minutes=minutes))
        endings.HANDLER.hand_on(house.services, queued, intents(arrived, CONTEXT)["endings"])
    found = [(each.sort, each.by_maintainer) for each in house.services.endings.since(start)]
    assert found == [(EndingSort.CLOSED, True), (EndingSort.REOPENED, False)]


def test_what_the_queue_has_no_room_for_stays_in_the_inbox(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "BATCH", 2)
    waiting = 2
    full = Dispatcher(house.services, AppIdentity("bouncer", house.github.app.id), lambda: waiting, lambda: True)
    repo = house.repository()
    for _ in range(3):
        house.github.open_issue(repo, "It breaks", "Help.")
    house.deliver()
    assert full.turn() == 2
    assert full.turn() == 0, "two subjects wait for their runs"
    assert house.services.inbox.depth() == 1
    waiting = 1
    assert full.turn() == 1
    house.settle()


def test_who_has_lost_the_lead_in_the_middle_of_a_batch_leaves_the_rest(house: House) -> None:
    asked = iter([True, False])
    stopped = Dispatcher(house.services, AppIdentity("bouncer", house.github.app.id), lambda: 0, lambda: next(asked))
    repo = house.repository()
    for _ in range(3):
        house.github.open_issue(repo, "It breaks", "Help.")
    house.deliver()
    assert stopped.turn() == 1
    assert house.services.inbox.depth() == 2
    house.settle()


def test_who_cannot_hand_on_leaves_that_to_another(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """GitHub says who we are; another worker may reach it where this one does not."""
    worker, asked = house.worker, list[bool]()

    def who() -> Dispatcher:
        raise Unavailable("no route to GitHub")

    monkeypatch.setattr(worker, "_dispatcher", None)
    monkeypatch.setattr(worker, "_make_dispatcher", who)
    monkeypatch.setattr(worker, "_lead_due", 0.0)
    monkeypatch.setattr(worker.engine, "lead", lambda: asked.append(True))
    worker.housekeep()
    with pytest.raises(Unavailable):
        worker.turn()
    assert not asked
