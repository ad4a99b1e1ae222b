"""The embedded judge: no key, no network, milliseconds. It reads what the parser counted, never the text itself.

Clear-cut reports are settled by rules, whatever language they are in: one that says nothing about any project in
particular, and a short one that nevertheless holds all one needs. Everything else gets the fitted score, which knows
English words only; `lab/training/offline_issues.py` makes the weights, `lab/benchmarks/judge_issues.py` measures them.
"""

from dataclasses import dataclass
from functools import cache
from importlib import resources
from math import exp, log, sqrt

from pydantic import TypeAdapter

from bot.judges.protocol import Judgement, NoJudgement
from bot.policy_choices import Strictness
from bot.reports import Report
from bot.settings import Settings
from bot.verdicts import IssueKind, Item, SpecificationLabel

NAME = "offline/1"

SAYS_NOTHING = 0.97  # the probability of a report that names nothing at all
SAYS_LITTLE = 0.90
SHORT_BUT_COMPLETE = 0.25

ENOUGH_WORDS = 15  # different known words from which on the fitted score counts in full

_LITTLE = 6  # different words that could not stand in just any report
_SHORT = 30  # words; the fitted score has seen few reports below, and length alone is no fault
_VERY_SHORT = 15  # the same for prose beside code
_DENSE = 8  # words for each name or literal: a report this precise that lacks nothing is not held for its wording


@dataclass(frozen=True, slots=True)
class IssueWeights:
    """A logistic regression on a linear score of tf-idf words, and the cuts on its probability.

    typical: the score of a typical report.
    words: word -> (inverse document frequency, weight).
    thresholds: the cut that keeps each promise, by Wilson's upper bound, on reports of repositories the weights had not
        seen.
    issues: how many labelled reports that stands on.
    """

    typical: float
    intercept: float
    slope: float
    offset: float
    words: dict[str, tuple[float, float]]
    thresholds: dict[Strictness, float]
    issues: int = 0

    def probability(self, counts: dict[str, int]) -> float:
        """That a maintainer would want a report with these words bounced."""
        return 1 / (1 + exp(-(self.slope * self.score(counts) + self.offset)))

    def score(self, counts: dict[str, int]) -> float:
        """The linear score, drawn to a typical report's by as many known words as are missing: few words say little."""
        told = length = 0.0
        known = 0
        for word, count in counts.items():
            if entry := self.words.get(word):
                value = (1 + log(count)) * entry[0]
                told += value * entry[1]
                length += value * value
                known += 1
        if not known:
            return self.typical
        return self.typical + min(1.0, known / ENOUGH_WORDS) * (self.intercept + told / sqrt(length) - self.typical)


WEIGHTS = TypeAdapter(IssueWeights)  # reads the JSON that the training writes


@cache
def packaged() -> IssueWeights:
    """The weights that come with Bouncer."""
    return WEIGHTS.validate_json(resources.files("bot.judges.offline").joinpath("issue_weights.json").read_bytes())


def holds(judgement: Judgement, strictness: Strictness) -> bool:
    """Whether the probability is at or above the cut that keeps this promise by its bound (`IssueWeights`)."""
    return judgement.probability is not None and judgement.probability >= packaged().thresholds[strictness]


def held_label(strictness: Strictness) -> SpecificationLabel | None:
    """The mildest label that holds a report at this strictness; `None` where the cut lies within a label."""
    return SpecificationLabel.VAGUE if strictness is Strictness.STRICT else None


def labelled_issues() -> int:
    """How many labelled issues its probabilities and promises stand on."""
    return packaged().issues


class OfflineJudge:
    """Rules for the clear-cut reports, fitted weights for the others. Stateless; safe to share."""

    name = NAME

    def __init__(self, weights: IssueWeights | None = None) -> None:
        self._weights = weights or packaged()

    def threshold(self, strictness: Strictness) -> float:
        """Bounce from this probability on."""
        return self._weights.thresholds[strictness]

    def judge(self, report: Report) -> Judgement | NoJudgement:
        found = report.features
        if not found["code_blocks"] and not found["concrete"] and found["specific_words"] < _LITTLE:
            return self._answer(report, SAYS_NOTHING if found["specific_words"] < _LITTLE / 2 else SAYS_LITTLE)
        if not found["readable"]:
            if found["code_blocks"] and (found["error"] or found["runnable"] or found["concrete"] >= 2):
                return self._answer(report, SHORT_BUT_COMPLETE)
            return NoJudgement(NAME, f"The offline judge does not read {_language(report)}.", retry=False)
        probability = self._weights.probability(report.words)
        short = found["prose_words"] < (_VERY_SHORT if found["code_blocks"] else _SHORT)
        if (short and _complete(report)) or _precise(report):
            probability = min(probability, SHORT_BUT_COMPLETE)
        return self._answer(report, probability)

    def _answer(self, report: Report, probability: float) -> Judgement:
        items: dict[Item, bool] = {item: quote is not None for item, quote in report.items.items()}
        label = self._label(probability)
        if probability >= self.threshold(Strictness.STRICT) and items and all(items.values()):
            items[Item.DETAILS] = False  # wording alone spoke against it: the names are there, what is meant is not
        return Judgement(label, probability, report.kind, NAME, items)

    def _label(self, probability: float) -> SpecificationLabel:
        if probability >= SAYS_NOTHING:
            return SpecificationLabel.IMPOSSIBLE_TO_SOLVE
        if probability >= self.threshold(Strictness.STRICT):
            return SpecificationLabel.VAGUE
        if probability > SHORT_BUT_COMPLETE:
            return SpecificationLabel.REASONABLY_SPECIFIED
        return SpecificationLabel.WELL_SPECIFIED


def _complete(report: Report) -> bool:
    """Whether a report holds all that one of its kind needs, however few words it takes."""
    found = report.features
    if not found["concrete"] + found["code_blocks"] or (found["guesses"] and found["concrete"] < 2):
        return False
    if report.kind is not IssueKind.BUG:
        return bool(found["specific_words"] >= _LITTLE)
    wanted = found["expected"] or found["expectation_implied"]
    shown = found["steps"] or found["error"] or found["concrete"] >= 2
    return bool((found["observed"] and (wanted or shown)) or (wanted and shown))


def _precise(report: Report) -> bool:
    """Whether every item is there, nothing is left to guess, and names stand close together."""
    found = report.features
    dense = bool(found["concrete"]) and found["concrete"] * _DENSE >= found["prose_words"]
    return dense and not report.guesses and all(quote is not None for quote in report.items.values())


def _language(report: Report) -> str:
    spoken = [item.found for item in report.evidence if item.check == "language"]
    return spoken[0].removeprefix("The prose is in ").rstrip(".") if spoken else "this language"


def from_settings(settings: Settings, spend: object) -> OfflineJudge:
    """It needs no setting, and costs nothing."""
    return OfflineJudge()
