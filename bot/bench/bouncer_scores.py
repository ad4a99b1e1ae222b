"""How good decisions to bounce are, beside what people said: BouncerBench (section II-B) and two figures more."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import sqrt

TO_BE_BOUNCED = 2  # from this human label on (BouncerBench, section II-A)
_MIDDLE = 1.5  # between the labels that are to be accepted and those that are to be bounced


@dataclass(frozen=True, slots=True)
class BouncerScore:
    """macro_f: mean of the F-measures of bouncing and accepting, 0 to 1. i_score: -1 to 1. recall_bounce: the share of
    what is to be bounced that is; false_bounce: the share of the rest that is bounced as well. kappa: Cohen's, of the
    decision. rho: Spearman's, of the judge's grade and the human label. `None` where there is nothing to divide by."""

    name: str
    issues: int
    bounced: int
    macro_f: float
    i_score: float
    recall_bounce: float | None
    false_bounce: float | None
    kappa: float | None
    rho: float | None


def bouncer_score(
    name: str, human: Sequence[int], bounces: Sequence[bool], grades: Sequence[float] | None = None
) -> BouncerScore:
    """human: labels 0 (clear) to 3 (says nothing). bounces: the decisions, in the same order. grades: what the judge
    said before anybody decided, higher for worse; without them the decisions are compared. Raises `ValueError` for no
    issue, or numbers that do not fit."""
    if not human or len(human) != len(bounces):
        raise ValueError("there is nothing to compare")
    wanted = [label >= TO_BE_BOUNCED for label in human]
    caught = sum(map(_both, bounces, wanted))
    false, missed = sum(bounces) - caught, sum(wanted) - caught
    kept = len(human) - caught - false - missed
    return BouncerScore(
        name,
        len(human),
        sum(bounces),
        (_f(caught, false, missed) + _f(kept, missed, false)) / 2,
        2
        / 3
        * sum(label - _MIDDLE if held else _MIDDLE - label for held, label in zip(bounces, human, strict=True))
        / len(human),
        _share(caught, caught + missed),
        _share(false, false + kept),
        _kappa(caught, false, missed, kept),
        spearman(grades if grades is not None else [float(held) for held in bounces], human),
    )


def reference_scores(human: Sequence[int]) -> list[BouncerScore]:
    """What no bouncer at all, one that lets nothing through, and a perfect one get on the same issues."""
    rules: dict[str, Callable[[int], bool]] = {
        "accept all": lambda _: False,
        "bounce all": lambda _: True,
        "perfect": lambda label: label >= TO_BE_BOUNCED,
    }
    return [bouncer_score(name, human, [rule(label) for label in human]) for name, rule in rules.items()]


def spearman(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Spearman's rank correlation, equal values at their mean rank; `None` where one of both is the same throughout."""
    a, b = _ranks(one), _ranks(other)
    middle = (len(a) + 1) / 2
    products = sum((x - middle) * (y - middle) for x, y in zip(a, b, strict=True))
    spread = sqrt(sum((x - middle) ** 2 for x in a) * sum((y - middle) ** 2 for y in b))
    return products / spread if spread else None


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks, start = [0.0] * len(values), 0
    for _, group in groupby(order, key=values.__getitem__):
        places = list(group)
        for place in places:
            ranks[place] = start + (len(places) + 1) / 2
        start += len(places)
    return ranks


def _both(one: bool, other: bool) -> bool:
    return one and other


def _f(right: int, wrong: int, missed: int) -> float:
    return 2 * right / (2 * right + wrong + missed) if right else 0.0


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _kappa(caught: int, false: int, missed: int, kept: int) -> float | None:
    count = caught + false + missed + kept
    chance = ((caught + false) * (caught + missed) + (missed + kept) * (false + kept)) / count**2
    return ((caught + kept) / count - chance) / (1 - chance) if chance < 1 else None
