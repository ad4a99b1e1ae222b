"""What people say and press about a gate, and who may."""

from dataclasses import replace
from datetime import datetime

from bot.github.client import RepositoryClient
from bot.github.values import Comment, Press
from bot.issues.commands import Command, Word
from bot.plain_text import clean
from bot.policy import Mode, Permission, Policy
from bot.policy import Override as Wanted
from bot.pulls.agents import no_persons_word
from bot.pulls.result import restored
from bot.rendering.gate_notes import (
    explained_note,
    left_alone_note,
    override_refused_note,
    person_note,
    pushed_since_note,
    reason_missing_note,
)
from bot.rendering.pull_reasons import as_told
from bot.storage.gates import GateRecord, GateState
from bot.storage.makers import PersonWord
from bot.storage.overrides import Override
from bot.verdicts import Left
from bot.workflows.answers import Asked, answer
from bot.workflows.github_time import moment
from bot.workflows.issue.commands import commands_of
from bot.workflows.jobs import GateJob
from bot.workflows.pull.authorship import Whose
from bot.workflows.pull.base import Acted, Clerk
from bot.workflows.pull.check_run import OVERRIDE, RECHECK, publish

RANKS = ("read", *Permission)  # from least to most
PRESSED = "pressed the button on the check"
_WORDS = (Word.OVERRIDE, Word.OVERRIDE_CANCEL, Word.PERSON, Word.EXPLAIN, Word.RECHECK)


class People(Clerk):
    """Permission is asked when the word is carried out, and unknown permission means no."""

    def pressed(self, press: Press) -> Acted:
        """A button or a re-run beside the check of this pull request's commit, which others may share."""
        record = self.known()
        if record is None or record.state is GateState.CLOSED or record.head != press.head:
            return Acted("it is closed, or that is no longer its commit")
        if press.identifier == OVERRIDE:
            return self._override(record, PRESSED, f"press {self.job.seq} of {record.number}")
        if press.identifier in ("", RECHECK):
            return self._again(record)
        return Acted("an unknown button")

    def heard(self, comment: Comment) -> Acted:
        """The commands of a comment that concern the gate; the pull request's workflow hears the others."""
        assert self.job.delivery is not None
        acted, start = Acted("no command for the gate"), tuple[GateJob, ...]()
        for line, command in enumerate(commands_of(self.job.delivery, self.services.github.slug)):
            record = self.known()
            if command.word not in _WORDS or record is None:
                continue
            # The pull request's workflow claims the same line for itself; the desk counts below zero.
            if self.services.commands.claim(comment.id, comment.updated_at, -1 - line, claimant=self.job.run_id):
                name = f"comment {comment.id} of {comment.updated_at}, line {line}"
                acted = self._commanded(record, command, comment, name)
                start += acted.judge
        return replace(acted, judge=start)

    def _commanded(self, record: GateRecord, command: Command, comment: Comment, name: str) -> Acted:
        if command.word is Word.EXPLAIN:
            return self._explained(record, name)
        if record.state is GateState.CLOSED:
            return Acted("it is closed: nothing is decided about it")
        if command.word is Word.RECHECK:
            return self._again(record)
        if command.word is Word.OVERRIDE_CANCEL:
            return self._cancel(record)
        if not clean(command.rest):
            return self._say(record, name, reason_missing_note(command.word), self.policy())
        said = moment(comment.updated_at)
        if command.word is Word.PERSON:
            return self._person(record, command.rest, name, said or self.services.now())
        if record.pushed_at and said and said < record.pushed_at:
            return self._say(record, name, pushed_since_note(record.head), self.policy())
        return self._override(record, command.rest, name)

    def _override(self, record: GateRecord, reason: str, name: str) -> Acted:
        policy = self.policy()
        permission = self._permission(record, policy) if policy else None
        if policy is None or permission is None:
            return self._refused(record, policy, Word.OVERRIDE)
        delivery = self.job.delivery
        assert delivery is not None
        override = Override(
            id=name,
            repo_id=record.repo_id,
            number=record.number,
            head=record.head,
            who=delivery.sender,
            permission=permission,
            reason=reason,
            at=self.services.now(),
            verdict=as_told(restored(record.judged)) if record.judged else None,
            base_branch=record.base_branch,
        )
        self.services.overrides.add(override)
        if record.state is GateState.JUDGING:
            return Acted(f"overridden by {delivery.sender}, shown once it is judged")
        return Acted(publish(self.services, self.client, record, policy))

    def _person(self, record: GateRecord, reason: str, name: str, said: datetime) -> Acted:
        """It is a person's from now on, whatever it shows, until an agent pushes to it."""
        policy = self.policy()
        permission = self._permission(record, policy, Word.PERSON) if policy else None
        if policy is None or permission is None:
            return self._refused(record, policy, Word.PERSON)
        whose = Whose(self.services, record.repo_id, record.number)
        if whose.agent_pushed_since(said, policy.pulls):
            return self._say(record, name, pushed_since_note(record.head), policy)
        assert self.job.delivery is not None
        word = PersonWord(
            id=name,
            repo_id=record.repo_id,
            number=record.number,
            head=record.head,
            who=self.job.delivery.sender,
            permission=permission,
            reason=reason,
            said_at=said,
            at=self.services.now(),
        )
        self.services.makers.say(word)
        if not policy.pulls.enabled:
            return Acted("kept; pull requests are not judged here")
        return self.judge(record, policy, "whose it is, since a maintainer says that it is a person's")

    def _explained(self, record: GateRecord, name: str) -> Acted:
        words = self.services.makers.words(record.repo_id, record.number)
        judged = explained_note(restored(record.judged)) if record.judged else ""
        left = left_alone_note(Left(record.left_alone), record.base_branch) if record.left_alone else ""
        note = "\n\n".join(filter(None, (judged, left, *map(person_note, words))))
        return self._say(record, name, note, self.policy())

    def _cancel(self, record: GateRecord) -> Acted:
        """Both what lets a commit through and what makes it a person's."""
        policy = self.policy()
        if policy is None or self._permission(record, policy) is None:
            return self._refused(record, policy, Word.OVERRIDE_CANCEL)
        assert self.job.delivery is not None
        who, now = self.job.delivery.sender, self.services.now()
        lifted = self.services.makers.end(record.repo_id, record.number, by=who, at=now, until=now)
        ended = self.services.overrides.end(record.repo_id, record.number, by=who, at=now)
        if lifted and policy.pulls.enabled:
            return self.judge(record, policy, "once more, since nobody says any more that it is a person's")
        if not ended:
            return Acted("nothing was overridden")
        if record.state is GateState.JUDGING:
            return Acted("the override was taken back")
        return Acted(publish(self.services, self.client, record, policy))

    def _again(self, record: GateRecord) -> Acted:
        """Have the same commit judged once more: for whoever may write, and for GitHub's own re-run button."""
        policy = self.policy()
        if policy is None or not policy.pulls.enabled:
            return Acted("not judged again: the policy is invalid, or does not want it")
        if not self.may_write():
            return Acted("not judged again: the sender may not write here")
        return self.judge(record, policy, "once more, since somebody asked")

    def may_write(self) -> bool:
        """Whether the sender is a person who may write here."""
        delivery, policy = self.job.delivery, self.policy()
        assert delivery is not None
        return not self._not_a_persons(policy) and self.client.permission(delivery.sender) in RANKS[2:]

    def _permission(self, record: GateRecord, policy: Policy, word: Word = Word.OVERRIDE) -> str | None:
        """What the sender may do here, when that is enough to override. No bot may, no App for somebody, no agent's
        account, and nobody on an agent's pull request of their own."""
        delivery = self.job.delivery
        assert delivery is not None
        if self._not_a_persons(policy):
            return None
        own = delivery.sender.lower() == self.client.get_pull(record.number).author.lower()
        if own and (word is Word.PERSON or not self._is_a_persons(record)):
            return None
        return may_override(self.client, policy.pulls.override, delivery.sender)

    def _is_a_persons(self, record: GateRecord) -> bool:
        """Known only once it is judged, or let through: until then its author may be an agent."""
        waits = record.state is not GateState.DONE or (record.decision is not None and not record.judged)
        return not waits and not Whose(self.services, record.repo_id, record.number).is_agents()

    def _not_a_persons(self, policy: Policy | None) -> str:
        """Why this is no person's own word or press, as a sentence."""
        delivery = self.job.delivery
        assert delivery is not None
        through_app = delivery.comment is not None and delivery.comment.app_id is not None
        agents = (policy or Policy()).pulls.agents
        return no_persons_word(delivery.sender, delivery.sender_is_bot, through_app, agents)

    def _refused(self, record: GateRecord, policy: Policy | None, word: Word) -> Acted:
        """Said once to each person about one commit, however often they try."""
        delivery = self.job.delivery
        assert delivery is not None
        if policy is None or policy.mode is Mode.OBSERVE or delivery.sender_is_bot:
            return Acted("refused")
        name = f"refused {delivery.sender} on {record.head}"
        return self._say(
            record, name, override_refused_note(word.value, policy.pulls.override, self._not_a_persons(policy)), policy
        )

    def _say(self, record: GateRecord, name: str, note: str, policy: Policy | None) -> Acted:
        """In a comment of its own, once for each `name`."""
        delivery = self.job.delivery
        if policy is None or policy.mode is Mode.OBSERVE or not note or delivery is None:
            return Acted("not answered")
        asked = Asked(name, delivery.sender, delivery.comment.id if delivery.comment else None)
        return Acted(answer(self.client, record.number, asked, note, self.services.now()))


def may_override(client: RepositoryClient, wanted: Wanted, login: str) -> str | None:
    """What somebody may do in the repository, or the team they are in, when that is enough to override; unknown means
    no. Raises `GitHubError`."""
    permission = client.permission(login)
    if permission in RANKS and RANKS.index(permission) >= RANKS.index(wanted.role.value):
        return permission
    return next((f"team {team}" for team in wanted.teams if client.in_team(team, login)), None)
