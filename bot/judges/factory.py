"""Which judges the settings ask for."""

from dataclasses import dataclass

from bot.judges.code import BlindJudge, ReproductionWriter, Reviewer, TestWriter
from bot.judges.openai.spend import Spend
from bot.judges.patches import RejectionNamer
from bot.judges.protocol import IssueJudge
from bot.judges.reviews import PatchJudge, PatchReviewer, ReviewMode
from bot.judges.steps import Stepper
from bot.policy_choices import Strictness
from bot.registry import JUDGES, by_name
from bot.settings import Settings

# The SDK is imported where it is used: it takes most of a second, which the offline judge need not wait for.


def make_judge(settings: Settings, spend: Spend) -> IssueJudge:
    """The one judge of this process. The offline judges ignore `spend`: they cost nothing."""
    judge: IssueJudge = by_name(JUDGES, settings.judge).load().from_settings(settings, spend)
    return judge


def make_patch_judge(settings: Settings, spend: Spend, mode: ReviewMode = ReviewMode.DIRECT) -> PatchJudge:
    """Who judges patches. mode: what a model is asked for in one question; the offline judge has one way only."""
    if settings.judge == "openai":
        from bot.judges.openai.patches import OpenAIPatchJudge

        return OpenAIPatchJudge(settings, spend, mode)
    from bot.judges.offline.patches import OfflinePatchJudge

    return OfflinePatchJudge()


def make_patch_reviewer(
    settings: Settings, spend: Spend, mode: ReviewMode = ReviewMode.DIRECT, strictness: Strictness = Strictness.BALANCED
) -> PatchReviewer:
    """Who reviews pull requests. strictness: from where on the offline judge rejects; a model says so itself."""
    if settings.judge == "openai":
        from bot.judges.openai.review import OpenAIPatchReviewer

        return OpenAIPatchReviewer(settings, spend, mode)
    from bot.judges.offline.patches import OfflinePatchJudge, packaged

    return OfflinePatchJudge(cut=packaged().thresholds[strictness])


@dataclass(frozen=True, slots=True)
class Models:
    """Whom executing a change asks."""

    writer: TestWriter
    blind: BlindJudge
    reviewer: Reviewer
    stepper: Stepper
    namer: RejectionNamer


def make_models(settings: Settings, spend: Spend) -> Models | None:
    """The ones of this process; `None` with the offline judge, which reads and writes no code and gives no reasons."""
    if settings.judge != "openai":
        return None
    from bot.judges.openai import models
    from bot.judges.openai.agent import OpenAIStepper
    from bot.judges.openai.questions import OpenAIBlindJudge, OpenAIRejectionNamer, OpenAIReviewer, OpenAITestWriter

    return Models(
        writer=OpenAITestWriter(models.test_writer(settings), spend),
        blind=OpenAIBlindJudge(settings, spend),
        reviewer=OpenAIReviewer(settings, spend),
        stepper=OpenAIStepper(settings, spend),
        namer=OpenAIRejectionNamer(settings, spend),
    )


def make_reproduction_writer(settings: Settings, spend: Spend) -> ReproductionWriter | None:
    """Who writes reproductions of reports that show none; `None` with the offline judge, which writes no code."""
    if settings.judge != "openai":
        return None
    from bot.judges.openai import models
    from bot.judges.openai.questions import OpenAIReproductionWriter

    return OpenAIReproductionWriter(models.test_writer(settings), spend)
