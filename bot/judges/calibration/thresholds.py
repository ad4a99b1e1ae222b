"""From a promise to a bounce: what of a judge's answer holds a report at which strictness."""

from bot.judges.calibration import model_calibration
from bot.judges.offline import issues, rules
from bot.judges.protocol import Judgement
from bot.policy_choices import Strictness


def bounces(judgement: Judgement, strictness: Strictness) -> bool:
    """Whether an answer holds the report: a rule of the strictness's set, or a probability from its threshold on."""
    if judgement.probability is None:
        return rules.holds(judgement.rule, strictness)
    return judgement.probability >= threshold(judgement.judge, strictness)


def threshold(judge: str, strictness: Strictness) -> float:
    """Bounce from this probability on when `judge` (a `Judgement.judge`) gave it and the policy wants `strictness`."""
    if judge == issues.NAME:
        return issues.packaged().thresholds[strictness]
    return model_calibration.threshold(model_calibration.judged_by(judge), strictness)
