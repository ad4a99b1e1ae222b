"""The policy's keys that mean nothing in a job. docs/action.md lists them (a test), and a job's summary names those
that a repository's file gives."""

from pydantic import BaseModel

from bot.policy import Policy

# Each with the reason, as a sentence goes on after "since".
WITHOUT_EFFECT = {
    "budgets": "only a server counts what was judged today",
    "issues.already_fixed": "no job looks for a fix: that takes the whole history, and minutes of running",
    "issues.brief": "a brief tells of the fix that was looked for",
    "issues.no_response": "no job starts when nobody writes",
    "pulls.attempts": "no job makes a fix to test a rejection by",
    "pulls.override.sticky": "every push ends an override",
    "pulls.override.teams": "a job's token may not see teams",
    "verify.blind_judges": "no job makes a fix to test a rejection by",
    "verify.reviews": "no job executes what review bots suggest",
    "verify.rounds": "no job makes a fix to test a rejection by",
}


def given_without_effect(policy: Policy) -> tuple[str, ...]:
    """Those that the policy's file gives, whatever it gives them."""
    return tuple(key for key in WITHOUT_EFFECT if _is_given(policy, key))


def _is_given(policy: Policy, key: str) -> bool:
    section: object = policy
    for name in key.split("."):
        if not isinstance(section, BaseModel) or name not in section.model_fields_set:
            return False
        section = getattr(section, name)
    return True
