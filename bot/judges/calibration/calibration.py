"""What a judge's labels are worth on one server or in one repository: a frozen value, and how it counts.

Where a server has none, the table that comes with Bouncer counts (`model_calibration`).
"""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from types import ModuleType

from bot.judges.calibration import model_calibration
from bot.judges.protocol import Judgement
from bot.policy_choices import PROMISES, Strictness
from bot.registry import JUDGES
from bot.verdicts import Basis, BasisCut, BasisKind, SpecificationLabel

LABELS = model_calibration.LABELS


class CalibrationSource(StrEnum):
    """What a calibration was made from."""

    LABELS = "labels"  # a data set that people labelled
    ACTS = "acts"  # what maintainers did after bounces


@dataclass(frozen=True, slots=True)
class LabelWorth:
    """probability: that people would bounce an issue with this label. issues: that it was learnt from."""

    probability: float
    issues: int


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """holds_from: the mildest label that holds an issue; `None` holds nothing. false_bounces: the share of the fine
    issues that it holds. at_most: its upper bound (Wilson, one-sided 95%). Both are `None` of one that acts chose."""

    holds_from: SpecificationLabel | None
    false_bounces: float | None
    at_most: float | None

    def holds(self, label: SpecificationLabel) -> bool:
        return self.holds_from is not None and LABELS.index(label) >= LABELS.index(self.holds_from)


@dataclass(frozen=True, slots=True)
class Calibration:
    """judge: by `judge_key`. repository: `owner/name`; empty where it counts for the whole server. issues,
    repositories: that it was made from. labels: empty where the shipped probabilities count.

    points: only of a strictness for which there were issues enough to choose one; elsewhere the shipped cut counts.
    From acts one is chosen only where the one before surely broke its promise.
    """

    judge: str
    repository: str
    made_at: datetime
    source: CalibrationSource
    issues: int
    repositories: int
    labels: dict[SpecificationLabel, LabelWorth]
    points: dict[Strictness, OperatingPoint]


def judge_key(name: str) -> str:
    """The name under which a calibration of this judge is kept: an offline judge's own, a model's with its prompt as it
    is, else the family that the shipped table knows, else the model's name."""
    if name in offline_judges():
        return name
    model, with_, prompt = name.rpartition(" with ")
    if with_:
        return f"{judge_key(model)} with {prompt}"
    return model_calibration.family(name)


def keys(judge: str) -> tuple[str, ...]:
    """Under which a calibration of a judgement's judge may be kept, the narrowest first."""
    return tuple(dict.fromkeys((judge_key(judge), judge_key(model_calibration.judged_by(judge)))))


def offline_judges() -> dict[str, ModuleType]:
    """The modules of the judges that ask no model, by the judges' names."""
    modules = [entry.load() for entry in JUDGES if not entry.asks_model]
    return {module.NAME: module for module in modules}


def calibrated(judgement: Judgement, calibration: Calibration | None) -> Judgement:
    """With the probability that is measured here. A rule's answer has none, and keeps none."""
    if calibration is None or judgement.probability is None or judgement.label not in calibration.labels:
        return judgement
    return replace(judgement, probability=calibration.labels[judgement.label].probability)


def _cut(point: OperatingPoint | None) -> BasisCut:
    if point is None:
        return BasisCut.SHIPPED
    return BasisCut.STRICTER if point.at_most is None else BasisCut.CHOSEN


def basis(judgement: Judgement, strictness: Strictness, calibration: Calibration | None) -> Basis | None:
    """What the probability of a judge's answer, and the promise of this strictness, stand on; `None` for the rules
    that come with Bouncer, which promise no share."""
    promise = PROMISES[strictness]
    if calibration is not None:
        kind = BasisKind.REPOSITORY if calibration.repository else BasisKind.SERVER
        point = calibration.points.get(strictness)
        if point or judgement.probability is not None:
            acts, made_on = calibration.source is CalibrationSource.ACTS, calibration.made_at.date().isoformat()
            return Basis(kind, calibration.issues, promise, made_on, from_acts=acts, cut=_cut(point))
    if judgement.probability is None:
        return None
    if offline := offline_judges().get(judgement.judge):
        return Basis(BasisKind.WEIGHTS, offline.labelled_issues(), promise)
    model = model_calibration.judged_by(judgement.judge)
    kind = BasisKind.SHIPPED if model_calibration.is_known(model) else BasisKind.POOLED
    return Basis(kind, model_calibration.answers(model), promise)


def bounces(judgement: Judgement, strictness: Strictness, calibration: Calibration | None = None) -> bool:
    """Whether an answer holds the report, as the judge gave it. By the calibration where it has a point for this
    strictness; else an offline judge's own module knows, and of a model's answer the probability counts. An answer
    with neither a probability nor a rule, or of a judge that is known no more, holds nothing."""
    if calibration is not None and strictness in calibration.points:
        says_so = judgement.probability is not None or bool(judgement.rule)
        return says_so and calibration.points[strictness].holds(judgement.label)
    if offline := offline_judges().get(judgement.judge):
        return bool(offline.holds(judgement, strictness))
    if judgement.probability is None:
        return False
    return judgement.probability >= model_threshold(judgement.judge, strictness)


def model_threshold(judge: str, strictness: Strictness) -> float:
    """Bounce from this probability on when a model gave it (`Judgement.judge`) and the policy wants `strictness`."""
    return model_calibration.threshold(model_calibration.judged_by(judge), strictness)
