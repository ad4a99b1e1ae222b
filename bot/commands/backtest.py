"""`bouncer backtest`: a repository's own past, judged as of its opening, beside what people did then."""

import json
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from bot.backtest.judging import ReplayedIssue, judge_past
from bot.backtest.measures import Agreement, PullBacktest, measure
from bot.backtest.values import RepositoryPast
from bot.commands.backtest_source import NO_TEMPLATES, READ_FOR_EACH, BacktestSource, source_of
from bot.commands.confirmation import LONG, confirm_wait, execution_problem, judge_for, minutes_for
from bot.commands.predictions import progress
from bot.commands.scratch import scratch
from bot.commands.shared import (
    InputError,
    NumberRange,
    Refusing,
    executor_option,
    files,
    issue_judge_option,
    json_option,
    own_settings,
    policy_in,
    policy_option,
)
from bot.judges.protocol import IssueJudge
from bot.plain_text import clean
from bot.policy import Policy
from bot.rendering.backtest import BacktestView, backtest_json, backtest_page, backtest_text, in_two_lines
from bot.settings import Settings

_STOPPED = "Stopped. What was fetched, answered and executed is kept: the same command goes on from there."


@click.command(cls=Refusing, said="backtest")
@click.argument("source", metavar="OWNER/REPO|DIR", shell_complete=files)
@click.option(
    "--issues", type=click.IntRange(min=1), default=200, show_default=True, help="How many of the newest issues."
)
@click.option(
    "--pulls", type=click.IntRange(min=0), default=20, show_default=True, help="How many pull requests of agents."
)
@click.option("--no-execute", is_flag=True, help="Execute nothing: of pull requests, show named risks alone.")
@click.option(
    "--yes", is_flag=True, help=f"Execute for more than {LONG} minutes, or spend what a model costs, without asking."
)
@click.option("--clone", type=click.Path(path_type=Path), help="A clone of the repository, beside an export.")
@click.option("--branch", default="HEAD", show_default=True, help="The branch of --clone that has the templates.")
@click.option(
    "--precision",
    "wanted",
    type=NumberRange(0.0, 1.0),
    default=0.8,
    show_default=True,
    help="How often a hold must have been right, for the proposed policy.",
)
@click.option("--page", type=click.Path(path_type=Path, dir_okay=False), help="Write the report as one HTML file, too.")
@policy_option
@issue_judge_option
@executor_option
@json_option
def backtest(
    source: str,
    issues: int,
    pulls: int,
    no_execute: bool,
    yes: bool,
    clone: Path | None,
    branch: str,
    wanted: float,
    page: Path | None,
    policy_file: Path | None,
    judged_by: str | None,
    executor: str | None,
    as_json: bool,
) -> None:
    """Show what Bouncer would have done with a repository's past, and how often that would have been right.

    Give OWNER/REPO on GitHub, or a folder with an export of it. Issues and coding agents' pull requests are judged as
    they were opened, beside what people did then. Nothing is written on GitHub. What was fetched and judged is kept, so
    the same command goes on where it was stopped. Exit status: 0 when it was measured, 2 for bad input,
    130 after Ctrl-C.
    """
    click.get_current_context().with_resource(scratch(_STOPPED))
    settings = own_settings(judge=judged_by, executor=executor)
    policy = policy_in(policy_file)
    with ExitStack() as held:
        past = source_of(held, source, issues, pulls * READ_FOR_EACH, clone, branch, settings)
        judge = judge_for(settings, past.past, policy, past.templates, past.kept.parent, yes=yes)
        found = measure(_judged(past.past, judge, policy, past), wanted)
        replayed, notes = _pulls(
            past, policy if policy_file else None, pulls, settings, execute=not no_execute, yes=yes
        )
    without = () if past.clone else (NO_TEMPLATES,)
    notes = (*past.notes, *without, *_notes(past.past, found.text_unknown), *notes)
    view = BacktestView(clean(past.past.name), judge.name, wanted, found, notes, replayed)
    if page:
        _write(page, backtest_page(view))
    if as_json:
        click.echo(json.dumps(backtest_json(view), ensure_ascii=False))
        return
    show(view)
    if page:
        click.echo(f"\nThe report as a page: {page}")


def _judged(past: RepositoryPast, judge: IssueJudge, policy: Policy, source: BacktestSource) -> Iterable[ReplayedIssue]:
    return progress(judge_past(past, judge, policy, source.templates), "Judging", len(past.issues))


def _pulls(
    source: BacktestSource, policy: Policy | None, most: int, settings: Settings, *, execute: bool, yes: bool
) -> tuple[PullBacktest | None, tuple[str, ...]]:
    """The pull requests, and what the reader should know. Raises `InputError`."""
    if not most or not source.pulls:
        return None, ()
    if source.clone is None:
        return None, ("Pull requests are left out: their commits are not here; --clone gives them.",)
    from bot.commands.backtest_pulls import SECONDS_EACH, PullReplay  # most of Bouncer

    replay = PullReplay(source.clone, source.past.name, source.past.issues, settings, policy, source.kept)
    notes: tuple[str, ...] = ()
    if execute and (why := execution_problem(settings)):
        execute, notes = False, (f"{why} Of pull requests, only named risks are shown.",)
    if execute:
        minutes = minutes_for(replay.to_execute(source.pulls, most), SECONDS_EACH)
        confirm_wait("executing the pull requests", minutes, "a smaller --pulls, or --no-execute", yes=yes)
    return replay.measure(source.pulls, most, execute=execute), notes


def _notes(past: RepositoryPast, text_unknown: int) -> tuple[str, ...]:
    notes = []
    if past.unread:
        notes.append(f"Left out: {past.unread}, of which it is not known yet what happened to them.")
    if text_unknown:
        notes.append(
            f"In no figure: {text_unknown}, whose text was edited; nobody knows what it said when they were opened."
        )
    if not past.edits_known:
        notes.append(
            "Texts count as they are today, unless they say that they were edited. GitHub tells what they were with a "
            "token (BOUNCER_GITHUB_TOKEN), an export in edits.jsonl."
        )
    return tuple(notes)


def _write(page: Path, text: str) -> None:
    try:
        page.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{page}: {error.strerror}. Name a file that can be written.") from None


_WIDTH = 80


def show(view: BacktestView) -> None:
    """Everything, from what was read to the proposed policy."""
    console = Console(width=_WIDTH)
    with console.capture() as table:
        console.print(_table([row for row in view.found.rows if row.kind == "" or row.strictness is view.found.chosen]))
    click.echo(backtest_text(view, table.get()), nl=False)


def _table(rows: list[Agreement]) -> Table:
    """A row for each strictness, and below the proposed one its kinds."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("strictness", no_wrap=True)
    for name in ("held", "asked", "left\nalone"):
        table.add_column(name, justify="right")
    for name in ("right\nto hold", "right\nto ask", "held of\nthe clear", "held of\nthe unclear"):
        table.add_column(name, min_width=11)
    for row in rows:
        counts = (str(row.held), str(row.asked), str(row.left_alone))
        shares = map(in_two_lines, (row.precision, row.asking, row.false_bounces, row.recall))
        table.add_row(f"  {row.kind}" if row.kind else row.strictness.value, *counts, *shares)
    return table
