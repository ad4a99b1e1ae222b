"""Which judge the settings ask for."""

from bot.judges.protocol import IssueJudge
from bot.judges.spend import Spend
from bot.settings import Settings


def make_judge(settings: Settings, spend: Spend) -> IssueJudge:
    """The one judge of this process. The offline judge ignores `spend`: it costs nothing."""
    if settings.judge == "openai":
        # Imported here: the SDK takes most of a second, which the offline judge need not wait for.
        from bot.judges.openai_judge import OpenAIJudge

        return OpenAIJudge(settings, spend)
    from bot.judges.offline import OfflineJudge

    return OfflineJudge()
