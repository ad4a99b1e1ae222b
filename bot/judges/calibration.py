"""From a promise to a threshold: the probability from which on a judge's answer is a bounce."""

from bot.judges import model_calibration, offline
from bot.policy import Strictness


def threshold(judge: str, strictness: Strictness) -> float:
    """Bounce from this probability on when `judge` (a `Judgement.judge`) gave it and the policy wants `strictness`."""
    if judge == offline.NAME:
        return offline.packaged().thresholds[strictness]
    return model_calibration.threshold(model_calibration.judged_by(judge), strictness)
