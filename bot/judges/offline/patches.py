"""The embedded judge of patches: no key, no network, milliseconds. It counts; it does not understand code.

A change without a file, and one of tests alone that nobody asked for, are settled by a rule. Every other gets a
logistic regression on what `bot.judges.offline.patch_features` counts. `lab/training/offline_patches.py`
makes the weights, `bouncer bench output` measures them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from math import exp, log1p

from pydantic import TypeAdapter

from bot.changes.values import FileKind
from bot.child_process import TooLong, run_bounded
from bot.judges.agent.code_tools import CodeReader
from bot.judges.offline.patch_features import features_of
from bot.judges.patches import BOUNCED, PatchSubject
from bot.judges.protocol import NoJudgement
from bot.judges.reviews import PatchReview, ReviewMode
from bot.policy_choices import Strictness
from bot.verdicts import PatchLabel

NAME = "offline-patch/1"

DOES_NOTHING = 0.97  # the probability that a change without anything in it is wrong
PRECISE = 0.5  # of the cut: below it nothing much spoke against the patch
MOST_SPREADS = 2.5  # one feature counts for no more than this many spreads from its mean
_TOLD = 3  # features that the rationale names on either side


@dataclass(frozen=True, slots=True)
class PatchWeights:
    """A logistic regression on the logarithm of features, and the cuts on its probability.

    features: name -> (mean, spread, weight) of log(1 + feature).
    slope, offset: from the score to the probability.
    thresholds: the cut that keeps each promise on patches of repositories the weights had not seen.
    even: the cut with the best macro-F on them, which weighs wrong and right patches the same.
    """

    intercept: float
    slope: float
    offset: float
    features: dict[str, tuple[float, float, float]]
    thresholds: dict[Strictness, float]
    even: float

    def shares(self, counted: Mapping[str, float]) -> dict[str, float]:
        """What each feature adds to the score; above 0 speaks against the patch."""
        shares = {}
        for name, (mean, spread, weight) in self.features.items():
            away = (log1p(counted[name]) - mean) / spread
            shares[name] = weight * max(-MOST_SPREADS, min(MOST_SPREADS, away))
        return shares

    def probability(self, counted: Mapping[str, float]) -> float:
        """That a patch with these features does not do what its issue asks."""
        score = self.intercept + sum(self.shares(counted).values())
        return 1 / (1 + exp(-(self.slope * score + self.offset)))


WEIGHTS = TypeAdapter(PatchWeights)  # reads the JSON that the training writes


@cache
def packaged() -> PatchWeights:
    """The weights that come with Bouncer."""
    return WEIGHTS.validate_json(resources.files("bot.judges.offline").joinpath("patch_weights.json").read_bytes())


class OfflinePatchJudge:
    """A `PatchJudge` and a `PatchReviewer` of fitted weights. Stateless; safe to share. It reads no `context`.

    cut: the probability from which on its label is a bounce; without it, the one that keeps the strict promise.
    """

    name = NAME
    looks = False

    def __init__(self, weights: PatchWeights | None = None, cut: float | None = None) -> None:
        self._weights = weights or packaged()
        self._cut = self._weights.thresholds[Strictness.STRICT] if cut is None else cut

    def judge(self, subject: PatchSubject) -> PatchReview | NoJudgement:
        if subject.change.problem:
            return NoJudgement(NAME, f"The change could not be read whole. {subject.change.problem}", retry=False)
        if not subject.asked:
            return NoJudgement(NAME, "Only its author says what was asked for.", retry=False)
        if any(file.kind is FileKind.CODE and not file.path.endswith(".py") for file in subject.change.files):
            return NoJudgement(NAME, "The built-in judge was fitted on changes of Python alone.", retry=False)
        if not subject.issue.strip():
            return NoJudgement(NAME, "There is no request to compare the change with.", retry=False)
        if not subject.change.files:
            return self._answer(DOES_NOTHING, "It changes no file.")
        if subject.change.of(FileKind.TEST) == subject.change.files and "test" not in subject.issue.lower():
            return self._answer(DOES_NOTHING, "It changes only tests, and the issue does not mention tests.")
        counted = run_bounded(len(subject.issue) + subject.change.size, features_of, subject.issue, subject.change)
        if isinstance(counted, TooLong):
            return NoJudgement(NAME, counted.reason, retry=False)
        return self._answer(self._weights.probability(counted), _told(counted, self._weights.shares(counted)))

    def review(self, subject: PatchSubject, code: CodeReader | None = None) -> PatchReview | NoJudgement:
        """It looks nothing up, and claims nothing, so a rejection of it grounds nothing. What it counted tells a reader
        of a verdict nothing: it is left out."""
        judged = self.judge(subject)
        return judged if isinstance(judged, NoJudgement) else replace(judged, rationale="")

    def _answer(self, probability: float, rationale: str) -> PatchReview:
        label = self._label(probability)
        return PatchReview(label, label in BOUNCED, probability, NAME, ReviewMode.LABEL, rationale)

    def _label(self, probability: float) -> PatchLabel:
        if probability >= self._cut:
            sure = probability >= self._weights.thresholds[Strictness.LENIENT]
            return PatchLabel.INCORRECT if sure else PatchLabel.BROAD_MISSING_KEY_ASPECTS
        precise = probability < PRECISE * self._cut
        return PatchLabel.CORRECT_AND_PRECISE if precise else PatchLabel.CORRECT_BUT_INCOMPLETE


def _told(counted: Mapping[str, float], shares: Mapping[str, float]) -> str:
    """The features that counted most, with their values. Bouncer's own words alone."""
    order = sorted(shares, key=lambda name: shares[name])
    against = [name for name in reversed(order[-_TOLD:]) if shares[name] > 0]
    favour = [name for name in order[:_TOLD] if shares[name] < 0]
    sides = (("Against it", against), ("For it", favour))
    return " ".join(
        f"{side}: {', '.join(f'{name} ({round(counted[name], 2):g})' for name in names)}."
        for side, names in sides
        if names
    )
