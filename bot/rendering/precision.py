"""How often bounces were right, in the same words in `bouncer report` and on dashboards."""

from datetime import timedelta

from bot.live.precision import CountedShare
from bot.plain_text import count_of
from bot.storage.retention import RemovedVerdicts

NOISE = (
    "Right and wrong come from people's actions, which are noisy labels: people who label the same issues agree only "
    "moderately (published kappa 0.44 to 0.62). A bounce without such an action counts as neither."
)


def share_words(part: CountedShare) -> str:
    """`67% (30-90)`: the share, and Wilson's interval of 95%; `-` where nothing says either."""
    if part.share is None or part.interval is None:
        return "-"
    low, high = part.interval
    return f"{100 * part.share:.0f}% ({100 * low:.0f}-{100 * high:.0f})"


def span_words(span: timedelta | None) -> str:
    """`3 h` or `4 d`; empty where there is none."""
    if span is None:
        return ""
    return f"{span.total_seconds() / 3600:.0f} h" if span < timedelta(days=2) else f"{span.days} d"


def removal_words(removed: RemovedVerdicts) -> str:
    """That figures lack what was deleted by age. Nothing is guessed for it."""
    were, count = ("was", "counts") if removed.count == 1 else ("were", "count")
    verdicts = count_of(removed.count, "verdict")
    return f"{verdicts} from before {removed.until:%Y-%m-%d} {were} removed by age and {count} no more."


def sample_words(with_word: int, bounces: int) -> str:
    """How many of the bounces say anything."""
    return f"People's actions confirm or contradict {with_word:,} of {count_of(bounces, 'bounce')}."
