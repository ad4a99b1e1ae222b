"""Between what is stored of an issue and what the decision may know of it."""

from dataclasses import dataclass, replace
from datetime import datetime

from bot.github.values import Comment, Issue
from bot.issues.exemptions import why_no_look
from bot.issues.facts import IssueFacts, IssueHistory
from bot.policy import Policy
from bot.policy_choices import Mode
from bot.storage.subjects import SubjectRecord
from bot.workflows.jobs import RunJob


@dataclass(frozen=True, slots=True)
class IssueNow:
    """The issue as it is, what is known of it, and the policy as it goes for it. comments: where they were listed
    since."""

    issue: Issue
    facts: IssueFacts
    subject: SubjectRecord
    policy: Policy
    comments: tuple[Comment, ...] | None = None

    @property
    def own(self) -> Comment | None:
        """Bouncer's one comment, as long as nobody deleted it."""
        return next((each for each in self.comments or () if each.id == self.subject.comment_id), None)

    @property
    def silent(self) -> str:
        """Why nothing is said here of a fix; empty where something may be."""
        reason = why_no_look(self.facts, self.policy, accepted=True)
        enabled = self.policy.issues.already_fixed.enabled
        return reason or ("" if enabled else "the policy does not ask for it")


def subject_of(job: RunJob, found: SubjectRecord | None, author: str) -> SubjectRecord:
    """What is stored, or the blank row of an issue that is new to Bouncer; renamed and moved along with it."""
    if found is None:
        return SubjectRecord(**job.key, author=author, private=job.repository.private)
    private = job.repository.private if job.delivery is not None else found.private
    return replace(found, **job.whereabouts, author=found.author or author, private=private)


def history(subject: SubjectRecord, issue: Issue, policy: Policy) -> IssueHistory:
    """The decision's view.

    `held` is stored before the label is written, `asked_at` after everything was. So a hold without `asked_at` whose
    label is missing is one that a kill cut short: it did not happen yet.
    """
    present = _is_labelled(issue, policy)
    return IssueHistory(
        state=subject.state,
        held=subject.held and (present or subject.asked_at is not None),
        asked=subject.asked,
        satisfied=subject.satisfied,
        commented=subject.comment_id is not None,
        judged=bool(subject.judged_hash),
        reminded=subject.reminded_at is not None,
        label_by_human=subject.label_by_human,
        asked_by_label=subject.asked_by_label,
        left_alone=subject.left_alone,
    )


def in_force(policy: Policy, subject: SubjectRecord) -> Policy:
    """The policy as it goes for this subject: what holds it keeps the name under which it was put on.

    Where the policy switches issues off nothing is written, not even an answer.
    """
    mode = policy.mode if policy.issues.enabled else Mode.OBSERVE
    labels = policy.issues.labels
    if subject.held and subject.label:
        labels = labels.model_copy(update={"needs_clarification": subject.label})
    issues = policy.issues.model_copy(update={"labels": labels})
    return policy.model_copy(update={"mode": mode, "issues": issues})


def adopt_label(subject: SubjectRecord, issue: Issue, policy: Policy) -> SubjectRecord:
    """A label that is on an issue which Bouncer does not hold is somebody else's. `issue` was read just now."""
    ours = subject.held or not _is_labelled(issue, policy)
    return subject if ours else replace(subject, label_by_human=True)


def label_taken_off(subject: SubjectRecord, issue: Issue, policy: Policy) -> bool:
    """Somebody took Bouncer's label off, and the delivery that says so is still on its way."""
    return subject.held and subject.asked_at is not None and not _is_labelled(issue, policy)


def _is_labelled(issue: Issue, policy: Policy) -> bool:
    """Whether the label that holds an issue is on this one."""
    return policy.issues.labels.is_holding(issue.labels)


def with_history(subject: SubjectRecord, after: IssueHistory, now: datetime) -> SubjectRecord:
    """What to store once a plan is carried out."""
    return replace(
        subject,
        state=after.state,
        held=after.held,
        label=subject.label if after.held else "",
        asked=after.asked,
        satisfied=after.satisfied,
        asked_at=(subject.asked_at or now) if after.held else None,
        reminded_at=(subject.reminded_at or now) if after.reminded else None,
        label_by_human=after.label_by_human,
        left_alone=after.left_alone,
    )
