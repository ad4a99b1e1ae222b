"""What people can say on an issue: a function a command, and the table of them below."""

from dataclasses import replace

from bot.issues import lifecycle
from bot.issues.exemptions import why_no_look, why_not_held
from bot.issues.messages import Note
from bot.markdown.commands import Command
from bot.policy import Policy
from bot.storage.ledger import Act
from bot.verdicts import State
from bot.workflows.commands import CommandHandler, Right, what_was_tried
from bot.workflows.issue.fix_notice import FixNotice, may_be_worked_on
from bot.workflows.issue.person_actions import IssuePersonActions
from bot.workflows.jobs import IssueOutcome


def accept(actions: IssuePersonActions, command: Command, policy: Policy) -> IssueOutcome:
    """Take the issue as it is; Bouncer never asks here again. A hold ends, and the verdict is overruled where there was
    one."""
    now = actions.as_is(policy)
    return actions.after_accept(lifecycle.accepted(now.facts, policy, answer=True), now, Act.ACCEPT)


def brief(actions: IssuePersonActions, command: Command, policy: Policy) -> IssueOutcome:
    """Write a brief for coding agents: of an issue that is clear, taken as it is, or never held."""
    notice = FixNotice(actions)
    ready = may_be_worked_on(actions.memory()) or why_not_held(actions.as_is(policy).facts, policy)
    return IssueOutcome(notice.brief() if ready else notice.early())


def fixed(actions: IssuePersonActions, command: Command, policy: Policy) -> IssueOutcome:
    """Look whether what it reports is fixed already. What is found is told to whoever asked."""
    if actions.memory().state is State.PAUSED:
        return actions.refuse(command, policy, Note("paused"))
    if not policy.issues.already_fixed.enabled:
        return actions.refuse(command, policy, Note("fixed_off"))
    return IssueOutcome("fixed", look=True, asked=True)


def help_(actions: IssuePersonActions, command: Command, policy: Policy) -> IssueOutcome:
    """The commands of issues; the answer to whatever is none here, too. Says as well why Bouncer leaves the issue
    alone, where it does."""
    facts = actions.as_is(policy).facts
    left = why_no_look(facts, policy) or why_not_held(facts, policy) or ""
    facts = replace(facts, history=replace(facts.history, left_alone=left))  # as its page says
    note = Note("help", what_was_tried(command, "issue") | {"left_alone": left, "page": facts.page})
    return IssueOutcome(actions.reply(command, policy, note, facts))


def pause(actions: IssuePersonActions, command: Command, policy: Policy) -> IssueOutcome:
    """Nothing is looked at here until `/bouncer resume`. Everything stays as it is."""
    now = actions.as_is(policy)
    return IssueOutcome(actions.carry_out(lifecycle.paused(now.facts, policy), now))


def recheck(actions: IssuePersonActions, command: Command, policy: Policy) -> IssueOutcome:
    """Judge the issue again, also a text that was judged. An accepted or a paused issue is not looked at."""
    match actions.memory().state:
        case State.ACTIVE:
            return IssueOutcome("recheck", recheck=True)
        case State.ACCEPTED:
            return actions.refuse(command, policy, Note("ended"))
        case State.PAUSED:
            return actions.refuse(command, policy, Note("paused"))


def resume(actions: IssuePersonActions, command: Command, policy: Policy) -> IssueOutcome:
    """Look here again: a fresh look follows. An accepted issue stays accepted."""
    now = actions.as_is(policy)
    return IssueOutcome(actions.carry_out(lifecycle.resumed(now.facts, policy), now), recheck=True)


COMMANDS = (
    CommandHandler("accept", Right.TRIAGE, accept, lifts=True),
    CommandHandler("brief", Right.WRITE, brief),
    CommandHandler("fixed", Right.TRIAGE, fixed),
    CommandHandler("help", Right.ANYBODY, help_),
    CommandHandler("pause", Right.TRIAGE, pause, lifts=True),
    CommandHandler("recheck", Right.REPORTER, recheck),
    CommandHandler("resume", Right.TRIAGE, resume),
)
