"""What the issue's own workflow does about a report that may be fixed already: have it looked at, say what was found,
write the brief, close what nobody objects to. The look itself takes minutes and is a workflow of its own (`fixed`)."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.github.errors import Gone
from bot.github.values import Comment, Issue
from bot.issues import lifecycle
from bot.issues.brief import brief
from bot.issues.commands import Word
from bot.issues.commands import parse as parse_commands
from bot.issues.decide import exempt, leave_alone
from bot.issues.facts import IssueFacts
from bot.issues.lifecycle import Plan
from bot.issues.parse import parse
from bot.issues.stale import FixPlan, Said, keeps_open, ready_again, told
from bot.policy import Brief, Mode, Policy, PolicyError
from bot.rendering.comment import Below
from bot.rendering.fixed import (
    Found,
    brief_early_note,
    closed_as_fixed_note,
    fixed_part,
    looked_note,
    taken_back_part,
)
from bot.reports import IssueText, Reply
from bot.storage.fixes import FixRecord
from bot.storage.subjects import Subject
from bot.verdicts import Decision, IssueKind, State
from bot.workflows.jobs import FixedJob
from bot.workflows.known import found_in
from bot.workflows.look import MOST_REPLIES, Look, digest_of, is_reply, newest
from bot.workflows.memory import in_force

_ACTIONABLE = (IssueKind.BUG, IssueKind.FEATURE)
_ASKING = (Word.BRIEF, Word.FIXED, Word.HELP)  # what nobody disagrees by
_SKEW = timedelta(minutes=1)  # by which our clock may be ahead of GitHub's


@dataclass(frozen=True, slots=True)
class Applied:
    """What came of a look at an issue, and what follows. look_for: the fix of what it reports. brief: write one now.
    objected: somebody disagreed with what was said of a fix."""

    outcome: str
    look_for: FixedJob | None = None
    brief: bool = False
    objected: bool = False


@dataclass(frozen=True, slots=True)
class Now:
    """The issue as it is, and the policy as it goes for it. comments: where they were listed since."""

    issue: Issue
    facts: IssueFacts
    subject: Subject
    policy: Policy
    comments: tuple[Comment, ...] | None = None

    @property
    def own(self) -> Comment | None:
        """Bouncer's one comment, as long as nobody deleted it."""
        return next((each for each in self.comments or () if each.id == self.subject.comment_id), None)

    @property
    def silent(self) -> str:
        """Why nothing is said here of a fix; empty where something may be."""
        reason = exempt(self.facts, self.policy) or leave_alone(self.facts, self.policy, accepted=True)
        enabled = self.policy.issues.already_fixed.enabled
        return reason or ("" if enabled else "the policy does not ask for it")


class Stale:
    """One run's part. Everything here may be repeated after a kill, and raises `GitHubError`."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self.services = look.services
        self.job = look.job

    def begun(self, outcome: str, *, reopened: bool) -> Applied:
        """After a look: a clear bug report is looked for in the history, once for each text and each time somebody asks
        for a fresh look; and whatever became of one of whose fix something stands there. Reopening objects to that."""
        objected = reopened and self.object()
        record, read, policy = self._record(), self.look.read, self._policy()
        if read is None or policy is None:
            return Applied(outcome, objected=objected)
        invited = read.clear and policy.issues.brief is Brief.AUTO and read.kind in _ACTIONABLE
        if invited and not record.brief_wanted:
            record = replace(record, brief_wanted=True)
            self.services.fixes.save(record)
        suspected = (read.clear and read.kind is IssueKind.BUG) or record.said not in ("", taken_back_part())
        if not policy.issues.already_fixed.enabled or not suspected:
            return Applied(outcome, brief=read.clear and record.brief_wanted, objected=objected)
        digest = digest_of(read.report, read.report.replies)
        if record.digest == digest and record.run_id != self._run_id and not self.look.forced:
            return Applied(outcome, objected=objected)
        return Applied(outcome, look_for=self._begin(record, read.report), objected=objected)

    def asked(self, *, by_hand: bool) -> Applied:
        """Whatever the issue's text is like, its fix is looked for: somebody said so, or took an issue that was held,
        which nobody looks at any more. by_hand: the answer is waited for."""
        policy = self._policy()
        if policy is None or not self.services.installed(self.job.installation_id):
            return Applied("not looked for: uninstalled, or the policy is invalid")
        now = self._now(policy)
        if now.silent:
            return Applied(f"not looked for: {now.silent}")
        now = self._listed(now)
        job = self._begin(self._record(), text_of(now.issue, now.comments or ()))
        comment = self.job.delivery.comment if self.job.delivery is not None else None
        if by_hand and comment is not None and now.policy.mode is not Mode.OBSERVE:
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
        self.services.fixes.save(replace(record, objected=True))
        self._stay_open()
        return True

    def heard(self) -> str:
        """Somebody wrote something on an issue that was going to be closed: it stays open, and Bouncer says so."""
        record = self._record()
        now = self._announced(record)
        if now is None or not self._answered(now, record):
            return "nothing was to be closed, or nobody else wrote anything"
        return self._rewritten(record, now)

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
        now = self._now(policy)
        if digest_of(now.issue) != found.text:
            return "superseded: the report changed meanwhile"
        if now.silent:
            return f"left alone: {now.silent}"
        now = self._listed(now)
        written = text_of(now.issue, now.comments or ())
        meanwhile = digest_of(written, written.replies) != record.digest
        answered = meanwhile or (bool(record.said) and record.written and self._answered(now, record))
        plan = told(now.facts, found, _said(record, answered=answered), now.policy)
        return plan.outcome if now.policy.mode is Mode.OBSERVE else self._say(plan, record, found, now)

    def brief(self) -> str:
        """Write the brief, or bring it up to date, where one is wanted."""
        policy = self._policy()
        if policy is None or not self.services.installed(self.job.installation_id):
            return "no brief: uninstalled, or the policy is invalid"
        now, record = self._now(policy), self._record()
        if now.policy.mode is Mode.OBSERVE or exempt(now.facts, now.policy) or not now.policy.issues.enabled:
            return "no brief: the policy has Bouncer silent here"
        now = self._listed(now)
        text = self._brief(now, found_in(record))
        self.services.fixes.save(replace(record, brief=text, brief_wanted=True))
        return self._carry_out(Plan("brief", now.facts.history, below=Below(record.said, text)), now)

    def early(self) -> str:
        """Somebody asked for a brief on an issue that is not clear yet."""
        policy = self._policy()
        if policy is None:
            return "no brief: the policy is invalid"
        now = self._listed(self._now(policy))
        self._carry_out(lifecycle.answered(now.facts, brief_early_note(), now.policy), now)
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
        try:
            now = self._listed(self._now(policy))
        except Gone:
            self.services.fixes.save(replace(record, close_at=None))
            return "left open: it is not here any more"
        if reason := self._spoken_for(record, found, now):
            self._stay_open()
            return f"left open: {reason}"
        told_at = record.told_at or self.services.now()
        if told_at + _delay(now.policy) > self.services.now():
            return self._rewritten(record, now, delay=_delay(now.policy))
        days = (self.services.now() - told_at).days
        plan = Plan(f"closed as fixed after {days} days", now.facts.history, note=closed_as_fixed_note(days))
        self._carry_out(plan, now)
        now = replace(now, comments=self.look.client.comments(now.issue.number))  # writing took a while
        if self._answered(now, record):
            return self._rewritten(record, now)
        self._carry_out(replace(plan, note=None, close=True, fixed=True), now)
        self.services.fixes.save(replace(record, close_at=None))
        return plan.outcome

    def _spoken_for(self, record: FixRecord, found: Found | None, now: Now) -> str:
        """Why an issue whose time has come stays open; empty where nothing speaks for it."""
        if reason := exempt(now.facts, now.policy) or leave_alone(now.facts, now.policy):
            return reason
        if found is None or digest_of(now.issue) != found.text:
            return "the report changed meanwhile"
        return keeps_open(now.facts, found, _said(record, answered=self._answered(now, record)), now.policy)

    def _stay_open(self) -> None:
        """Nothing is closed, and what stands there announces it no more."""
        record = self._record()
        now = self._announced(record)
        if now is None:
            self.services.fixes.save(replace(record, close_at=None))
        else:
            self._rewritten(record, now)

    def _announced(self, record: FixRecord) -> Now | None:
        """The issue with its comments, where it is announced that it will be closed and something may be said."""
        policy = self._policy()
        if record.close_at is None or policy is None or not self.services.installed(self.job.installation_id):
            return None
        now = self._now(policy)
        may = now.policy.mode is not Mode.OBSERVE and now.facts.state == "open" and not now.facts.locked
        return self._listed(now) if may else None

    def _rewritten(self, record: FixRecord, now: Now, *, delay: timedelta | None = None) -> str:
        """The same is said of the fix, and something else of closing: that it stays open, or comes later."""
        found = found_in(record)
        if now.own is not None and found is not None and digest_of(now.issue) == found.text:
            said = fixed_part(found, stays_open=delay is None, close_in_days=delay.days if delay else None)
            self._carry_out(Plan("closing", now.facts.history, below=Below(said, record.brief)), now)
            record = replace(record, said=said)
        close_at = record.told_at + delay if delay and record.told_at else None
        self.services.fixes.save(replace(record, close_at=close_at))
        return "left open for now: the policy gives more time" if delay else "left open: somebody wrote something"

    def disagreed(self, label: str, policy: Policy) -> bool:
        """Somebody took off a label that Bouncer put on: it stays off, and nothing is closed."""
        record = self._record()
        if not record.label or record.label.lower() != label.lower():
            return False
        now = self._now(policy)
        ready = ready_again(now.facts, record.label, now.policy)
        if ready and not now.facts.has_label(ready):
            self._carry_out(Plan("it is open again", now.facts.history, labels_add=(ready,)), now)
        self.services.fixes.save(replace(record, label="", objected=True))
        self._stay_open()
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

    def _say(self, plan: FixPlan, record: FixRecord, found: Found, now: Now) -> str:
        """What is going to be written is stored first, so that after a kill the label is known to be Bouncer's; that it
        is on the issue is stored last, so that one a kill kept off is not taken for one that somebody took off."""
        at, days = self.services.now(), plan.close_in_days
        known = replace(
            record,
            said=plan.text,
            brief=self._brief(now, found) if record.brief_wanted else record.brief,
            label=plan.ours,
            written=False,
            objected=plan.objected,
            told_at=record.told_at or (at if plan.text else None),
            close_at=at + timedelta(days=days) if days is not None else None,
        )
        if plan.remove:
            self.services.fixes.save(replace(record, written=False))
        for name in plan.remove:
            self.look.client.remove_label(now.issue.number, name)
        self.services.fixes.save(known)
        below = Below(known.said, known.brief)
        note = looked_note(found) if self.job.asked and not plan.text else None
        if below != Below() or plan.add or note:
            written = Plan(plan.outcome, now.facts.history, labels_add=plan.add, below=below, note=note)
            self._carry_out(written, now)
        self.services.fixes.save(replace(known, written=True))
        return plan.outcome

    def _now(self, policy: Policy) -> Now:
        issue = self.look.client.get_issue(self.job.number)
        subject = self.look.subject(issue)
        policy = in_force(policy, subject)
        return Now(issue, self.look.facts(issue, (), subject, policy), subject, policy)

    def _listed(self, now: Now) -> Now:
        """With the comments, which are asked for only where there are any."""
        return replace(now, comments=self.look.client.comments(now.issue.number) if now.issue.comments else ())

    def _carry_out(self, plan: Plan, now: Now) -> str:
        return self.look.carry_out(plan, now.issue, now.comments, now.subject, now.policy)

    def _brief(self, now: Now, found: Found | None) -> str:
        text = text_of(now.issue, now.comments or ())
        usable = found if found and found.text == digest_of(now.issue) else None
        return brief(parse(text), usable, () if usable else self.services.examiner.shown(text))

    def _answered(self, now: Now, record: FixRecord) -> bool:
        """Whether anybody but Bouncer wrote anything since it was said, or dislikes Bouncer's comment."""
        comments, since = now.comments or (), record.told_at - _SKEW if record.told_at else None
        others = [each for each in comments if not (self.look.client.is_own(each) or _only_asks(each.body))]
        later = any(since is None or datetime.fromisoformat(each.updated_at) >= since for each in others)
        return later or now.own is None or now.own.against > 0

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


def _delay(policy: Policy) -> timedelta:
    """That the policy gives people to object."""
    return timedelta(days=policy.issues.already_fixed.close_after_days or 0)


def _only_asks(body: str) -> bool:
    """Whether a comment asks Bouncer for something in so many words, and says nothing else."""
    lines = [line for line in body.splitlines() if line.strip()]
    commands = parse_commands(body)
    return len(lines) == len(commands) > 0 and all(each.word in _ASKING and not each.rest for each in commands)


def accepted(subject: Subject | None) -> bool:
    """Whether the issue may be worked on: it was found clear, or a maintainer took it as it is."""
    if subject is None or subject.state is State.ACCEPTED:
        return subject is not None
    return subject.verdict is not None and subject.verdict.decision is Decision.ACCEPT and not subject.held


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
