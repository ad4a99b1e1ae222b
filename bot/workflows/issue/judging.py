"""One look at an issue: gather what was written, have it judged, decide, write. The steps of the issue workflow."""

import logging
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property

from bot.github.errors import NotFound
from bot.github.values import Comment, Issue
from bot.issues import lifecycle
from bot.issues.agent_reach import AgentPast
from bot.issues.decide import decide_issue, wants_judge, with_facts
from bot.issues.exemptions import why_exempt, why_no_look, why_not_held, why_other_kind, why_outside
from bot.issues.facts import CommentParts, IssueFacts
from bot.issues.lifecycle import Plan
from bot.issues.templates import Template
from bot.judges.protocol import Judgement, NoJudgement
from bot.live.precision import Subject
from bot.plain_text import count_of
from bot.policy import Policy
from bot.policy_choices import Door, Mode
from bot.rendering.issue_messages import message_text
from bot.rendering.words import ENGLISH
from bot.reports import IssueText, Reply
from bot.storage.subjects import SubjectRecord
from bot.verdicts import Decision, IssueKind, Usage, Verdict
from bot.workflows.commands import LOCKED, AnswerTarget, answer
from bot.workflows.durable.step import PATIENCE
from bot.workflows.issue.apply import carry_out
from bot.workflows.issue.record import IssueNow, adopt_label, history, in_force, label_taken_off, subject_of
from bot.workflows.issue.replies import facts_of, is_reporters, replies_of, text_digest, text_of, wrote_since
from bot.workflows.issue.templates import TemplateLookup
from bot.workflows.jobs import IssueOutcome, RunJob, Why
from bot.workflows.policies import PolicyStatus
from bot.workflows.run_context import count_verdict
from bot.workflows.services import Services
from bot.workflows.workflow import JobContext

KNOWN = "this text was judged before"
LOOKS = 3  # how often a text may change between judging and writing before the next delivery has to settle it
# A model that is away is waited out for as long as GitHub is; what passes within minutes its endpoint waits for itself.
RETRIES = tuple(timedelta(seconds=each) for each in PATIENCE[2:])
POLICY_PATIENCE = timedelta(days=30)  # an invalid policy: its mend brings the next look, this only bounds the wait

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class IssueJudging:
    """What was read, and the judge's answer about it.

    comments: how many the issue had. digest: of everything the judge saw. known: this very text was judged before.
    late: the reporter wrote after Bouncer had closed it for want of an answer.
    """

    comments: int
    replies: tuple[Reply, ...]
    digest: str
    judgement: Judgement | NoJudgement | None
    known: bool = False
    late: bool = False


@dataclass(frozen=True, slots=True)
class ReportRead:
    """What a look read, unless the day's budget was spent. kind: what sort of issue it is. clear: it says enough to act
    on; ready: and a coding agent may start. exempt: it is never held, so nobody asks whether it does."""

    kind: IssueKind | None
    report: IssueText
    clear: bool
    ready: bool = False
    exempt: bool = False


class IssueRun(JobContext):
    """The judging and the writing half of one run.

    forced: judge a text that was judged before, too. asked: somebody asked in so many words, so what is never held is
    judged as well. read: what was read, after `apply`.
    """

    door = Door.ISSUES

    def __init__(self, services: Services, job: RunJob) -> None:
        super().__init__(services, job)
        acted = job.acted or IssueOutcome()
        self.asked = acted.recheck
        self.forced = (looks_again(job) and not self._is_decided()) or acted.within
        self.wrote = False
        self.read: ReportRead | None = None

    def _is_decided(self) -> bool:
        """Whether what was to be tried again got its verdict meanwhile: then the same text is judged no second time."""
        if self.job.why is not Why.RETRY:
            return False
        entries = self.services.ledger.entries(self.job.repository.id, self.job.number)
        return bool(entries) and entries[-1].verdict.decision is not Decision.UNAVAILABLE

    def judge(self) -> IssueJudging:
        """The text comes with the delivery; only its replies, and a scheduled look's text, are asked for.

        The text of a late delivery may be an old one, and it may have superseded a newer; so a known one is asked for,
        too. A comment supersedes nothing.
        """
        issue = self.job.delivery.issue if self.job.delivery is not None else None
        told = issue is not None and issue.state == "open"  # who closed an issue, no delivery tells
        judged = self.gather(issue if issue and told else self.client.get_issue(self.job.number), None)[0]
        if judged.known and self.job.delivery is not None and self.job.delivery.event == "issues":
            judged = self.gather(self.client.get_issue(self.job.number), judged)[0]
        return judged

    def gather(self, issue: Issue, before: IssueJudging | None) -> tuple[IssueJudging, tuple[Comment, ...]]:
        """Read the replies and ask the judge, unless this very text was judged already."""
        comments = self.client.comments(issue.number) if issue.comments else ()
        replies = self.replies(issue, comments)
        digest = text_digest(issue, replies)
        if before is not None and before.digest == digest:
            return replace(before, comments=issue.comments), comments
        subject = self.subject(issue)
        late = subject.held and issue.state_reason == "not_planned" and self.client.has_closed(issue)
        late = late and wrote_since(issue, comments, self.services.github.slug, filter(self.client.is_own, comments))
        known = digest == subject.judged_hash and not self.forced and not self.has_verdict()
        judged = IssueJudging(issue.comments, replies, digest, None, known, late)
        return (judged if known else replace(judged, judgement=self.ask(issue, judged, subject))), comments

    def replies(self, issue: Issue, comments: tuple[Comment, ...]) -> tuple[Reply, ...]:
        """What people wrote below it, as far as a judge would read it."""
        return replies_of(issue, comments, self.services.github.slug, filter(self.client.is_own, comments))

    def has_verdict(self) -> bool:
        """Whether this very run came to a verdict, and was killed before that was kept: what follows it is due."""
        return self.services.ledger.get(self.job.run_id) is not None

    def ask(self, issue: Issue, judged: IssueJudging, subject: SubjectRecord) -> Judgement | NoJudgement | None:
        """The judge's answer; `None` when nobody has to be asked."""
        policy = self.policy_status().policy
        if policy is None:
            return None
        facts = self.facts(issue, judged, subject, policy)
        left = (not self.asked and why_not_held(facts, policy)) or why_no_look(facts, policy)
        if left or not wants_judge(facts, policy):
            return None
        return self.services.judge.judge(with_facts(facts.report, policy))

    def answer(self, judged: IssueJudging) -> str:
        """As `apply`, for somebody who asked: where there is nothing to write, a reaction says that it was read."""
        outcome, comment = self.apply(judged), self.job.delivery and self.job.delivery.comment
        if comment and not self.wrote and self.may_speak():
            self.client.react(comment.id, "eyes")
        return outcome

    def may_speak(self) -> bool:
        policy = self.policy_status().policy
        return policy is not None and policy.issues.enabled and policy.mode is not Mode.OBSERVE

    def apply(self, judged: IssueJudging) -> str:
        """Read the issue again, judge again what changed meanwhile, then write. Returns how it ended."""
        issue, comments = self.client.get_issue(self.job.number), None
        for _ in range(LOOKS):
            if text_digest(issue, judged.replies) == judged.digest and issue.comments == judged.comments:
                break
            judged, comments = self.gather(issue, judged)
            issue = self.client.get_issue(self.job.number)
        if not self.is_installed:
            return "uninstalled"
        if judged.known:
            return KNOWN  # it was changed back meanwhile
        status = self.policy_status()
        if status.policy is None:
            return self.policy_is_invalid(self.subject(issue), status)
        now = self.now(status.policy, issue, judged, comments)
        facts, policy = now.facts, now.policy
        left = why_not_held(facts, policy)
        if left and not self.asked:
            self.read = self.read_unasked(judged, now)
            return self.carry_out(still_held(lifecycle.not_held(facts, left, policy), now), now)
        if reason := why_no_look(facts, policy):
            now = replace(now, subject=replace(now.subject, left_alone=reason))
            self.store(now.subject)
            plan = lifecycle.left_alone(facts, reason, policy)
            return self.carry_out(plan, now) if plan.writes else plan.outcome
        verdict = decide_issue(facts, policy)
        if not left and verdict.decision is Decision.BOUNCE and label_taken_off(now.subject, issue, policy):
            return "its label was taken off; the delivery that says so decides"
        plan = self.make_plan(facts, verdict, left, policy)
        if self.wrote_answer or facts.answered_late:
            plan = lifecycle.after_answer(facts, now.subject.verdict, verdict, plan)
        plan = still_held(plan, now)
        if not out_of_budget(judged, facts) and not why_other_kind(verdict.kind, policy):
            report = text_of(issue, judged.replies, policy.pulls.agents)
            clear = verdict.decision is Decision.ACCEPT and not left
            ready = clear and lifecycle.is_ready(facts, verdict)
            exempt = bool(why_exempt(facts, policy))
            self.read = ReportRead(verdict.kind, report, clear=clear, ready=ready, exempt=exempt)
        after = replace(now, subject=self.after(now.subject, judged, verdict, facts))
        return self.carry_out(plan, after, verdict=verdict, judged=judged)

    def make_plan(self, facts: IssueFacts, verdict: Verdict, left: str | None, policy: Policy) -> Plan:
        """What becomes of a verdict. left: why the issue is not held, whatever it says; a model may see so by its own
        reading of what sort of issue it is."""
        if reason := left or why_other_kind(verdict.kind, policy):
            answers = lifecycle.answered_not_held(facts, verdict, reason, policy)
            return answers if self.asked else lifecycle.not_held(facts, reason, policy)
        return lifecycle.plan(facts, verdict, policy)

    def read_unasked(self, judged: IssueJudging, now: IssueNow) -> ReportRead | None:
        """What an exempt issue says, for whoever looks for its fix; what people say below it changes nothing."""
        facts, policy, delivery = now.facts, now.policy, self.job.delivery
        wanted = why_exempt(facts, policy) and not why_outside(facts, policy) and not why_no_look(facts, policy)
        if not wanted or not wants_judge(facts, policy) or (delivery and delivery.event != "issues"):
            return None
        report = text_of(now.issue, judged.replies, policy.pulls.agents)
        return ReportRead(facts.report.kind, report, clear=False, exempt=True)

    def carry_out(
        self,
        plan: Plan,
        now: IssueNow,
        *,
        verdict: Verdict | None = None,
        judged: IssueJudging | None = None,
    ) -> str:
        """Write, then remember: in that order, so that a kill in between writes the same again."""
        services = self.services
        subject, applied = carry_out(self.client, plan, now, services.subjects, services.now(), self.below())
        answered = self.tell_asker(plan)
        self.wrote = self.wrote or answered or bool(applied)
        if verdict is not None:
            usage = judged.judgement.usage if judged is not None and judged.judgement is not None else Usage()
            more = {"author": now.issue.author, "mode": now.policy.mode, "applied": applied}
            services.enter(self.job, Subject.ISSUE, verdict, usage=usage, **more)
            count_verdict("issues", verdict.decision, services.now())
        self.store(subject)
        return plan.outcome

    def tell_asker(self, plan: Plan) -> bool:
        """Tell whoever gave a command, where the plan has an answer; its comment may be gone by now."""
        if plan.answer is None or not plan.to:
            return False
        delivery = self.job.delivery
        comment = delivery.comment if delivery is not None else None
        if self.job.asked_in is not None:
            try:
                comment = self.client.get_comment(self.job.asked_in)
            except NotFound:
                return False
        if comment is None:
            return False
        who = delivery.sender if delivery is not None else comment.author
        replies = plan.to == lifecycle.ANSWER
        done = self.job.asked_in is not None or self.asked or replies
        asked = AnswerTarget(f"{comment.name}, {plan.to}", who, comment, done)
        text = message_text(plan.answer, plan.language if replies else ENGLISH)
        return answer(self.client, self.job.number, asked, text, self.services.now()) != LOCKED

    def below(self) -> CommentParts:
        """What stands below the head of the one comment."""
        record = self.services.fixes.get(self.job.repository.id, self.job.number)
        return CommentParts(record.said, record.brief) if record is not None else CommentParts()

    def store(self, subject: SubjectRecord) -> None:
        """Nothing is kept of an installation that ended while this ran."""
        if self.is_installed:
            self.services.subjects.save(subject)

    def after(self, subject: SubjectRecord, judged: IssueJudging, verdict: Verdict, facts: IssueFacts) -> SubjectRecord:
        """What a verdict changes in memory, apart from its plan. `asked_at` begins anew: somebody wrote."""
        if verdict.decision is not Decision.UNAVAILABLE:
            return replace(subject, judged_hash=judged.digest, verdict=verdict, asked_at=None, retry_at=None, retries=0)
        kept = subject.verdict if subject.judged_hash else verdict
        retries = subject.retries if self.job.why is Why.RETRY else 0
        now = self.services.now()
        if out_of_budget(judged, facts):
            return replace(subject, verdict=kept, retry_at=next_midnight(now), retries=0)
        if isinstance(judged.judgement, NoJudgement) and judged.judgement.retry:
            if retries < len(RETRIES):
                return replace(subject, verdict=kept, retry_at=now + RETRIES[retries], retries=retries + 1)
            reason = judged.judgement.reason
            log.error("%s#%d: given up: %s", self.job.repository.full_name, self.job.number, reason)
        return replace(subject, verdict=kept, retry_at=None)

    def policy_is_invalid(self, subject: SubjectRecord, status: PolicyStatus) -> str:
        """Nothing is written on the issue; the check run on the commit that changed the policy says what is wrong."""
        wrong = "; ".join(map(str, status.problems))
        log.warning("%s: the policy is invalid: %s", self.job.repository.full_name, wrong)
        self.store(replace(subject, retry_at=self.services.now() + POLICY_PATIENCE, retries=0))
        return f"not judged: the policy is invalid ({count_of(len(status.problems), 'problem')})"

    def break_silence(self) -> str:
        """Nobody answered for days: remind or close, when the policy asks for it."""
        if not self.is_installed:
            return "uninstalled"
        policy = self.policy_status().policy
        if policy is None:
            return "not judged: the policy is invalid"
        rules = policy.issues.no_response
        if rules.remind_after_days is None and rules.close_after_days is None:
            return "left alone: the policy asks for no reminder"
        now = self.now(policy)
        asked_at = now.subject.asked_at
        if asked_at is None or label_taken_off(now.subject, now.issue, now.policy):
            return "left alone: it does not wait for an answer"
        return self.carry_out(lifecycle.silent(now.facts, (self.services.now() - asked_at).days, now.policy), now)

    @property
    def wrote_answer(self) -> bool:
        """Whether the reporter's comment is what brings this look."""
        delivery = self.job.delivery
        if delivery is None or delivery.comment is None or delivery.issue is None or delivery.action != "created":
            return False
        return is_reporters(delivery.comment, delivery.issue)

    @cached_property
    def templates(self) -> tuple[Template, ...]:
        """The repository's own, read once a look."""
        return TemplateLookup(self.services).find(self.job.installation_id, self.job.repository)

    @cached_property
    def page(self) -> str:
        """Where people read how the issue stands."""
        token = self.services.subjects.address(self.job.repository.id, self.job.number)
        return self.services.page(token) if token else ""

    def subject(self, issue: Issue) -> SubjectRecord:
        found = self.services.subjects.get(self.job.repository.id, self.job.number)
        return subject_of(self.job, found, issue.author)

    def now(
        self,
        policy: Policy,
        issue: Issue | None = None,
        judged: IssueJudging | None = None,
        comments: tuple[Comment, ...] | None = None,
    ) -> IssueNow:
        """issue: where it was read just now."""
        issue = issue or self.client.get_issue(self.job.number)
        subject = self.subject(issue)
        policy = in_force(policy, subject)
        if judged is None:
            return IssueNow(issue, self.facts(issue, None, subject, policy), subject, policy, comments)
        subject = adopt_label(subject, issue, policy)
        facts = self.facts(issue, judged, subject, policy)
        return IssueNow(issue, facts, subject, policy, comments)

    def facts(
        self,
        issue: Issue,
        judged: IssueJudging | None,
        subject: SubjectRecord,
        policy: Policy,
    ) -> IssueFacts:
        """This run's own entry in the ledger, left by a run that was killed afterwards, is not counted against it."""
        judgement = judged.judgement if judged else None
        repo, now, ledger = self.job.repository.id, self.services.now(), self.services.ledger
        record = self.services.fixes.get(repo, issue.number)
        fixed = record is not None and record.label == policy.issues.already_fixed.labels.already_fixed
        return replace(
            facts_of(issue, judged.replies if judged else (), policy, self.templates),
            judgement=judgement,
            answered_late=bool(judged and judged.late and issue.state == "closed" and self.client.has_closed(issue)),
            history=replace(history(subject, issue, policy), fixed=fixed),
            private=subject.private,
            page=self.page,
            calibration=self.services.calibrations.in_force(repo, judgement.judge)
            if isinstance(judgement, Judgement)
            else None,
            past=AgentPast(*self.services.endings.of_agents(repo) if policy.issues.labels.within_reach else ()),
            looks_today_repository=0 if judgement else ledger.verdicts_today(repo, now=now),
            looks_today_author=0 if judgement else ledger.verdicts_today(repo, now=now, author=issue.author),
        )


def looks_again(job: RunJob) -> bool:
    """Whether even a text that was judged is to be judged again."""
    return (job.acted or IssueOutcome()).recheck or job.why is Why.RETRY or is_reopened(job)


def is_reopened(job: RunJob) -> bool:
    return job.delivery is not None and job.delivery.event == "issues" and job.delivery.action == "reopened"


def still_held(plan: Plan, now: IssueNow) -> Plan:
    """A hold whose label somebody took off ends by the delivery that says so: it knows who that was."""
    if not label_taken_off(now.subject, now.issue, now.policy):
        return plan
    return replace(plan, history=replace(plan.history, held=True))


def out_of_budget(judged: IssueJudging, facts: IssueFacts) -> bool:
    """Whether the policy's budget (then no judge was asked) or the model's money is what was missing."""
    if isinstance(judged.judgement, NoJudgement):
        return judged.judgement.tomorrow
    return judged.judgement is None and facts.report.kind is not IssueKind.VULNERABILITY


def next_midnight(now: datetime) -> datetime:
    """When the budgets of a new UTC day begin."""
    day = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return day + timedelta(days=1, minutes=1)
