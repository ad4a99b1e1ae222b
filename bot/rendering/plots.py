"""Plots as values: where each mark stands in a box of `WIDTH` by `HEIGHT`, for a template that draws them as SVG.

Every plot brings its text: what it shows in a sentence, and its figures as a table.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.live.figures import Period
from bot.plain_text import count_of
from bot.rendering.precision import share_words

WIDTH, HEIGHT = 480.0, 170.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 8.0, 10.0, 26.0
_HALF_A_DATE = 28.0  # so far from the edge its middle stays, or the edge cuts it
_MOST_DATES = 5  # below the plot: more would run into each other on a phone


@dataclass(frozen=True, slots=True)
class Bar:
    """shade: of the style sheet."""

    x: float
    y: float
    width: float
    height: float
    shade: str


@dataclass(frozen=True, slots=True)
class PlotPoint:
    """A share with its interval, from `low` down at the bottom to `high`."""

    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Mark:
    """A word at an axis."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Plot:
    """title: what is shown. said: the same in a sentence. columns, rows: its figures. legend: shade and word each."""

    name: str
    title: str
    said: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    bars: tuple[Bar, ...] = ()
    points: tuple[PlotPoint, ...] = ()
    across: tuple[Mark, ...] = ()
    up: tuple[Mark, ...] = ()
    legend: tuple[tuple[str, str], ...] = ()
    width: float = WIDTH
    height: float = HEIGHT


def verdicts_plot(periods: Sequence[Period]) -> Plot:
    """How many were judged, and what came of them."""
    most = max((each.judged for each in periods), default=0)
    parts = (
        ("good", lambda each: each.passes),
        ("bad", lambda each: each.held),
        ("open", lambda each: each.undecided),
    )
    total = sum(each.judged for each in periods)
    return Plot(
        "verdicts",
        "Verdicts",
        f"{count_of(total, 'verdict')}, at most {most:,} in one {_unit(periods)}.",
        ("from", "judged", "passed", "bounced", "undecided"),
        tuple((_day(each), *map(str, (each.judged, each.passes, each.held, each.undecided))) for each in periods),
        bars=_stacked(periods, most, parts),
        across=_dates(periods),
        up=_up(most, f"{most:,}"),
        legend=(("good", "passed"), ("bad", "bounced"), ("open", "undecided")),
    )


def precision_plot(periods: Sequence[Period]) -> Plot:
    """How often bounces were right, with the interval of each share."""
    shown = [(at, each) for at, each in enumerate(periods) if each.precision.total]
    points = tuple(_point(at, len(periods), each) for at, each in shown)
    with_word, right = sum(each.precision.total for each in periods), sum(each.right for each in periods)
    bounces, were = count_of(with_word, "bounce"), "was" if 1 in (right, with_word) else "were"
    said = f"{right:,} of {bounces} that people answered {were} right." if with_word else "Nobody answered a bounce."
    return Plot(
        "precision",
        "Precision of bounces",
        said,
        ("from", "bounced", "right", "wrong", "precision"),
        tuple(
            (_day(each), *(str(count) for count in (each.bounced, each.right, each.wrong)), share_words(each.precision))
            for each in periods
        ),
        points=points,
        across=_dates(periods),
        up=_up(1, "100%"),
        legend=(("point", "right of those with an answer, and the 95% interval"),),
    )


def spend_plot(periods: Sequence[Period]) -> Plot:
    """What models cost."""
    most = max((each.money for each in periods), default=0.0)
    return Plot(
        "spend",
        "Spend",
        f"{sum(each.money for each in periods):.2f} in all, at most {most:.2f} in one {_unit(periods)}.",
        ("from", "money"),
        tuple((_day(each), f"{each.money:.2f}") for each in periods),
        bars=_stacked(periods, most, (("money", lambda each: each.money),)),
        across=_dates(periods),
        up=_up(most, f"{most:.2f}"),
    )


def _stacked(
    periods: Sequence[Period], most: float, parts: Sequence[tuple[str, Callable[[Period], float]]]
) -> tuple[Bar, ...]:
    slot, bars = _slot(len(periods)), []
    for at, each in enumerate(periods):
        below = 0.0
        for shade, value in parts:
            if (part := value(each)) > 0:
                top = _y((below + part) / most)
                bars.append(Bar(_LEFT + at * slot + slot * 0.15, top, slot * 0.7, _y(below / most) - top, shade))
                below += part
    return tuple(bars)


def _point(at: int, many: int, period: Period) -> PlotPoint:
    share, interval = period.precision.share, period.precision.interval
    assert share is not None and interval is not None  # those alone are shown
    return PlotPoint(_LEFT + (at + 0.5) * _slot(many), _y(share), *map(_y, interval))


def _dates(periods: Sequence[Period]) -> tuple[Mark, ...]:
    slot, step = _slot(len(periods)), -(-len(periods) // _MOST_DATES) or 1
    return tuple(
        Mark(
            min(_LEFT + (at + 0.5) * slot, WIDTH - _HALF_A_DATE),
            f"{each.start:%m-%d}" if _unit(periods) == "week" else f"{each.start:%Y-%m}",
        )
        for at, each in enumerate(periods)
        if at % step == 0
    )


def _up(most: float, text: str) -> tuple[Mark, ...]:
    return (Mark(_y(0), "0"), Mark(_y(1), text)) if most else (Mark(_y(0), "0"),)


def _slot(many: int) -> float:
    return (WIDTH - _LEFT - _RIGHT) / max(many, 1)


def _y(share: float) -> float:
    return round(_TOP + (HEIGHT - _TOP - _BOTTOM) * (1 - share), 2)


def _unit(periods: Sequence[Period]) -> str:
    return "month" if periods and all(each.start.day == 1 for each in periods) else "week"


def _day(period: Period) -> str:
    return period.start.isoformat()
