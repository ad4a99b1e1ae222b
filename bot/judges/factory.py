"""Which judges the settings ask for."""

from dataclasses import dataclass, replace
from itertools import cycle, islice

from bot.judges.code import BlindJudge, ReproductionWriter, Reviewer, TestWriter
from bot.judges.openai.spend import Spend
from bot.judges.patches import RejectionNamer
from bot.judges.protocol import IssueJudge
from bot.judges.reviews import PatchJudge, PatchReviewer, ReviewMode
from bot.judges.steps import Stepper
from bot.judges.written import Cache, CachedBlindJudge, CachedTestWriter
from bot.policy_choices import MOST_BLIND_JUDGES, Strictness
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
    """Whom executing a change asks. blind: as many judges as a policy may ask for, of the makers in turn."""

    writers: tuple[TestWriter, ...]
    blind: tuple[BlindJudge, ...]
    reviewer: Reviewer
    stepper: Stepper
    namer: RejectionNamer

    def with_cache(self, cache: Cache) -> "Models":
        """The same, which ask a test writer and each blind judge only what the cache does not know."""
        blind = (CachedBlindJudge(each, cache, place) for place, each in enumerate(self.blind))
        writers = (CachedTestWriter(each, cache) for each in self.writers)
        return replace(self, writers=tuple(writers), blind=tuple(blind))


def make_models(settings: Settings, spend: Spend, cache: Cache | None = None) -> Models | None:
    """The ones of this process; `None` with the offline judge, which reads and writes no code and gives no reasons.
    cache: keeps what they answer, see `Models.with_cache`."""
    if settings.judge != "openai":
        return None
    from bot.judges.openai import models
    from bot.judges.openai.agent import OpenAIStepper
    from bot.judges.openai.questions import OpenAIBlindJudge, OpenAIRejectionNamer, OpenAIReviewer, OpenAITestWriter

    judges = [OpenAIBlindJudge(each, spend) for each in models.blind_judges(settings)]
    made = Models(
        writers=tuple(OpenAITestWriter(each, spend) for each in models.test_writers(settings)),
        blind=tuple(islice(cycle(judges), MOST_BLIND_JUDGES)),
        reviewer=OpenAIReviewer(settings, spend),
        stepper=OpenAIStepper(settings, spend),
        namer=OpenAIRejectionNamer(settings, spend),
    )
    return made.with_cache(cache) if cache else made


def make_reproduction_writer(settings: Settings, spend: Spend) -> ReproductionWriter | None:
    """Who writes reproductions of reports that show none; `None` with the offline judge, which writes no code."""
    if settings.judge != "openai":
        return None
    from bot.judges.openai import models
    from bot.judges.openai.questions import OpenAIReproductionWriter

    return OpenAIReproductionWriter(models.test_writers(settings)[-1], spend)
