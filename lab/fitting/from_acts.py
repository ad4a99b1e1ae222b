"""What maintainers did after bounces, to a calibration that is never looser than the one before.

Only bounced issues get a word, and a wrong one gets it sooner than a right one. So acts cannot say how many issues that
were let through should have been held, and no cut is loosened by them. They can show that a promise is broken: the fine
issues are at most all that were judged, so the share of wrong bounces among them is at least `wrong / judged`. A cut
moves to the next label only where the lower bound (Wilson, one-sided 95%) of that is above the promise.

A label's probability is drawn by `SHRINK` issues towards what counted before, and a bounce that no maintainer spoke of
counts as that said. Nobody but a maintainer has a word here. Of one author the first issues count alone, so that nobody
can drown the maintainers' words by opening many.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.judges.calibration.calibration import (
    LABELS,
    Calibration,
    CalibrationSource,
    LabelWorth,
    OperatingPoint,
    judge_key,
)
from bot.policy_choices import PROMISES, Strictness
from bot.verdicts import SpecificationLabel
from lab.fitting.from_labels import SHRINK, default_grade, default_probabilities, pool_violators
from lab.fitting.labels import lower_bound

MOST_OF_AUTHOR = 5  # issues


@dataclass(frozen=True, slots=True)
class JudgedIssue:
    """One issue that people saw judged. bounced: it was held. right: what a maintainer's act says of that; `None` where
    no maintainer said anything."""

    repository: str
    author: str
    label: SpecificationLabel
    bounced: bool
    right: bool | None = None


@dataclass(frozen=True, slots=True)
class CutChange:
    """What becomes of a strictness's cut. before, now: the mildest label that holds; `None` holds nothing, and before
    also where it is no label that decides. wrong: bounces at or above the cut that were wrong. at_least: the lower
    bound of their share of all fine issues; `None` where nothing was judged."""

    before: SpecificationLabel | None
    now: SpecificationLabel | None
    wrong: int
    at_least: float | None

    @property
    def moved(self) -> bool:
        return self.before is not self.now


@dataclass(frozen=True, slots=True)
class ActsFitted:
    """judged, bounced, right, wrong: issues that count."""

    calibration: Calibration
    kept: dict[Strictness, CutChange]
    judged: int
    bounced: int
    right: int
    wrong: int

    @property
    def changes(self) -> bool:
        """Whether anything is otherwise than before."""
        return bool(self.right + self.wrong) and (
            bool(self.calibration.labels) or any(kept.moved for kept in self.kept.values())
        )


def calibrate_from_acts(
    judge: str, issues: Sequence[JudgedIssue], before: Calibration | None, now: datetime, *, repository: str = ""
) -> ActsFitted:
    """issues: the oldest first. before: the calibration that acts are weighed against; `None` for the shipped table."""
    key, counted = judge_key(judge), _counted(issues)
    kept = {
        strictness: _kept(counted, _before(key, strictness, before), PROMISES[strictness]) for strictness in Strictness
    }
    points = dict(before.points) if before else {}
    points |= {strictness: OperatingPoint(each.now, None, None) for strictness, each in kept.items() if each.moved}
    calibration = Calibration(
        judge=key,
        repository=repository,
        made_at=now,
        source=CalibrationSource.ACTS,
        issues=len(counted),
        repositories=len({issue.repository for issue in counted}),
        labels=_labels(counted, _levels(key, before)),
        points=points,
    )
    words = Counter(issue.right for issue in counted if issue.bounced)
    return ActsFitted(calibration, kept, len(counted), sum(words.values()), words[True], words[False])


def _counted(issues: Sequence[JudgedIssue]) -> list[JudgedIssue]:
    seen: Counter[str] = Counter()
    counted = []
    for issue in issues:
        seen[issue.author.lower()] += 1
        if seen[issue.author.lower()] <= MOST_OF_AUTHOR:
            counted.append(issue)
    return counted


def _before(key: str, strictness: Strictness, before: Calibration | None) -> int | None:
    if before and strictness in before.points:
        label = before.points[strictness].holds_from
        return len(LABELS) if label is None else LABELS.index(label)
    return default_grade(key, strictness)


def _kept(issues: Sequence[JudgedIssue], before: int | None, promise: float) -> CutChange:
    """The mildest cut, no milder than before, that no act shows to break the promise."""
    if before is None:
        return CutChange(None, None, 0, None)
    fine = sum(1 for issue in issues if issue.right is not True)
    wrong = {
        grade: sum(issue.right is False and LABELS.index(issue.label) >= grade for issue in issues)
        for grade in range(before, len(LABELS) + 1)
    }
    at_least = {grade: lower_bound(many, fine) if fine else None for grade, many in wrong.items()}
    now = next(grade for grade, share in at_least.items() if share is None or share <= promise)
    return CutChange(_label(before), _label(now), wrong[before], at_least[before])


def _label(grade: int) -> SpecificationLabel | None:
    return LABELS[grade] if grade < len(LABELS) else None


def _levels(key: str, before: Calibration | None) -> tuple[float, ...] | None:
    if before and before.labels:
        return tuple(before.labels[label].probability for label in LABELS)
    return default_probabilities(key)


def _labels(issues: Sequence[JudgedIssue], levels: tuple[float, ...] | None) -> dict[SpecificationLabel, LabelWorth]:
    if levels is None:
        return {}
    held = Counter((issue.label, issue.right) for issue in issues if issue.bounced)
    counts = []
    for label, level in zip(LABELS, levels, strict=True):
        right, wrong, silent = held[label, True], held[label, False], held[label, None]
        counts.append((right + (silent + SHRINK) * level, right + wrong + silent + SHRINK))
    return {
        label: LabelWorth(round(probability, 4), held[label, True] + held[label, False])
        for label, probability in zip(LABELS, pool_violators(counts), strict=True)
    }
