"""What the runs of a change amount to, as plain questions. Pure."""

from collections.abc import Iterator
from fractions import Fraction

from bot.pulls.facts import PullFacts, Substance
from bot.verdicts import Cause, Decision
from bot.verification.evidence import Claimant, ClaimEvidence, Jury, Ran
from bot.verification.patch_evidence import Contradiction, Proof, Settled
from bot.verification.trial.times import brought_about

UNREAD = Fraction(1, 3)  # of the base's test modules
_SLOWER, _SECONDS = 4, 10.0  # so many times the base's time, and so many seconds more, are the change's own doing


def unbroken(facts: PullFacts) -> bool:
    """Whether the base's tests came to their end on both, some of them pass there, and the change breaks none."""
    patch = facts.patch
    return patch.facts.ended and not (patch.gone or patch.regressions or patch.own_failing)


def mostly_unread(facts: PullFacts) -> bool:
    """Whether more than `UNREAD` of the base's test modules do not run: what passes then says little."""
    found = facts.patch.modules
    unread = max(len(found.unread), len(found.unread_with_it))
    return Fraction(unread, max(found.count, 1)) > UNREAD


def of_unread(facts: PullFacts) -> Cause:
    """Who is asked about modules of tests that do not run."""
    return Cause.PERSON if facts.patch.modules.fewer else Cause.OUTSIDE


def of_unrun(facts: PullFacts) -> Cause:
    """Whose doing it is that a suite that the change concerns says nothing of it."""
    return Cause.CHANGE if any(each.by_change for each in facts.patch.unrun) else Cause.OUTSIDE


def unfit(facts: PullFacts) -> Cause:
    """Whose doing it is that nothing could be concluded."""
    if facts.trial.patch is None:
        return facts.trial.blame
    return Cause.CHANGE if brought_about(facts.trial.patch.facts) else Cause.OUTSIDE


def mended(facts: PullFacts) -> bool:
    """Whether something goes from red to green with the change: what a report shows, or a test of its own that looks
    at what it changes."""
    return bool(facts.trial.examples.mended) or any(each.counts for each in facts.patch.turned)


def settled(facts: PullFacts, by: Settled) -> tuple[Contradiction, ...]:
    """The contradicted tests of which the issue says so. One that is gone and asked to be is none."""
    return tuple(each for each in facts.patch.contradictions if each.settled is by)


def control_is(facts: PullFacts, proof: Proof) -> bool:
    """What the positive control came to, where it was made."""
    return facts.patch.control is not None and facts.patch.control.proof is proof


def untried(facts: PullFacts) -> bool:
    """Whether nobody knows if the tests can still fail, though something could be broken to see it."""
    return facts.trial.patch is not None and (facts.trial.patch.control is None or control_is(facts, Proof.UNTRIED))


def unproved(facts: PullFacts) -> bool:
    """Whether an issue asks for behaviour and no test there is could fail: neither one that runs what changed, nor one
    of the change's own that goes from red to green."""
    open_ = control_is(facts, Proof.UNPROVED) or control_is(facts, Proof.NOTHING)
    return bool(facts.demanded) and open_ and not any(each.counts for each in facts.patch.turned)


def nothing_looks(facts: PullFacts) -> bool:
    """Whether no test notices anything that is broken in lines that it changes, or in a file of them, and nothing turns
    green."""
    blind = control_is(facts, Proof.UNPROVED) or control_is(facts, Proof.PARTLY)
    return facts.substance is Substance.CODE and blind and not mended(facts)


def of_unproved(facts: PullFacts) -> Cause:
    """Who is asked about a change that nothing that ran has looked at."""
    if facts.demanded:
        return Cause.CHANGE
    return Cause.PERSON if facts.person_if_unproved else Cause.OUTSIDE


def nothing_missed(facts: PullFacts) -> bool:
    """Whether each test that notices less was rewritten as the issue asks."""
    asked = {name for each in settled(facts, Settled.NEW) for name in (each.test, each.now)}
    return all(each.test in asked for each in facts.patch.lost_kills)


def of_untried(facts: PullFacts) -> Cause:
    """Whose doing it is that the time did not last: the change's where it went on the head, by far more than its base
    took."""
    ran = facts.patch.facts
    own = 0.0 if ran.own is ran.head or ran.own == ran.head else ran.own.seconds
    beside = sum(run.seconds for run in (ran.own_base, ran.as_pushed) if run)
    slow = ran.head.seconds + own + beside > _SLOWER * ran.base.seconds + _SECONDS
    return Cause.CHANGE if slow else Cause.OUTSIDE


def claim_outcomes(facts: PullFacts) -> Iterator[ClaimEvidence]:
    """What came of each claim that the change is wrong, beside what the trial says of tests: the issue's examples,
    alone and beside fixes that others offer, a rejection and its fix, its counterexamples."""
    found, claimed = facts.trial.verified, facts.trial.claimed
    if facts.trial.holes:
        yield ClaimEvidence(Claimant.EXAMPLE, Ran.REPAIRED)
    if facts.trial.examples.still:
        yield ClaimEvidence(Claimant.EXAMPLE, Ran.FAILS)
    if facts.review is None or not facts.review.counts:
        return
    says_right = facts.trial.repair is not None and facts.trial.repair.says_right
    yield ClaimEvidence(Claimant.REVIEWER, Ran.NO_FIX_NEEDED if says_right else Ran.NOTHING)
    if found and found.outcome:
        yield ClaimEvidence(Claimant.FIX, Ran.DIFFER) if _excused(facts) else found.outcome
    if claimed and claimed.failing:
        yield ClaimEvidence(Claimant.COUNTEREXAMPLE, Ran.FAILS, Jury.SAME if facts.trial.upheld else Jury.SILENT)
    elif claimed and claimed.passed:
        yield ClaimEvidence(Claimant.COUNTEREXAMPLE, Ran.PASSES)


def strongest(facts: PullFacts) -> ClaimEvidence | None:
    """The outcome that the table of evidence puts first; `None` where nobody claims anything."""
    return min(claim_outcomes(facts), key=lambda each: each.rank, default=None)


def refuted(facts: PullFacts) -> bool:
    """Whether a rejection was put to the test and does not hold."""
    found = strongest(facts)
    return found is not None and found.row.rejection is Decision.ACCEPT


def _excused(facts: PullFacts) -> bool:
    """Whether all tests that the change fails beside a fix are those that fail without it, too: a fix that mends them
    does something else as well."""
    found = facts.trial.verified
    if not (found and found.outcome and found.outcome.claimant is Claimant.BASE_TESTS and found.original):
        return False
    known = {each.name for each in facts.patch.facts.base.failing} | set(facts.patch.alike)
    failing = {each.name for each in found.original.failing}
    return bool(failing) and failing <= known
