"""The review workflow: what a review bot suggests is executed beside the pull request, claim by claim, and each claim's
thread says what came of it where that decides. Which deliveries are about that: the review itself, what becomes of its
comments and threads, and what people answer."""

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.github.deliveries import Delivery
from bot.github.errors import Forbidden, NotFound
from bot.github.values import Review
from bot.live.precision import Subject
from bot.markdown.commands import may_hold_command
from bot.policy_choices import Mode
from bot.pulls.facts import PullFacts
from bot.pulls.result import ANSWER, PullResult, stored, verdict_of
from bot.pulls.review_trial import ClaimTrial, stale
from bot.rendering.escape import LINE, one_line
from bot.rendering.pull_messages import CLASH, MARKER, MOST_ANSWERS, rejection_comment
from bot.storage.judgements import RejectionRecord
from bot.verdicts import ClaimOutcome, Verdict
from bot.verification.evidence import Claimant, ClaimEvidence, HeadTrial, Ran
from bot.workflows.commands import COMMENTS
from bot.workflows.delivery import AppIdentity, DeliveryHandler, Intent, ignore, take
from bot.workflows.durable.step import attempt
from bot.workflows.issue.apply import same
from bot.workflows.jobs import Why
from bot.workflows.pull.base import tell_the_gate
from bot.workflows.review.comments import QUESTION, ReviewComments, ReviewOutcome
from bot.workflows.review.gather import FilterOutcome, FilterRun
from bot.workflows.run_context import count_verdict
from bot.workflows.verifier import unavailable
from bot.workflows.workflow import WorkflowRun

NOTHING = unavailable("Nothing was run.")

log = logging.getLogger(__name__)


def _wants(delivery: Delivery, context: AppIdentity) -> Intent:
    """A review bot's review, since a person's word needs no second opinion from a bot; what became of a line comment or
    its thread; a command, or a person's tick in Bouncer's own comment."""
    review, comment, pull = delivery.review, delivery.comment, delivery.pull
    if delivery.sender == context.login:
        return ignore("Bouncer itself did it")
    of_bot = review is not None and review.author_is_bot and delivery.action == "submitted"
    if of_bot or delivery.remarks:
        if pull is None:
            return ignore("it names no review")
        if pull.state != "open":
            return ignore("closed pull requests are not judged")
        thread = f"a thread of a review: {delivery.action}"
        return take("a review bot said something", look=True) if of_bot else take(thread)
    if comment is None or not (pull or (delivery.issue and delivery.issue.is_pull_request)):
        return ignore("it is about no pull request")
    if delivery.sender_is_bot or (comment.author_is_bot and delivery.action != "edited"):
        return ignore("bots neither command nor answer")
    if delivery.action == "deleted":
        return ignore("a deleted comment asks for nothing")
    if not (comment.author_is_bot or may_hold_command(comment.body, context.slug)):
        return ignore("it names no command")
    return take(f"a comment on a pull request was {delivery.action}")


HANDLER = DeliveryHandler("review", frozenset({*COMMENTS, "pull_request_review_thread"}), _wants)


@dataclass(frozen=True, slots=True)
class ReviewApplied:
    """outcome: one line. shows: a suggestion for the commit that still is the newest meets an example of the issue that
    the change does not."""

    outcome: str
    shows: bool = False


class ReviewWorkflow(WorkflowRun):
    """One review, or one word about it."""

    name, long = "review", True

    def perform(self) -> str:
        job = self.job
        heard = attempt("hear", ReviewOutcome, ReviewComments(self.services, job).hear)
        if heard.shows:
            tell_the_gate(self.services, job, Why.DONE)
        if heard.review is None:
            return heard.outcome
        review = heard.review
        examined = attempt("examine", FilterOutcome, FilterRun(self.services, job, review).run)
        if not examined.trials:
            return examined.outcome
        applied = attempt("apply", ReviewApplied, lambda: self._apply(heard, examined))
        why = Why.ANSWERED if heard.who else Why.OFFERED if applied.shows else Why.DONE
        tell_the_gate(self.services, job, why)
        return applied.outcome

    def _apply(self, heard: ReviewOutcome, examined: FilterOutcome) -> ReviewApplied:
        """Read the pull request again; write only about the commit that was executed."""
        job, review = self.job, heard.review
        assert review is not None
        pull = self.client.get_pull(job.number)
        if not self.is_installed:
            return ReviewApplied("uninstalled")
        if pull.state != "open":
            return ReviewApplied("superseded: the pull request was closed meanwhile")
        if pull.head != review.commit:
            examined = replace(examined, trials=tuple(stale(each.claim) for each in examined.trials))
        verdicts = [verdict_of(each.verified or NOTHING, review.commit, heard.who) for each in examined.trials]
        first = min(range(len(verdicts)), key=lambda at: _rank(examined.trials[at], verdicts[at], review))
        known = {each.remark: each for each in self.services.rejections.newest(job.repository.id, job.number)}
        pages = []
        for at, (trial, verdict) in enumerate(zip(examined.trials, verdicts, strict=True)):
            run_id = job.run_id if at == first else f"{job.run_id}/{at}"
            record = self._record(review, trial, verdict, examined, run_id)
            before = known.get(trial.claim.remark) if trial.claim.remark else None
            token = self.services.rejections.keep(replace(record, resolved=before is not None and before.resolved))
            pages.append(self.services.page(token))
        applied = self._answer(review, examined, pages) if examined.mode is not Mode.OBSERVE else ()
        lead = examined.trials[first]
        if lead.verified is not None:
            more = {"author": review.author, "mode": examined.mode, "applied": applied}
            self.services.enter(job, Subject.REVIEW, verdicts[first], **more)
            count_verdict("reviews", verdicts[first].decision, self.services.now())
        outcomes = Counter(each.outcome.value for each in examined.trials)
        told = ", ".join(f"{many} {name}" for name, many in sorted(outcomes.items()))
        return ReviewApplied(told, any(map(_shows_a_hole, examined.trials)))

    def _record(
        self, review: Review, trial: ClaimTrial, verdict: Verdict, examined: FilterOutcome, run_id: str
    ) -> RejectionRecord:
        """What is kept of a claim; what its page shows, where something ran."""
        job, found, result = self.job, trial.verified, ""
        if found is not None:
            if _asks(trial, review):  # whoever answers must not know which program gave which outcome
                found = replace(found, difference=None)
            facts, said = PullFacts(trial=HeadTrial(verified=found)), (examined.agent, examined.asked)
            result = stored(PullResult(verdict, review.commit, examined.base, facts, *said, diff=examined.diff))
        return RejectionRecord(
            run_id=run_id,
            **job.key,
            head=review.commit,
            at=self.services.now(),
            decision=verdict.decision,
            sentence=one_line(f"{trial.reason} {CLASH if trial.clashes else ''}", LINE),
            reviewer=review.author,
            result=result,
            remark=trial.claim.remark,
            place=one_line(trial.claim.place, LINE),
            topic=trial.claim.topic,
            outcome=trial.outcome,
        )

    def _answer(self, review: Review, examined: FilterOutcome, pages: Sequence[str]) -> tuple[str, ...]:
        """Answer the claims about which execution decided, each in its thread, the worst first; the short phrases the
        ledger keeps. What stands there already is brought up to date.

        A question is stored before it is asked, so that whoever answers at once is understood.
        """
        client, job = self.client, self.job
        asking = next((each for each in examined.trials if _asks(each, review)), None)
        record = self.services.reviews.get(job.repository.id, job.number)
        assert record is not None  # examining saved it
        asked = QUESTION.dump_json(asking.question).decode() if asking and asking.question else ""
        self.services.reviews.save(replace(record, question=asked))
        own = [each for each in client.remarks(job.number) if MARKER in each.body and client.is_own_remark(each)]
        threads = {each.reply_to: each for each in own}
        said: Counter[str] = Counter()
        for trial, page in zip(examined.trials, pages, strict=True):
            claim, standing = trial.claim, threads.get(trial.claim.remark)
            told = trial is asking or trial.is_told
            if not claim.remark or trial.verified is None:
                continue
            if standing is None and (not told or said["comment"] >= MOST_ANSWERS):
                continue
            question = trial.question if trial is asking else None
            body = rejection_comment(review, trial.verified, question, page, among=trial.among, clashes=trial.clashes)
            if standing is None or not same(standing.body, body):
                try:
                    client.reply(job.number, claim.remark, body, standing)
                except (Forbidden, NotFound):
                    log.info("%s#%s: its thread takes no answer", job.repository.full_name, job.number)
                    continue
                said["comment" if standing is None else "comment edited"] += 1
        return tuple(name for name, many in said.items() for _ in range(many))


def _shows_a_hole(trial: ClaimTrial) -> bool:
    """Whether its suggestion meets an example of the issue that the change does not."""
    decided = trial.verified.outcome if trial.verified else None
    return decided == ClaimEvidence(Claimant.EXAMPLE, Ran.REPAIRED)


def _asks(trial: ClaimTrial, review: Review) -> bool:
    """Whether people are asked which behaviour is right: only where a review keeps the change back."""
    return trial.question is not None and trial.claim.remark > 0 and review.state == "changes_requested"


def _rank(trial: ClaimTrial, verdict: Verdict, review: Review) -> tuple[bool, bool, int]:
    """The claim that stands for the review: what a maintainer answered, what is asked, else the order of outcomes."""
    answered = any(each.check == ANSWER for each in verdict.evidence)
    return not answered, not _asks(trial, review), list(ClaimOutcome).index(trial.outcome)
