"""Why an issue is left alone: not held, or not looked at at all. Each gives a reason as a plain phrase, `None` where
nothing speaks for it; what is then done is a plan of `lifecycle.py`. Pure."""

from bot.issues.facts import IssueFacts
from bot.policy import Policy
from bot.policy_choices import Role
from bot.verdicts import KINDS, IssueKind, State

_INSIDE = (Role.OWNER, Role.MEMBER, Role.COLLABORATOR)  # exempt in a public repository, unless roles are written out


def why_exempt(facts: IssueFacts, policy: Policy) -> str | None:
    """Why this issue is never held. All else goes on: its fix is looked for, and commands work."""
    rules = policy.issues.exempt
    if _login(facts.author) in {_login(name) for name in rules.authors}:
        return "its author is exempt"
    if facts.association.lower() in {role.value for role in _roles(facts, policy)}:
        return f"its author's role ({facts.association.lower().replace('_', ' ')}) is exempt"
    if any(facts.has_label(label) for label in rules.labels):
        return "it carries an exempt label"
    return None


def why_outside(facts: IssueFacts, policy: Policy) -> str | None:
    """Why the policy has this issue not looked at. Commands work."""
    labels = policy.issues.only.labels
    if labels and not any(facts.has_label(label) for label in labels):
        return "it carries none of the labels that the policy wants looked at"
    return why_other_kind(facts.report.kind, policy)


def why_other_kind(kind: IssueKind | None, policy: Policy) -> str | None:
    """As `why_outside`, for the kind alone. What reads like a vulnerability is told all the same how to report it."""
    kinds = {wanted.value for wanted in policy.issues.only.kinds}
    if not kinds or kind is None or kind is IssueKind.VULNERABILITY or kind.value in kinds:
        return None
    return f"it is a {KINDS[kind]}, and the policy wants other kinds looked at"


def why_not_held(facts: IssueFacts, policy: Policy) -> str | None:
    """Why this issue is not held, whatever it says: it is exempt, or out of the policy's reach."""
    return why_exempt(facts, policy) or why_outside(facts, policy)


def _roles(facts: IssueFacts, policy: Policy) -> tuple[Role, ...]:
    """The exempt roles: those that are written out, else of people who are at home in a public repository. An agent
    that has such a role is no more careful for it."""
    written = policy.issues.exempt.roles
    if written is not None:
        return written
    return () if facts.private or facts.by_agent else _INSIDE


def why_no_look(facts: IssueFacts, policy: Policy, *, accepted: bool = False) -> str | None:
    """Why this issue gets no look at all; `why_not_held` is asked separately. accepted: that a maintainer took it is no
    reason; it ends the asking, and says nothing of whether it is fixed."""
    if not policy.issues.enabled:
        return "the policy switches issues off"
    if facts.history.state == State.ACCEPTED and not accepted:
        return "a maintainer accepted it"
    if facts.history.state == State.PAUSED:
        return "it is paused"
    if facts.state == "closed" and not facts.answered_late:
        return "it is closed"
    if facts.locked:
        return "its conversation is locked"
    return None


def _login(name: str) -> str:
    return name.strip().lstrip("@").lower()
