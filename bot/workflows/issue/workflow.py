"""The issue workflow: which deliveries are about an issue, then act, judge, apply. Each is a checkpointed step; what
GitHub would not do comes back later."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from bot.github.deliveries import Delivery
from bot.issues.kind import named_kind
from bot.policy_choices import Door
from bot.storage.inbox import Queued
from bot.storage.subjects import SubjectRecord
from bot.workflows.commands import commands_of
from bot.workflows.delivery import AppIdentity, DeliveryHandler, Intent, ignore, start, take
from bot.workflows.durable.step import attempt
from bot.workflows.issue.fix_notice import FixNotice, FollowUp
from bot.workflows.issue.judging import KNOWN, IssueJudging, IssueRun, is_reopened, looks_again
from bot.workflows.issue.person_actions import IssuePersonActions
from bot.workflows.jobs import IssueOutcome, RunJob, Why, is_due
from bot.workflows.pull.already_fixed import ask_again
from bot.workflows.services import Services
from bot.workflows.workflow import WorkflowRun

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
    if delivery.event != "issue_comment":
        if delivery.action in LOOKS:
            return take(LOOKS[delivery.action], look=True)
        if said := (LABELS | TYPES).get(delivery.action):
            return take(said)
        closed = delivery.action == "closed"
        return ignore("closed issues are not judged" if closed else f"Bouncer does not handle issues {delivery.action}")
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
        new = SubjectRecord(
            repo_id=delivery.repository.id,
            number=delivery.issue.number,
            installation_id=delivery.installation_id,
            repository=delivery.repository.full_name,
            author=delivery.issue.author,
            latest_seq=queued.seq,
        )
        services.subjects.want(new)
    start("issue", services, queued, acted=None if has_act(delivery, services.github.slug) else IssueOutcome())


HANDLER = DeliveryHandler("issue", frozenset({"issues", "issue_comment"}), wants, _handle)


class IssueWorkflow(WorkflowRun):
    """One delivery or one scheduled look."""

    name, door = "issue", Door.ISSUES

    def perform(self) -> str:
        """What the delivery asks for, apart from a look, is done once: only the rest comes back when GitHub is away."""
        job, acted = self.job, self.job.acted
        if acted is None:
            done = attempt("act", IssueOutcome, lambda: IssuePersonActions(self.services, job).perform())
            return self.again(acted=done).carry_through()
        if job.why is Why.SILENCE:
            return attempt("silence", str, IssueRun(self.services, job).break_silence)
        if job.why in (Why.FOUND, Why.FIXED):
            return attempt(job.why.value, str, self._notice.tell if job.why is Why.FOUND else self._notice.close)
        if acted.objected:
            ask_again(self.services, job)
        if acted.look and not acted.recheck:
            asked = attempt("look for a fix", FollowUp, lambda: self._notice.on_request(by_hand=acted.asked))
            self._follow(asked)
            return f"{acted.outcome}; {asked.outcome}"
        if wrote(job):
            attempt("hear", str, lambda: self._notice.on_comment())
            self._follow(attempt("hear the reporter", FollowUp, lambda: self._notice.on_reply()))
        look = IssueRun(self.services, job)
        applied: str | FollowUp = attempt("ask", _BEGUN, lambda: self._begin(look))
        if applied == "":
            judged = attempt("judge", IssueJudging, look.judge)
            applied = KNOWN if judged.known else attempt("apply", FollowUp, lambda: self._apply(look, judged))
        if isinstance(applied, str):
            return acted.outcome or applied
        self._follow(applied)
        if applied.brief:
            attempt("brief", str, FixNotice(look).brief)
        return f"{acted.outcome}; {applied.outcome}" if acted.outcome else applied.outcome

    def _follow(self, applied: FollowUp) -> None:
        if applied.objected:
            ask_again(self.services, self.job)
        if (look := applied.look_for) is not None:
            self.services.start(look)

    @property
    def _notice(self) -> FixNotice:
        return FixNotice(IssueRun(self.services, self.job))

    def _begin(self, look: IssueRun) -> str | FollowUp:
        """All of the look in one step, where the judge's answer costs nothing and need not be kept before it is used;
        or why there is none. Empty where the judge is to be asked in a step of its own."""
        reason = self._why_not()
        if reason == UNINSTALLED or not self.services.judge_is_free:
            return reason
        if reason and not look.has_verdict():
            return reason
        judged = look.judge()
        return KNOWN if judged.known else self._apply(look, judged)

    def _apply(self, look: IssueRun, judged: IssueJudging) -> FollowUp:
        """Write what came of the look; a clear bug report may be of something that is fixed by now."""
        outcome = look.answer(judged) if look.asked else look.apply(judged)
        return FixNotice(look).after_look(outcome, reopened=is_reopened(self.job))

    def _why_not(self) -> str:
        """Why there is no look; empty when there is one."""
        job, delivery = self.job, self.job.delivery
        subject = self.services.subjects.get(job.repository.id, job.number)
        if job.why is Why.RETRY and subject is not None:
            if not is_due(job, subject):
                return "superseded: a newer look is tried again"
            self.services.subjects.save(replace(subject, retry_at=None))
        if not self.is_installed:
            return UNINSTALLED
        if looks_again(job):
            return ""
        seen = subject is not None and (bool(subject.judged_hash) or subject.verdict is not None)
        opened = delivery is not None and delivery.action == "opened"
        if subject is not None and subject.latest_seq > job.seq and not (opened and not seen and self._predates()):
            return "superseded"  # except for one whose edits would be taken for those of an old issue
        if delivery is None:
            return ""
        within = job.acted is not None and job.acted.within  # a label wants one
        if delivery.event == "issues" and delivery.action in (*LABELS, *TYPES) and not within:
            return "" if self._is_of_another_kind(subject) else "no look"
        by_label = subject is not None and subject.asked_by_label
        if not seen and not opened and not by_label and self._predates():
            return "it is older than the installation; /bouncer recheck asks for a look"
        if delivery.event == "issue_comment" and seen:
            assert subject is not None
            verdict = subject.verdict
            asks = verdict is not None and verdict.asks
            waits = subject.held or subject.label_by_human or not subject.judged_hash or asks
            return "" if waits else "nothing was asked here"
        return ""

    def _is_of_another_kind(self, subject: SubjectRecord | None) -> bool:
        """Whether a label or the issue type now names another kind than the one that an issue is held as."""
        issue = self.job.delivery.issue if self.job.delivery is not None else None
        if issue is None or subject is None or not subject.held or subject.verdict is None:
            return False
        return named_kind((issue.type, *issue.labels)) not in (None, subject.verdict.kind)

    def _predates(self) -> bool:
        """Whether the issue is older than Bouncer's arrival: installing touches no existing issue."""
        job, installations = self.job, self.services.installations
        installation = installations.get(job.installation_id)
        since = installations.access_since(job.installation_id, job.repository.id)
        since = since or (installation.created_at if installation else None)
        created = job.delivery.issue.created_at if job.delivery and job.delivery.issue else ""
        if since is None or not created:
            return False
        return datetime.fromisoformat(created) < since - timedelta(seconds=1)  # GitHub's times are whole seconds


def wrote(job: RunJob) -> bool:
    """Whether somebody wrote a comment."""
    return job.delivery is not None and job.delivery.event == "issue_comment" and job.delivery.action == "created"
