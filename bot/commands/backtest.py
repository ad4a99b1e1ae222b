"""`bouncer backtest`: a repository's own past, judged as of its opening, beside what people did then."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

import click
from rich.console import Console
from rich.progress import track
from rich.table import Table

from bot.backtest.export import read_export
from bot.backtest.history import templates_of
from bot.backtest.judging import JudgedIssue, TemplatesOf, judge_past
from bot.backtest.measures import Agreement, measure
from bot.backtest.values import Past
from bot.commands.own_clone import commit_of, entered
from bot.commands.shared import (
    InputError,
    Refusing,
    issue_judge_option,
    json_option,
    own_settings,
    policy_in,
    policy_option,
)
from bot.issues.templates import Template
from bot.judges.factory import make_judge
from bot.judges.openai.spend import MemorySpend
from bot.judges.protocol import IssueJudge
from bot.plain_text import clean
from bot.policy import Policy
from bot.rendering.backtest import (
    NOISE,
    BacktestView,
    backtest_json,
    backtest_page,
    in_short,
    proposal,
)
from bot.settings import Settings

_WIDTH = 110


@click.command(cls=Refusing, said="backtest")
@click.argument("source", metavar="OWNER/REPO|DIR")
@click.option(
    "--issues", "most", type=click.IntRange(min=1), default=200, show_default=True, help="The newest so many."
)
@click.option(
    "--clone", type=click.Path(path_type=Path), help="A clone of the repository, for the templates of each day."
)
@click.option("--branch", default="HEAD", show_default=True, help="The branch of --clone that has the templates.")
@click.option(
    "--precision",
    "wanted",
    type=click.FloatRange(0.0, 1.0),
    default=0.8,
    show_default=True,
    help="How often a hold must have been right, for the proposed policy.",
)
@click.option("--page", type=click.Path(path_type=Path, dir_okay=False), help="Write the report as one HTML file, too.")
@policy_option
@issue_judge_option
@json_option
def backtest(
    source: str,
    most: int,
    clone: Path | None,
    branch: str,
    wanted: float,
    page: Path | None,
    policy_file: Path | None,
    judged_by: str | None,
    as_json: bool,
) -> None:
    """Show what Bouncer would have done with a repository's past issues, and how often that would have been right.

    Give OWNER/REPO on GitHub, or a folder with an export of it. Each issue is judged as it was opened, beside what
    people did then. Nothing is written on GitHub. What was fetched is kept, so the same command goes on where it was
    stopped. Exit status: 0 when it was measured, 2 for bad input.
    """
    settings = own_settings(judge=judged_by)
    policy = policy_in(policy_file)
    judge = make_judge(settings, MemorySpend())
    with ExitStack() as held:
        past, templates, notes = _past(held, source, most, clone, branch, settings)
        found = measure(_judged(past, judge, policy, templates or _none), wanted)
    notes += _notes(past, found.text_unknown, known=templates is not None)
    view = BacktestView(clean(past.name), judge.name, wanted, found, notes)
    if page:
        _write(page, backtest_page(view))
    if as_json:
        click.echo(json.dumps(backtest_json(view), ensure_ascii=False))
        return
    _show(view)
    if page:
        click.echo(f"\nThe report as a page: {page}")


def _past(
    held: ExitStack, source: str, most: int, clone: Path | None, branch: str, settings: Settings
) -> tuple[Past, TemplatesOf | None, tuple[str, ...]]:
    """The past, the templates of its days, and what the reader should know. Raises `InputError`."""
    templates = None
    if clone is not None:
        own = entered(held, clone)
        templates = templates_of(own.directory, commit_of(own, clone, "--branch", branch))
    if Path(source).is_dir():
        return read_export(Path(source), "", most), templates, ()
    from bot.commands.backtest_github import fetched, templates_on_github  # PyGithub takes a while to import

    folder, name, notes, repository = fetched(source, most, settings)
    return read_export(folder, name, most), templates or templates_on_github(repository, settings), notes


def _none(day: datetime) -> tuple[Template, ...]:
    return ()


def _judged(past: Past, judge: IssueJudge, policy: Policy, templates: TemplatesOf) -> Iterator[JudgedIssue]:
    console = Console(stderr=True)
    judged = judge_past(past.issues, judge, policy, templates)
    yield from track(
        judged, "Judging", len(past.issues), console=console, transient=True, disable=not console.is_terminal
    )


def _notes(past: Past, text_unknown: int, *, known: bool) -> tuple[str, ...]:
    notes = []
    if past.unread:
        notes.append(f"{past.unread} issues are left out: what happened to them is not known yet.")
    if text_unknown:
        notes.append(
            f"{text_unknown} issues are in no figure: their text may have been edited, and nobody knows what they said "
            "when they were opened. GitHub tells that with a token (BOUNCER_GITHUB_TOKEN)."
        )
    if not known:
        notes.append("Issue templates were not known, so their text counts as the reporter's; --clone gives them.")
    return tuple(notes)


def _write(page: Path, text: str) -> None:
    try:
        page.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{page}: {error.strerror}. Name a file that can be written.") from None


def _show(view: BacktestView) -> None:
    found, console = view.found, Console(width=_WIDTH)
    click.echo(f"{view.repository}: {found.issues} issues read, as they were opened. Judge: {view.judge}.")
    for why, count in found.skipped.items():
        click.echo(f"{count} left alone: {why}.")
    for note in view.notes:
        click.echo(note)
    click.echo("")
    console.print(_table([row for row in found.rows if row.kind == "" or row.strictness is found.chosen]))
    click.echo(f"\nright: of the held ones with an act that says so, people asked for more. {NOISE}")
    if found.endings:
        click.echo(f"\nHow those ended that it would have held ({found.chosen.value}):")
        for ending, count in sorted(found.endings.items(), key=lambda item: -item[1]):
            click.echo(f"  {count:4}  {ending.value}")
    if found.doubtful:
        click.echo("\nThe most doubtful verdicts; look at them yourself:")
        for case in backtest_json(view)["doubtful"]:
            click.echo(
                f"  #{case['number']} {case['title']}\n      {case['verdict']}; {case['people']}; {case['ending']}"
            )
            if case["url"]:
                click.echo(f"      {clean(case['url'])}")
    sentence, policy = proposal(view)
    click.echo(f"\n{sentence}\n\n{policy}")
    if found.usage.calls:
        click.echo(f"{found.usage.calls} calls of a model, {found.usage.money:.2f} in the money of its prices.")


def _table(rows: list[Agreement]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("strictness", "kind"):
        table.add_column(name, no_wrap=True)
    for name in ("judged", "held", "not judged"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("right", "held of the clear", "held of the unclear"):
        table.add_column(name, no_wrap=True)
    for row in rows:
        counts = (str(row.judged), str(row.held), str(row.unjudged))
        shares = (in_short(row.precision), in_short(row.false_bounces), in_short(row.recall))
        table.add_row(row.strictness.value, row.kind or "all", *counts, *shares)
    return table
