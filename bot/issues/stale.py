"""What to write about a report of something that may be fixed already, as a value. Pure; the workflows carry it out."""

from dataclasses import dataclass

from bot.issues.facts import IssueFacts
from bot.policy import AlreadyFixed, Mode, Policy
from bot.rendering.fixed import Found, fixed_part, taken_back_part
from bot.verdicts import FixStatus


@dataclass(frozen=True, slots=True)
class Said:
    """What stands on the issue. text: Bouncer's part about a fix. label: the one Bouncer put on; empty without one.
    objected: somebody disagreed; that holds for good."""

    text: str = ""
    label: str = ""
    objected: bool = False


@dataclass(frozen=True, slots=True)
class FixPlan:
    """outcome: one plain line. text: the part as it should stand. label: the label that should be on, which is
    `ours` when Bouncer puts it there. remove: a label of Bouncer's that goes. close_in_days: absent for never."""

    outcome: str
    text: str = ""
    add: str = ""
    ours: str = ""
    remove: str = ""
    close_in_days: int | None = None


def told(facts: IssueFacts, found: Found, said: Said, policy: Policy) -> FixPlan:
    """What to say and which label to set for what was found.

    A report that says that it came back after a fix, or that somebody disagreed about, gets no label and is never
    closed. What still happens is not worth a word, unless Bouncer said otherwise before.
    """
    status, rules = found.fixed.status, policy.issues.already_fixed
    if policy.mode is Mode.OBSERVE:
        return FixPlan(f"{status}: observed, nothing written", said.text, ours=said.label)
    agreed = found.stale and not said.objected
    label = _label(status, rules) if agreed else ""
    days = rules.close_after_days if agreed and found.executed else None
    text = fixed_part(found, close_in_days=days) or (taken_back_part() if said.text else "")
    theirs = bool(label) and facts.has_label(label) and said.label.lower() != label.lower()
    return FixPlan(
        f"{status}: {'said' if text else 'nothing to say'}",
        text,
        add=label if label and not facts.has_label(label) else "",
        ours="" if theirs else label,
        remove=said.label if said.label and said.label != label and facts.has_label(said.label) else "",
        close_in_days=days,
    )


def keeps_open(facts: IssueFacts, found: Found, said: Said, policy: Policy) -> str:
    """Why an issue whose time has come is not closed, apart from what people wrote; empty where nothing speaks for it.
    A label that is gone was taken off by somebody."""
    if said.objected:
        return "somebody objected"
    rules = policy.issues.already_fixed
    if policy.mode is Mode.OBSERVE or not rules.enabled or rules.close_after_days is None:
        return "the policy does not ask for it"
    if not (found.executed and found.stale):
        return "it is not known to be fixed"
    if not said.label or not facts.has_label(said.label):
        return "its label was taken off"
    return ""


def _label(status: FixStatus, rules: AlreadyFixed) -> str:
    labels = {
        FixStatus.ALREADY_FIXED: rules.labels.already_fixed,
        FixStatus.POSSIBLY_FIXED: rules.labels.possibly_fixed,
    }
    return labels.get(status, "")
