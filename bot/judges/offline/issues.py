"""The embedded judge: no key, no network, milliseconds. It weighs what the parser counted, never the text itself.

A few rules hold what says next to nothing (`rules.py`). Everything else is weighed by one logistic regression on the
facts of `bot/issues/features.py`; `lab/training/offline_issues.py` fits it, and says how well it does. Only bug reports
are held by weight, and none that lacks nothing or can be tried: of 41 real requests no maintainer had to ask about any.
"""

from dataclasses import dataclass
from functools import cache
from importlib import resources
from math import exp, log1p

from pydantic import TypeAdapter

from bot.judges.offline.rules import NOTHING_SAID, RULES, rule_of
from bot.judges.protocol import Judgement
from bot.policy_choices import Strictness
from bot.reports import Report
from bot.settings import Settings
from bot.verdicts import IssueKind, Item, SpecificationLabel

NAME = "offline/1"
SAYS_NOTHING = 0.97  # the probability of a report that a rule holds
_NO_TEXT = "It has no text of its own, and its title alone says too little."
_SOME = 3  # different words that could not stand in just any report: they say what happens
NOT_HELD = 0.3  # at most of one that is not weighed; below every cut
_LABELS = {
    Strictness.LENIENT: SpecificationLabel.IMPOSSIBLE_TO_SOLVE,
    Strictness.BALANCED: SpecificationLabel.VAGUE,
    Strictness.STRICT: SpecificationLabel.REASONABLY_SPECIFIED,
}


@dataclass(frozen=True, slots=True)
class IssueWeights:
    """A logistic regression. facts: name -> weight, of the logarithm of one more than the count; `kind_…` of the
    report's kind. thresholds: from which probability a strictness holds, so that it keeps its promise by Wilson's bound
    on reports that the weights had not seen. issues: how many labelled reports that stands on."""

    intercept: float
    facts: dict[str, float]
    thresholds: dict[Strictness, float]
    issues: int = 0

    def probability(self, report: Report) -> float:
        """That a maintainer would have to ask the reporter first."""
        counts = facts_of(report)
        told = sum(weight * log1p(counts.get(name, 0.0)) for name, weight in self.facts.items())
        return 1 / (1 + exp(-(self.intercept + told)))


WEIGHTS = TypeAdapter(IssueWeights)  # reads the JSON that the training writes


def facts_of(report: Report) -> dict[str, float]:
    """What is weighed: the report's features, and its kind."""
    return report.features | {f"kind_{report.kind}": 1.0}


@cache
def packaged() -> IssueWeights:
    """The weights that come with Bouncer."""
    return WEIGHTS.validate_json(resources.files("bot.judges.offline").joinpath("issue_weights.json").read_bytes())


def holds(judgement: Judgement, strictness: Strictness) -> bool:
    """Whether a rule spoke, or the probability is at or above the cut that keeps this promise (`IssueWeights`)."""
    likely = judgement.probability is not None and judgement.probability >= packaged().thresholds[strictness]
    return likely or any(judgement.rule == rule.name for rule in RULES)


def held_label(strictness: Strictness) -> SpecificationLabel | None:
    """The mildest label that holds a report at this strictness; `None` where the cut lies within a label: some that
    `strict` lets pass lack something too."""
    return None if strictness is Strictness.STRICT else _LABELS[strictness]


def labelled_issues() -> int:
    """How many labelled issues its probabilities and promises stand on."""
    return packaged().issues


class OfflineJudge:
    """Stateless; safe to share."""

    name = NAME

    def __init__(self, weights: IssueWeights | None = None) -> None:
        self._weights = weights or packaged()

    def judge(self, report: Report) -> Judgement:
        rule = rule_of(report)
        items: dict[Item, bool] = {item: quote is not None for item, quote in report.items.items()}
        found = report.features
        said = found["specific_words"] >= _SOME and not found["images"]
        if Item.OBSERVED in items and (said or found["code_blocks"] or found["ends"]):
            items[Item.OBSERVED] = True  # however it is put, unless a picture says it
        if Item.STEPS in items and (found["when"] or found["code_blocks"]):
            items[Item.STEPS] = True
        if rule or (report.kind is IssueKind.BUG and report.features["fails_alone"]):
            items.update((item, False) for item in _wanted(report))
        probability = SAYS_NOTHING if rule else self._weights.probability(report)
        if rule is None and (report.kind is not IssueKind.BUG or _can_be_tried(report) or all(items.values())):
            probability = min(probability, NOT_HELD)
        label = self._label(probability, all(items.values()) and all(report.items.values()))
        if rule is None:
            return Judgement(label, probability, report.kind, NAME, items)
        says = rule.says if report.visible_text.strip() or rule is not NOTHING_SAID else _NO_TEXT
        return Judgement(label, probability, report.kind, NAME, items, rule=rule.name, reason=says)

    def _label(self, probability: float, whole: bool) -> SpecificationLabel:
        """The worst that its probability reaches; "well specified" only where nothing is missing."""
        for strictness, label in _LABELS.items():
            if probability >= self._weights.thresholds[strictness]:
                return label
        return SpecificationLabel.WELL_SPECIFIED if whole else SpecificationLabel.REASONABLY_SPECIFIED


def _can_be_tried(report: Report) -> bool:
    """Whether it has something to run, or the error and how to get it."""
    found = report.features
    return bool(found["runnable"] or (found["error"] and found["steps"]))


def _wanted(report: Report) -> tuple[Item, ...]:
    """What has to be asked of a report that says nothing, whatever its few words seem to hold; a command is told,
    however few they are."""
    match report.kind:
        case IssueKind.FEATURE:
            return (Item.GOAL,)
        case IssueKind.QUESTION | IssueKind.DOCUMENTATION:
            return (Item.SUBJECT,)
        case _:
            if report.features["command"]:
                return (Item.OBSERVED,)
            return (Item.STEPS,) if report.features["ends"] else (Item.OBSERVED, Item.STEPS)


def from_settings(settings: Settings, spend: object) -> OfflineJudge:
    """It needs no setting, and costs nothing."""
    return OfflineJudge()
