"""What the issue's own workflow does about a report that may be fixed already: have it looked at, say what was found,
write the brief. The look itself takes minutes and is a workflow of its own (`fixed`); closing is `closing`'s."""

from dataclasses import dataclass, replace

from bot.already_fixed.finding import FixFinding
from bot.issues import lifecycle
from bot.issues.exemptions import why_outside
from bot.issues.facts import CommentParts
from bot.issues.fixed_plan import FixPlan, fix_plan
from bot.issues.lifecycle import Plan
from bot.issues.messages import LookedForFix, Note
from bot.issues.parse import parse
from bot.policy import Policy
from bot.policy_choices import Brief, Mode
from bot.rendering.comment import render
from bot.rendering.fix_messages import brief
from bot.rendering.issue_messages import message_text
from bot.rendering.words import ENGLISH
from bot.reports import IssueText
from bot.storage.fixes import FixRecord
from bot.storage.subjects import SubjectRecord
from bot.verdicts import Decision, IssueKind, State
from bot.workflows.already_fixed.known import finding_of
from bot.workflows.issue.closing import Closing, notice_of
from bot.workflows.issue.judging import ReportRead
from bot.workflows.issue.record import IssueNow
from bot.workflows.issue.replies import digest_of, text_of
from bot.workflows.jobs import RunJob


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What came of a look at an issue, and what follows. look_for: the fix of what it reports. brief: write one now.
    objected: somebody disagreed with what was said of a fix."""

    outcome: str
    look_for: RunJob | None = None
    brief: bool = False
    objected: bool = False


class FixNotice(Closing):
    """One run's part. Everything here may be repeated after a kill, and raises `GitHubError`."""

    def after_look(self, outcome: str, *, reopened: bool) -> FollowUp:
        """After a look: a clear bug report is looked for in the history, once for each text and each time somebody asks
        for a fresh look; and whatever became of one of whose fix something stands there. Reopening objects to that."""
        objected = reopened and self.object()
        record, read, policy = self._record(), self.look.read, self._policy()
        if read is None or policy is None:
            return FollowUp(outcome, objected=objected)
        if brief_invited(read, policy) and not record.brief_wanted:
            record = replace(record, brief_wanted=True)
            self.services.fixes.save(record)
        suspected = ((read.clear or read.exempt) and read.kind is IssueKind.BUG) or says_fixed(record)
        if not policy.issues.already_fixed.enabled or not suspected:
            return FollowUp(outcome, brief=read.clear and record.brief_wanted, objected=objected)
        digest = digest_of(read.report, read.report.replies)
        if record.digest == digest and not record.run_id.endswith(f":{self.job.run_id}") and not self.look.forced:
            return FollowUp(outcome, objected=objected)
        return FollowUp(outcome, look_for=self._begin(record, read.report), objected=objected)

    def on_request(self, *, by_hand: bool) -> FollowUp:
        """Whatever the issue's text is like, its fix is looked for: somebody said so, or took an issue that was held,
        which nobody looks at any more. by_hand: the answer is waited for."""
        policy = self._policy()
        if policy is None:
            return FollowUp("not looked for: uninstalled, or the policy is invalid")
        now = self.look.now(policy)
        if now.silent:
            return FollowUp(f"not looked for: {now.silent}")
        now = self._listed(now)
        job = self._begin(self._record(), self._told(now))
        comment = self.job.delivery.comment if by_hand and self.job.delivery is not None else None
        if comment is not None and now.policy.mode is not Mode.OBSERVE:
            self.look.client.react(comment.id, "eyes")
        return FollowUp("its fix is looked for", look_for=replace(job, asked_in=comment.id if comment else None))

    def on_reply(self) -> FollowUp:
        """The reporter answered what was said of a fix with something to run: that is a part of the report now."""
        delivery = self.job.delivery
        assert delivery is not None and delivery.comment is not None and delivery.issue is not None
        replies = self.look.replies(delivery.issue, (delivery.comment,))
        shown = (
            self.services.examiner.reproductions_of(IssueText("", "", replies)) if says_fixed(self._record()) else ()
        )
        return self.on_request(by_hand=False) if shown else FollowUp("nothing new to look at")

    @property
    def unseen(self) -> bool:
        """Whether nobody ever looked for its fix."""
        return not self._record().run_id

    def tell(self) -> str:
        """Bring the issue in line with what was found."""
        record = self._record()
        found = finding_of(record)
        if found is None:
            return "superseded: it is looked at again"
        if not (found.speaks or record.spoke or record.brief_wanted or self.job.asked_in):
            return f"{found.fixed.status}: nothing to say"
        if not self.look.is_installed:
            return "uninstalled"
        status = self.look.policy_status()
        if status.policy is None:
            subject = self.services.subjects.get(self.job.repository.id, self.job.number)
            return self.look.policy_is_invalid(subject, status) if subject else "not told: the policy is invalid"
        now = self.look.now(status.policy)
        if digest_of(now.issue) != found.text:
            return "superseded: the report changed meanwhile"
        if now.silent:
            return f"left alone: {now.silent}"
        now = self._listed(now)
        said = notice_of(record, answered=self._answered(now, record, found))
        if why_outside(now.facts, now.policy):
            said = replace(said, over=True)  # what somebody asked about is answered, and not closed
        plan = fix_plan(now.facts, found, said, now.policy, self.services.now())
        return plan.outcome if now.policy.mode is Mode.OBSERVE else self._say(plan, record, found, now)

    def brief(self) -> str:
        """Write the brief, or bring it up to date, where one is wanted."""
        policy = self._policy()
        if policy is None:
            return "no brief: uninstalled, or the policy is invalid"
        now, record = self.look.now(policy), self._record()
        if now.policy.mode is Mode.OBSERVE or not now.policy.issues.enabled:
            return "no brief: the policy has Bouncer silent here"
        now = self._listed(now)
        text = self._brief(now, finding_of(record))
        self.services.fixes.save(replace(record, brief=text, brief_wanted=True))
        return self.look.carry_out(Plan("brief", now.facts.history, below=CommentParts(record.said, text)), now)

    def early(self) -> str:
        """Somebody asked for a brief on an issue that is not clear yet."""
        policy = self._policy()
        if policy is None:
            return "no brief: the policy is invalid"
        now = self._listed(self.look.now(policy))
        self.look.carry_out(lifecycle.answered(now.facts, "brief", Note("brief_early"), now.policy), now)
        return "no brief: it is not clear yet"

    def _begin(self, record: FixRecord, report: IssueText) -> RunJob:
        """The next look; what an older one finds is not wanted any more."""
        job = RunJob.about("already_fixed", self.job, self.job.seq, self.job.run_id, report=report)
        if record.run_id != job.run_id:
            digest = digest_of(report, report.replies)
            told_at = None if record.close_at else record.told_at  # what was announced may be announced anew
            begun = replace(record, run_id=job.run_id, digest=digest, found="", told_at=told_at, close_at=None)
            self.services.fixes.begin(begun)
        return job

    def _say(self, plan: FixPlan, record: FixRecord, found: FixFinding, now: IssueNow) -> str:
        """What is going to be written is stored first, so that after a kill the label is known to be Bouncer's; that it
        is on the issue is stored last, so that one a kill kept off is not taken for one that somebody took off."""
        known = replace(
            record,
            said=message_text(plan.says, ENGLISH) if plan.says else "",
            brief=self._brief(now, found) if record.brief_wanted else record.brief,
            label=plan.ours,
            written=False,
            objected=plan.objected,
            told_at=self.services.now() if plan.close_at else record.told_at,
            close_at=plan.close_at,
        )
        if plan.remove:
            self.services.fixes.save(replace(record, written=False))
        for name in plan.remove:
            self.look.client.remove_label(now.issue.number, name)
        self.services.fixes.save(known)
        below = CommentParts(known.said, known.brief)
        answer = LookedForFix(found, told=plan.says is not None) if self.job.asked_in else None
        if below != CommentParts() or plan.add or answer:
            written = Plan(plan.outcome, now.facts.history, labels_add=plan.add, below=below, answer=answer, to="fixed")
            self.look.carry_out(written, now)
        self.services.fixes.save(replace(known, written=True))
        return plan.outcome

    def _brief(self, now: IssueNow, found: FixFinding | None) -> str:
        text = self._told(now).reporters
        usable = found if found and found.text == digest_of(now.issue) else None
        return brief(parse(text), usable, () if usable else self.services.examiner.reproductions_of(text))

    def _told(self, now: IssueNow) -> IssueText:
        """What people wrote, as far as a judge would read it."""
        return text_of(now.issue, self.look.replies(now.issue, now.comments or ()), now.policy.pulls.agents)


def may_be_worked_on(subject: SubjectRecord | None) -> bool:
    """Whether the issue may be worked on: it was found clear, or a maintainer took it as it is."""
    if subject is None or subject.state is State.ACCEPTED:
        return subject is not None
    return subject.verdict is not None and subject.verdict.decision is Decision.ACCEPT and not subject.held


def brief_invited(read: ReportRead, policy: Policy) -> bool:
    """Whether the policy wants a brief on what was read, though nobody asked for one."""
    return read.ready and policy.issues.brief is Brief.AUTO


def says_fixed(record: FixRecord) -> bool:
    """Whether something of a fix stands on the issue."""
    return record.spoke and record.said != render("fixed_no_longer")
