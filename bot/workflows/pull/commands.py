"""What people can say about a gate: a function a command, and the table of them below. `person_actions.py` beside this
says who may."""

from typing import Any

from bot.github.fields import moment
from bot.plain_text import clean
from bot.pulls.result import restored
from bot.rendering.comment import render
from bot.rendering.gate import explanation
from bot.rendering.gate_states import exemption_view
from bot.rendering.pull_reasons import verdict_with_reasons
from bot.storage.gates import GateRecord, GateState
from bot.storage.overrides import Override
from bot.storage.pull_authors import PersonWord
from bot.verdicts import Left
from bot.workflows.commands import CommandHandler, Right
from bot.workflows.pull.authorship import PullAuthor
from bot.workflows.pull.base import UNWANTED, GateOutcome
from bot.workflows.pull.check_run import publish
from bot.workflows.pull.person_actions import GateCommand, GatePersonActions


def explain(actions: GatePersonActions, record: GateRecord, said: GateCommand) -> GateOutcome:
    """All that led to the verdict; also of what is closed, or was left alone."""
    words = actions.services.makers.words(record.repo_id, record.number)
    judged = explanation(restored(record.judged)) if record.judged else ""
    left = exemption_view(Left(record.left_alone), record.base_branch).summary if record.left_alone else ""
    note = "\n\n".join(filter(None, (judged, left, *(render("person", word=word) for word in words))))
    return actions.say(record, said.name, note, actions.policy())


def override(actions: GatePersonActions, record: GateRecord, said: GateCommand) -> GateOutcome:
    """Let this commit through in spite of its verdict: the one that the check stands on. A word that is older than its
    push counts for another one, and so does one of the same second: GitHub's clock does not say which of them was
    first. The button says it, too."""
    policy = actions.policy()
    if not clean(said.command.rest):
        return actions.say(record, said.name, render("override_reason", word="override"), policy)
    at = moment(said.at)
    if said.commit not in ("", record.head) or (record.pushed_at and at and at <= record.pushed_at):
        return actions.say(record, said.name, render("pushed_since", head=record.head[:7]), policy)
    permission = actions.permission(record, policy) if policy else None
    if policy is None or permission is None:
        return actions.refuse(record, policy, "override")
    verdict = verdict_with_reasons(restored(record.judged)) if record.judged else None
    word = _word(actions, record, said, permission)
    actions.services.overrides.add(Override(**word, verdict=verdict, base_branch=record.base_branch))
    if record.state is GateState.JUDGING:
        return GateOutcome(f"overridden by {actions.delivery.sender}, shown once it is judged")
    return GateOutcome(publish(actions.services, actions.client, record, policy))


def cancel_override(actions: GatePersonActions, record: GateRecord, said: GateCommand) -> GateOutcome:
    """Take back both what lets a commit through and what makes it a person's."""
    policy = actions.policy()
    if policy is None or actions.permission(record, policy) is None:
        return actions.refuse(record, policy, "override-cancel")
    who, now = actions.delivery.sender, actions.services.now()
    lifted = actions.services.makers.end(record.repo_id, record.number, by=who, at=now, until=now)
    ended = actions.services.overrides.end(record.repo_id, record.number, by=who, at=now)
    if lifted and policy.pulls.enabled:
        return actions.judge(record, policy, "once more, since nobody says any more that it is a person's")
    if not ended:
        return GateOutcome("nothing was overridden")
    if record.state is GateState.JUDGING:
        return GateOutcome("the override was taken back")
    return GateOutcome(publish(actions.services, actions.client, record, policy))


def person(actions: GatePersonActions, record: GateRecord, said: GateCommand) -> GateOutcome:
    """It is a person's pull request from now on, whatever it shows, until an agent pushes to it. Nobody says so of one
    of their own."""
    policy = actions.policy()
    if not clean(said.command.rest):
        return actions.say(record, said.name, render("override_reason", word="person"), policy)
    permission = actions.permission(record, policy, of_own=False) if policy else None
    if policy is None or permission is None:
        return actions.refuse(record, policy, "person")
    at = moment(said.at) or actions.services.now()
    if PullAuthor(actions.services, record.repo_id, record.number).agent_pushed_since(at, policy.pulls):
        return actions.say(record, said.name, render("pushed_since", head=record.head[:7]), policy)
    actions.services.makers.add(PersonWord(**_word(actions, record, said, permission), said_at=at))
    if not policy.pulls.enabled:
        return GateOutcome("kept; pull requests are not judged here")
    return actions.judge(record, policy, "whose it is, since a maintainer says that it is a person's")


def recheck(actions: GatePersonActions, record: GateRecord, said: GateCommand) -> GateOutcome:
    """Judge the same commit once more, for whoever may write; the button and GitHub's own re-run ask for it, too."""
    policy = actions.policy()
    if policy is None or not policy.pulls.enabled:
        return GateOutcome(UNWANTED)
    if not actions.may_write():
        return GateOutcome("not judged again: the sender may not write here")
    return actions.judge(record, policy, "once more, since somebody asked")


def _word(actions: GatePersonActions, record: GateRecord, said: GateCommand, permission: str) -> dict[str, Any]:
    """What is kept of every maintainer's word."""
    return {
        "id": said.name,
        "repo_id": record.repo_id,
        "number": record.number,
        "head": record.head,
        "who": actions.delivery.sender,
        "permission": permission,
        "reason": said.command.rest,
        "at": actions.services.now(),
    }


COMMANDS = (
    CommandHandler("explain", Right.ANYBODY, explain),
    CommandHandler("override", Right.OVERRIDE, override, lifts=True),
    CommandHandler("override-cancel", Right.OVERRIDE, cancel_override),
    CommandHandler("person", Right.OVERRIDE, person, lifts=True),
    CommandHandler("recheck", Right.WRITE, recheck),
)
