"""What a delivery about a pull request asks for: a rejection to put to the test, or a maintainer's word about one."""

from dataclasses import dataclass, replace

from pydantic import TypeAdapter

from bot.github.client import RepositoryClient
from bot.github.errors import NotFound
from bot.github.values import Comment, Review
from bot.issues.commands import Command, Word
from bot.policy import Door, Mode, Policy, PolicyError
from bot.pulls.agents import no_persons_word
from bot.rendering.comment import NOTE_MARKER
from bot.rendering.pull import MARKER, help_note, refused_note, unknown_note
from bot.storage.answers import Answer
from bot.storage.pulls import PullRecord
from bot.verification.questions import Given, VerificationQuestion, clicked, rule, spoken
from bot.workflows.acts import commands_of
from bot.workflows.jobs import PullJob
from bot.workflows.policies import PolicyLookup
from bot.workflows.services import Services

MAY_SPEAK = frozenset({"write", "maintain", "admin"})  # who on GitHub may tick a box in somebody else's comment

FOR_THE_DESK = (Word.OVERRIDE, Word.OVERRIDE_CANCEL, Word.PERSON, Word.EXPLAIN)

QUESTION = TypeAdapter(VerificationQuestion)


@dataclass(frozen=True, slots=True)
class Heard:
    """review: the rejection to put to the test now; `None` when there is nothing to do, and `outcome` says why. who:
    answered what is right, where that is what it was heard for."""

    outcome: str = ""
    review: Review | None = None
    who: str = ""


class Hearing:
    """One delivery. Everything here may be repeated after a kill."""

    def __init__(self, services: Services, job: PullJob) -> None:
        self.services = services
        self.job = job
        self.client = services.repository(job.installation_id, job.repository)

    def hear(self) -> Heard:
        """Raises `GitHubError`."""
        delivery = self.job.delivery
        if not self.services.installed(self.job.installation_id):
            return Heard("uninstalled")
        if delivery.review is not None:
            self.services.pulls.save(replace(self._record(), review=delivery.review))
            return Heard("a review bot requested changes", delivery.review)
        if delivery.comment is None:
            return Heard("it names no comment")
        if self.client.is_own(delivery.comment):
            return self._ticked(delivery.comment)
        heard = Heard("no command")
        for line, command in enumerate(commands_of(delivery, self.services.github.slug)):
            if command.word in FOR_THE_DESK:
                continue
            if self.services.commands.claim(
                delivery.comment.id, delivery.comment.updated_at, line, claimant=self.job.run_id
            ):
                heard = self._commanded(command)
        return heard

    def _ticked(self, comment: Comment) -> Heard:
        given = clicked(comment.body, self.job.delivery.previous_body or "")
        if given is None:
            return Heard("no box was ticked")
        if not self._may():
            return self._say(refused_note(self._not_a_persons()))
        return self._answered(given)

    def _commanded(self, command: Command) -> Heard:
        if command.word not in (Word.ANSWER, Word.RECHECK):
            elsewhere = command.word not in (Word.HELP, Word.UNKNOWN)
            return self._say(help_note(command.word.value if elsewhere else command.said, elsewhere=elsewhere))
        if not self._may():
            return self._say(refused_note(self._not_a_persons()))
        if command.word is Word.RECHECK:
            record = self._record()
            if record.review:
                return Heard("recheck", record.review)
            gated = self.services.gates.get(self.job.repository.id, self.job.number) is not None
            return Heard("the gate judges it again") if gated else self._say(help_note())
        given = spoken(command.rest)
        return self._answered(given) if given else self._say(unknown_note())

    def _answered(self, given: Given) -> Heard:
        """The answer is kept, and what it decides is executed anew."""
        record = self._record()
        asked = QUESTION.validate_json(record.question) if record.question else None
        if asked is None or asked.id != given.question:
            return self._say(unknown_note())
        ruling = rule(asked, given.choice)
        answer = Answer(
            repo_id=self.job.repository.id,
            number=self.job.number,
            question=ruling.question,
            specification=ruling.specification,
            call=ruling.call,
            expected=ruling.stored,
            who=self.job.delivery.sender,
            at=self.services.now(),
        )
        self.services.answers.keep(answer)
        return Heard(f"a maintainer answered: {given.choice}", record.review, answer.who)

    def _may(self) -> bool:
        """Unknown permission means no, and so does being the pull request's own author."""
        who = self.job.delivery.sender
        if self._not_a_persons() or who.lower() == self.client.get_pull(self.job.number).author.lower():
            return False
        return self.client.permission(who) in MAY_SPEAK

    def _not_a_persons(self) -> str:
        """Why this is no person's own word or tick, as a sentence. A box stands in a comment of this App's own."""
        delivery, policy = self.job.delivery, self._policy()
        comment = delivery.comment
        through_app = comment is not None and comment.app_id is not None and not self.client.is_own(comment)
        agents = (policy or Policy()).pulls.agents
        return no_persons_word(delivery.sender, delivery.sender_is_bot, through_app, agents)

    def _say(self, note: str) -> Heard:
        """Below Bouncer's comment, in place of an earlier note; a comment of its own where there is none."""
        if not self._may_write():
            return Heard("not answered: the policy has Bouncer silent here")
        record = self._record()
        standing = standing_comment(self.client, self.job.number, record)
        body = f"{(standing.body if standing else MARKER).partition(NOTE_MARKER)[0].rstrip()}\n\n{NOTE_MARKER}\n{note}"
        if standing is not None:
            self.client.update_comment(standing.id, body)
        else:
            created = self.client.create_comment(self.job.number, body)
            self.services.pulls.save(replace(record, comment_id=created.id))
        return Heard("answered with a note")

    def _may_write(self) -> bool:
        policy = self._policy()
        return policy is not None and policy.mode is not Mode.OBSERVE and policy.verify.reviews

    def _policy(self) -> Policy | None:
        lookup = PolicyLookup(self.services.policies, self.services.github, self.services.now)
        try:
            return lookup.find(self.job.installation_id, self.job.repository, Door.PULLS)
        except PolicyError:
            return None

    def _record(self) -> PullRecord:
        found = self.services.pulls.get(self.job.repository.id, self.job.number)
        return found or PullRecord(
            repo_id=self.job.repository.id, number=self.job.number, installation_id=self.job.installation_id
        )


def standing_comment(client: RepositoryClient, number: int, record: PullRecord) -> Comment | None:
    """Bouncer's one comment as it is now; searched by its marker where its id was not stored before a kill."""
    if record.comment_id is not None:
        try:
            return client.get_comment(record.comment_id)
        except NotFound:
            pass  # somebody deleted it
    return client.find_own_comment(number, MARKER)
