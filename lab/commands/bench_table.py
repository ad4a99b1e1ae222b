"""The one table of the benchmarks, and how their figures are written."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from bot.plain_text import clean
from lab.scores.counts import Flips, Rate

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


def p_value(p: float | None) -> str:
    """In full, however small."""
    return "-" if p is None else f"{p:.2g}"


def rate_cells(found: Rate) -> tuple[str, str]:
    """The share and its interval."""
    interval = "" if found.low is None else f"{percent(found.low)}–{percent(found.high)}"
    return percent(found.share), interval


FLIP_FIGURES = ("decisions", "flip", "95%", "to right", "to wrong", "p")
FLIP_WORDS = "flip: decisions that come out otherwise. p: McNemar's, exact, that as many turn wrong as right."


def print_flips(found: Mapping[tuple[str, str], Flips]) -> None:
    """From one bouncer to another; nothing for none."""
    if found:
        click.echo(f"\n{FLIP_WORDS}\n")
        print_table(("from", "to"), FLIP_FIGURES, [(*names, *flip_cells(each)) for names, each in found.items()])


def flip_documents(found: Mapping[tuple[str, str], Flips]) -> list[dict[str, Any]]:
    """For `--json`."""
    return [{"from": one, "to": other, **asdict(each)} for (one, other), each in found.items()]


def flip_cells(found: Flips) -> tuple[str, ...]:
    """Under `FLIP_FIGURES`."""
    spoilt = found.flipped.count - found.mended
    return str(found.flipped.of), *rate_cells(found.flipped), str(found.mended), str(spoilt), p_value(found.p)
