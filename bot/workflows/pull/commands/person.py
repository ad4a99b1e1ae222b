"""`/bouncer person REASON`: it is a person's pull request from now on, until an agent pushes to it."""

from bot.github.fields import moment
from bot.issues.commands import Right
from bot.plain_text import clean
from bot.rendering.pull_messages import reason_missing_note, stale_word_note
from bot.storage.gates import GateRecord
from bot.storage.pull_authors import PersonWord
from bot.workflows.commands import CommandHandler
from bot.workflows.pull.authorship import PullAuthor
from bot.workflows.pull.base import GateOutcome
from bot.workflows.pull.person_actions import GateCommand, GatePersonActions


def carry_out(actions: GatePersonActions, record: GateRecord, said: GateCommand) -> GateOutcome:
    """Whatever it shows. Nobody says so of a pull request of their own."""
    policy, reason = actions.policy(), said.command.rest
    if not clean(reason):
        return actions.say(record, said.name, reason_missing_note("person"), policy)
    permission = actions.permission(record, policy, of_own=False) if policy else None
    if policy is None or permission is None:
        return actions.refuse(record, policy, "person")
    at = moment(said.at) or actions.services.now()
    if PullAuthor(actions.services, record.repo_id, record.number).agent_pushed_since(at, policy.pulls):
        return actions.say(record, said.name, stale_word_note(record.head), policy)
    word = PersonWord(
        id=said.name,
        repo_id=record.repo_id,
        number=record.number,
        head=record.head,
        who=actions.sender,
        permission=permission,
        reason=reason,
        said_at=at,
        at=actions.services.now(),
    )
    actions.services.makers.add(word)
    if not policy.pulls.enabled:
        return GateOutcome("kept; pull requests are not judged here")
    return actions.judge(record, policy, "whose it is, since a maintainer says that it is a person's")


COMMAND = CommandHandler("person", Right.OVERRIDE, carry_out)
