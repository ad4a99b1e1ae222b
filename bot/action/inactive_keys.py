"""The policy's keys that mean nothing in a job. docs/action.md lists them (a test), and a job's summary names those
that a repository's file gives."""

from pydantic import BaseModel

from bot.policy import Policy

# Each with the reason, as a sentence goes on after "since". A key with a value after it is one that works otherwise.
WITHOUT_EFFECT = {
    "budgets": "only a server counts what was judged today",
    "issues.already_fixed": "no job looks for a fix: that takes the whole history, and minutes of running",
    "issues.brief": "a brief tells of the fix that was looked for",
    "issues.no_response": "no job starts when nobody writes",
    "pulls.attempts": "no job makes a fix to test a rejection by",
    "pulls.override.sticky": "every push ends an override",
    "pulls.override.teams": "a job's token may not see teams",
    "pulls.review: agentic": "the job that asks the model fetches no code to work through",
    "verify.blind_judges": "no job makes a fix to test a rejection by",
    "verify.image": "only bubblewrap runs code here, and it takes no image",
    "verify.reviews": "no job executes what review bots suggest",
    "verify.rounds": "no job makes a fix to test a rejection by",
}


def inactive_keys(policy: Policy) -> tuple[str, ...]:
    """Those that the policy's file gives, whatever it gives them where no value is named."""
    return tuple(key for key in WITHOUT_EFFECT if _is_given(policy, key))


def _is_given(policy: Policy, entry: str) -> bool:
    key, _, value = entry.partition(": ")
    given: object = policy
    for name in key.split("."):
        if not isinstance(given, BaseModel) or name not in given.model_fields_set:
            return False
        given = getattr(given, name)
    return not value or given == value
