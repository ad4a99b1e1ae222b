"""`bouncer bench input`: how well a bouncer tells vague issues from clear ones, beside what people said."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from bot.bench.recorded_labels import read_labels
from bot.bench.replay import PUBLISHED, PUBLISHED_FALSE_BOUNCES, ReplayRow, replay_labels
from bot.commands.shared import Refusing, json_option
from bot.plain_text import clean

_KINDS = {
    "reference": "",
    "raw": "its label",
    "decision": "best macro-F",
    "promise": f"{100 * PUBLISHED_FALSE_BOUNCES:.1f}% false",
}
_WIDTH = 92  # of the table: narrower, its figures would be cut off
_CSV = click.Path(path_type=Path, dir_okay=False)


@click.command("input", cls=Refusing, said="bench input", nothing=lambda _: {"rows": [], "reference": []})
@click.option("--replay", "fit", type=_CSV, required=True, help="Recorded labels of models beside human ones (CSV).")
@click.option("--test", type=_CSV, help="Measure on this file instead; the first is only fitted on.")
@json_option
def input_bench(fit: Path, test: Path | None, as_json: bool) -> None:
    """Say how well recorded labels tell vague issues from clear ones, alone and with a fitted cut.

    No model is asked. Without --test each repository is judged by what was fitted on the others. Exit status: 0 when it
    was measured, 2 for bad input.
    """
    labels = read_labels(fit)
    rows = replay_labels(labels, read_labels(test) if test else None)
    if as_json:
        click.echo(json.dumps({"rows": [_document(row) for row in rows], "reference": _published()}))
        return
    where = f"fitted on {clean(str(fit))}, measured on {clean(str(test))}" if test else "each repository by the others"
    click.echo(f"{rows[0].score.issues} issues, {where}. People would bounce those with the labels 2 and 3.\n")
    Console(width=_WIDTH).print(_table(rows))
    click.echo(
        "\nits label: bounced from VAGUE on. best macro-F, 5.4% false: cuts fitted on other repositories, for the\n"
        "best macro-F and for at most so many false bounces. caught: of what people would bounce. false: of the rest.\n"
        "People disagree about such labels, so no judge can be perfect. --json adds what was published for these\n"
        "models with another prompt and on more issues."
    )


def _table(rows: Sequence[ReplayRow]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("judge", no_wrap=True)
    table.add_column("bounces by", no_wrap=True)
    for column in ("held", "macro-F", "I-Score", "caught", "false", "kappa", "rho"):
        table.add_column(column, justify="right", no_wrap=True)
    before = ""
    for row in rows:
        score = row.score
        shares = (_percent(score.recall_bounce), _percent(score.false_bounce))
        cells = (f"{score.macro_f:.3f}", f"{score.i_score:.3f}", *shares, _number(score.kappa), _number(score.rho))
        name, before = "" if row.judge == before else clean(row.judge), row.judge
        table.add_row(name, _KINDS[row.kind], str(score.bounced), *cells)
    return table


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}%"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _document(row: ReplayRow) -> dict[str, Any]:
    return {"judge": row.judge, "kind": row.kind, **asdict(row.score)}


def _published() -> list[dict[str, Any]]:
    names = ("macro_f", "i_score", "recall_bounce", "false_bounce")
    return [
        {"name": name, "source": "BouncerBench, Table II", **dict(zip(names, row, strict=True))}
        for name, row in PUBLISHED.items()
    ]
