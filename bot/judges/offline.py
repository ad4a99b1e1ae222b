"""The embedded judge: no key, no network, milliseconds. It reads the parser's features, never the text itself."""

from math import exp

from bot.judges.protocol import Judgement, Unavailable
from bot.policy import Strictness
from bot.reports import Report
from bot.verdicts import Item, SpecificationLabel

NAME = "offline/1"
THRESHOLDS = {Strictness.LENIENT: 0.7, Strictness.BALANCED: 0.55, Strictness.STRICT: 0.4}

_ENOUGH_WORDS = 3


class OfflineJudge:
    """Rules for the clear-cut cases, fitted weights for the others. Stateless; safe to share."""

    @property
    def name(self) -> str:
        return NAME

    def judge(self, report: Report) -> Judgement | Unavailable:
        features = report.features
        substance = features["specific_words"] + 2 * features["identifiers"] + 2 * features["literals"]
        if substance < _ENOUGH_WORDS and not features["log_code"]:
            return self._answer(report, SpecificationLabel.IMPOSSIBLE_TO_SOLVE, 0.97)
        if not features["readable"] and not features["log_code"]:
            return Unavailable(NAME, f"The offline judge does not read this language ({report.language}).", retry=False)
        if features["log_prose"] < 1.5 and not features["log_code"] and substance < 6:
            return self._answer(report, SpecificationLabel.VAGUE, 0.9)
        missing = features["missing"]
        probability = 1 / (1 + exp(-(0.9 * missing - 2.2)))
        labels = list(SpecificationLabel)
        cut = sum(probability >= limit for limit in (0.25, 0.5, 0.9))
        return self._answer(report, labels[cut], probability)

    def _answer(self, report: Report, label: SpecificationLabel, probability: float) -> Judgement:
        items: dict[Item, bool] = {item: quote is not None for item, quote in report.items.items()}
        return Judgement(label, probability, report.kind, NAME, items)
