"""What a delivery about a pull request asks for: a review to put to the test, or a maintainer's word about one."""

from dataclasses import dataclass

from pydantic import TypeAdapter

from bot.github.values import Comment, Review
from bot.markdown.commands import Command
from bot.policy_choices import Mode
from bot.rendering.comment import render
from bot.storage.verification import MaintainersAnswer
from bot.verification.fix_guided.questions import Given, VerificationQuestion, clicked, rule
from bot.workflows.commands import (
    AnswerTarget,
    CommandContext,
    Right,
    answer,
    commands_of,
    handler_of,
    not_a_persons,
    words,
)
from bot.workflows.review.gather import review_record

_TICK = "tick"  # of a box in Bouncer's own comment, in the place of a command's word

QUESTION = TypeAdapter(VerificationQuestion)


@dataclass(frozen=True, slots=True)
class ReviewOutcome:
    """review: to be put to the test now; `None` when there is nothing to run, and `outcome` says why. who: answered
    what is right, where that is what it was heard for. shows: the check has another word of claims to show."""

    outcome: str = ""
    review: Review | None = None
    who: str = ""
    shows: bool = False


class ReviewComments(CommandContext):
    """One delivery: a review, a word about one, or what became of its threads."""

    wing = "review"

    def hear(self) -> ReviewOutcome:
        """Raises `GitHubError`."""
        delivery = self.delivery
        if not self.is_installed:
            return ReviewOutcome("uninstalled")
        if delivery.review is not None and delivery.review.author_is_bot and delivery.action == "submitted":
            return ReviewOutcome("a review bot said something", delivery.review)
        if delivery.comment is not None and self.client.is_own(delivery.comment):
            return self._ticked(delivery.comment)
        commands = commands_of(delivery, self.services.github.slug)
        if delivery.remarks and not commands:
            return self._changed(delivery.remarks)
        if delivery.comment is None:
            return ReviewOutcome("it names no comment")
        heard = ReviewOutcome("no command")
        for command in commands:
            if command.word in words("pull") - words("review") and not command.misplaced:
                continue
            if self.claims(command, delivery.comment):
                heard = self._carried_out(command)
        return heard

    def _changed(self, remarks: tuple[int, ...]) -> ReviewOutcome:
        """What a bot says otherwise now is tried again; what people closed, or took away, is open no more."""
        delivery, claims = self.delivery, self.services.rejections
        if delivery.action == "edited":
            record = review_record(self)
            newest, review = claims.newest(record.repo_id, record.number), record.review
            said = {each.reviewer for each in newest if each.remark in remarks} if delivery.sender_is_bot else set()
            again = review if review and review.author in said else None
            return ReviewOutcome("a comment of a review was edited", again)
        closed = delivery.action in ("resolved", "deleted")
        found = claims.resolve(self.job.repository.id, self.job.number, remarks, resolved=closed)
        return ReviewOutcome(f"{found} claims: {delivery.action}", shows=found > 0)

    def _carried_out(self, command: Command) -> ReviewOutcome:
        handler = handler_of("review", command)
        refused = self._refused(command.word) if handler.right is Right.WRITE else None
        if refused is not None:
            return refused
        if isinstance(seen := self.reread(handler, command), str):
            return self.say(command.word, render(seen))
        acted: ReviewOutcome = handler.carry_out(self, seen)
        return acted

    def _refused(self, word: str) -> ReviewOutcome | None:
        """What is said to whoever may not answer, nor have it tried again."""
        return None if self._may() else self.say(word, render("pull_refused", why=self._not_a_persons()))

    def _ticked(self, comment: Comment) -> ReviewOutcome:
        given = clicked(comment.body, self.delivery.previous_body or "")
        if given is None:
            return ReviewOutcome("no box was ticked")
        return self._refused(_TICK) or self.on_answer(given, _TICK)

    def on_answer(self, given: Given, word: str) -> ReviewOutcome:
        """The answer is kept, and what it decides is executed anew. word: by which it was given."""
        record = review_record(self)
        asked = QUESTION.validate_json(record.question) if record.question else None
        if asked is None or asked.id != given.question:
            return self.say(word, render("pull_unknown"))
        ruling = rule(asked, given.choice)
        answer = MaintainersAnswer(
            repo_id=self.job.repository.id,
            number=self.job.number,
            question=ruling.question,
            specification=ruling.specification,
            call=ruling.call,
            expected=ruling.stored,
            who=self.delivery.sender,
            at=self.services.now(),
        )
        self.services.answers.save(answer)
        return ReviewOutcome(f"a maintainer answered: {given.choice}", record.review, answer.who)

    @property
    def has_gate(self) -> bool:
        """Whether there is a gate, which judges the commit by itself."""
        return self.services.gates.get(self.job.repository.id, self.job.number) is not None

    def _may(self) -> bool:
        """Unknown permission means no, and so does being the pull request's own author."""
        who = self.delivery.sender
        if self._not_a_persons() or who.lower() == self.client.get_pull(self.job.number).author.lower():
            return False
        return self.may(Right.WRITE)  # who on GitHub may also tick a box in somebody else's comment

    def _not_a_persons(self) -> str:
        comment = self.delivery.comment
        own = comment is not None and self.client.is_own(comment)
        return not_a_persons(self.delivery, self.policy_status().policy, own=own)

    def say(self, word: str, text: str) -> ReviewOutcome:
        """In a comment of its own. word: what it answers, beside the comment that it stands in."""
        if not self._may_write():
            return ReviewOutcome("not answered: the policy has Bouncer silent here")
        delivery = self.delivery
        assert delivery.comment is not None
        said = f"{word} by {delivery.sender}" if word == _TICK else word  # many tick in the same comment
        asked = AnswerTarget(f"{delivery.comment.name}, {said}", delivery.sender, delivery.comment)
        return ReviewOutcome(answer(self.client, self.job.number, asked, text, self.services.now()))

    def _may_write(self) -> bool:
        policy = self.policy_status().policy
        if policy is None or policy.mode is Mode.OBSERVE:
            return False
        return policy.verify.reviews is not False or policy.pulls.enabled
