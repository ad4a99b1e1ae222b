"""Whether probabilities come true, and what is gained by leaving the doubtful ones to people.

Reliability: of the issues that were given about 30%, about 30% should be bounced by people (the calibration error is
Naeini et al., 2015, section 3). Risk and coverage: the surest answers first, how many of them are wrong (Geifman and
El-Yaniv, 2017); an answer is the side of one half on which the probability lies, and the surer the farther off.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """The issues whose probability lies here. predicted: their mean. observed: the share that people would bounce."""

    predicted: float
    observed: float
    issues: int


@dataclass(frozen=True, slots=True)
class Point:
    """coverage: the share of the issues that is answered, the surest first. risk: how many of these are wrong."""

    coverage: float
    risk: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """brier: the mean square of what a probability is off. error: the mean distance of predicted and observed shares,
    over the bins. area: under the curve of risk, 0 is best; at_random: the same where the order says nothing."""

    bins: tuple[Bin, ...]
    curve: tuple[Point, ...]
    brier: float
    error: float
    area: float
    at_random: float


def reliability(probabilities: Sequence[float], bounce: Sequence[bool]) -> Reliability:
    """Raises `ValueError` where there is no issue, or something that is no probability."""
    if not probabilities:
        raise ValueError("there is no issue, so there is nothing to measure")
    if not all(0 <= probability <= 1 for probability in probabilities):
        raise ValueError("a probability must be a number from 0 to 1")
    told = sorted(zip(probabilities, bounce, strict=True))
    found = tuple(_bins(told))
    wrong = [(probability >= 0.5) != bad for probability, bad in told]
    curve, area = _risk(told)
    return Reliability(
        bins=found,
        curve=curve,
        brier=sum((probability - bad) ** 2 for probability, bad in told) / len(told),
        error=sum(each.issues * abs(each.predicted - each.observed) for each in found) / len(told),
        area=area,
        at_random=sum(wrong) / len(told),
    )


def _bins(told: Sequence[tuple[float, bool]]) -> list[Bin]:
    found = []
    for _, group in groupby(told, key=lambda each: min(BINS - 1, int(each[0] * BINS))):
        inside = list(group)
        many = len(inside)
        predicted, observed = (sum(each[place] for each in inside) / many for place in (0, 1))
        found.append(Bin(predicted, observed, many))
    return found


def _risk(told: Sequence[tuple[float, bool]]) -> tuple[tuple[Point, ...], float]:
    """The curve, a point for each sureness, and its area. Among equally sure ones any order is as good, so they count
    by what comes of it on average."""
    sure = sorted(
        ((round(abs(probability - 0.5), 9), (probability >= 0.5) != bad) for probability, bad in told), reverse=True
    )
    curve, area, before, errors = [], 0.0, 0, 0
    for _, group in groupby(sure, key=lambda each: each[0]):
        wrong = [each[1] for each in group]
        area += sum((errors + sum(wrong) * place / len(wrong)) / (before + place) for place in range(1, len(wrong) + 1))
        before, errors = before + len(wrong), errors + sum(wrong)
        curve.append(Point(before / len(told), errors / before))
    return tuple(curve), area / len(told)
