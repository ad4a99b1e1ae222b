"""Whether a report still holds, from what running and history show. Pure and total.

What decides is execution on both sides of a fix, and the smallest sign that something still fails outweighs every sign
that it does not: told that they may abstain, agents also leave alone what is only half fixed (FixedBench, section 4).
"""

from collections.abc import Iterable, Sequence

from bot.already_fixed.guess import LEAST, guess, rank
from bot.already_fixed.guess import doubts as doubts_of
from bot.already_fixed.reading.expectations import UNASKED, tells_right
from bot.already_fixed.values import Failure, Fixed, FixedFacts, Seen, Trial
from bot.already_fixed.variants import is_confusion
from bot.verdicts import FixStatus

# How much stands behind a status: an order, from what was seen with its cause down to what was only read. What was read
# stays below all that was seen, in the order of the candidates' scores.
CAUSAL, BOTH_SIDES, ONE_SIDE, DOUBTED, CHANGED, READ, NOTHING = 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.0


def decide_fixed(facts: FixedFacts) -> Fixed:
    """First match wins:

    1. One fails at the head as reported, another that failed passes: `PARTIALLY_FIXED`. The same where the other one
       failed as reported, and fails in another way now.
    2. One fails at the head as reported: `STILL_PRESENT`.
    3. One failed as reported and passes at the head, and every other one that counts passes: `ALREADY_FIXED`.
    4. The same, but something the report shows could not be run, or gives what nobody can call right or wrong, or
       prints still what the report shows without saying that this is wrong; or a variant still fails, of which nobody
       knows whether it should; or it is only gone: the report does not say what should come instead, and no commit
       that history takes for the fix was seen to be the cause; or the fix breaks a test of the project:
       `POSSIBLY_FIXED`.
    5. History alone names a candidate of which `guess` has it speak, and the report does not say that it came back:
       `POSSIBLY_FIXED`.
    6. `UNKNOWN`.

    What goes wrong at the head, in whatever way, is never `POSSIBLY_FIXED`, whatever history and other examples say.
    """
    mended = [trial for trial in facts.trials if _mended(trial, facts.regression)]
    changed = [trial for trial in facts.trials if _changed(trial)]
    failing = going_wrong(facts.trials, mended)
    if failing:
        status = FixStatus.PARTIALLY_FIXED if mended else FixStatus.STILL_PRESENT
        return _answer(facts, status, _sure(failing), _told((*failing, *mended)), fix=bool(mended))
    open_still = _told(_perhaps_failing(facts.trials))
    doubts = [*(f"{told} That may be right." for told in open_still), *_doubts(facts), *_silent(facts, mended)]
    if mended and not doubts:
        causal = any(trial.without_fix and trial.without_fix.seen is Seen.AS_REPORTED for trial in mended)
        return _answer(facts, FixStatus.ALREADY_FIXED, CAUSAL if causal else BOTH_SIDES, _told(mended), fix=True)
    wrong = [each for each in facts.trials if each.fails_now and (_at_head(each, Seen.OTHERWISE) or _is_wrong(each))]
    if (mended or changed) and not wrong:
        told = [*_told((*mended, *changed)), *doubts]
        return _answer(facts, FixStatus.POSSIBLY_FIXED, DOUBTED if mended else CHANGED, told, fix=True)
    best = guess(facts.candidates, facts.commits)
    if best and not facts.regression and not wrong:
        reasons = [f"History alone: {best.commit[:10]} may have fixed it.", *best.why]
        told = [*reasons, *doubts, *_nothing_ran(facts)]
        return _answer(facts, FixStatus.POSSIBLY_FIXED, READ * best.score, told, fix=True)
    told = [*_told((*wrong, *mended, *changed)), *_nothing_ran(facts), *doubts]
    if facts.regression:
        told.insert(0, "The report says that it came back after a fix, so an older fix says nothing.")
    elif not wrong:
        told += _unsaid(facts)
    return _answer(facts, FixStatus.UNKNOWN, NOTHING, told, fix=False)


def still_failing(trials: Sequence[Trial]) -> tuple[Trial, ...]:
    """Those that fail at the head as reported, and are wrong in doing so, as far as the report, or the failure itself,
    says it. What the report does not show itself, a variant or a model's script, counts once it failed before."""
    return tuple(trial for trial in trials if _fails(trial) and _is_wrong(trial) and _is_undeserved(trial, trials))


def going_wrong(trials: Sequence[Trial], mended: Sequence[Trial]) -> tuple[Trial, ...]:
    """What makes a report hold, or a part of it. Nobody's change is held against it, except what is `still_failing`:
    of that alone it is certain. Where there is none, it is what a model asserted with the report's own values; what
    fails in another way than it did, beside something that is mended; and what the report itself shows, where that is
    all there is to go by."""
    if certain := still_failing(trials):
        return certain
    open_still = _perhaps_failing(trials)
    asserted = [trial for trial in open_still if trial.reproduction.stated]
    otherwise = [trial for trial in trials if mended and trial.fails_now and _changed(trial)]
    moved = bool(mended) or any(_changed(trial) and not trial.fails_now for trial in trials)
    shown = [] if moved else [trial for trial in open_still if not _is_derived(trial)]
    return (*asserted, *otherwise, *shown)


def _changed(trial: Trial) -> bool:
    """Whether it failed as reported, and gives something else now that is not what should come."""
    return _at_head(trial, Seen.OTHERWISE) and trial.failed_before


def _sure(failing: Sequence[Trial]) -> float:
    if any(_changed(trial) or (trial.reproduction.judge and trial.reproduction.may_fail) for trial in failing):
        return DOUBTED
    return BOTH_SIDES if any(trial.failed_before for trial in failing) else ONE_SIDE


def _perhaps_failing(trials: Sequence[Trial]) -> tuple[Trial, ...]:
    """Those that fail at the head as reported, and may be right in doing so."""
    still = still_failing(trials)
    return tuple(trial for trial in trials if _fails(trial) and trial not in still)


def _fails(trial: Trial) -> bool:
    return _at_head(trial, Seen.AS_REPORTED) and _counts(trial)


def _is_undeserved(trial: Trial, trials: Sequence[Trial]) -> bool:
    """Whether what failed as reported is wrong. A variant whose inputs may deserve it is where the interpreter tells of
    the code's confusion at the very line where the original failed."""
    originals = (each for each in trials if each.reproduction.name == trial.reproduction.variant_of)
    runs = (run for each in originals for run in (each.head, *each.earlier))
    places = {run.place for run in runs if run and run.seen is Seen.AS_REPORTED and run.place}
    told = trial.head is not None and trial.head.place in places and is_confusion(trial.head.shown)
    return told or not trial.reproduction.may_fail


def _at_head(trial: Trial, seen: Seen) -> bool:
    return trial.head is not None and trial.head.seen is seen and not trial.flaky


def _is_wrong(trial: Trial) -> bool:
    """Whether the report says that what is seen is wrong; among outputs that it shows, some may be as they should."""
    expected = trial.reproduction.expectation
    return expected.failure is not Failure.PRINTS or bool(expected.right)


def _counts(trial: Trial) -> bool:
    """What the report does not show itself counts once it failed as reported."""
    return trial.failed_before or not _is_derived(trial)


def _is_derived(trial: Trial) -> bool:
    """Whether it is a variant, or a model's script."""
    return bool(trial.reproduction.variant_of or trial.reproduction.judge)


def _mended(trial: Trial, regression: bool) -> bool:
    """Whether it failed as reported and passes now.

    What came back was fixed before, so with the older fix taken out it fails again in any case; there only the revision
    that the report is about counts.
    """
    before = trial.reported is not None and trial.reported.seen is Seen.AS_REPORTED
    return trial.proves and _at_head(trial, Seen.PASSES) and (before or not regression)


def _doubts(facts: FixedFacts) -> list[str]:
    """What the report shows that was not seen to pass, and what passed before the fix. A variant that never failed
    counts for nothing."""
    unseen = (Seen.OTHERWISE, Seen.CANNOT_RUN)
    counting = (trial for trial in facts.trials if _counts(trial))
    told = _told(trial for trial in counting if trial.flaky or trial.head is None or trial.head.seen in unseen)
    for trial in facts.trials:  # outputs that the report calls wrong in words alone, of another call
        one = trial.reproduction
        called = one.variant_of and not one.may_fail and one.expectation.failure is Failure.PRINTS
        if called and _at_head(trial, Seen.OTHERWISE) and trial.head in trial.earlier:
            told.append(f"{_name(trial)}: It gives the same with the fix as before.")
    broken = f"The project's test {facts.broken} passes without the fix and fails with it." if facts.broken else ""
    return [*told, *filter(None, (broken, *(f"Nothing was run for {what}." for what in facts.unread), facts.problem))]


def _silent(facts: FixedFacts, mended: list[Trial]) -> list[str]:
    """What is gone without a word of the report on what should come instead, and for no reason that is known."""
    own = [trial for trial in mended if not trial.reproduction.variant_of]
    if mended and not any(trial.failed_before and not trial.reproduction.variant_of for trial in facts.trials):
        return ["The report's own example never failed."]
    return [
        f"{_name(trial)}: What went wrong is gone; the report does not say what should come instead."
        for trial in own
        if not tells_right(trial.reproduction) and not _is_meant(facts, trial) and UNASKED not in facts.unread
    ]


def _is_meant(facts: FixedFacts, trial: Trial) -> bool:
    """Whether the commit that was seen to stop it is one that history, too, takes for the fix: it names the issue, or
    is likely. An old fix of what came back is not meant for it."""
    taken_out = trial.without_fix is not None and trial.without_fix.seen is Seen.AS_REPORTED
    commit = trial.fix if taken_out else facts.fixed_by
    standing = [each for each in facts.candidates if each.reverted_by is None and not facts.regression]
    return any(each.commit == commit for each in standing if each.names_issue or each.likely)


def _nothing_ran(facts: FixedFacts) -> list[str]:
    own = _told(trial for trial in facts.trials if not trial.reproduction.variant_of)
    return [facts.problem] if facts.problem else own or ["The report shows nothing that can be run."]


def _unsaid(facts: FixedFacts) -> list[str]:
    """Why nothing is said of what history has first."""
    first = next((each for each in facts.candidates if rank(each, facts.candidates) == 1), None)
    if first is None or first.score < LEAST:
        return []
    why = " ".join(doubts_of(first, facts.candidates, facts.commits))
    return [f"The history ranks {first.commit[:10]} first, but that is too little to call it the fix. {why}"]


def _told(trials: Iterable[Trial]) -> list[str]:
    return [f"{_name(trial)}: {trial.says}" for trial in trials]


def _answer(facts: FixedFacts, status: FixStatus, confidence: float, reasons: list[str], *, fix: bool) -> Fixed:
    """fix: whether there is one, whole or in part, whose release is worth telling."""
    known = (*((facts.proven,) if facts.proven else ()), *facts.candidates)
    proven = [each for each in known if each.commit == facts.fixed_by]
    candidates = (*proven, *(each for each in known if each.commit != facts.fixed_by))
    fixing = proven[0] if proven else guess(known, facts.commits) if facts.fixed_by is None else None
    released = fixing.released_in if fixing and fix else None
    told = tuple(dict.fromkeys((*reasons, *facts.notes)))
    return Fixed(status, confidence, candidates, facts.trials, released, told, facts.fixed_by, facts.commits)


def _name(trial: Trial) -> str:
    where = trial.reproduction.where
    return where[:1].upper() + where[1:]
