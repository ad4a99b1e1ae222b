"""What each delivery asks for: a table."""

from dataclasses import replace
from typing import Any

import pytest

from bot.github.values import Comment, Commits, Delivery, Issue, MergeGroup, Press, Pull, Repository, Review
from bot.workflows.router import Context, Route, route

CONTEXT = Context("bouncer", 4242)
ISSUE = Issue(7, "t", "b", "reporter", False, "none", "open", False, (), 0, "", "", "")
COMMENT = Comment(1, "reporter", False, "none", "hello", "", "", "")
COMMITS = Commits("a" * 40, "b" * 40, "main", True)


def delivery(event: str = "issues", action: str = "opened", **changes: Any) -> Delivery:
    """An issue opened by its reporter, but for the changes."""
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


@pytest.mark.parametrize(
    ("arrived", "to", "look"),
    [
        (delivery(), Route.ISSUE, True),
        (delivery(action="edited"), Route.ISSUE, True),
        (delivery(action="reopened"), Route.ISSUE, True),
        (delivery(action="closed"), Route.NOBODY, False),
        (delivery(action="labeled", label="bug"), Route.ISSUE, False),
        (delivery(action="unlabeled", label="bug"), Route.ISSUE, False),
        (delivery(action="typed"), Route.ISSUE, False),
        (delivery(sender="bouncer[bot]", sender_is_bot=True), Route.NOBODY, False),
        (delivery(action="unlabeled", sender="bouncer[bot]", sender_is_bot=True), Route.NOBODY, False),
        (delivery(sender="agent[bot]", sender_is_bot=True), Route.ISSUE, True),
        (delivery(repository=None), Route.NOBODY, False),
        (delivery(issue=None), Route.NOBODY, False),
        (comment(), Route.ISSUE, False),
        (comment("edited"), Route.ISSUE, False),
        (comment("deleted"), Route.ISSUE, False),
        (comment(author="agent[bot]", author_is_bot=True), Route.NOBODY, False),
        (comment(author="bouncer[bot]", author_is_bot=True), Route.NOBODY, False),
        (comment(app_id=4242), Route.NOBODY, False),
        (comment(app_id=99), Route.ISSUE, False),
        (delivery("issue_comment", "created", comment=None), Route.NOBODY, False),
        (on_pull(comment()), Route.PULL, False),
        (on_pull(comment("edited", author="bouncer[bot]", author_is_bot=True)), Route.PULL, False),
        (on_pull(comment("created", author="agent[bot]", author_is_bot=True)), Route.NOBODY, False),
        (on_pull(comment("deleted")), Route.NOBODY, False),
        (replace(on_pull(comment()), sender="agent[bot]", sender_is_bot=True), Route.NOBODY, False),
        (review(), Route.PULL, True),
        (review(state="commented"), Route.NOBODY, False),
        (review(state="approved"), Route.NOBODY, False),
        (review(author="reviewer", author_is_bot=False), Route.NOBODY, False),
        (replace(review(), pull=replace(PULL, state="closed")), Route.NOBODY, False),
        (replace(review(), pull=None), Route.NOBODY, False),
        (replace(review(), sender="bouncer[bot]", sender_is_bot=True), Route.NOBODY, False),
        (push(), Route.POLICY, False),
        (push(touches_policy=None), Route.POLICY, False),
        (push(touches_policy=False), Route.NOBODY, False),
        (delivery("push", "", issue=None), Route.NOBODY, False),
        (proposal(), Route.NOBODY, False),  # a push of the same commits says whether the policy changed
        (proposal("synchronize", head_repository="somebody/widgets"), Route.POLICY, False),
        (proposal(head_repository=""), Route.POLICY, False),  # the fork is gone
        (delivery("pull_request", "labeled", issue=None, commits=replace(COMMITS, number=3)), Route.NOBODY, False),
        (delivery("pull_request", "closed", issue=None, commits=replace(COMMITS, number=3)), Route.NOBODY, False),
        (delivery("check_run", "rerequested", issue=None, press=Press("a" * 40, 4242, 1)), Route.NOBODY, False),
        (delivery("check_suite", "rerequested", issue=None, press=Press("a" * 40, 99)), Route.NOBODY, False),
        (delivery("merge_group", "checks_requested", issue=None, group=GROUP), Route.NOBODY, False),
        (delivery("installation", "deleted", repository=None, issue=None), Route.INSTALLATION, False),
        (delivery("installation_repositories", "added", repository=None, issue=None), Route.INSTALLATION, False),
        (delivery("star", "created"), Route.NOBODY, False),
    ],
)
def test_routes(arrived: Delivery, to: Route, look: bool) -> None:
    intent = route(arrived, CONTEXT)
    assert (intent.route, intent.look) == (to, look)
    assert intent.reason


@pytest.mark.parametrize(("account", "to"), [("acme", Route.ISSUE), ("ACME", Route.ISSUE), ("other", Route.NOBODY)])
def test_only_allowed_accounts_are_served(account: str, to: Route) -> None:
    context = Context("bouncer", 4242, frozenset({"acme"}))
    arrived = delivery(repository=Repository(5, f"{account}/widgets"))
    assert route(arrived, context).route is to
