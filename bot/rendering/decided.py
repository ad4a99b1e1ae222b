"""What became of a change, in the same words on every surface."""

from bot.verdicts import Cause, Decision

DECISIONS = {
    Decision.ACCEPT: "plausible",
    Decision.BOUNCE: "bounced",
    Decision.UNAVAILABLE: "undecided",
}

CAUSES = {
    Cause.OUTSIDE: "could not be judged",
    Cause.CHANGE: "cannot be judged as it is",
    Cause.PERSON: "a person must look",
}


def decided(decision: Decision, cause: Cause | None, *, would: bool = False) -> str:
    """What became of a change, the same words everywhere. cause: an older verdict has none. would: nobody is bounced
    for it."""
    if decision is Decision.BOUNCE and would:
        return "would be bounced"
    if decision is Decision.UNAVAILABLE:
        return CAUSES[cause or Cause.OUTSIDE]
    return DECISIONS[decision]
