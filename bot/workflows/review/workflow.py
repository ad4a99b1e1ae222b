"""The review workflow: a review bot rejects a pull request and suggests a fix, both are executed, and one comment says
what came of it. Which deliveries are about that: the review itself, and what people answer."""

import logging
from dataclasses import replace

from bot.github.client import RepositoryClient
from bot.github.deliveries import Delivery
from bot.github.errors import Forbidden
from bot.github.values import Pull, Review
from bot.live.precision import Subject
from bot.policy_choices import Mode
from bot.pulls.facts import PullFacts
from bot.pulls.result import PullResult, stored
from bot.pulls.verdict import verdict_of
from bot.rendering.escape import LINE, one_line
from bot.rendering.pull_messages import rejection_comment
from bot.storage.inbox import Queued
from bot.storage.judgements import RejectionRecord
from bot.workflows.delivery import AppIdentity, DeliveryHandler, Intent, ignore, run_tail, take
from bot.workflows.durable.step import attempt
from bot.workflows.issue.apply import same
from bot.workflows.jobs import GateEvent, ReviewJob
from bot.workflows.pull.base import tell_the_gate
from bot.workflows.review.comments import QUESTION, ReviewComments, ReviewOutcome, find_comment
from bot.workflows.review.gather import FilterOutcome, FilterRun
from bot.workflows.run_context import count_verdict
from bot.workflows.services import Services
from bot.workflows.workflow import Workflow

log = logging.getLogger(__name__)


def _wants(delivery: Delivery, context: AppIdentity) -> Intent:
    if delivery.sender == context.login:
        return ignore("Bouncer itself did it")
    return _review(delivery) if delivery.event == "pull_request_review" else _comment(delivery)


def _review(delivery: Delivery) -> Intent:
    """Only what a bot rejects is put to the test: a person's word needs no second opinion from a bot."""
    if delivery.pull is None or delivery.review is None:
        return ignore("it names no review")
    if delivery.review.state != "changes_requested":
        return ignore("the review does not reject")
    if not delivery.review.author_is_bot:
        return ignore("a person's review is left alone")
    if delivery.pull.state != "open":
        return ignore("closed pull requests are not judged")
    return take("a review bot requested changes", look=True)


def _comment(delivery: Delivery) -> Intent:
    """A command, or a person's tick in Bouncer's own comment. Bots neither command nor answer."""
    comment = delivery.comment
    if comment is None or delivery.issue is None or not delivery.issue.is_pull_request:
        return ignore("it is about no pull request")
    if delivery.sender_is_bot:
        return ignore("bots neither command nor answer")
    if delivery.action == "deleted":
        return ignore("a deleted comment asks for nothing")
    if comment.author_is_bot and delivery.action != "edited":
        return ignore("bots neither command nor answer")
    return take(f"a comment on a pull request was {delivery.action}")


def _handle(services: Services, queued: Queued, intent: Intent) -> None:
    delivery = queued.delivery
    subject = delivery.pull or delivery.issue
    assert delivery.repository and subject  # it was asked whether it is wanted
    run_id = f"review:{delivery.repository.id}:{subject.number}:{run_tail(queued)}"
    services.start(ReviewJob.about(delivery, run_id, queued.seq, number=subject.number, delivery=delivery))


HANDLER = DeliveryHandler("review", frozenset({"pull_request_review", "issue_comment"}), _wants, _handle)


class ReviewWorkflow(Workflow[ReviewJob], kind=ReviewJob):
    """One rejection, or one word about it."""

    def perform(self, job: ReviewJob) -> str:
        heard = attempt("hear", ReviewOutcome, lambda: ReviewComments(self.services, job).hear())
        if heard.review is None:
            return heard.outcome
        review = heard.review
        examined = attempt("examine", FilterOutcome, lambda: FilterRun(self.services, job, review).run())
        if examined.verified is None:
            return examined.outcome
        outcome = attempt("apply", str, lambda: self._apply(job, heard, examined))
        if heard.who:
            tell_the_gate(self.services, job, GateEvent.ANSWERED)
        return outcome

    def _apply(self, job: ReviewJob, heard: ReviewOutcome, examined: FilterOutcome) -> str:
        """Read the pull request again; write only about the commit that was executed."""
        assert examined.verified is not None and heard.review is not None
        client = self.services.repository(job.installation_id, job.repository)
        pull = client.get_pull(job.number)
        if not self.services.is_installed(job.installation_id):
            return "uninstalled"
        if pull.head != heard.review.commit or pull.state != "open":
            return "superseded: the pull request changed meanwhile"
        applied: tuple[str, ...] = ()
        verdict = verdict_of(examined.verified, pull.head, heard.who)
        found = examined.verified
        if examined.question is not None:  # whoever answers must not know which program gave which outcome
            found = replace(found, difference=None)
        result = PullResult(
            verdict,
            pull.head,
            examined.base,
            PullFacts(filtered=found),
            examined.agent,
            examined.asked,
            diff=examined.diff,
        )
        page = self._page(job, pull, heard.review, result)
        if examined.mode is not Mode.OBSERVE:
            body = rejection_comment(heard.review, examined.verified, examined.question, page)
            applied = self._comment(client, pull, body, examined)
        more = {"author": pull.author, "mode": examined.mode, "applied": applied, "seconds": examined.verified.seconds}
        self.services.enter(job, Subject.REVIEW, verdict, **more)
        count_verdict("reviews", verdict.decision, self.services.now())
        return f"{verdict.decision.value.lower()}: {examined.verified.case or 'nothing could run'}"

    def _page(self, job: ReviewJob, pull: Pull, review: Review, result: PullResult) -> str:
        """Keep what was found; the address of its page, if people can reach one."""
        record = RejectionRecord(
            run_id=job.run_id,
            repo_id=job.repository.id,
            number=job.number,
            installation_id=job.installation_id,
            repository=job.repository.full_name,
            head=pull.head,
            at=self.services.now(),
            decision=result.verdict.decision,
            sentence=one_line(result.verdict.reasons[0], LINE) if result.verdict.reasons else "",
            reviewer=review.author,
            result=stored(result),
        )
        token = self.services.rejections.keep(record)
        return f"{self.services.public_url.rstrip('/')}/verdicts/{token}" if self.services.public_url else ""

    def _comment(self, client: RepositoryClient, pull: Pull, body: str, examined: FilterOutcome) -> tuple[str, ...]:
        """Create or edit Bouncer's one comment here; the short phrases the ledger keeps.

        The question is stored before it is asked, so that whoever answers at once is understood.
        """
        record = self.services.reviews.get(client.repository.id, pull.number)
        assert record is not None  # hearing saved it
        asked = QUESTION.dump_json(examined.question).decode() if examined.question else ""
        record = replace(record, question=asked)
        self.services.reviews.save(record)
        standing = find_comment(client, pull.number, record)
        if standing is not None and same(standing.body, body):
            return ()
        try:
            if standing is not None:
                client.update_comment(standing.id, body)
                return ("comment edited",)
            created = client.create_comment(pull.number, body)
        except Forbidden:
            log.info("%s is locked: no comment", pull.html_url)
            return ()
        self.services.reviews.save(replace(record, comment_id=created.id))
        return ("comment",)
