"""Carry a plan out on GitHub. Every write may happen again after a kill, and is then no second one."""

import logging
from dataclasses import dataclass, replace
from datetime import datetime

from bot.github.client import RepositoryClient
from bot.github.errors import Forbidden, NotFound
from bot.github.values import Comment, Issue
from bot.issues.facts import CommentParts
from bot.issues.lifecycle import Plan
from bot.issues.messages import PrivatePlease
from bot.policy import Issues, Policy
from bot.policy_choices import Mode
from bot.rendering.comment import MARKER, REMINDER_MARKER, with_note, with_parts
from bot.rendering.issue_messages import message_text
from bot.storage.subjects import SubjectRecord, Subjects
from bot.workflows.issue.record import with_history

COLORS = {
    "needs_clarification": "fbca04",
    "agent_ready": "0e8a16",
    "within_reach": "bfd4f2",
    "already_fixed": "5319e7",
    "possibly_fixed": "c5def5",
}
DESCRIPTIONS = {
    "needs_clarification": "Bouncer asked the reporter for what is missing",
    "agent_ready": "Says enough to act on",
    "within_reach": "Coding agents often resolve such issues: a guess",
    "already_fixed": "What it reports was run, and does not happen any more",
    "possibly_fixed": "A later change may have fixed it",
}

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class IssueTarget:
    """Where a plan is carried out. comments: the issue's, where they were listed after `issue` was read."""

    client: RepositoryClient
    issue: Issue
    comments: tuple[Comment, ...] | None

    def own(self, marker: str) -> tuple[Comment, ...]:
        """This App's comments with the marker. Anybody can write the marker; nobody can be the App."""
        return tuple(
            comment for comment in self.list_comments() if marker in comment.body and self.client.is_own(comment)
        )

    def list_comments(self) -> tuple[Comment, ...]:
        if self.comments is not None:
            return self.comments
        return self.client.comments(self.issue.number) if self.issue.comments else ()


@dataclass(frozen=True, slots=True)
class AppliedPlan:
    """subject: what to store. applied: what was written, a short phrase each."""

    subject: SubjectRecord
    applied: tuple[str, ...] = ()


def carry_out(
    plan: Plan,
    place: IssueTarget,
    subject: SubjectRecord,
    policy: Policy,
    subjects: Subjects,
    now: datetime,
    below: CommentParts = CommentParts(),  # noqa: B008 (frozen)
) -> AppliedPlan:
    """Write what the plan says, nothing in observe mode. The caller stores the subject, last of all. below: what stands
    below the head of the one comment, unless the plan says otherwise.

    The hold is stored before its label is put on, and that it ends before the label comes off. So after a kill, or when
    GitHub fails in between, the label is known to be Bouncer's doing, and the rest is done by the next look.
    """
    if policy.mode is Mode.OBSERVE:
        return AppliedPlan(with_history(subject, plan.history, now))
    applied: list[str] = []
    needs = policy.issues.labels.needs_clarification
    for name in plan.labels_add:
        if name == needs:
            subject = replace(subject, held=True, label=name, asked_at=None)
            subjects.save(as_half_written(subject))
        place.client.add_label(place.issue.number, name, **_look_of(name, policy.issues))
        applied.append(f"label {name}")
    for name in plan.labels_remove:
        if name == needs and subject.held:
            subjects.save(as_half_written(subject))
        place.client.remove_label(place.issue.number, name)
        applied.append(f"label {name} removed")
    subject, commented = _comment(plan, place, subject, plan.below or below)
    applied += commented
    if plan.reminder is not None and _remind(message_text(plan.reminder, plan.language), place, subject):
        applied.append("reminder")
    if plan.close:
        place.client.close_issue(place.issue.number, "completed" if plan.fixed else "not_planned")
        applied.append("closed")
    return AppliedPlan(with_history(subject, plan.history, now), tuple(applied))


def as_half_written(subject: SubjectRecord) -> SubjectRecord:
    """A hold that is only half written or half ended; its text counts as not judged, so that a look follows."""
    return replace(subject, asked_at=None, judged_hash="")


def _comment(
    plan: Plan, place: IssueTarget, subject: SubjectRecord, below: CommentParts
) -> tuple[SubjectRecord, list[str]]:
    """Create or edit the one comment; a note alone goes below what stands there."""
    if plan.comment is None and plan.note is None and plan.below is None:
        return subject, []
    if isinstance(plan.comment, PrivatePlease):
        plan = replace(plan, comment=PrivatePlease(place.client.security_policy()))
    standing = None
    if subject.comment_id is None or place.comments is not None or plan.comment is None:
        standing = _standing(place, subject)
        subject = replace(subject, comment_id=standing.id if standing else None)
    body = (
        message_text(plan.comment, plan.language) if plan.comment is not None else (standing.body if standing else "")
    )
    if plan.comment is not None or plan.below is not None:
        body = with_parts(body, below)
    if plan.note is not None:
        body = with_note(body, message_text(plan.note, plan.language))
    if standing is not None and same(standing.body, body):
        return subject, []
    try:
        return _write(place, subject, body)
    except Forbidden:
        if not place.issue.locked:
            raise
        log.info("%s is locked: no comment", place.issue.html_url)
        return subject, []


def _standing(place: IssueTarget, subject: SubjectRecord) -> Comment | None:
    """The one comment: the known one whatever a maintainer made of its text, else the one with the marker."""
    known = (comment for comment in place.list_comments() if comment.id == subject.comment_id)
    return next(known, None) or next(iter(place.own(MARKER)), None)


def _write(place: IssueTarget, subject: SubjectRecord, body: str) -> tuple[SubjectRecord, list[str]]:
    if subject.comment_id is not None:
        try:
            place.client.update_comment(subject.comment_id, body)
        except NotFound:
            log.info("the comment on %s was deleted; writing a new one", place.issue.html_url)
        else:
            return subject, ["comment edited"]
    created = place.client.create_comment(place.issue.number, body)
    return replace(subject, comment_id=created.id), ["comment"]


def same(standing: str, wanted: str) -> bool:
    """Whether GitHub would store both alike."""
    return _stored(standing) == _stored(wanted)


def contains(standing: str, part: str) -> bool:
    """Whether a comment still says this."""
    return _stored(part) in _stored(standing)


def _stored(text: str) -> str:
    """GitHub stores Markdown with its own line ends and without blank space at the end."""
    return text.replace("\r\n", "\n").strip()


def _remind(text: str, place: IssueTarget, subject: SubjectRecord) -> bool:
    """Once a hold: a reminder written since it began is that one."""
    since = subject.asked_at
    for comment in place.own(REMINDER_MARKER):
        if since is None or datetime.fromisoformat(comment.created_at) >= since.replace(microsecond=0):
            return False
    place.client.create_comment(place.issue.number, text)
    return True


def _look_of(name: str, issues: Issues) -> dict[str, str]:
    kinds = {
        issues.labels.needs_clarification: "needs_clarification",
        issues.already_fixed.labels.already_fixed: "already_fixed",
        issues.already_fixed.labels.possibly_fixed: "possibly_fixed",
        issues.labels.within_reach: "within_reach",
    }
    kind = kinds.get(name, "agent_ready")
    return {"color": COLORS[kind], "description": DESCRIPTIONS[kind]}
