"""Carry a plan out on GitHub. Every write may happen again after a kill, and is then no second one."""

import logging
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime

from bot.github.client import RepositoryClient
from bot.github.errors import Forbidden, NotFound
from bot.github.values import Comment, Issue
from bot.issues.facts import CommentParts
from bot.issues.lifecycle import Plan
from bot.issues.messages import Note
from bot.policy import Issues
from bot.policy_choices import Mode
from bot.rendering.comment import MARKER, REMINDER_MARKER, with_note, with_parts
from bot.rendering.issue_messages import message_text
from bot.storage.subjects import SubjectRecord, Subjects
from bot.workflows.issue.record import IssueNow, with_history

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


def carry_out(
    client: RepositoryClient,
    plan: Plan,
    now: IssueNow,
    subjects: Subjects,
    at: datetime,
    below: CommentParts = CommentParts(),  # noqa: B008 (frozen)
) -> tuple[SubjectRecord, tuple[str, ...]]:
    """Write what the plan says, nothing in observe mode. The caller stores the subject, last of all; with it, what was
    written, a short phrase each. below: what stands below the head of the one comment, unless the plan says otherwise.

    The hold is stored before its label is put on, and that it ends before the label comes off. So after a kill, or when
    GitHub fails in between, the label is known to be Bouncer's doing, and the rest is done by the next look.
    """
    issue, subject, policy, applied = now.issue, now.subject, now.policy, list[str]()
    if policy.mode is Mode.OBSERVE:
        return with_history(subject, plan.history, at), ()
    needs = policy.issues.labels.needs_clarification
    if plan.reopen:  # first: what is half done after that is done again, as on any open issue
        client.reopen_issue(issue.number)
        applied.append("opened again")
    for name in plan.labels_add:
        if name == needs:
            subject = replace(subject, held=True, label=name, asked_at=None)
            subjects.save(as_half_written(subject))
        client.add_label(issue.number, name, **_look_of(name, policy.issues))
        applied.append(f"label {name}")
    for name in plan.labels_remove:
        if name == needs and subject.held:
            subjects.save(as_half_written(subject))
        client.remove_label(issue.number, name)
        applied.append(f"label {name} removed")
    subject, commented = _comment(client, plan, replace(now, subject=subject), plan.below or below)
    applied += commented
    if plan.reminder is not None and _remind(client, message_text(plan.reminder, plan.language), now, subject):
        applied.append("reminder")
    if plan.close:
        client.close_issue(issue.number, "completed" if plan.fixed else "not_planned")
        applied.append("closed")
    return with_history(subject, plan.history, at), tuple(applied)


def as_half_written(subject: SubjectRecord) -> SubjectRecord:
    """A hold that is only half written or half ended; its text counts as not judged, so that a look follows."""
    return replace(subject, asked_at=None, judged_hash="")


def _comment(
    client: RepositoryClient, plan: Plan, now: IssueNow, below: CommentParts
) -> tuple[SubjectRecord, list[str]]:
    """Create or edit the one comment; a note alone goes below what stands there."""
    subject, said = now.subject, plan.comment
    if said is None and plan.note is None and plan.below is None:
        return subject, []
    if isinstance(said, Note) and said.template == "vulnerability":
        said = Note(said.template, {"policy": client.security_policy()})
    standing = None
    if subject.comment_id is None or now.comments is not None or said is None:
        standing = _standing(client, now)
        subject = replace(subject, comment_id=standing.id if standing else None)
    body = message_text(said, plan.language) if said is not None else (standing.body if standing else "")
    if said is not None or plan.below is not None:
        body = with_parts(body, below)
    if plan.note is not None:
        body = with_note(body, message_text(plan.note, plan.language))
    if standing is not None and same(standing.body, body):
        return subject, []
    try:
        return _write(client, now.issue, subject, body)
    except Forbidden:
        if not now.issue.locked:
            raise
        log.info("%s is locked: no comment", now.issue.html_url)
        return subject, []


def _listed(client: RepositoryClient, now: IssueNow) -> tuple[Comment, ...]:
    if now.comments is not None:
        return now.comments
    return client.comments(now.issue.number) if now.issue.comments else ()


def _own(client: RepositoryClient, comments: Iterable[Comment], marker: str) -> Iterator[Comment]:
    """This App's comments with the marker. Anybody can write the marker; nobody can be the App."""
    return (each for each in comments if marker in each.body and client.is_own(each))


def _standing(client: RepositoryClient, now: IssueNow) -> Comment | None:
    """The one comment: the known one whatever a maintainer made of its text, else the one with the marker."""
    comments = _listed(client, now)
    known = (comment for comment in comments if comment.id == now.subject.comment_id)
    return next(known, None) or next(_own(client, comments, MARKER), None)


def _write(
    client: RepositoryClient, issue: Issue, subject: SubjectRecord, body: str
) -> tuple[SubjectRecord, list[str]]:
    if subject.comment_id is not None:
        try:
            client.update_comment(subject.comment_id, body)
        except NotFound:
            log.info("the comment on %s was deleted; writing a new one", issue.html_url)
        else:
            return subject, ["comment edited"]
    created = client.create_comment(issue.number, body)
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


def _remind(client: RepositoryClient, text: str, now: IssueNow, subject: SubjectRecord) -> bool:
    """Once a hold: a reminder written since it began is that one."""
    since = subject.asked_at
    for comment in _own(client, _listed(client, now), REMINDER_MARKER):
        if since is None or datetime.fromisoformat(comment.created_at) >= since.replace(microsecond=0):
            return False
    client.create_comment(now.issue.number, text)
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
