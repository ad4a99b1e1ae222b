"""From a promise to a bounce: what of a judge's answer holds a report at which strictness."""

from bot.judges.calibration import model_calibration
from bot.judges.calibration.calibration import Calibration, offline_judges
from bot.judges.protocol import Judgement
from bot.policy_choices import Strictness


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
