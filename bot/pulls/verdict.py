"""What was executed, as the verdict that the ledger keeps. Pure."""

from bot.verdicts import Decision, Effect, Evidence, Verdict
from bot.verification.values import Verified

JUDGE = "fix-guided verification/1"

_EFFECTS = {Decision.ACCEPT: Effect.CLEAR, Decision.BOUNCE: Effect.MISSING, Decision.UNAVAILABLE: Effect.NEUTRAL}


def verdict_of(verified: Verified) -> Verdict:
    """There is no label and no probability: nothing was guessed."""
    evidence = []
    if verified.case is not None:
        found = " ".join(verified.reasons[:1])
        quote = verified.difference.call[:200] if verified.difference else ""
        evidence.append(Evidence(verified.case.value, _EFFECTS[verified.decision], found, quote, verified.executor))
    return Verdict(
        decision=verified.decision,
        label=None,
        probability=None,
        judge=JUDGE,
        kind=None,
        reasons=verified.reasons,
        evidence=tuple(evidence),
    )
