"""`bouncer judge patches`: judge every patch of a file against the issue it stands beside, in BouncerBench's shape."""

from pathlib import Path
from typing import Any

import click

from bot.changes.read import read_change
from bot.commands.issue_input import read_rows
from bot.commands.predictions import digest, judge_file
from bot.commands.shared import (
    InputError,
    Refusing,
    json_option,
    patch_judge_option,
    settings_with,
    strictness_option,
)
from bot.judges.factory import make_patch_judge
from bot.judges.offline.patches import OfflinePatchJudge, packaged
from bot.judges.openai.spend import MemorySpend, Spend
from bot.judges.patches import PatchSubject
from bot.judges.protocol import NoJudgement
from bot.judges.reviews import PatchJudge, PatchReview, ReviewMode
from bot.plain_text import clean
from bot.policy_choices import Strictness
from bot.pulls.issue_links import specification
from bot.settings import Settings
from bot.verdicts import Decision

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
    rows = read_rows(file, id_field, {"--text-field": text_field, "--patch-field": patch_field})
    if not rows:
        raise InputError(f"{file}: there is no patch in it.")
    judge, cut = judge_and_cut(settings_with(judge=judged_by), strictness, MemorySpend())
    judge_file(
        dict(rows),
        lambda row: patch_prediction(judge.judge(patch_subject(*row))),
        [judge.name, cut, digest(rows)],
        out,
        names=("patch", "patches", "output_bounce"),
        by={"judge": judge.name, "cut": cut},
        as_json=as_json,
    )


def judge_and_cut(settings: Settings, strictness: str | None, spend: Spend) -> tuple[PatchJudge, str]:
    """Who judges, and the name of the cut."""
    if settings.judge != "openai":
        weights = packaged()
        cut = weights.thresholds[Strictness(strictness)] if strictness else weights.even
        return OfflinePatchJudge(weights, cut), strictness or EVEN
    if strictness:
        raise InputError("--strictness is for the offline judge: a model's label decides by itself. Leave it out.")
    return make_patch_judge(settings, spend, ReviewMode.LABEL), LABEL


def patch_subject(problem: str, diff: str) -> PatchSubject:
    title, _, body = problem.partition("\n")
    return PatchSubject(specification(title.strip(), body), read_change(diff))


def patch_prediction(answer: PatchReview | NoJudgement) -> dict[str, Any]:
    """BouncerBench's shape. What was not judged is not bounced, and says so."""
    if isinstance(answer, NoJudgement):
        return {
            "output_bounce": False,
            "probability": 0.0,
            "label": Decision.UNAVAILABLE.value,
            "trace": f"{Decision.UNAVAILABLE}: {clean(answer.reason)}",
        }
    return {
        "output_bounce": answer.rejects,
        "probability": round(answer.probability, 4),
        "label": answer.label.value,
        "trace": f"{Decision.BOUNCE if answer.rejects else Decision.ACCEPT}: {clean(answer.rationale)}",
    }
