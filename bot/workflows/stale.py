"""What the issue's own workflow does about a report that may be fixed already: have it looked at, say what was found,
write the brief, close what nobody objects to. The look itself takes minutes and is a workflow of its own (`fixed`)."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from pydantic import TypeAdapter

from bot.github.values import Comment, Issue
from bot.issues import lifecycle
from bot.issues.brief import brief
from bot.issues.decide import exempt, leave_alone
from bot.issues.facts import IssueFacts
from bot.issues.lifecycle import Plan
from bot.issues.parse import parse
from bot.issues.stale import FixPlan, Said, keeps_open, ready_again, told
from bot.policy import Brief, Mode, Policy, PolicyError
from bot.pulls.request import NamedIssue
from bot.pulls.stale import Looked, may_be_unneeded
from bot.rendering.comment import Below
from bot.rendering.fixed import Found, brief_early_note, closed_as_fixed_note, fixed_part, looked_note
from bot.reports import IssueText, Reply
from bot.storage.fixes import Fixes, FixRecord
from bot.storage.subjects import Subject
from bot.verdicts import Decision, IssueKind, State
from bot.workflows.jobs import FixedJob
from bot.workflows.look import MOST_REPLIES, Look, digest_of, is_reply, newest
from bot.workflows.memory import in_force

FOUND: TypeAdapter[Found] = TypeAdapter(Found)
_ACTIONABLE = (IssueKind.BUG, IssueKind.FEATURE)
_SKEW = timedelta(minutes=1)  # by which our clock may be ahead of GitHub's


@dataclass(frozen=True, slots=True)
class Applied:
    """What came of a look at an issue, and what follows. look_for: the fix of what it reports. brief: write one now.
    objected: somebody disagreed with what was said of a fix."""

    outcome: str
    look_for: FixedJob | None = None
    brief: bool = False
    objected: bool = False


class Stale:
    """One run's part. Everything here may be repeated after a kill, and raises `GitHubError`."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self.services = look.services
        self.job = look.job

    def begun(self, outcome: str, *, reopened: bool) -> Applied:
        """After a look: a clear bug report is looked for in the history, once for each text and each time somebody asks
        for a fresh look. Reopening objects to whatever was said of a fix."""
        objected = reopened and self.object()
        record, cleared, policy = self._record(), self.look.cleared, self._policy()
        if cleared is None or policy is None:
            return Applied(outcome, objected=objected)
        wanted = record.brief_wanted or (policy.issues.brief is Brief.AUTO and cleared.kind in _ACTIONABLE)
        if wanted and not record.brief_wanted:
            record = replace(record, brief_wanted=True)
            self.services.fixes.save(record)
        if not policy.issues.already_fixed.enabled or cleared.kind is not IssueKind.BUG:
            return Applied(outcome, brief=wanted, objected=objected)
        digest = digest_of(cleared.report, cleared.report.replies)
        if record.digest == digest and record.run_id != self._run_id and not self.look.forced:
            return Applied(outcome, objected=objected)
        return Applied(outcome, look_for=self._begin(record, cleared.report), objected=objected)

    def asked(self, *, by_hand: bool) -> Applied:
        """Whatever the issue's text is like, its fix is looked for: somebody said so, or took an issue that was held,
        which nobody looks at any more. by_hand: the answer is waited for."""
        policy = self._policy()
        if policy is None or not self.services.installed(self.job.installation_id):
            return Applied("not looked for: uninstalled, or the policy is invalid")
        issue, facts, _, policy = self._now(policy)
        if reason := exempt(facts, policy) or leave_alone(facts, policy, accepted=True):
            return Applied(f"not looked for: {reason}")
        if not policy.issues.already_fixed.enabled:
            return Applied("not looked for: the policy does not ask for it")
        job = self._begin(self._record(), text_of(issue, self._comments(issue)))
        comment = self.job.delivery.comment if self.job.delivery is not None else None
        if by_hand and comment is not None and policy.mode is not Mode.OBSERVE:
            self.look.client.react(comment.id, "eyes")
        return Applied("its fix is looked for", look_for=replace(job, asked=by_hand))

    @property
    def unseen(self) -> bool:
        """Whether nobody ever looked for its fix."""
        return not self._record().run_id

    def object(self) -> bool:
        """Somebody disagreed with what was said of a fix, which holds for good; nothing to disagree with is no
        objection."""
        record = self._record()
        if not record.said:
            return False
        self.services.fixes.save(replace(record, objected=True, close_at=None))
        return True

    def heard(self) -> str:
        """Somebody wrote something on an issue that was going to be closed: it stays open, and Bouncer says so."""
        record = self._record()
        found = found_in(record)
        if record.close_at is None or found is None:
            return "nothing was to be closed"
        policy = self._policy()
        if policy is None or policy.mode is Mode.OBSERVE or not self.services.installed(self.job.installation_id):
            return "not said: uninstalled, or the policy has Bouncer silent here"
        issue, facts, subject, policy = self._now(policy)
        comments = self._comments(issue)
        if not self._answered(comments, subject, record.told_at):
            return "nobody else wrote anything"
        return self._keep_open(record, found, issue, comments, facts, subject, policy)

    def tell(self) -> str:
        """Bring the issue in line with what was found."""
        record = self._record()
        found = found_in(record)
        if found is None:
            return "superseded: it is looked at again"
        if not (found.speaks or record.said or record.brief_wanted or self.job.asked):
            return f"{found.fixed.status}: nothing to say"
        if not self.services.installed(self.job.installation_id):
            return "uninstalled"
        try:
            policy = self.look.policy()
        except PolicyError as error:
            subject = self.services.subjects.get(self.job.repository.id, self.job.number)
            return self.look.policy_is_invalid(subject, error) if subject else "not told: the policy is invalid"
        issue, facts, subject, policy = self._now(policy)
        if digest_of(issue) != found.text:
            return "superseded: the report changed meanwhile"
        if reason := exempt(facts, policy) or leave_alone(facts, policy, accepted=True):
            return f"left alone: {reason}"
        if not policy.issues.already_fixed.enabled:
            return "left alone: the policy does not ask for it"
        comments = self._comments(issue)
        answered = bool(record.said) and record.written and self._answered(comments, subject, record.told_at)
        plan = told(facts, found, _said(record, answered=answered), policy)
        if policy.mode is Mode.OBSERVE:
            return plan.outcome
        return self._say(plan, record, found, issue, comments, facts, subject, policy)

    def brief(self) -> str:
        """Write the brief, or bring it up to date, where one is wanted."""
        policy = self._policy()
        if policy is None or not self.services.installed(self.job.installation_id):
            return "no brief: uninstalled, or the policy is invalid"
        issue, facts, subject, policy = self._now(policy)
        record = self._record()
        if policy.mode is Mode.OBSERVE or exempt(facts, policy) or not policy.issues.enabled:
            return "no brief: the policy has Bouncer silent here"
        comments = self._comments(issue)
        text = self._brief(issue, comments, found_in(record))
        self.services.fixes.save(replace(record, brief=text, brief_wanted=True))
        plan = Plan("brief", facts.history, below=Below(record.said, text))
        self.look.carry_out(plan, issue, comments, subject, policy)
        return "brief"

    def early(self) -> str:
        """Somebody asked for a brief on an issue that is not clear yet."""
        policy = self._policy()
        if policy is None:
            return "no brief: the policy is invalid"
        issue, facts, subject, policy = self._now(policy)
        plan = lifecycle.answered(facts, brief_early_note(), policy)
        self.look.carry_out(plan, issue, self._comments(issue), subject, policy)
        return "no brief: it is not clear yet"

    def close(self) -> str:
        """The time that the policy gives people to object is over."""
        record = self._record()
        found = found_in(record)
        if record.close_at is None or record.close_at > self.services.now():
            return "left open: its time has not come"
        policy = self._policy()
        if policy is None or not self.services.installed(self.job.installation_id):
            self.services.fixes.save(replace(record, close_at=self.services.now() + timedelta(days=1)))
            return "left open: uninstalled, or the policy is invalid"
        issue, facts, subject, policy = self._now(policy)
        comments = self._comments(issue)
        record = replace(record, close_at=None)
        reason = exempt(facts, policy) or leave_alone(facts, policy) or ""
        if found is None or digest_of(issue) != found.text:
            reason = reason or "the report changed meanwhile"
        else:
            answered = self._answered(comments, subject, record.told_at)
            reason = reason or keeps_open(facts, found, _said(record, answered=answered), policy)
        if reason:
            self.services.fixes.save(record)
            return f"left open: {reason}"
        days = (self.services.now() - (record.told_at or self.services.now())).days
        plan = Plan(f"closed as fixed after {days} days", facts.history, note=closed_as_fixed_note(days))
        self.look.carry_out(plan, issue, comments, subject, policy)
        assert found is not None
        comments = self.look.client.comments(issue.number)  # writing took a while, in which somebody may have objected
        if self._answered(comments, subject, record.told_at):
            return self._keep_open(record, found, issue, comments, facts, subject, policy)
        self.look.carry_out(replace(plan, note=None, close=True, fixed=True), issue, comments, subject, policy)
        self.services.fixes.save(record)
        return plan.outcome

    def _keep_open(
        self,
        record: FixRecord,
        found: Found,
        issue: Issue,
        comments: tuple[Comment, ...],
        facts: IssueFacts,
        subject: Subject,
        policy: Policy,
    ) -> str:
        """What stands there announces no closing any more."""
        said = fixed_part(found, stays_open=True)
        plan = Plan("left open: somebody wrote something", facts.history, below=Below(said, record.brief))
        self.look.carry_out(plan, issue, comments, subject, policy)
        self.services.fixes.save(replace(record, said=said, close_at=None))
        return plan.outcome

    def disagreed(self, label: str, policy: Policy) -> bool:
        """Somebody took off a label that Bouncer put on: it stays off, and nothing is closed."""
        record = self._record()
        if not record.label or record.label.lower() != label.lower():
            return False
        issue, facts, subject, policy = self._now(policy)
        ready = ready_again(facts, record.label, policy)
        if ready and not facts.has_label(ready):
            plan = Plan("it is open again", facts.history, labels_add=(ready,))
            self.look.carry_out(plan, issue, None, subject, policy)
        self.services.fixes.save(replace(record, label="", objected=True, close_at=None))
        return True

    @property
    def _run_id(self) -> str:
        """Of the run that this one starts."""
        return f"fixed:{self.job.run_id}"

    def _begin(self, record: FixRecord, report: IssueText) -> FixedJob:
        """The next look; what an older one finds is not wanted any more."""
        job = FixedJob(
            run_id=self._run_id,
            seq=self.job.seq,
            installation_id=self.job.installation_id,
            repository=self.job.repository,
            number=self.job.number,
            report=report,
            text=digest_of(report),
        )
        if record.run_id != job.run_id:
            digest = digest_of(report, report.replies)
            self.services.fixes.begin(replace(record, run_id=job.run_id, digest=digest, found="", close_at=None))
        return job

    def _say(
        self,
        plan: FixPlan,
        record: FixRecord,
        found: Found,
        issue: Issue,
        comments: tuple[Comment, ...],
        facts: IssueFacts,
        subject: Subject,
        policy: Policy,
    ) -> str:
        """What is going to be written is stored first, so that after a kill the label is known to be Bouncer's; that it
        is on the issue is stored last, so that one a kill kept off is not taken for one that somebody took off."""
        now, days = self.services.now(), plan.close_in_days
        known = replace(
            record,
            said=plan.text,
            brief=self._brief(issue, comments, found) if record.brief_wanted else record.brief,
            label=plan.ours,
            written=False,
            objected=plan.objected,
            told_at=record.told_at or (now if plan.text else None),
            close_at=now + timedelta(days=days) if days is not None else None,
        )
        if plan.remove:
            self.services.fixes.save(replace(record, written=False))
        for name in plan.remove:
            self.look.client.remove_label(issue.number, name)
        self.services.fixes.save(known)
        below = Below(known.said, known.brief)
        note = looked_note(found) if self.job.asked and not plan.text else None
        if below != Below() or plan.add or note:
            written = Plan(plan.outcome, facts.history, labels_add=plan.add, below=below, note=note)
            self.look.carry_out(written, issue, comments, subject, policy)
        self.services.fixes.save(replace(known, written=True))
        return plan.outcome

    def _comments(self, issue: Issue) -> tuple[Comment, ...]:
        return self.look.client.comments(issue.number) if issue.comments else ()

    def _now(self, policy: Policy) -> tuple[Issue, IssueFacts, Subject, Policy]:
        """The issue as it is, and the policy as it goes for it."""
        issue = self.look.client.get_issue(self.job.number)
        subject = self.look.subject(issue)
        policy = in_force(policy, subject)
        return issue, self.look.facts(issue, (), subject, policy), subject, policy

    def _brief(self, issue: Issue, comments: tuple[Comment, ...], found: Found | None) -> str:
        text = text_of(issue, comments)
        usable = found if found and found.text == digest_of(issue) else None
        return brief(parse(text), usable, () if usable else self.services.examiner.shown(text))

    def _answered(self, comments: tuple[Comment, ...], subject: Subject, told_at: datetime | None) -> bool:
        """Whether anybody but Bouncer wrote anything since it was said, or dislikes Bouncer's comment."""
        since = told_at - _SKEW if told_at else None
        others = [comment for comment in comments if not self.look.client.is_own(comment)]
        own = next((comment for comment in comments if comment.id == subject.comment_id), None)
        later = any(since is None or datetime.fromisoformat(each.updated_at) >= since for each in others)
        return later or own is None or own.against > 0

    def _policy(self) -> Policy | None:
        try:
            return self.look.policy()
        except PolicyError:
            return None

    def _record(self) -> FixRecord:
        found = self.services.fixes.get(self.job.repository.id, self.job.number)
        blank = FixRecord(
            repo_id=self.job.repository.id,
            number=self.job.number,
            installation_id=self.job.installation_id,
            repository=self.job.repository.full_name,
        )
        return replace(found or blank, installation_id=blank.installation_id, repository=blank.repository)


def accepted(subject: Subject | None) -> bool:
    """Whether the issue may be worked on: it was found clear, or a maintainer took it as it is."""
    if subject is None or subject.state is State.ACCEPTED:
        return subject is not None
    return subject.verdict is not None and subject.verdict.decision is Decision.ACCEPT and not subject.held


def found_in(record: FixRecord | None) -> Found | None:
    """What the last look found; `None` while there is nothing."""
    return FOUND.validate_json(record.found) if record is not None and record.found else None


def looked_at(fixes: Fixes, repo_id: int, issues: tuple[NamedIssue, ...]) -> tuple[Looked, ...]:
    """What is known of the fix of each of these; nothing unless it is known of all, as they are written now, and nobody
    disagreed."""
    found = []
    for issue in issues:
        record = fixes.get(repo_id, issue.number)
        known = found_in(record)
        if record is None or record.objected or known is None or known.text != digest_of(issue):
            return ()
        found.append(Looked(issue.number, known))
    return tuple(found)


def all_fixed(fixes: Fixes, repo_id: int, issues: tuple[int, ...]) -> bool:
    """Whether running showed of each of these that it is fixed, and nobody disagreed."""
    records = [fixes.get(repo_id, number) for number in issues]
    found = [Looked(each.number, known) for each in records if each and not each.objected and (known := found_in(each))]
    return len(found) == len(issues) and may_be_unneeded(tuple(found))


def text_of(issue: Issue, comments: tuple[Comment, ...]) -> IssueText:
    """What people wrote, as far as a judge would read it."""
    replies = newest(
        Reply(comment.author, comment.author == issue.author, comment.body)
        for comment in comments[-MOST_REPLIES:]
        if is_reply(comment)
    )
    return IssueText(issue.title, issue.body, replies)


def _said(record: FixRecord, *, answered: bool) -> Said:
    return Said(record.said, record.label, record.written, record.objected, answered)
