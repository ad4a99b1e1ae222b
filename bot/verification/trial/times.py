"""What a trial runs, what for, and where its time went when it did not suffice. Pure."""

from dataclasses import dataclass, replace
from itertools import accumulate

from bot.verification.patch_evidence import PatchFacts
from bot.verification.testing.witnesses import TIME_OUT
from bot.verification.values import TestRun

_RAN_OUT = "ran out"  # of the whole suite's time, or the wall clock's, as runs say it


@dataclass(frozen=True, slots=True)
class TrialPart:
    """Experiments of a trial, told as a noun phrase. lost: what nobody knows without them. least: seconds without which
    none of them is begun; 0 where one is made in any case. share: of the time that there is then, at most."""

    told: str
    lost: str
    least: float = 1.0
    share: float = 1.0


BASE = TrialPart("the base's tests without the change", "which tests pass, and what they enter", 0, 0.4)
OWN = TrialPart("the change's own tests", "an own test that fails", 0)
HEAD = TrialPart("the base's tests with the change", "a test that breaks", 0, 0.8)
PUSHED = TrialPart("all tests as they were pushed", "settings of its own that make tests end otherwise", 0, 0.8)
OWN_ON_BASE = TrialPart("its own tests without the change", "a test that goes from red to green", 0)
REPEATS = TrialPart("what is red, once more", "whether chance broke a test")
LOOKS = TrialPart("what is green, in another order", "a test that ends in both ways")
CALLS = TrialPart(
    "calls without their tests", "code that knows its tests, or that it is tested, and new answers", 1, 0.3
)
OWN_REPEATS = TrialPart("its own tests that fail, once more", "an own test that ends in both ways")
OF_BOTH = TrialPart("the base's tests with the base's helpers", "a changed helper that forgives", 1, 0.5)
CONTROL = TrialPart("the positive control", "tests that cannot fail any more, or that look at nothing", 3, 0.2)
NOTICING = TrialPart("its own tests against broken code", "an own test that looks at nothing", 3)
LOST = TrialPart("what its new tests notice no more", "an edited test that notices less", 2, 0.125)
CLAIMS = TrialPart("a reviewer's counterexamples", "whether one of them holds", 0)
OFFERED = TrialPart("fixes that others offer", "an example that one of them meets, and it does not", 1, 0.3)
# In the order in which they are made: what comes later is the first to go.
PARTS = (
    *(BASE, OWN, HEAD, PUSHED, OWN_ON_BASE, REPEATS, LOOKS, CALLS, OWN_REPEATS, OF_BOTH),
    *(CONTROL, NOTICING, LOST, CLAIMS, OFFERED),
)
ENOUGH = 0.8  # of what the base's own late run came to, by the time of its tests


def level(before: TestRun, after: TestRun) -> tuple[TestRun, TestRun, tuple[str, ...]]:
    """Both runs as far as both came, and what was left out."""
    after = in_reach(before, after)
    late = {*before.late, *after.late}
    if not late or after.problem:
        return before, after, ()
    every = len({each.name for each in (*before.results, *after.results)} | late)
    told = f"{len(late)} of the base's {every} tests, which come last: none imports what changes, or they are slow"
    return _without(before, late), _without(after, late), (told,)


def in_reach(before: TestRun, after: TestRun) -> TestRun:
    """The head's run, with a problem where it is late and the base's is not, or comes much less far: who slows tests
    down must not choose those that judge."""
    came = {each.name for each in after.results}
    took = sum(each.seconds for each in before.results)
    reached = sum(each.seconds for each in before.results if each.name in came)
    if not after.late or (before.late and reached >= ENOUGH * took):
        return after
    return replace(after, problem=f"ended after {len(after.results)} tests: {TIME_OUT}")


def _without(run: TestRun, names: set[str]) -> TestRun:
    return replace(run, results=tuple(each for each in run.results if each.name not in names))


def out_of_time(run: TestRun) -> bool:
    """Whether the run was ended since its time was over."""
    return _RAN_OUT in run.problem


def spent_by_base(facts: PatchFacts) -> bool:
    """Whether the base's tests were cut short, and the time for them went on the base itself: it had none left, or so
    little that its head had less than the base took. What the change's own tests take beside it is the change's doing,
    and so is a head that comes to hardly any test in the time that it has.
    """
    took = facts.base.seconds
    # Where it has no tests of its own, the head's run stands in their place.
    own = 0.0 if facts.own == facts.head else facts.own.seconds
    if own > took / 2:
        return False
    late = [run for run in (facts.head, facts.as_pushed) if run and out_of_time(run)]
    if not all(_kept_up(facts.base, run) for run in late):
        return False
    return out_of_time(facts.base) or any(run.seconds < took for run in late)


def brought_about(facts: PatchFacts) -> bool:
    """Whether it is the change's doing that nothing follows from these runs: where its base alone could be judged, or
    where the base did not come to its end beside the change's own tests, which took the time."""
    base = facts.base
    if spent_by_base(facts):
        return False
    return out_of_time(base) or not (base.problem or base.unavailable or not base.passing)


def _kept_up(base: TestRun, run: TestRun) -> bool:
    """Whether a run that was ended came to half of the tests to which the base had come in half of that time. What the
    base took besides its tests counts as taken before them."""
    took = [result.seconds for result in base.results]
    ends = accumulate(took, initial=max(base.seconds - sum(took), 0.0))
    next(ends)
    return len(run.results) >= sum(end <= run.seconds / 2 for end in ends) / 2
