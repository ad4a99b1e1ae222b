"""Where the time of a trial went, when it did not suffice. Pure."""

from bot.verification.values import PatchFacts, TestRun

_RAN_OUT = "ran out"  # of the whole suite's time, or the wall clock's, as runs say it


def out_of_time(run: TestRun) -> bool:
    """Whether the run was ended since its time was over."""
    return _RAN_OUT in run.problem


def spent_by_base(facts: PatchFacts) -> bool:
    """Whether the base's tests were cut short, and the time for them went on the base itself: it had none left, or so
    little that its head had less than the base took. What the change's own tests take beside it is the change's doing.
    """
    took, own = facts.base.seconds, _own_seconds(facts)
    if own > took / 2:
        return False
    return out_of_time(facts.base) or (out_of_time(facts.head) and facts.head.seconds < took)


def _own_seconds(facts: PatchFacts) -> float:
    """Those of the change's own tests; where it has none, the head's run stands in their place."""
    return 0.0 if facts.own == facts.head else facts.own.seconds
