"""`bouncer judge patches`: judge every patch of a file against the issue it stands beside, in BouncerBench's shape."""

import hashlib
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import track

from bot.changes.read import read_change
from bot.commands.issue_input import read_rows
from bot.commands.predictions import Journal, writable, write_whole
from bot.commands.shared import (
    InputError,
    Refusing,
    json_option,
    patch_judge_option,
    settings_with,
    strictness_option,
)
from bot.judges.calibration.patch_prior import BOUNCED
from bot.judges.factory import make_patch_judge
from bot.judges.offline.patches import OfflinePatchJudge, packaged
from bot.judges.openai.spend import MemorySpend
from bot.judges.patches import PatchJudge, PatchJudgement, PatchSubject
from bot.judges.protocol import NoJudgement
from bot.judges.reviews import ReviewMode
from bot.plain_text import clean
from bot.policy_choices import Strictness
from bot.pulls.asked import specification
from bot.settings import Settings
from bot.verdicts import Decision

NOT_JUDGED = 3
EVEN, LABEL = "even", "label"


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
    judge, cut = _judge(settings_with(judge=judged_by), strictness)
    journal = Journal(out, [judge.name, cut, _digest(rows)])
    started = time.monotonic()
    with writable(out):
        predictions = _judged(rows, judge, journal)
        write_whole(out, predictions)
        journal.end()
    figures = _figures(predictions, judge.name, cut, time.monotonic() - started, out)
    if as_json:
        click.echo(json.dumps(figures, ensure_ascii=False))
    else:
        click.echo(
            "{patches} patches judged by {judge}, {cut}: {bounced} to bounce, {accepted} accepted,".format(**figures)
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


def _judge(settings: Settings, strictness: str | None) -> tuple[PatchJudge, str]:
    """Who judges, and the name of the cut."""
    if settings.judge != "openai":
        weights = packaged()
        cut = weights.thresholds[Strictness(strictness)] if strictness else weights.even
        return OfflinePatchJudge(weights, cut), strictness or EVEN
    if strictness:
        raise InputError("--strictness is for the offline judge: a model's label decides by itself. Leave it out.")
    return make_patch_judge(settings, MemorySpend(), ReviewMode.LABEL), LABEL


def _digest(rows: list[tuple[str, tuple[str, ...]]]) -> str:
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def _judged(rows: list[tuple[str, tuple[str, ...]]], judge: PatchJudge, journal: Journal) -> dict[str, dict[str, Any]]:
    """Every row's prediction, in order; what an earlier run could judge is not asked again."""
    known = journal.taken_up()
    console = Console(stderr=True)
    predictions = {}
    for name, (problem, diff) in track(
        rows, "Judging", console=console, transient=True, disable=not console.is_terminal
    ):
        if name not in known:
            known[name] = _prediction(judge.judge(_subject(problem, diff)))
            if known[name]["label"] != Decision.UNAVAILABLE:
                journal.keep(name, known[name])
        predictions[name] = known[name]
    return predictions


def _subject(problem: str, diff: str) -> PatchSubject:
    title, _, body = problem.partition("\n")
    return PatchSubject(specification(title.strip(), body), read_change(diff))


def _prediction(answer: PatchJudgement | NoJudgement) -> dict[str, Any]:
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
