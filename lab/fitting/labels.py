"""From the labels of one or more judges, and evidence, to a probability and a cut, never seen with its own repository.

A ridge regression (logistic) on steps: whether a judge's grade is at least 1, 2, 3. A step costs nothing where nobody
answered: it counts as the mean. Cuts come from predictions for repositories that the regression had not seen, so that
what they promise holds on new ones.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.fitting.logistic import Numbers

Cut = Callable[[Sequence[float], Sequence[bool]], float]  # from which probability on to bounce, of what people would
_STEPS = (1, 2, 3)
_RIDGE = 10.0  # in issues: so many speak for no weight
_FOLDS = 12  # groups of repositories at most
_Z = 1.6449  # of a one-sided bound of 95%


@dataclass(frozen=True, slots=True)
class Labelled:
    """One issue. repository: all of one are held back together. bounce: whether people would. grades: by judge, 0 (well
    specified) to 3; who gave none is absent. evidence: numbers by name, absent where they are not known."""

    repository: str
    bounce: bool
    grades: dict[str, int]
    evidence: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LabelFit:
    """probability: that people would bounce it, of an issue's grades and evidence. unseen: the same of each issue that
    it was fitted on, by a fit without its repository (see `folds`)."""

    probability: Callable[[Labelled], float]
    unseen: tuple[float, ...]


def fit_labels(issues: Sequence[Labelled], judges: Sequence[str], evidence: Sequence[str] = ()) -> LabelFit:
    """Raises `ValueError`, in words for whoever gave the issues, where nothing can be learnt from them."""
    if len({issue.bounce for issue in issues}) < 2:
        raise ValueError("all issues have the same answer, so nothing can be learnt; both are needed")
    if len({issue.repository for issue in issues}) < 2:
        raise ValueError("all issues are of one repository; at least two are needed, for each is judged by the others")
    whole = _regression(issues, judges, evidence)
    unseen: dict[int, float] = {}
    for fold in folds(issues):
        others = [issue for issue in issues if issue.repository not in fold]
        inside = [place for place, issue in enumerate(issues) if issue.repository in fold]
        rest = _regression(others, judges, evidence) if len({issue.bounce for issue in others}) == 2 else None
        share = sum(issue.bounce for issue in others) / len(others)
        unseen |= {place: rest(issues[place]) if rest else share for place in inside}
    return LabelFit(whole, tuple(unseen[place] for place in range(len(issues))))


def folds(issues: Sequence[Labelled]) -> list[set[str]]:
    """The repositories in groups that are held back one after the other: each alone where there are few, else together
    with others, so that hundreds of them take no longer. Groups have about as many issues."""
    many = Counter(issue.repository for issue in issues)
    groups: list[tuple[int, set[str]]] = [(0, set()) for _ in range(min(_FOLDS, len(many)))]
    for repository, size in sorted(many.items(), key=lambda each: (-each[1], each[0])):
        place = min(range(len(groups)), key=lambda at: groups[at][0])
        groups[place] = (groups[place][0] + size, groups[place][1] | {repository})
    return [group for _, group in groups]


def best_cut(probabilities: Sequence[float], bounce: Sequence[bool]) -> float:
    """From which probability on to bounce, so that the mean of both F-measures is best; the lowest of equals,
    infinite where it is best to bounce nothing."""
    told = sorted(zip(probabilities, bounce, strict=True), reverse=True)
    wanted, count = sum(bounce), len(told)
    best, cut, held, caught = (count - wanted) / max(1, 2 * count - wanted), inf, 0, 0
    for place, (probability, bad) in enumerate(told):
        held, caught = held + 1, caught + bad
        if place + 1 < count and told[place + 1][0] == probability:
            continue
        kept = count - held - (wanted - caught)
        macro = caught / (held + wanted) + kept / max(1, 2 * count - held - wanted)
        if macro >= best:
            best, cut = macro, probability
    return cut


def cut_within(
    probabilities: Sequence[float],
    bounce: Sequence[bool],
    promise: float,
    share: Callable[[int, int], float] | None = None,
) -> float:
    """The lowest probability from which on at most this share of the issues that are fine are bounced; infinite where
    none keeps the promise. share: how it is told of hits and total; without it, by Wilson's one-sided bound of 95%."""
    share = share or upper_bound
    fine = sorted((each for each, bad in zip(probabilities, bounce, strict=True) if not bad), reverse=True)
    levels = sorted(set(probabilities), reverse=True)
    cut, false = inf, 0
    for level in levels:
        while false < len(fine) and fine[false] >= level:
            false += 1
        if not fine or share(false, len(fine)) > promise:
            break
        cut = level
    return cut


def upper_bound(hits: float, total: int) -> float:
    """Wilson's upper bound of a share, one-sided 95%."""
    rate = hits / total
    middle = rate + _Z * _Z / (2 * total)
    spread = _Z * sqrt(rate * (1 - rate) / total + _Z * _Z / (4 * total * total))
    return (middle + spread) / (1 + _Z * _Z / total)


def lower_bound(hits: int, total: int) -> float:
    """Wilson's lower bound of a share, one-sided 95%."""
    return 1 - upper_bound(total - hits, total)


def decisions_by_turns(
    issues: Sequence[Labelled],
    judges: Sequence[str],
    cuts: Sequence[Cut],
    evidence: Sequence[str] = (),
) -> list[list[bool]]:
    """For each way to choose a cut, whether each issue is held: by a fit, and by a cut, that have seen only the other
    repositories. Raises `ValueError` as `fit_labels` does, and below three repositories."""
    if len({issue.repository for issue in issues}) < 3:
        raise ValueError("issues of at least three repositories are needed")
    held: list[dict[int, bool]] = [{} for _ in cuts]
    for fold in folds(issues):
        others = [issue for issue in issues if issue.repository not in fold]
        told = fit_labels(others, judges, evidence)
        chosen = [cut(told.unseen, [issue.bounce for issue in others]) for cut in cuts]
        for place, issue in enumerate(issues):
            if issue.repository in fold:
                probability = told.probability(issue)
                for each, cut in zip(held, chosen, strict=True):
                    each[place] = probability >= cut
    return [[each[place] for place in range(len(issues))] for each in held]


def _regression(
    issues: Sequence[Labelled], judges: Sequence[str], evidence: Sequence[str]
) -> Callable[[Labelled], float]:
    import numpy as np  # takes a tenth of a second, and most commands need none of it

    from lab.fitting.logistic import logistic

    def row(issue: Labelled) -> list[float]:
        nothing = [np.nan] * len(_STEPS)
        steps = ([float(issue.grades[j] >= k) for k in _STEPS] if j in issue.grades else nothing for j in judges)
        return [*(value for each in steps for value in each), *(issue.evidence.get(name, np.nan) for name in evidence)]

    design = np.array([row(issue) for issue in issues], dtype=np.float64)
    known = ~np.isnan(design)
    filled = np.where(known, design, 0.0)
    mean = filled.sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    spread = np.sqrt((np.where(known, design - mean, 0.0) ** 2).sum(axis=0) / np.maximum(known.sum(axis=0), 1))
    spread[spread < 1e-9] = np.inf  # what never changes says nothing

    def scaled(rows: "Numbers") -> "Numbers":
        values = np.where(np.isnan(rows), 0.0, (rows - mean) / spread)
        return np.hstack([values, np.ones((len(values), 1))])

    ridge = np.append(np.full(design.shape[1], _RIDGE), 1e-6)
    weights = logistic(scaled(design), np.array([issue.bounce for issue in issues]), ridge)

    def probability(issue: Labelled) -> float:
        return float(1 / (1 + np.exp(-(scaled(np.array([row(issue)]))[0] @ weights))))

    return probability
