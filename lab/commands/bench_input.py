"""`bouncer bench input`: how well a bouncer tells vague issues from clear ones, beside what people said."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from bot.commands.shared import InputError, Refusing, issue_judge_option, json_option, policy_option, strictness_option
from bot.judges.openai.spend import MemorySpend
from bot.plain_text import clean
from bot.settings import split_names
from bot.verdicts import SpecificationLabel
from lab.commands.bench_asking import (
    Judged,
    answers_option,
    asking_options,
    beside_option,
    export_answers,
    export_option,
    judge_issues,
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
from lab.data.answers import INPUT, Answer
from lab.data.files import BESIDE, TO_BE_BOUNCED
from lab.data.issues import FILE, AnnotatedIssue, read_issues
from lab.data.recorded_labels import RecordedLabels, read_labels
from lab.scores.bouncer_scores import AgreementRow, BouncerScore, agreement_rows, input_rows
from lab.scores.counts import Flips
from lab.scores.replay import (
    PUBLISHED,
    PUBLISHED_AGREEMENT,
    PUBLISHED_FALSE_BOUNCES,
    label_agreement,
    label_flips,
    replay_labels,
    with_cascade,
    with_vote,
)

NOT_JUDGED = 3
LEADERBOARD, LEADERBOARD_TASKS = "input_bouncer.json", 1_699
_KINDS = {"reference": "", "raw": "label", "decision": "decision"}
_FALSE = f"{100 * PUBLISHED_FALSE_BOUNCES:.1f}% false"
_FITTED_KINDS = {"decision": "best macro-F", "promise": f"{_FALSE}, bound", "share": f"{_FALSE}, share"}
_FIGURES = ("held", "macro-F", "I-Score", "caught", "false", "kappa", "rho")
_WORDS = (
    "label: bounced from VAGUE on. caught: of what people would bounce. false: of the rest. kappa is of the\n"
    "decision, rho of the label. People disagree about such labels, so no judge can be perfect."
)
_CSV = click.Path(path_type=Path, dir_okay=False)


@click.command("input", cls=Refusing, said="bench input", nothing=lambda _: {"rows": [], "reference": []})
@click.option("--data", type=_CSV, default=BESIDE / FILE, show_default=True, help="Annotated issues, JSON Lines.")
@click.option("--only", metavar="KEY", help="Only rows in which this key is true.")
@answers_option
@beside_option
@issue_judge_option
@strictness_option("Instead of the policy's; without both, strict.")
@policy_option
@asking_options
@export_option
@click.option("--replay", type=_CSV, help="Instead: recorded labels of models beside human ones (CSV).")
@click.option("--test", type=_CSV, help="With --replay: measure on this file; the first is only fitted on.")
@click.option("--vote", multiple=True, metavar="A,B,…", help="With --replay: models that vote. May be repeated.")
@click.option("--cascade", multiple=True, metavar="A,B", help="With --replay: a cheap model, then an expensive one.")
@json_option
def input_bench(
    data: Path,
    only: str | None,
    answers: Path | None,
    beside: Path | None,
    judged_by: str | None,
    strictness: str | None,
    policy_file: Path | None,
    limit: int | None,
    jobs: int,
    yes: bool,
    export: Path | None,
    replay: Path | None,
    test: Path | None,
    vote: tuple[str, ...],
    cascade: tuple[str, ...],
    as_json: bool,
) -> None:
    """Say how well a judge, or recorded answers, tell vague issues from clear ones.

    The judge of the settings is asked about each issue of --data. What a model answered is kept, and the same command
    goes on where it stopped. With --replay no judge is asked: recorded labels are measured as they are and with a cut
    that was fitted on other repositories. Exit status: 0 when it was measured, 2 for bad input, 3 when nothing could be
    judged, 130 after Ctrl-C.
    """
    if replay:
        if answers or beside or judged_by or strictness or policy_file or only or limit or export:
            raise InputError("--replay goes with --test, --vote, --cascade and --json alone.")
        _replay(replay, test, vote, cascade, as_json)
        return
    if test or vote or cascade:
        raise InputError("--test, --vote and --cascade go with --replay: name the file to fit on with it.")
    issues = read_issues(data, only, limit)
    if answers:
        if judged_by or strictness or policy_file:
            raise InputError("With --answers nobody judges: leave --judge, --strictness and --policy out.")
        judged = Judged.recorded(answers)
    else:
        judged = judge_issues(issues, judged_by, strictness, policy_file, jobs, yes, MemorySpend())
    ids = [issue.id for issue in issues]
    told, more = judged.answers(INPUT, ids)
    if export:
        _export(export, {name: judged.predictions[name] for name in ids})
    turned = judged.flips(beside, INPUT, {issue.id: issue.human >= TO_BE_BOUNCED for issue in issues})
    _show(judged.name, issues, told, more, turned, as_json)
    if not any(answer.judged for answer in told):
        raise click.exceptions.Exit(NOT_JUDGED)


def _show(
    name: str,
    issues: Sequence[AnnotatedIssue],
    told: Sequence[Answer],
    more: int,
    turned: Mapping[tuple[str, str], Flips],
    as_json: bool,
) -> None:
    rows = input_rows(name, issues, told)
    agreement = agreement_rows([issue.human for issue in issues], {name: [answer.grade for answer in told]})
    unjudged = sum(not answer.judged for answer in told)
    if as_json:
        document = {
            "rows": [{"judge": row.judge, "kind": row.kind, "part": row.part, **asdict(row.score)} for row in rows],
            "reference": _published(),
            "agreement": list(map(asdict, agreement)),
            "flips": flip_documents(turned),
            "unavailable": unjudged,
            "left_out": more,
        }
        click.echo(json.dumps(document, ensure_ascii=False))
        return
    click.echo(f"{len(issues)} issues. People would bounce those with the labels 2 and 3.\n")
    measured = [(row.judge, _KINDS[row.kind], row.part, *_figures(row.score)) for row in rows]
    published = [
        (row["name"], "label", "other sample", "", *_shown(row["macro_f"], row["i_score"], row["recall_bounce"],
         row["false_bounce"]), "", "")
        for row in _published()
    ]  # fmt: skip
    print_table(("judge", "bounces by", "issues"), _FIGURES, [*measured, *published])
    click.echo(f"\n{_WORDS}\nother sample: published in BouncerBench, Table II, on 1,699 issues.")
    _show_agreement(agreement)
    print_flips(turned)
    if unjudged:
        click.echo(f"{unjudged} were not judged. They count as not bounced, and have no part in rho.")
    if more:
        click.echo(f"{more} further answers are about other issues and were left out.")


def _export(folder: Path, predictions: dict[str, Any]) -> None:
    export_answers(folder, LEADERBOARD, predictions)
    if len(predictions) != LEADERBOARD_TASKS:
        click.echo(
            f"The leaderboard has {LEADERBOARD_TASKS:,} issues; name its own data with --data for all of them.",
            err=True,
        )


def _replay(fit: Path, test: Path | None, vote: Sequence[str], cascade: Sequence[str], as_json: bool) -> None:
    labels, settled = _with_groups(read_labels(fit), vote, cascade)
    other = None
    if test:
        other, settled = _with_groups(read_labels(test), vote, cascade)
    rows = replay_labels(labels, other)
    agreement, turned = label_agreement(other or labels), label_flips(other or labels)
    seen = len({issue.id for issue in labels.issues} & {issue.id for issue in other.issues}) if other else 0
    if as_json:
        document = [{"judge": row.judge, "kind": row.kind, **asdict(row.score)} for row in rows]
        more = {
            "settled_alone": settled,
            "in_both_files": seen,
            "agreement": list(map(asdict, agreement)),
            "flips": flip_documents(turned),
        }
        click.echo(json.dumps({"rows": document, "reference": _published(), **more}))
        return
    where = f"fitted on {clean(str(fit))}, measured on {clean(str(test))}" if test else "each repository by the others"
    click.echo(f"{rows[0].score.issues} issues, {where}. People would bounce those with the labels 2 and 3.\n")
    kinds = _KINDS | _FITTED_KINDS
    print_table(("judge", "bounces by"), _FIGURES, [(row.judge, kinds[row.kind], *_figures(row.score)) for row in rows])
    click.echo(
        f"\n{_WORDS}\nbest macro-F, {_FALSE}: cuts fitted on other repositories, for the best macro-F and for at most\n"
        "so many false bounces there, by Wilson's bound, or by the plain share, as published figures are. --json adds\n"
        "what was published for these models, on more issues."
    )
    _show_agreement(agreement)
    print_flips(turned)
    if seen:
        click.echo(f"{seen} issues are in both files. On what was fitted on, figures are better than on other issues.")
    for cheap, share in settled.items():
        click.echo(f"{clean(cheap)}: the first settles {100 * share:.0f}% alone; of these the second is not asked.")


def _with_groups(
    labels: RecordedLabels, vote: Sequence[str], cascade: Sequence[str]
) -> tuple[RecordedLabels, dict[str, float]]:
    """With the columns that --vote and --cascade ask for, and the share that each cascade's cheap model settles."""
    settled = {}
    for group in vote:
        labels = with_vote(labels, split_names(group))
    for pair in cascade:
        names = split_names(pair)
        if len(names) != 2:
            raise InputError(
                f"--cascade {clean(pair)}: name two models, the cheap one first: --cascade o4-mini,gpt-4.1."
            )
        labels, settled[", then ".join(names)] = with_cascade(labels, *names)
    return labels, settled


def _show_agreement(rows: Sequence[AgreementRow]) -> None:
    """Nothing where no judge gave a label."""
    if len(rows) == 1:
        return
    click.echo("\nThe four labels, and how many issues got people's very label.\n")
    measured = [
        (row.judge, *(percent(many / sum(row.labels)) for many in row.labels),
         *(rate_cells(row.same) if row.same else ("", "")), *(number(row.kappa, 2), number(row.rho, 2)))
        for row in rows
    ]  # fmt: skip
    published = [
        (f"{name} (paper)", *[""] * 4, percent(same), "", number(kappa, 2), number(rho, 2))
        for name, (same, kappa, rho) in PUBLISHED_AGREEMENT.items()
    ]
    figures = (*(label.value for label in SpecificationLabel), "same", "95%", "kappa", "rho")
    print_table(("judge",), figures, [*measured, *published])
    click.echo("\nkappa: Cohen's, of the four labels. (paper): BouncerBench, section IV-C, on 1,699 issues.")


def _figures(score: BouncerScore) -> tuple[str, ...]:
    shown = _shown(score.macro_f, score.i_score, score.recall_bounce, score.false_bounce)
    return (str(score.bounced), *shown, number(score.kappa, 2), number(score.rho, 2))


def _shown(
    macro_f: float | None, i_score: float, recall: float | None, false: float | None
) -> tuple[str, str, str, str]:
    return number(macro_f), number(i_score), percent(recall), percent(false)


def _published() -> list[dict[str, Any]]:
    return reference_rows("BouncerBench, Table II", ("macro_f", "i_score", "recall_bounce", "false_bounce"), PUBLISHED)
