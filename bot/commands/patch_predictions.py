"""A patch's prediction in BouncerBench's shape."""

from typing import Any

from bot.changes.read import read_change
from bot.commands.shared import InputError
from bot.judges.factory import make_patch_judge
from bot.judges.offline.patches import OfflinePatchJudge, packaged
from bot.judges.openai.spend import Spend
from bot.judges.patches import BOUNCED, PatchJudge, PatchJudgement, PatchSubject
from bot.judges.protocol import NoJudgement
from bot.judges.reviews import ReviewMode
from bot.plain_text import clean
from bot.policy_choices import Strictness
from bot.pulls.issue_links import specification
from bot.settings import Settings
from bot.verdicts import Decision

EVEN, LABEL = "even", "label"


def judge_and_cut(settings: Settings, strictness: str | None, spend: Spend) -> tuple[PatchJudge, str]:
    """Who judges, and the name of the cut."""
    if settings.judge != "openai":
        weights = packaged()
        cut = weights.thresholds[Strictness(strictness)] if strictness else weights.even
        return OfflinePatchJudge(weights, cut), strictness or EVEN
    if strictness:
        raise InputError("--strictness is for the offline judge: a model's label decides by itself. Leave it out.")
    return make_patch_judge(settings, spend, ReviewMode.LABEL), LABEL


def patch_subject(problem: str, diff: str) -> PatchSubject:
    title, _, body = problem.partition("\n")
    return PatchSubject(specification(title.strip(), body), read_change(diff))


def patch_prediction(answer: PatchJudgement | NoJudgement) -> dict[str, Any]:
    """BouncerBench's shape. What was not judged is not bounced, and says so."""
    if isinstance(answer, NoJudgement):
        return {
            "output_bounce": False,
            "probability": 0.0,
            "label": Decision.UNAVAILABLE.value,
            "trace": f"{Decision.UNAVAILABLE}: {clean(answer.reason)}",
        }
    bounce = answer.label in BOUNCED
    return {
        "output_bounce": bounce,
        "probability": round(answer.probability, 4),
        "label": answer.label.value,
        "trace": f"{Decision.BOUNCE if bounce else Decision.ACCEPT}: {clean(answer.rationale)}",
    }
