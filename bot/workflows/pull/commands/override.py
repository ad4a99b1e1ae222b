"""`/bouncer override REASON`, and the button: this commit is let through in spite of its verdict."""

from bot.github.fields import moment
from bot.issues.commands import Right
from bot.plain_text import clean
from bot.pulls.result import restored
from bot.rendering.pull_messages import reason_missing_note, stale_word_note
from bot.rendering.pull_reasons import verdict_with_reasons
from bot.storage.gates import GateRecord, GateState
from bot.storage.overrides import Override
from bot.workflows.commands import CommandHandler
from bot.workflows.pull.base import GateOutcome
from bot.workflows.pull.check_run import publish
from bot.workflows.pull.person_actions import GateCommand, GatePersonActions


def carry_out(actions: GatePersonActions, record: GateRecord, said: GateCommand) -> GateOutcome:
    """For the commit that the check stands on; a word that is older than its push counts for another one, and so
    does one of the same second: GitHub's clock does not say which of them was first."""
    policy, reason = actions.policy(), said.command.rest
    if not clean(reason):
        return actions.say(record, said.name, reason_missing_note("override"), policy)
    at = moment(said.at)
    if record.pushed_at and at and at <= record.pushed_at:
        return actions.say(record, said.name, stale_word_note(record.head), policy)
    permission = actions.permission(record, policy) if policy else None
    if policy is None or permission is None:
        return actions.refuse(record, policy, "override")
    override = Override(
        id=said.name,
        repo_id=record.repo_id,
        number=record.number,
        head=record.head,
        who=actions.sender,
        permission=permission,
        reason=reason,
        at=actions.services.now(),
        verdict=verdict_with_reasons(restored(record.judged)) if record.judged else None,
        base_branch=record.base_branch,
    )
    actions.services.overrides.add(override)
    if record.state is GateState.JUDGING:
        return GateOutcome(f"overridden by {actions.sender}, shown once it is judged")
    return GateOutcome(publish(actions.services, actions.client, record, policy))


COMMAND = CommandHandler("override", Right.OVERRIDE, carry_out)
