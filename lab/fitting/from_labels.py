"""A judge's labels beside people's, to a probability for each label and a cut for each promise.

A label's probability is the share that people would bounce, drawn towards the shipped one by `SHRINK` issues and made
to rise with the label. A cut is the mildest label whose false bounces keep the promise by Wilson's upper bound; where
the fine issues are so few that not even a label without a false bounce could keep it, none is chosen, and the shipped
cut counts. What a cut gives is measured on each repository with what was chosen on the others.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from bot.judges.calibration import model_calibration
from bot.judges.calibration.calibration import (
    LABELS,
    Calibration,
    CalibrationSource,
    LabelWorth,
    OperatingPoint,
    judge_key,
    offline_judges,
)
from bot.policy_choices import PROMISES, Strictness
from bot.verdicts import SpecificationLabel
from lab.fitting.labels import Labelled, cut_within, decisions_by_turns, fit_labels, upper_bound

SHRINK = 20  # issues: a label counts as if seen so often more, at the shipped probability
_NOTHING = len(LABELS)  # the grade from which on nothing is held

_Counts = Counter[tuple[int, bool]]  # how many issues of each grade people would accept, and bounce


@dataclass(frozen=True, slots=True)
class LabelledAnswer:
    """One issue. grade: the judge's, 0 (well specified) to 3. bounce: whether people would."""

    repository: str
    grade: int
    bounce: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """What a strictness gives on repositories that had no part in choosing its cut. shipped: the cut is the shipped
    one. false_bounces: of the fine issues; at_most: its upper bound. recall: of those that people would bounce. `None`
    where there is nothing to count, or nobody can tell."""

    holds_from: SpecificationLabel | None
    shipped: bool
    false_bounces: float | None
    at_most: float | None
    recall: float | None


@dataclass(frozen=True, slots=True)
class Fitted:
    """unseen: each issue's probability by a fit without its repository; bounce: whether people would bounce it."""

    calibration: Calibration
    measured: Mapping[Strictness, Measured]
    unseen: tuple[float, ...]
    bounce: tuple[bool, ...]


def fit_calibration(judge: str, answers: Sequence[LabelledAnswer], now: datetime, *, repository: str = "") -> Fitted:
    """repository: which it is for; then all issues may be of one, and each is measured by all others. Raises
    `ValueError`, in words for whoever gave the issues, where nothing can be learnt."""
    bounce = tuple(answer.bounce for answer in answers)
    if len(set(bounce)) < 2:
        raise ValueError("all issues have the same answer, so nothing can be learnt; both are needed")
    key, repositories = judge_key(judge), {answer.repository for answer in answers}
    if len(repositories) < 2 and not repository:
        raise ValueError(
            "all issues are of one repository, and what holds there need not hold elsewhere; "
            "name it with --repo, or add issues of others"
        )
    whole, prior = _counted(answers), default_probabilities(key)
    rests = list(_others(answers, whole))
    probabilities = {id(rest): _probabilities(rest, prior) for rest in rests}
    calibration = Calibration(
        judge=key,
        repository=repository,
        made_at=now,
        source=CalibrationSource.LABELS,
        issues=len(answers),
        repositories=len(repositories),
        labels={
            label: LabelWorth(round(probability, 4), whole[grade, True] + whole[grade, False])
            for grade, (label, probability) in enumerate(zip(LABELS, _probabilities(whole, prior), strict=True))
        },
        points=_points(whole),
    )
    unseen = tuple(probabilities[id(rest)][answer.grade] for answer, rest in zip(answers, rests, strict=True))
    return Fitted(calibration, _measured(answers, rests, whole, key), unseen, bounce)


@dataclass(frozen=True, slots=True)
class JointFit:
    """The labels of several judges, and evidence, as one probability. judges: how many. evidence: names of the numbers.
    The rest as of `Fitted`."""

    judges: int
    evidence: tuple[str, ...]
    measured: Mapping[Strictness, Measured]
    unseen: tuple[float, ...]
    bounce: tuple[bool, ...]


def fit_jointly(issues: Sequence[Labelled], judges: Sequence[str], evidence: Sequence[str] = ()) -> JointFit:
    """Raises `ValueError` as `decisions_by_turns` does."""
    cuts = [partial(cut_within, promise=PROMISES[strictness]) for strictness in Strictness]
    decisions = decisions_by_turns(issues, judges, cuts, evidence)
    bounce = tuple(issue.bounce for issue in issues)
    told = {
        strictness: Measured(None, False, *error_rates(held, bounce))
        for strictness, held in zip(Strictness, decisions, strict=True)
    }
    return JointFit(len(judges), tuple(evidence), told, fit_labels(issues, judges, evidence).unseen, bounce)


def default_grade(key: str, strictness: Strictness) -> int | None:
    """From which grade on a judge's labels hold where no calibration says otherwise; `None` where it is no label that
    decides."""
    offline = offline_judges().get(key)
    label = (
        offline.held_label(strictness)
        if offline
        else model_calibration.holds_from(model_calibration.judged_by(key), strictness)
    )
    return None if label is None else LABELS.index(label)


def default_probabilities(key: str) -> tuple[float, ...] | None:
    """Of each label, by the shipped table; `None` for an offline judge, which is not in it."""
    if key in offline_judges():
        return None
    return tuple(model_calibration.probability(model_calibration.judged_by(key), label) for label in LABELS)


def pool_violators(levels: Sequence[tuple[float, float]]) -> list[float]:
    """(hits, total) of each label to shares that never fall: neighbours that do are pooled."""
    blocks: list[tuple[float, float, int]] = []
    for hits, total in levels:
        blocks.append((hits, total, 1))
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] >= blocks[-1][0] * blocks[-2][1]:
            last, before = blocks.pop(), blocks.pop()
            blocks.append((before[0] + last[0], before[1] + last[1], before[2] + last[2]))
    return [hits / total for hits, total, many in blocks for _ in range(many)]


def _counted(answers: Sequence[LabelledAnswer]) -> _Counts:
    return Counter((answer.grade, answer.bounce) for answer in answers)


def _others(answers: Sequence[LabelledAnswer], whole: _Counts) -> Iterator[_Counts]:
    """For each issue all those of other repositories; where there is one repository only, all other issues."""
    repositories = sorted({answer.repository for answer in answers})
    if len(repositories) == 1:
        rest = {each: whole - Counter([each]) for each in whole}
        yield from (rest[answer.grade, answer.bounce] for answer in answers)
        return
    own = {name: whole - _counted([each for each in answers if each.repository == name]) for name in repositories}
    yield from (own[answer.repository] for answer in answers)


def _probabilities(counts: _Counts, prior: tuple[float, ...] | None) -> list[float]:
    total = sum(counts.values())
    share = sum(many for (_, bad), many in counts.items() if bad) / total if total else 0.5
    drawn = prior or (share,) * len(LABELS)
    return pool_violators(
        [
            (counts[grade, True] + SHRINK * drawn[grade], counts[grade, True] + counts[grade, False] + SHRINK)
            for grade in range(len(LABELS))
        ]
    )


def _cut(counts: _Counts, promise: float) -> int | None:
    """The mildest grade that keeps the promise, of those that were given at all; `None` where the fine issues are too
    few to tell."""
    fine = sum(many for (_, bad), many in counts.items() if not bad)
    if not fine or upper_bound(0, fine) > promise:
        return None
    kept = [grade for grade in range(1, _NOTHING) if upper_bound(_held(counts, grade, bad=False), fine) <= promise]
    given = (grade for grade in kept if counts[grade, True] + counts[grade, False])
    return min(given, default=max(kept, default=_NOTHING))


def _held(counts: _Counts, from_grade: int, *, bad: bool) -> int:
    return sum(counts[grade, bad] for grade in range(from_grade, len(LABELS)))


def _points(counts: _Counts) -> dict[Strictness, OperatingPoint]:
    fine = sum(many for (_, bad), many in counts.items() if not bad)
    points = {}
    for strictness, promise in PROMISES.items():
        if (grade := _cut(counts, promise)) is not None:
            false = _held(counts, grade, bad=False)
            bound = round(upper_bound(false, fine), 4)
            points[strictness] = OperatingPoint(_label(grade), round(false / fine, 4), bound)
    return points


def _label(grade: int | None) -> SpecificationLabel | None:
    return LABELS[grade] if grade is not None and grade < _NOTHING else None


def _measured(
    answers: Sequence[LabelledAnswer], rests: Sequence[_Counts], whole: _Counts, key: str
) -> dict[Strictness, Measured]:
    found = {}
    for strictness, promise in PROMISES.items():
        shipped, own = default_grade(key, strictness), _cut(whole, promise)
        cuts = {id(rest): _cut(rest, promise) for rest in rests}
        by_turns = [shipped if cuts[id(rest)] is None else cuts[id(rest)] for rest in rests]
        label = _label(shipped if own is None else own)
        told = error_rates(
            [None if cut is None else answer.grade >= cut for answer, cut in zip(answers, by_turns, strict=True)],
            [answer.bounce for answer in answers],
        )
        found[strictness] = Measured(label, own is None, *told)
    return found


def error_rates(held: Sequence[bool | None], bounce: Sequence[bool]) -> tuple[float | None, float | None, float | None]:
    """False bounces, their upper bound, and recall; `None` where nobody can tell whether one is held."""
    fine, wanted = ([one for one, bad in zip(held, bounce, strict=True) if bad is want] for want in (False, True))
    false, caught = fine.count(True), wanted.count(True)
    if None in held or not fine or not wanted:
        return None, None, None
    return false / len(fine), upper_bound(false, len(fine)), caught / len(wanted)
