"""The order in which the claims of a review are tried: the worst first, one by one, and then together.

A suggestion may be half of a fix whose other half stands in another comment: alone it breaks what works, or repairs
nothing. So what is said of one is not said against those that belong to it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from bot.pulls.review_claims import ReviewClaim
from bot.pulls.suggestions import Suggestion, SuggestionError
from bot.verdicts import ClaimOutcome, Decision
from bot.verification.evidence import Case, Verified
from bot.verification.fix_guided.questions import VerificationQuestion


@dataclass(frozen=True, slots=True)
class ClaimTrial:
    """What became of one claim. reason: a plain sentence. question: what a person has to decide. fix: the suggestions
    that ran for it. among: with how many other suggestions of the review. clashes: no suggestion breaks anything alone,
    and all of them together do."""

    claim: ReviewClaim
    outcome: ClaimOutcome
    reason: str = ""
    verified: Verified | None = None
    question: VerificationQuestion | None = None
    fix: tuple[Suggestion, ...] = ()
    among: int = 0
    clashes: bool = False

    @property
    def is_told(self) -> bool:
        """Whether execution decided about what it says: that nothing changes refutes no remark about style."""
        if self.outcome is not ClaimOutcome.SAME:
            return self.outcome.decides
        return self.claim.about_behaviour and self.verified is not None and PROSE not in self.verified.reasons


Run = Callable[[tuple[Suggestion, ...]], tuple[Verified, VerificationQuestion | None]]

NOTHING_TO_RUN = "It suggests no change that could be run."
PROSE = "It changes only comments, documentation or layout."
_HALF = "Alone it changes nothing that was seen. With the review's other suggestions it may."
_ALONE = "Alone it breaks what works. With the review's other suggestions it does not."


def try_claims(claims: Iterable[ReviewClaim], run: Run, is_over: Callable[[], bool]) -> tuple[ClaimTrial, ...]:
    """What becomes of each claim, in their order. run: raises `SuggestionError`. is_over: whether the time is."""
    found = [_alone(claim, run, is_over) for claim in claims]
    running = [at for at, each in enumerate(found) if each.outcome.ran]
    breaking = [at for at in running if found[at].outcome is ClaimOutcome.REFUTED]
    for group in (running, breaking) if len(breaking) < len(running) else (running,):
        if len(group) < 2 or is_over():
            break
        together = _tried(found[group[0]].claim, _joined(found, group), run)
        if together.outcome is ClaimOutcome.REFUTED and not breaking:
            found = [replace(each, clashes=each.outcome.ran) for each in found]
        if together.outcome is ClaimOutcome.OPEN:
            found = _perhaps_halves(found)
        if together.outcome is ClaimOutcome.HELD:
            needed = _needed(found, group, run, is_over)
            for at in needed if len(needed) > 1 else ():
                found[at] = replace(together, claim=found[at].claim, among=len(needed) - 1)
        if together.outcome.ran and together.outcome is not ClaimOutcome.REFUTED:
            for at in set(group) & set(breaking):
                if found[at].outcome is ClaimOutcome.REFUTED:
                    found[at] = replace(found[at], outcome=ClaimOutcome.OPEN, reason=_ALONE)
            break
    return tuple(found)


def _perhaps_halves(found: list[ClaimTrial]) -> list[ClaimTrial]:
    """The same; where all suggestions together settle nothing, one that changes nothing alone may be half of one in
    another file."""
    places = {each.claim.path for each in found if each.outcome is ClaimOutcome.OPEN}
    half = [each.outcome is ClaimOutcome.SAME and bool(places - {each.claim.path}) for each in found]
    return [
        replace(each, outcome=ClaimOutcome.OPEN, reason=_HALF) if is_half else each
        for each, is_half in zip(found, half, strict=True)
    ]


def stale(claim: ReviewClaim) -> ClaimTrial:
    """What nobody runs any more."""
    return ClaimTrial(claim, ClaimOutcome.STALE, "It is about an older commit.")


def outcome_of(verified: Verified) -> ClaimOutcome:
    """What the filter's answer says of a claim. That the change fails as well, with the suggestion as without it, says
    nothing of the claim: it may be about something else."""
    if PROSE in verified.reasons:
        return ClaimOutcome.SAME
    if verified.decision is Decision.ACCEPT or verified.patch:  # only what would be lifted gets a second look
        return ClaimOutcome.SAME if verified.case is Case.EQUIVALENT else ClaimOutcome.REFUTED
    if verified.fix_is_right:
        return ClaimOutcome.HELD
    return ClaimOutcome.UNRUN if verified.case in (None, Case.NO_FIX) else ClaimOutcome.OPEN


def mends(verified: Verified) -> bool:
    """Whether a fix that leaves tests failing turns others green, and breaks none."""
    pairs = ((verified.original, verified.fix), (verified.augmented_original, verified.augmented_fix))
    ran = [(original, fix) for original, fix in pairs if original and fix]
    red = [({each.name for each in original.failing}, fix) for original, fix in ran]
    whole = not any(run.problem for pair in ran for run in pair)
    broken = any({each.name for each in fix.failing} - failing for failing, fix in red)
    return whole and not broken and any(failing & fix.passing.keys() for failing, fix in red)


def without_rejection(tried: ClaimTrial) -> ClaimTrial:
    """The same for a review that rejects nothing: the verdict is on the claim alone, whatever else the change does."""
    verified, outcome = tried.verified, tried.outcome
    if verified is None:
        return tried
    upheld = Decision.BOUNCE if outcome is ClaimOutcome.HELD else Decision.ACCEPT
    settled = replace(verified, decision=upheld if outcome.decides else Decision.UNAVAILABLE)
    return replace(tried, verified=settled)


def _alone(claim: ReviewClaim, run: Run, is_over: Callable[[], bool]) -> ClaimTrial:
    """The best of the changes that a claim offers one instead of the other."""
    if not claim.fixes:
        return ClaimTrial(claim, ClaimOutcome.NO_CHANGE, NOTHING_TO_RUN)
    tried: list[ClaimTrial] = []
    for fix in claim.fixes:
        if is_over() or any(each.outcome is ClaimOutcome.HELD for each in tried):
            break
        tried.append(_tried(claim, fix, run))
    late = ClaimTrial(claim, ClaimOutcome.LATE, "There was no time left to run it.")
    return min(tried, key=lambda each: _BEST.index(each.outcome), default=late)


_RAN = (ClaimOutcome.HELD, ClaimOutcome.OPEN, ClaimOutcome.SAME, ClaimOutcome.REFUTED)
_BEST = (*_RAN, *(each for each in ClaimOutcome if not each.ran))


def _tried(claim: ReviewClaim, suggestions: tuple[Suggestion, ...], run: Run) -> ClaimTrial:
    try:
        verified, question = run(suggestions)
    except SuggestionError as error:
        return ClaimTrial(claim, ClaimOutcome.STALE, f"{error}")
    of_change = verified.patch.reasons if verified.patch else ()
    reason = next((each for each in verified.reasons if each not in of_change), "")
    return ClaimTrial(claim, outcome_of(verified), reason, verified, question, suggestions)


def _joined(found: Sequence[ClaimTrial], group: Iterable[int]) -> tuple[Suggestion, ...]:
    return tuple(each for at in group for each in found[at].fix)


def _needed(found: Sequence[ClaimTrial], group: list[int], run: Run, is_over: Callable[[], bool]) -> list[int]:
    """Of suggestions that together repair the change, those without which they do not; none where time ran out."""
    needed = list(group)
    for at in group:
        rest = [each for each in needed if each != at]
        if is_over():
            return []
        if rest and _tried(found[at].claim, _joined(found, rest), run).outcome is ClaimOutcome.HELD:
            needed = rest
    return needed
