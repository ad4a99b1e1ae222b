"""The issue workflow: which deliveries are about an issue, then act, judge, apply. Each is a checkpointed step; what
GitHub would not do comes back later."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from bot.github.deliveries import Delivery
from bot.issues.kind import named_kind
from bot.storage.inbox import Queued
from bot.storage.subjects import SubjectRecord
from bot.verdicts import Decision
from bot.workflows.commands import commands_of
from bot.workflows.delivery import AppIdentity, DeliveryHandler, Intent, ignore, run_tail, take
from bot.workflows.durable.step import attempt
from bot.workflows.issue.fix_notice import FixNotice, FollowUp
from bot.workflows.issue.judging import KNOWN, IssueJudging, IssueRun
from bot.workflows.issue.person_actions import IssuePersonActions
from bot.workflows.jobs import IssueJob, IssueOutcome, Why, is_due
from bot.workflows.pull.already_fixed import ask_again
from bot.workflows.services import Services
from bot.workflows.workflow import Workflow

LOOKS = {"opened": "a new issue", "edited": "the issue was edited", "reopened": "the issue was reopened"}
LABELS = {"labeled": "a label was added", "unlabeled": "a label was removed"}
TYPES = {"typed": "an issue type was set", "untyped": "an issue type was taken away"}
UNINSTALLED = "uninstalled"
_BEGUN: Any = str | FollowUp  # what `_begin` tells


def has_act(delivery: Delivery, slug: str) -> bool:
    """Whether it holds anything but text to look at. slug: the App's name."""
    return delivery.action in LABELS or bool(commands_of(delivery, slug))


def wants(delivery: Delivery, context: AppIdentity) -> Intent:
    """Bots in general are not ignored, they are the subjects; only what Bouncer itself caused is."""
    if delivery.sender == context.login:
        return ignore("Bouncer itself did it")
    if delivery.issue is None:
        return ignore("it names no issue")
    if delivery.issue.is_pull_request:
        return ignore("it is about a pull request")
    if delivery.event == "issue_comment":
        return _comment(delivery, context)
    if delivery.action in LOOKS:
        return take(LOOKS[delivery.action], look=True)
    if said := (LABELS | TYPES).get(delivery.action):
        return take(said)
    if delivery.action == "closed":
        return ignore("closed issues are not judged")
    return ignore(f"Bouncer does not handle issues {delivery.action}")


def _comment(delivery: Delivery, context: AppIdentity) -> Intent:
    comment = delivery.comment
    if comment is None:
        return ignore("it names no comment")
    if comment.app_id == context.app_id or comment.author == context.login:
        return ignore("it is Bouncer's own comment")
    if comment.author_is_bot:
        return ignore("bots neither reply nor command")
    return take(f"a comment was {delivery.action}")


def _handle(services: Services, queued: Queued, intent: Intent) -> None:
    delivery = queued.delivery
    assert delivery.repository and delivery.issue  # it was asked whether it is wanted
    if intent.look:
        services.subjects.want(
            delivery.repository.id,
            delivery.issue.number,
            queued.seq,
            installation_id=delivery.installation_id,
            repository=delivery.repository.full_name,
            author=delivery.issue.author,
        )
    job = IssueJob.about(
        delivery,
        f"issue:{delivery.repository.id}:{delivery.issue.number}:{run_tail(queued)}",
        queued.seq,
        number=delivery.issue.number,
        received_at=queued.received_at,
        delivery=delivery,
        acts=has_act(delivery, services.github.slug),
    )
    services.start(job)


HANDLER = DeliveryHandler("issue", frozenset({"issues", "issue_comment"}), wants, _handle)


class IssueWorkflow(Workflow[IssueJob], kind=IssueJob):
    """One delivery or one scheduled look."""

    def perform(self, job: IssueJob) -> str:
        """What the delivery asks for, apart from a look, is done once: only the rest comes back when GitHub is away."""
        if job.acts and job.acted is None:
            return self.carry_through(replace(job, acted=attempt("act", IssueOutcome, lambda: self._act(job))))
        return self._look(job, job.acted or IssueOutcome())

    def _look(self, job: IssueJob, acted: IssueOutcome) -> str:
        if job.why is Why.SILENCE:
            return attempt("silence", str, lambda: IssueRun(self.services, job, forced=False).break_silence())
        if job.why in (Why.FOUND, Why.FIXED):
            notice = self._notice(job)
            return attempt(job.why.value, str, notice.tell if job.why is Why.FOUND else notice.close)
        if acted.objected:
            ask_again(self.services, job)
        if acted.look and not acted.recheck:
            asked = attempt("look for a fix", FollowUp, lambda: self._notice(job).on_request(by_hand=acted.asked))
            self._follow(job, asked)
            return f"{acted.outcome}; {asked.outcome}"
        if wrote(job):
            attempt("hear", str, lambda: self._notice(job).on_comment())
            self._follow(job, attempt("hear the reporter", FollowUp, lambda: self._notice(job).on_reply()))
        forced = (looks_again(job, acted) and not self._is_decided(job)) or acted.within
        look = IssueRun(self.services, job, forced=forced, asked=acted.recheck)
        applied: str | FollowUp = attempt("ask", _BEGUN, lambda: self._begin(look, acted))
        if applied == "":
            judged = attempt("judge", IssueJudging, look.judge)
            applied = KNOWN if judged.known else attempt("apply", FollowUp, lambda: self._apply(look, judged, acted))
        if isinstance(applied, str):
            return acted.outcome or applied
        self._follow(job, applied)
        if applied.brief:
            attempt("brief", str, FixNotice(look).brief)
        return f"{acted.outcome}; {applied.outcome}" if acted.outcome else applied.outcome

    def _follow(self, job: IssueJob, applied: FollowUp) -> None:
        if applied.objected:
            ask_again(self.services, job)
        if (look := applied.look_for) is not None:
            self.services.start(look)

    def _notice(self, job: IssueJob) -> FixNotice:
        return FixNotice(IssueRun(self.services, job, forced=False))

    def _begin(self, look: IssueRun, acted: IssueOutcome) -> str | FollowUp:
        """All of the look in one step, where the judge's answer costs nothing and need not be kept before it is used;
        or why there is none. Empty where the judge is to be asked in a step of its own."""
        reason = self._why_not(look.job, looks_again(look.job, acted), within=acted.within)
        if reason == UNINSTALLED or not self.services.judge_is_free:
            return reason
        if reason and not look.has_verdict():
            return reason
        judged = look.judge()
        return KNOWN if judged.known else self._apply(look, judged, acted)

    def _apply(self, look: IssueRun, judged: IssueJudging, acted: IssueOutcome) -> FollowUp:
        """Write what came of the look; a clear bug report may be of something that is fixed by now."""
        outcome = look.answer(judged) if acted.recheck else look.apply(judged)
        return FixNotice(look).after_look(outcome, reopened=is_reopened(look.job))

    def _act(self, job: IssueJob) -> IssueOutcome:
        assert job.delivery is not None and job.delivery.issue is not None
        look = IssueRun(self.services, job, forced=False)
        return IssuePersonActions(look, job.delivery, job.delivery.issue).perform()

    def _why_not(self, job: IssueJob, forced: bool, *, within: bool) -> str:
        """Why there is no look; empty when there is one. within: a label wants one."""
        subject = self.services.subjects.get(job.repository.id, job.number)
        if job.why is Why.RETRY and subject is not None:
            if not is_due(job, subject):
                return "superseded: a newer look is tried again"
            self.services.subjects.save(replace(subject, retry_at=None))
        if not self.services.is_installed(job.installation_id):
            return UNINSTALLED
        if forced:
            return ""
        seen = subject is not None and (bool(subject.judged_hash) or subject.verdict is not None)
        opened = job.delivery is not None and job.delivery.action == "opened"
        if subject is not None and subject.latest_seq > job.seq and not (opened and not seen and self._predates(job)):
            return "superseded"  # except for one whose edits would be taken for those of an old issue
        if job.delivery is None:
            return ""
        if job.delivery.event == "issues" and job.delivery.action in (*LABELS, *TYPES) and not within:
            return "" if self._is_of_another_kind(job, subject) else "no look"
        if not seen and not opened and self._predates(job):
            return "it is older than the installation; /bouncer recheck asks for a look"
        if job.delivery.event == "issue_comment" and seen:
            assert subject is not None
            waits = subject.held or subject.label_by_human or not subject.judged_hash
            return "" if waits else "nothing was asked here"
        return ""

    def _is_decided(self, job: IssueJob) -> bool:
        """Whether what was to be tried again got its verdict meanwhile: then the same text is judged no second time."""
        if job.why is not Why.RETRY:
            return False
        entries = self.services.ledger.entries(job.repository.id, job.number)
        return bool(entries) and entries[-1].verdict.decision is not Decision.UNAVAILABLE

    def _is_of_another_kind(self, job: IssueJob, subject: SubjectRecord | None) -> bool:
        """Whether a label or the issue type now names another kind than the one that an issue is held as."""
        issue = job.delivery.issue if job.delivery is not None else None
        if issue is None or subject is None or not subject.held or subject.verdict is None:
            return False
        return named_kind((issue.type, *issue.labels)) not in (None, subject.verdict.kind)

    def _predates(self, job: IssueJob) -> bool:
        """Whether the issue is older than Bouncer's arrival: installing touches no existing issue."""
        installation = self.services.installations.get(job.installation_id)
        since = self.services.installations.access_since(job.installation_id, job.repository.id)
        since = since or (installation.created_at if installation else None)
        created = job.delivery.issue.created_at if job.delivery and job.delivery.issue else ""
        if since is None or not created:
            return False
        return datetime.fromisoformat(created) < since - timedelta(seconds=1)  # GitHub's times are whole seconds


def looks_again(job: IssueJob, acted: IssueOutcome) -> bool:
    """Whether even a text that was judged is to be judged again."""
    return acted.recheck or job.why is Why.RETRY or is_reopened(job)


def wrote(job: IssueJob) -> bool:
    """Whether somebody wrote a comment."""
    return job.delivery is not None and job.delivery.event == "issue_comment" and job.delivery.action == "created"


def is_reopened(job: IssueJob) -> bool:
    return job.delivery is not None and job.delivery.event == "issues" and job.delivery.action == "reopened"
