"""`bouncer judge patches`: judge every patch of a file against the issue it stands beside, in BouncerBench's shape."""

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import click

from bot.commands.issue_input import read_rows
from bot.commands.patch_predictions import judge_and_cut, patch_prediction, patch_subject
from bot.commands.predictions import Journal, digest, journal_path, predict_all, writable, write_whole
from bot.commands.shared import (
    InputError,
    Refusing,
    json_option,
    patch_judge_option,
    settings_with,
    strictness_option,
)
from bot.judges.openai.spend import MemorySpend
from bot.verdicts import Decision

NOT_JUDGED = 3


@click.command(cls=Refusing, said="judge patches", short_help="Judge every patch of a JSON Lines file.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--id-field", default="instance_id", show_default=True, help="The key of a patch's id.")
@click.option("--text-field", default="problem_statement", show_default=True, help="The key of its issue's text.")
@click.option("--patch-field", default="model_patch", show_default=True, help="The key of its diff.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Where the predictions go.")
@strictness_option("The most right patches that may be bounced, as in a policy; only for the offline judge.")
@patch_judge_option
@json_option
def patches(
    file: Path,
    id_field: str,
    text_field: str,
    patch_field: str,
    out: Path,
    strictness: str | None,
    judged_by: str | None,
    as_json: bool,
) -> None:
    """Judge every patch of FILE, JSON Lines, against the issue in the same row, and write the predictions to --out.

    Without --strictness the offline judge uses the cut with the best macro-F: a benchmark counts missed bounces as much
    as false ones. A model's label decides by itself. Until everything is judged, results are kept in OUT.partial, and
    the same command continues from there.

    Exit status: 0 when any patch got a verdict, 2 for bad input, 3 when none could be judged.
    """
    rows = _rows(file, id_field, text_field, patch_field)
    judge, cut = judge_and_cut(settings_with(judge=judged_by), strictness, MemorySpend())
    journal = Journal(journal_path(out), [judge.name, cut, digest(rows)])
    started = time.monotonic()
    with writable(out):
        predictions = predict_all(dict(rows), lambda row: patch_prediction(judge.judge(patch_subject(*row))), journal)
        write_whole(out, predictions)
        journal.end()
    figures = _figures(predictions, judge.name, cut, time.monotonic() - started, out)
    if as_json:
        click.echo(json.dumps(figures, ensure_ascii=False))
    else:
        click.echo(
            "{} judged by {judge}, {cut}: {bounced} to bounce, {accepted} accepted,".format(
                "1 patch" if figures["patches"] == 1 else f"{figures['patches']} patches", **figures
            )
        )
        click.echo(
            "{unavailable} not judged; {milliseconds_per_patch} ms each. Predictions in {out}.".format(**figures)
        )
    raise click.exceptions.Exit(NOT_JUDGED if figures["unavailable"] == figures["patches"] else 0)


def _rows(file: Path, id_field: str, text_field: str, patch_field: str) -> list[tuple[str, tuple[str, ...]]]:
    rows = read_rows(file, id_field, {"--text-field": text_field, "--patch-field": patch_field})
    if not rows:
        raise InputError(f"{file}: there is no patch in it.")
    return rows


def _figures(predictions: dict[str, dict[str, Any]], name: str, cut: str, seconds: float, out: Path) -> dict[str, Any]:
    labels = Counter(prediction["label"] for prediction in predictions.values())
    bounced = sum(prediction["output_bounce"] for prediction in predictions.values())
    unavailable = labels.pop(Decision.UNAVAILABLE.value, 0)
    return {
        "patches": len(predictions),
        "bounced": bounced,
        "accepted": len(predictions) - bounced - unavailable,
        "unavailable": unavailable,
        "labels": dict(sorted(labels.items())),
        "judge": name,
        "cut": cut,
        "milliseconds_per_patch": round(1000 * seconds / len(predictions), 2),
        "out": str(out),
    }
