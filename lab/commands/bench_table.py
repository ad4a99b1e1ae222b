"""The one table of the benchmarks, and how their figures are written."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from bot.plain_text import clean
from lab.scores.counts import Rate

_WIDTH = 160  # narrower, figures would be cut off


def print_table(words: Sequence[str], figures: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """words: columns of text, figures: columns of numbers. A first cell that is as above stays empty."""
    table = Table(box=None, pad_edge=False)
    for column in words:
        table.add_column(column, no_wrap=True)
    for column in figures:
        table.add_column(column, justify="right", no_wrap=True)
    before = ""
    for first, *cells in rows:
        table.add_row("" if first == before else clean(first), *cells)
        before = first
    Console(width=_WIDTH, markup=False, emoji=False).print(table)  # names come from files


def reference_rows(source: str, names: Sequence[str], known: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Published figures for `--json`. known: by whom they are about, in the order of the names."""
    return [{"name": name, "source": source, **dict(zip(names, row, strict=True))} for name, row in known.items()]


def percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}%"


def number(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def rate_cells(found: Rate) -> tuple[str, str]:
    """The share and its interval."""
    interval = "" if found.low is None else f"{percent(found.low)}–{percent(found.high)}"
    return percent(found.share), interval
