"""From a promise to a bounce: what of a judge's answer holds a report at which strictness."""

from bot.judges.calibration import model_calibration
from bot.judges.protocol import Judgement
from bot.policy_choices import Strictness
from bot.registry import JUDGES


def bounces(judgement: Judgement, strictness: Strictness) -> bool:
    """Whether an answer holds the report: an offline judge's own module knows; of a model's, the probability counts.
    An answer without one, of a judge that is known no more, holds nothing."""
    for offline in (entry.load() for entry in JUDGES if not entry.asks_model):
        if judgement.judge == offline.NAME:
            return bool(offline.holds(judgement, strictness))
    if judgement.probability is None:
        return False
    return judgement.probability >= model_threshold(judgement.judge, strictness)


def model_threshold(judge: str, strictness: Strictness) -> float:
    """Bounce from this probability on when a model gave it (`Judgement.judge`) and the policy wants `strictness`."""
    return model_calibration.threshold(model_calibration.judged_by(judge), strictness)
