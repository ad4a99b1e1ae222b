"""Whether there is still something left of the day's budget for one more judgement. Pure.

A check that says "nobody can say" may let a change be merged, so nobody may bring that about by pushing: what somebody
spent alone keeps back what they push next, and takes nothing from the others.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.plain_text import count_of
from bot.policy import Budgets
from bot.verdicts import Cause

_AGAIN = "After midnight UTC, Re-check judges it."


@dataclass(frozen=True, slots=True)
class Spent:
    """why: a sentence. blame: whose doing it is."""

    why: str
    blame: Cause


def spent(budgets: Budgets, looks: Mapping[str, int], own: int) -> Spent | None:
    """`None` where another judgement may be made.

    looks: judgements of today in the repository, for each author. own: those among them for whoever pushed this commit
    and for this pull request. What somebody has beyond their share was not judged, and takes nothing from others.
    """
    share = share_of(budgets)
    if own >= share:
        why = (
            f"Whoever pushed it has had {count_of(own, 'judgement')} today, and one author's share is {share}, half of"
            f" `budgets.per_repository`. {_AGAIN}"
        )
        return Spent(why, Cause.CHANGE)
    if sum(min(each, share) for each in looks.values()) >= budgets.per_repository:
        why = f"The repository's budget of judgements for today is spent (`budgets.per_repository`). {_AGAIN}"
        return Spent(why, Cause.OUTSIDE)
    return None


def share_of(budgets: Budgets) -> int:
    """The most judgements a day of one author's pull requests."""
    return max(1, budgets.per_repository // 2)
