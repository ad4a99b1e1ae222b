"""What to write about a report of something that may be fixed already, as a value. Pure; the workflows carry it out."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.already_fixed.finding import FixFinding
from bot.issues.facts import IssueFacts
from bot.issues.messages import FixPart, Message, Note
from bot.policy import AlreadyFixed, Policy
from bot.policy_choices import Mode
from bot.verdicts import FixStatus, State


@dataclass(frozen=True, slots=True)
class StandingNotice:
    """What stands on the issue. text: Bouncer's part about a fix; empty also where it was forgotten which, and then
    `objected`. label: the one Bouncer put on; empty without one. written: both certainly got there. objected: somebody
    disagreed; that holds for good. answered: somebody wrote something since the fix, whatever it was. over: closing was
    announced, and somebody kept it open, or it was closed; it is not announced twice."""

    text: str = ""
    label: str = ""
    written: bool = True
    objected: bool = False
    answered: bool = False
    over: bool = False


@dataclass(frozen=True, slots=True)
class FixPlan:
    """outcome: one plain line. says: the part as it should stand; `None` for none. add, remove: labels that come and
    go. ours: the name of the one about the fix, as far as Bouncer put it on. objected: somebody did. close_at: absent
    for never."""

    outcome: str
    says: Message | None = None
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    ours: str = ""
    objected: bool = False
    close_at: datetime | None = None


def fix_plan(facts: IssueFacts, found: FixFinding, said: StandingNotice, policy: Policy, now: datetime) -> FixPlan:
    """What to say and which labels to set for what was found.

    A report that says that it came back after a fix, or that somebody disagreed about, gets no label and is never
    closed. What still happens is not worth a word, unless Bouncer said otherwise before. On what is fixed nobody should
    begin to work: the label for clear issues goes, and comes back when the other one goes.
    """
    status, rules = found.fixed.status, policy.issues.already_fixed
    if policy.mode is Mode.OBSERVE:
        return FixPlan(f"{status}: observed, nothing written", ours=said.label, objected=said.objected)
    objected = said.objected or taken_off(facts, said)
    agreed = found.says_fixed and not objected
    label = _label(status, rules) if agreed else ""
    theirs = bool(label) and facts.has_label(label) and said.label.lower() != label.lower()
    spoken_for = said.answered or said.over or theirs or facts.history.state is State.ACCEPTED
    days = rules.close_after_days if agreed and found.settled and not spoken_for else None
    close_at = now + timedelta(days=days) if days is not None else None
    says = FixPart(found, close_at) if found.speaks else Note("fixed_no_longer") if said.text or said.objected else None
    ready = ready_again(facts, said.label, policy) if label != rules.labels.already_fixed else ""
    fixed = label == rules.labels.already_fixed
    reach = policy.issues.labels.within_reach or ""
    going = (said.label if said.label != label else "", *((_ready(policy), reach) if fixed else ()))
    return FixPlan(
        f"{status}: {'said' if says else 'nothing to say'}",
        says,
        add=tuple(name for name in (label, ready) if name and not facts.has_label(name)),
        remove=tuple(name for name in going if name and facts.has_label(name)),
        ours="" if theirs else label,
        objected=objected,
        close_at=close_at,
    )


def taken_off(facts: IssueFacts, said: StandingNotice) -> bool:
    """Whether somebody took off the label that Bouncer put on; the delivery that says so may still be on its way."""
    return bool(said.label) and said.written and not facts.has_label(said.label)


def ready_again(facts: IssueFacts, gone: str, policy: Policy) -> str:
    """The label for clear issues where it comes back, since the one that says that it is fixed goes; else empty."""
    fixed = gone.lower() == policy.issues.already_fixed.labels.already_fixed.lower()
    clear = facts.history.state is State.ACTIVE and not facts.history.held
    return _ready(policy) if fixed and clear else ""


def keeps_open(facts: IssueFacts, found: FixFinding, said: StandingNotice, policy: Policy) -> str:
    """Why an issue whose time has come is not closed, apart from what people wrote; empty where nothing speaks for it.
    A label that is gone was taken off by somebody."""
    if said.objected or said.answered:
        return "somebody objected"
    rules = policy.issues.already_fixed
    if policy.mode is Mode.OBSERVE or not rules.enabled or rules.close_after_days is None:
        return "the policy does not ask for it"
    if not found.settled:
        return "it is not known to be fixed"
    if not said.written:
        return "nobody was told for certain"
    if not said.label or not facts.has_label(said.label):
        return "its label was taken off"
    return ""


def _ready(policy: Policy) -> str:
    return policy.issues.labels.agent_ready or ""


def _label(status: FixStatus, rules: AlreadyFixed) -> str:
    labels = {
        FixStatus.ALREADY_FIXED: rules.labels.already_fixed,
        FixStatus.POSSIBLY_FIXED: rules.labels.possibly_fixed,
    }
    return labels.get(status, "")
