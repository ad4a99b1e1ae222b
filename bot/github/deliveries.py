"""What GitHub delivers, as values."""

import re
from dataclasses import dataclass

from bot.github.values import Comment, Commits, Issue, Pull, Repository, Review


@dataclass(frozen=True, slots=True)
class Press:
    """Somebody pressed something beside a check: re-run of one run or of all, or one of its buttons.

    app_id: whose check it is; only our own concern us. identifier: of the button, empty for a re-run.
    """

    head: str
    app_id: int
    identifier: str = ""


# How the branch of a group ends that the merge queue makes: the pull request it adds, and the commit it comes upon.
QUEUED_PULL = re.compile(r"/pr-(\d{1,18})-([0-9a-f]{40}|[0-9a-f]{64})\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class MergeGroup:
    """What the merge queue is about to merge. head: the commit to judge; base: the commit it comes upon, which may be
    the head of the group before it.

    base_branch: where it goes. number: the pull request this group adds, `None` when its branch does not tell.
    reason: why a destroyed group is gone: `merged`, `invalidated` or `dequeued`.
    """

    head: str
    base: str
    base_branch: str
    number: int | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One webhook delivery, reduced to what Bouncer uses.

    label: the label added or removed (`issues` and `pull_request` labeled, unlabeled).
    previous_body: the text before an edit of the issue, comment or pull request (`changes.body.from`), `None` when it
        was not edited.
    remarks: the numbers of the line comments that it is about.
    changed: which of `title`, `body` and `base` an edit of a pull request changed; empty when GitHub does not say.
    account: the account an `installation*` event is about.
    repositories: those an `installation*` event adds or removes (`full_name` and id).
    """

    event: str
    action: str
    installation_id: int
    sender: str
    sender_is_bot: bool
    repository: Repository | None = None
    issue: Issue | None = None
    comment: Comment | None = None
    label: str = ""
    previous_body: str | None = None
    changed: tuple[str, ...] = ()
    commits: Commits | None = None
    pull: Pull | None = None
    review: Review | None = None
    remarks: tuple[int, ...] = ()
    press: Press | None = None
    group: MergeGroup | None = None
    account: str = ""
    repositories: tuple[Repository, ...] = ()

    @property
    def subject(self) -> str:
        """What it is about, for the log: `OWNER/REPO#N`, `OWNER/REPO`, or an account."""
        if self.repository is None:
            return self.account
        return f"{self.repository.full_name}#{self.number}" if self.number else self.repository.full_name

    @property
    def number(self) -> int:
        """Of the issue or pull request that it is about; 0 without one."""
        numbered = (self.issue, self.pull, self.commits, self.group)
        return next((each.number for each in numbered if each is not None and each.number), 0)

    @property
    def commit(self) -> str:
        """The commit it is about, full SHA; empty without one."""
        found = self.pull or self.press or self.group or self.commits
        return found.head if found is not None else ""


@dataclass(frozen=True, slots=True)
class Ignored:
    """Nothing to do for this delivery; `reason` is the line GitHub's delivery log shows."""

    reason: str


@dataclass(frozen=True, slots=True)
class HookDelivery:
    """One attempt to deliver a webhook, from the App's delivery log. status_code is the answer's; GitHub's times."""

    id: int
    guid: str
    event: str
    action: str
    delivered_at: str
    redelivery: bool
    status_code: int
    installation_id: int | None

    @property
    def is_delivered(self) -> bool:
        return 200 <= self.status_code < 300
