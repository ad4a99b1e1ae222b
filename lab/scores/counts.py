"""Decisions to bounce beside what was right: four counts, and what follows from them (BouncerBench, section II-B1).

What is drawn of a data set is always the same for the same seed, whatever the order of the rest.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from random import Random
from statistics import correlation
from typing import TypeVar

from bot.live.precision import wilson


@dataclass(frozen=True, slots=True)
class Counts:
    """caught and missed: what is to be bounced, and was or was not. false and kept: the rest, likewise."""

    caught: int
    missed: int
    false: int
    kept: int

    @classmethod
    def of(cls, wanted: Sequence[bool], bounces: Sequence[bool]) -> "Counts":
        """Raises `ValueError` for nothing, or for numbers that do not fit."""
        if not wanted or len(wanted) != len(bounces):
            raise ValueError("there is nothing to compare")
        caught = sum(want and held for want, held in zip(wanted, bounces, strict=True))
        false, missed = sum(bounces) - caught, sum(wanted) - caught
        return cls(caught, missed, false, len(wanted) - caught - false - missed)

    @property
    def total(self) -> int:
        return self.caught + self.missed + self.false + self.kept

    @property
    def macro_f(self) -> float | None:
        """The mean of the F-measures of bouncing and accepting; `None` where there is only one of both to tell."""
        if not (self.caught + self.missed and self.false + self.kept):
            return None
        return (_f(self.caught, self.false, self.missed) + _f(self.kept, self.missed, self.false)) / 2

    @property
    def recall_bounce(self) -> float | None:
        """The share of what is to be bounced that is."""
        return share(self.caught, self.caught + self.missed)

    @property
    def false_bounce(self) -> float | None:
        """The share of the rest that is bounced as well."""
        return share(self.false, self.false + self.kept)

    @property
    def kappa(self) -> float | None:
        """Cohen's, of the decision."""
        return kappa({(1, 1): self.caught, (1, 0): self.missed, (0, 1): self.false, (0, 0): self.kept})


def kappa(pairs: Mapping[tuple[int, int], int]) -> float | None:
    """Cohen's, of what two say on one scale: how often which two labels come together. `None` where both always say the
    same one label."""
    total = sum(pairs.values())
    ones, others = Counter[int](), Counter[int]()
    for (one, other), count in pairs.items():
        ones[one] += count
        others[other] += count
    chance = sum(ones[label] * others[label] for label in ones) / total**2
    alike = sum(count for (one, other), count in pairs.items() if one == other)
    return (alike / total - chance) / (1 - chance) if chance < 1 else None


@dataclass(frozen=True, slots=True)
class Rate:
    """count of `of`, with Wilson's interval at 95%; `None` of nothing."""

    count: int
    of: int
    share: float | None
    low: float | None
    high: float | None


def rate(count: int, of: int) -> Rate:
    """A share with its interval."""
    if not of:
        return Rate(count, of, None, None, None)
    return Rate(count, of, count / of, *wilson(count, of))


@dataclass(frozen=True, slots=True)
class Flips:
    """Yes-or-no decisions that come out otherwise the second time. mended: of these, from wrong to right; the others go
    the other way. p: McNemar's, that as many go either way."""

    flipped: Rate
    mended: int
    p: float


def flips(right: Sequence[bool], right_then: Sequence[bool]) -> Flips:
    """Whether each decision was right, first and then, in one order."""
    both = list(zip(right, right_then, strict=True))
    mended, spoilt = both.count((False, True)), both.count((True, False))
    return Flips(rate(mended + spoilt, len(both)), mended, mcnemar(mended, spoilt))


def flips_between(right: Mapping[str, Mapping[str, bool]]) -> dict[tuple[str, str], Flips]:
    """From each to each after it, of what both decided. right: whether a decision was right, by who made it and by what
    it is about."""
    found = {}
    for (one, first), (other, then) in combinations(right.items(), 2):
        if both := [name for name in first if name in then]:
            found[one, other] = flips([first[name] for name in both], [then[name] for name in both])
    return found


def mcnemar(more: int, fewer: int) -> float:
    """Two-sided exact p of McNemar's test: so many pairs changed one way, and so many the other."""
    changed = more + fewer
    tail: int = sum(comb(changed, number) for number in range(min(more, fewer) + 1))
    return min(1.0, float(Fraction(2 * tail, 2**changed)))


def share(part: int, whole: int) -> float | None:
    """`None` of nothing."""
    return part / whole if whole else None


def spearman(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Spearman's rank correlation, equal values at their mean rank; `None` where one of both is the same throughout."""
    differ = min(len(set(one)), len(set(other))) > 1
    return correlation(_ranks(one), _ranks(other)) if differ else None


def grade_rho(grades: Sequence[float | None], truth: Sequence[float]) -> float | None:
    """Spearman's, of those that have a grade."""
    known = [(grade, true) for grade, true in zip(grades, truth, strict=True) if grade is not None]
    return spearman([grade for grade, _ in known], [true for _, true in known])


def _ranks(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    return [(bisect_left(ordered, each) + bisect_right(ordered, each) + 1) / 2 for each in values]


def _f(right: int, wrong: int, missed: int) -> float:
    return 2 * right / (2 * right + wrong + missed) if right else 0.0


T = TypeVar("T")


def draw(rows: Sequence[T], limit: int | None, seed: int = 0) -> list[T]:
    """So many at random, in their own order; all without a limit."""
    if limit is None or limit >= len(rows):
        return list(rows)
    places = sorted(Random(seed).sample(range(len(rows)), limit))
    return [rows[place] for place in places]


def thirds(sizes: Sequence[int]) -> dict[str, list[int]]:
    """The places of the shortest, the middle and the longest third; what is empty is left out."""
    order = sorted(range(len(sizes)), key=lambda place: (sizes[place], place))
    first, second = len(order) // 3, 2 * len(order) // 3
    parts = {"shortest": order[:first], "middle": order[first:second], "longest": order[second:]}
    return {f"{name} third": sorted(places) for name, places in parts.items() if places}
