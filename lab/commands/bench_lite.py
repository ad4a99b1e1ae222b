"""`bouncer bench lite`: both doors in a row, and what is left for a developer to look at."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from bot.commands.shared import InputError, Refusing, json_option, patch_judge_option, strictness_option
from bot.judges.openai.spend import MemorySpend
from lab.commands.bench_asking import (
    Judged,
    asking_options,
    export_answers,
    export_option,
    judge_issues,
    judge_patches,
    weights_option,
)
from lab.commands.bench_output import of_tasks, seed_option
from lab.commands.bench_table import number, percent, print_table
from lab.data.answers import INPUT, OUTPUT, Answer
from lab.data.files import BESIDE, DataError
from lab.data.issues import AnnotatedIssue
from lab.data.patches import FILE, RecordedPatch, read_patches
from lab.scores.bouncer_scores import bouncer_score
from lab.scores.lite_rows import NONE, PUBLISHED, LiteRow, lite_rows, right_lost
from lab.scores.patch_scores import one_a_task, patch_score

NOT_JUDGED = 3
LEADERBOARD = "lite_bouncer.json"
_FILE = click.Path(path_type=Path, dir_okay=False)
_FIGURES = ("vague held", "clear held", "wrong held", "right held", "left", "of these wrong", "right lost")


@click.command("lite", cls=Refusing, said="bench lite", nothing=lambda _: {"rows": [], "reference": []})
@click.option("--data", type=_FILE, default=BESIDE / FILE, show_default=True, help="Recorded patches, JSON Lines.")
@click.option("--issue-answers", type=_FILE, help="Recorded answers about the issues; no judge is asked about them.")
@click.option("--patch-answers", type=_FILE, help="Recorded answers about the patches, likewise.")
@patch_judge_option
@strictness_option("At the input door; without it, strict.")
@weights_option
@seed_option
@asking_options
@export_option
@json_option
def lite_bench(
    data: Path,
    issue_answers: Path | None,
    patch_answers: Path | None,
    judged_by: str | None,
    strictness: str | None,
    weights: str | None,
    seed: int,
    limit: int | None,
    jobs: int,
    yes: bool,
    export: Path | None,
    as_json: bool,
) -> None:
    """Put both doors in a row: which issues are held, and which patches of the others.

    One patch of each task is drawn as BouncerBench draws them, of issues that people labelled. Exit status: 0 when it
    was measured, 2 for bad input, 3 when nothing could be judged, 130 after Ctrl-C.
    """
    if issue_answers and strictness:
        raise InputError("With --issue-answers nobody judges issues: leave --strictness out.")
    if patch_answers and weights:
        raise InputError("With --patch-answers nobody judges patches: leave --weights out.")
    known = read_patches(data)
    patches = _labelled(of_tasks(known.distinct, limit), seed)
    issues = [AnnotatedIssue(patch.task, patch.human or 0, patch.issue) for patch in patches]
    spend = MemorySpend()
    at_input = (
        Judged.recorded(issue_answers)
        if issue_answers
        else judge_issues(issues, judged_by, strictness, None, jobs, yes, spend)
    )
    at_output = (
        Judged.recorded(patch_answers)
        if patch_answers
        else judge_patches(known, patches, judged_by, None, weights, jobs, yes, MemorySpend(before=spend))
    )
    ids = [patch.id for patch in patches]
    (told_in, _), (told_out, _) = at_input.answers(INPUT, ids), at_output.answers(OUTPUT, ids)
    if export:
        doors = (at_input.predictions, told_in), (at_output.predictions, told_out)
        export_answers(export, LEADERBOARD, {name: _both(name, at, *doors) for at, name in enumerate(ids)})
        click.echo("The leaderboard has its own patch of each task: name its data with --data.", err=True)
    _show(patches, (at_input, told_in), (at_output, told_out), as_json)
    if not any(answer.judged for answer in (*told_in, *told_out)):
        raise click.exceptions.Exit(NOT_JUDGED)


def _labelled(patches: Sequence[RecordedPatch], seed: int) -> list[RecordedPatch]:
    """One of each task whose issue people labelled, by the task's name."""
    some = [patch for patch in patches if patch.human is not None]
    if not some:
        raise DataError('No issue of these patches has a human label. "underspecified" (0 to 3) must be in its row.')
    return [replace(some[at], id=some[at].task) for at in one_a_task(some, seed)]


def _both(name: str, at: int, *doors: tuple[Mapping[str, Any], Sequence[Answer]]) -> Mapping[str, Any]:
    """One ticket in the leaderboard's shape. at: its place among the answers."""
    held = {key: answers[at].bounce for key, (_, answers) in zip((INPUT, OUTPUT), doors, strict=True)}
    said = zip(("input", "output"), doors, strict=True)
    return {**held, "trace": {door: predictions[name].get("trace", "") for door, (predictions, _) in said}}


def _show(
    patches: Sequence[RecordedPatch],
    at_input: tuple[Judged, Sequence[Answer]],
    at_output: tuple[Judged, Sequence[Answer]],
    as_json: bool,
) -> None:
    (one, told_in), (other, told_out) = at_input, at_output
    held_in, held_out = [each.bounce for each in told_in], [each.bounce for each in told_out]
    rows = lite_rows(patches, held_in, held_out)
    doors = [
        (one.name, "input", asdict(bouncer_score(one.name, [patch.human or 0 for patch in patches], held_in,
                                                 [each.grade for each in told_in]))),
        (other.name, "output", asdict(patch_score(patches, held_out, [each.grade for each in told_out]))),
    ]  # fmt: skip
    published = LiteRow("o4-mini, then codex", **PUBLISHED)
    if as_json:
        both = f"{one.name}; {other.name}"
        document = {
            "rows": [
                {"judge": name, "kind": kind, "name": f"{name}, {kind} door", **score} for name, kind, score in doors
            ]
            + [{"judge": both, "kind": "in a row", **_document(row, rows[0])} for row in rows],
            "reference": [{"source": "BouncerBench, section V-B", **_document(published, _before(published))}],
        }
        click.echo(json.dumps(document, ensure_ascii=False))
        return
    wrong, vague = sum(patch.wrong for patch in patches), sum(patch.vague for patch in patches)
    click.echo(f"{len(patches)} tickets, {vague} of them vague; {wrong} of their patches are wrong.\n")
    scores = [
        (name, kind, number(score["macro_f"]), percent(score["recall_bounce"]), percent(score["false_bounce"]))
        for name, kind, score in doors
    ]
    print_table(("judge", "door"), ("macro-F", "caught", "false"), scores)
    click.echo()
    shown = [_cells(row, rows[0]) for row in rows]
    print_table(("in a row",), _FIGURES, [*shown, _cells(published, _before(published))])
    click.echo(
        "\nleft: patches a developer looks at. right lost: right patches that no longer come through either door.\n"
        "o4-mini, then codex: published in BouncerBench, section V-B, of 642 other tickets."
    )
    unjudged = sum(not each.judged for each in (*told_in, *told_out))
    if unjudged:
        click.echo(f"{unjudged} issues or patches were not judged. They count as not bounced.")


def _before(row: LiteRow) -> LiteRow:
    """The published tickets without a bouncer: 237 of 642 patches are right (section II-A2)."""
    return LiteRow(NONE, row.tickets, 0, 0, 0, 0, 405, 237)


def _cells(row: LiteRow, before: LiteRow) -> tuple[str, ...]:
    held = (row.held_vague, row.held_clear, row.held_wrong, row.held_right, row.left)
    return row.name, *map(str, held), percent(row.wrong_share), percent(right_lost(row, before))


def _document(row: LiteRow, before: LiteRow) -> dict[str, Any]:
    shares = {"left": row.left, "wrong_share": row.wrong_share, "right_lost": right_lost(row, before)}
    return {**asdict(row), **shares}
