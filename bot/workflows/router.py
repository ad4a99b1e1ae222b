"""What a delivery asks of the worker. Pure: a delivery and who we are in, an intent out."""

from dataclasses import dataclass
from enum import StrEnum

from bot.github.values import Comment, Delivery, Issue, Repository


@dataclass(frozen=True, slots=True)
class Context:
    """Who we are. slug: the App's name in logins. allowed: accounts in lower case; empty means every account."""

    slug: str
    app_id: int
    allowed: frozenset[str] = frozenset()

    @property
    def login(self) -> str:
        return f"{self.slug}[bot]"


class Route(StrEnum):
    """Who takes care of it."""

    NOBODY = "nobody"
    ISSUE = "issue"
    PULL = "pull"
    POLICY = "policy"
    DESK = "desk"
    INSTALLATION = "installation"


@dataclass(frozen=True, slots=True)
class Intent:
    """reason: one plain line for the log.

    look: the issue's own text or state changed, so it will certainly be looked at: an older such delivery that still
        waits is superseded. A comment never supersedes anything, since it may turn out to ask for nothing.
    """

    route: Route
    reason: str
    look: bool = False


LOOKS = {"opened": "a new issue", "edited": "the issue was edited", "reopened": "the issue was reopened"}
COMMITS_CHANGED = ("opened", "synchronize", "reopened")
LABELS = {"labeled": "a label was added", "unlabeled": "a label was removed"}
TYPES = {"typed": "an issue type was set", "untyped": "an issue type was taken away"}


def route(delivery: Delivery, context: Context) -> Intent:
    """Bots in general are not ignored, they are the subjects; only what Bouncer itself caused is."""
    if delivery.event in ("installation", "installation_repositories"):
        return Intent(Route.INSTALLATION, f"{delivery.event} {delivery.action}")
    if delivery.repository is None:
        return nobody("it names no repository")
    if not allowed(delivery.repository, context):
        return nobody("the account may not use this server")
    if delivery.event == "push" or delivery.event == "pull_request":
        return _policy(delivery)
    if delivery.press is not None or delivery.group is not None:
        return nobody("the desk sees to it")
    if delivery.sender == context.login:
        return nobody("Bouncer itself did it")
    if delivery.event == "pull_request_review":
        return _review(delivery)
    if delivery.issue is None:
        return nobody("it names no issue")
    if delivery.event == "issues":
        return _issue(delivery)
    if delivery.event == "issue_comment":
        return _comment(delivery, delivery.issue, context)
    return nobody(f"Bouncer does not handle {delivery.event}")


def desk(delivery: Delivery, context: Context) -> Intent:
    """What it asks of a pull request's gate, beside what `route` says: one delivery may be about both."""
    if delivery.repository is None or not allowed(delivery.repository, context):
        return nobody("it concerns no gate")
    if delivery.event == "pull_request" and delivery.pull is not None:
        return Intent(Route.DESK, f"a pull request: {delivery.action}")
    if delivery.group is not None:
        return Intent(Route.DESK, f"a merge group: {delivery.action}")
    if delivery.press is not None:
        own = delivery.press.app_id == context.app_id
        return Intent(Route.DESK, "somebody pressed a check") if own else nobody("it is another App's check")
    if delivery.comment is not None and delivery.issue is not None and delivery.issue.is_pull_request:
        return (
            nobody("bots do not command")
            if delivery.sender_is_bot
            else Intent(Route.DESK, "a comment on a pull request")
        )
    return nobody("it concerns no gate")


def allowed(repository: Repository, context: Context) -> bool:
    """Whether this account may use this server."""
    return not context.allowed or repository.full_name.partition("/")[0].lower() in context.allowed


def subject_of(repository: Repository, issue: Issue) -> str:
    """The queue partition of an issue: its runs never overlap. Stable across renames and transfers."""
    return f"issue:{repository.id}:{issue.number}"


def nobody(reason: str) -> Intent:
    return Intent(Route.NOBODY, reason)


def _issue(delivery: Delivery) -> Intent:
    if delivery.action in LOOKS:
        return Intent(Route.ISSUE, LOOKS[delivery.action], look=True)
    if said := (LABELS | TYPES).get(delivery.action):
        return Intent(Route.ISSUE, said)
    if delivery.action == "closed":
        return nobody("closed issues are not judged")
    return nobody(f"Bouncer does not handle issues {delivery.action}")


def _review(delivery: Delivery) -> Intent:
    """Only what a bot rejects is put to the test: a person's word needs no second opinion from a bot."""
    if delivery.pull is None or delivery.review is None:
        return nobody("it names no review")
    if delivery.review.state != "changes_requested":
        return nobody("the review does not reject")
    if not delivery.review.author_is_bot:
        return nobody("a person's review is left alone")
    if delivery.pull.state != "open":
        return nobody("closed pull requests are not judged")
    return Intent(Route.PULL, "a review bot requested changes", look=True)


def _comment(delivery: Delivery, issue: Issue, context: Context) -> Intent:
    comment = delivery.comment
    if comment is None:
        return nobody("it names no comment")
    if issue.is_pull_request:
        return _pull_comment(delivery, comment)
    if comment.app_id == context.app_id or comment.author == context.login:
        return nobody("it is Bouncer's own comment")
    if comment.author_is_bot:
        return nobody("bots neither reply nor command")
    return Intent(Route.ISSUE, f"a comment was {delivery.action}")


def _pull_comment(delivery: Delivery, comment: Comment) -> Intent:
    """A command, or a person's tick in Bouncer's own comment. Bots neither command nor answer."""
    if delivery.sender_is_bot:
        return nobody("bots neither command nor answer")
    if delivery.action == "deleted":
        return nobody("a deleted comment asks for nothing")
    if comment.author_is_bot and delivery.action != "edited":
        return nobody("bots neither command nor answer")
    return Intent(Route.PULL, f"a comment on a pull request was {delivery.action}")


def _policy(delivery: Delivery) -> Intent:
    if delivery.commits is None:
        return nobody("it names no commits")
    if delivery.event == "pull_request" and delivery.action not in COMMITS_CHANGED:
        return nobody(f"the commits are as they were: {delivery.action}")
    if delivery.pull and delivery.repository and delivery.pull.head_repository == delivery.repository.full_name:
        return nobody("its commits were pushed here, and the push says whether the policy changed")
    if delivery.commits.touches_policy is False:
        return nobody("the policy did not change")
    return Intent(Route.POLICY, "the policy may have changed")
