"""`bouncer bench output`: how well a bouncer tells patches that do what their issue asks from those that do not."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click

from bot.commands.shared import InputError, Refusing, json_option, patch_judge_option, strictness_option
from bot.judges.openai.spend import MemorySpend
from lab.commands.bench_asking import (
    Judged,
    answers_option,
    asking_options,
    beside_option,
    export_answers,
    export_option,
    judge_patches,
    weights_option,
)
from lab.commands.bench_table import (
    flip_documents,
    number,
    percent,
    print_flips,
    print_table,
    rate_cells,
    reference_rows,
)
from lab.data.answers import OUTPUT, Answer
from lab.data.files import BESIDE
from lab.data.patches import FILE, Patches, RecordedPatch, read_patches
from lab.scores.counts import Flips, draw
from lab.scores.patch_scores import (
    PUBLISHED,
    PUBLISHED_SUBMISSIONS,
    OutputRow,
    PatchScore,
    SubmissionRow,
    one_a_task,
    output_rows,
    submission_rows,
)

NOT_JUDGED = 3
LEADERBOARD = "output_bouncer.json"
_KINDS = {"reference": "", "raw": "label", "decision": "decision"}
_FIGURES = ("patches", "held", "macro-F", "95%", "O-Score", "caught", "false", "kappa", "rho")
_WORDS = (
    "caught: of the wrong patches. false: of the right ones. one a task: drawn as BouncerBench draws. 95%: with tasks\n"
    "drawn again. O-Score: of patches whose share of passed tests is not known, what it lies between."
)
seed_option = click.option("--seed", type=int, default=0, show_default=True, help="Of the one patch a task.")


@click.command("output", cls=Refusing, said="bench output", nothing=lambda _: {"rows": [], "reference": []})
@click.option(
    "--data",
    type=click.Path(path_type=Path, dir_okay=False),
    default=BESIDE / FILE,
    show_default=True,
    help="Recorded patches, JSON Lines; the issues lie beside them.",
)
@answers_option
@beside_option
@patch_judge_option
@strictness_option("Of the offline judge; without it, the cut with the best macro-F.")
@weights_option
@click.option("--one-a-task", "sample_only", is_flag=True, help="Judge only the one patch of each task that is drawn.")
@seed_option
@asking_options
@export_option
@json_option
def output_bench(
    data: Path,
    answers: Path | None,
    beside: Path | None,
    judged_by: str | None,
    strictness: str | None,
    weights: str | None,
    sample_only: bool,
    seed: int,
    limit: int | None,
    jobs: int,
    yes: bool,
    export: Path | None,
    as_json: bool,
) -> None:
    """Say how well a judge, or recorded answers, tell right patches from wrong ones.

    A patch is wrong when the tests hidden from its author fail. Patches that were picked with these tests are left out,
    and so are repeated ones. Exit status: 0 when it was measured, 2 for bad input, 3 when nothing could be judged, 130
    after Ctrl-C.
    """
    known = read_patches(data)
    patches = of_tasks(known.distinct, limit)
    sampled = one_a_task(patches, seed)
    if sample_only:
        patches, sampled = [replace(patches[at], id=patches[at].task) for at in sampled], list(range(len(sampled)))
    if answers:
        if judged_by or strictness or weights:
            raise InputError("With --answers nobody judges: leave --judge, --strictness and --weights out.")
        judged = Judged.recorded(answers)
    else:
        judged = judge_patches(known, patches, judged_by, strictness, weights, jobs, yes, MemorySpend())
    ids = [patch.id for patch in patches]
    told, more = judged.answers(OUTPUT, ids)
    if export:
        export_answers(export, LEADERBOARD, {patches[at].task: judged.predictions[patches[at].id] for at in sampled})
        click.echo("The leaderboard has its own patch of each task: name its data with --data.", err=True)
    references = {name: [held[one] for one in ids] for name, held in judged.beside.items()}
    rows = output_rows(judged.name, patches, told, sampled, references)
    turned = judged.flips(beside, OUTPUT, {patches[at].id: patches[at].wrong for at in sampled})
    agents = submission_rows([] if sample_only else known.all, patches, [answer.bounce for answer in told])
    _show(_Measured(rows, turned, agents), patches, told, more, known, as_json)
    if not any(answer.judged for answer in told):
        raise click.exceptions.Exit(NOT_JUDGED)


def of_tasks(patches: Sequence[RecordedPatch], limit: int | None) -> list[RecordedPatch]:
    """Those of so many tasks."""
    tasks = set(draw(sorted({patch.task for patch in patches}), limit))
    return [patch for patch in patches if patch.task in tasks]


@dataclass(frozen=True, slots=True)
class _Measured:
    """turned: decisions that flip between bouncers, of one patch a task. agents: what becomes of each submission."""

    rows: Sequence[OutputRow]
    turned: Mapping[tuple[str, str], Flips]
    agents: Sequence[SubmissionRow]


def _show(
    found: _Measured,
    patches: Sequence[RecordedPatch],
    told: Sequence[Answer],
    more: int,
    known: Patches,
    as_json: bool,
) -> None:
    unjudged = sum(not answer.judged for answer in told)
    shares = any(patch.passed is not None for patch in patches)
    if as_json:
        document = {
            "rows": [_document(row) for row in found.rows],
            "reference": _published(),
            "flips": flip_documents(found.turned),
            "submissions": list(map(asdict, found.agents)),
            "unavailable": unjudged,
            "left_out": more,
            "picked_by_tests": known.picked,
        }
        click.echo(json.dumps(document, ensure_ascii=False))
        return
    wrong = sum(patch.wrong for patch in patches)
    click.echo(f"{len(patches)} patches of {len({patch.task for patch in patches})} tasks, {wrong} of them wrong.\n")
    measured = [
        (row.judge, _KINDS[row.kind], row.part, f"{row.score.patches:.0f}", *_shown(row, row.score))
        for row in found.rows
    ]
    published = [
        (name, "label", "other sample", "642", "", number(macro), "", number(score), percent(caught), percent(false),
         "", "")
        for name, (macro, score, caught, false) in PUBLISHED.items()
    ]  # fmt: skip
    print_table(("judge", "bounces by", "which"), _FIGURES, [*measured, *published])
    click.echo(f"\n{_WORDS}\nother sample: published in BouncerBench, Table III, of 642 patches.")
    print_flips(found.turned)
    _show_agents(found.agents)
    if not shares:
        click.echo(
            "This data does not say how many tests a patch passes (output_quality): no O-Score weighted by that."
        )
    if unjudged:
        click.echo(f"{unjudged} were not judged. They count as not bounced, and have no part in rho.")
    if known.picked:
        click.echo(f"{known.picked} patches were picked with the hidden tests and are left out.")
    if more:
        click.echo(f"{more} further answers are about other patches and were left out.")


def _show_agents(rows: Sequence[SubmissionRow]) -> None:
    if not rows:
        return
    click.echo("\nPatches by who submitted them. right: before and after bouncing. lost: of the right ones.\n")
    measured = [
        (row.submission, str(row.before.of), percent(row.before.share), str(row.after.of), percent(row.after.share),
         f"{row.length / 1_000:.1f}k", *rate_cells(row.lost))
        for row in rows
    ]  # fmt: skip
    published = [
        (f"{name} (paper)", "", percent(before), "", percent(after), f"{length:.1f}k", percent(lost), "")
        for name, (before, after, length, lost) in PUBLISHED_SUBMISSIONS.items()
    ]
    figures = ("patches", "right", "let through", "right", "characters", "lost", "95%")
    print_table(("submission",), figures, [*measured, *published])
    click.echo("\n(paper): BouncerBench, Table IV, after both doors.")


def _shown(row: OutputRow, score: PatchScore) -> tuple[str, ...]:
    interval = f"{row.interval[0]:.3f}–{row.interval[1]:.3f}" if row.interval else ""
    between = f"{score.o_score_low:.2f} to {score.o_score_high:.2f}"
    o_score = number(score.o_score) if score.o_score is not None else between
    shares = (percent(score.recall_bounce), percent(score.false_bounce))
    held = f"{score.bounced:.0f}"
    return held, number(score.macro_f), interval, o_score, *shares, number(score.kappa, 2), number(score.rho, 2)


def _document(row: OutputRow) -> dict[str, Any]:
    low, high = row.interval or (None, None)
    return {
        "judge": row.judge,
        "kind": row.kind,
        "part": row.part,
        "name": f"{row.judge}, {row.kind}" if row.kind != "reference" else row.judge,
        **asdict(row.score),
        "macro_f_low": low,
        "macro_f_high": high,
    }


def _published() -> list[dict[str, Any]]:
    return reference_rows("BouncerBench, Table III", ("macro_f", "o_score", "recall_bounce", "false_bounce"), PUBLISHED)
