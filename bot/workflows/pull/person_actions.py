"""What people say and press about a gate, and who may. `commands.py` beside this has a function for each word."""

from dataclasses import dataclass, replace

from bot.github.client import RepositoryClient
from bot.github.deliveries import Press
from bot.github.values import Comment
from bot.markdown.commands import Command
from bot.policy import OverrideRules as Wanted
from bot.policy import Policy
from bot.policy_choices import Mode, Permission
from bot.rendering.comment import render
from bot.storage.gates import GateRecord, GateState
from bot.workflows.commands import (
    AnswerTarget,
    CommandContext,
    Right,
    answer,
    commands_of,
    handlers,
    not_a_persons,
)
from bot.workflows.jobs import RunJob
from bot.workflows.pull.authorship import PullAuthor
from bot.workflows.pull.base import GateContext, GateOutcome
from bot.workflows.pull.check_run import OVERRIDE, RECHECK

RANKS = ("read", *Permission)  # from least to most
PRESSED = "pressed the button on the check"


@dataclass(frozen=True, slots=True)
class GateCommand:
    """A command and what identifies it. name: of its effects, so that they happen once. at: as GitHub writes it;
    empty for a button. commit: that it was written on, where GitHub tells."""

    command: Command
    name: str
    at: str = ""
    commit: str = ""


class GatePersonActions(GateContext, CommandContext):
    """Permission is asked when the word is carried out, and unknown permission means no."""

    wing = "pull"

    def on_button(self, press: Press) -> GateOutcome:
        """A button or a re-run beside the check of this pull request's commit, which others may share."""
        record = self.gate_record()
        if record is None or record.state is GateState.CLOSED or record.head != press.head:
            return GateOutcome("it is closed, or that is no longer its commit")
        if press.identifier == OVERRIDE:
            said = GateCommand(Command(OVERRIDE, PRESSED), f"press {self.job.seq} of {record.number}")
            return self._carry_out(record, said)
        if press.identifier in ("", RECHECK):
            return self._carry_out(record, GateCommand(Command(RECHECK), ""))
        return GateOutcome("an unknown button")

    def on_comment(self, comment: Comment) -> GateOutcome:
        """The commands of a comment that concern the gate; the pull request's workflow hears the others."""
        acted, start = GateOutcome("no command for the gate"), tuple[RunJob, ...]()
        known = handlers("pull")
        for line, command in enumerate(commands_of(self.delivery, self.services.github.slug)):
            record = self.gate_record()
            if command.word not in known or command.misplaced or record is None:
                continue
            if self.claims(command, comment):
                said = GateCommand(command, f"{comment.name}, line {line}", comment.updated_at, comment.commit)
                acted = self._carry_out(record, said)
                start += acted.start
        return replace(acted, start=start)

    def _carry_out(self, record: GateRecord, said: GateCommand) -> GateOutcome:
        if record.state is GateState.CLOSED and said.command.word != "explain":
            return GateOutcome("it is closed: nothing is decided about it")
        handler = handlers("pull")[said.command.word]
        if isinstance(seen := self.reread(handler, said.command), str):
            return self.say(record, said.name, render(seen), self.policy())
        acted: GateOutcome = handler.carry_out(self, record, replace(said, command=seen))
        return acted

    def may_write(self) -> bool:
        """Whether the sender is a person who may write here."""
        return not not_a_persons(self.delivery, self.policy()) and self.may(Right.WRITE)

    def permission(self, record: GateRecord, policy: Policy, *, of_own: bool = True) -> str | None:
        """What the sender may do here, when that is enough to override. No bot may, no App for somebody, no agent's
        account, and nobody on an agent's pull request of their own; on a person's only with of_own."""
        delivery = self.delivery
        if not_a_persons(delivery, policy):
            return None
        own = delivery.sender.lower() == self.client.get_pull(record.number).author.lower()
        if own and not (of_own and self._is_a_persons(record)):
            return None
        return may_override(self.client, policy.pulls.override, delivery.sender)

    def _is_a_persons(self, record: GateRecord) -> bool:
        """Known only once it is judged, or let through: until then its author may be an agent."""
        waits = record.state is not GateState.DONE or (record.decision is not None and not record.judged)
        return not waits and not PullAuthor(self.services, record.repo_id, record.number).is_agents()

    def refuse(self, record: GateRecord, policy: Policy | None, word: str) -> GateOutcome:
        """Said once to each person about one commit, however often they try."""
        delivery = self.delivery
        if policy is None or policy.mode is Mode.OBSERVE or delivery.sender_is_bot:
            return GateOutcome("refused")
        name = f"refused {delivery.sender} on {record.head}"
        why, wanted = not_a_persons(delivery, policy), policy.pulls.override
        return self.say(record, name, render("override_refused", word=word, wanted=wanted, why=why), policy)

    def say(self, record: GateRecord, name: str, note: str, policy: Policy | None) -> GateOutcome:
        """In a comment of its own, once for each `name`."""
        if policy is None or policy.mode is Mode.OBSERVE or not note:
            return GateOutcome("not answered")
        asked = AnswerTarget(name, self.delivery.sender, self.delivery.comment)
        return GateOutcome(answer(self.client, record.number, asked, note, self.services.now()))


def may_override(client: RepositoryClient, wanted: Wanted, login: str) -> str | None:
    """What somebody may do in the repository, or the team they are in, when that is enough to override; unknown means
    no. Raises `GitHubError`."""
    permission = client.permission(login)
    if permission in RANKS and RANKS.index(permission) >= RANKS.index(wanted.role.value):
        return permission
    return next((f"team {team}" for team in wanted.teams if client.in_team(team, login)), None)
