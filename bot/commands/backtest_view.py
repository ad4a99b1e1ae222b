"""The report of a backtest on a terminal."""

import click
from rich.console import Console
from rich.table import Table

from bot.backtest.measures import Agreement, PullBacktest
from bot.plain_text import clean, count_of
from bot.rendering.backtest import NOISE, BacktestView, agreement, backtest_json, in_short, omissions, proposal

_WIDTH = 110


def show(view: BacktestView) -> None:
    """Everything, from what was read to the proposed policy."""
    found, console = view.found, Console(width=_WIDTH)
    read = "1 issue read, as it was opened" if found.issues == 1 else f"{found.issues} issues read, as they were opened"
    click.echo(f"{view.repository}: {read}. Judge: {view.judge}.")
    for why, count in found.skipped.items():
        click.echo(f"{count} left alone: {why}.")
    for note in view.notes:
        click.echo(note)
    click.echo("")
    console.print(_table([row for row in found.rows if row.kind == "" or row.strictness is found.chosen]))
    click.echo(f"\nright: people asked for more. Only held issues with a clear answer from people count. {NOISE}")
    for said in (agreement(row) for row in found.rows if row.kind == ""):
        if said:
            click.echo(said)
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
    if view.pulls is not None:
        _show_pulls(view, view.pulls)
    sentence, policy = proposal(view)
    click.echo(f"\n{sentence}\n\n{policy}")
    if found.usage.calls:
        calls = count_of(found.usage.calls, "call")
        click.echo(f"{calls} of a model, {found.usage.money:.2f} in the currency of its prices.")


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


def _show_pulls(view: BacktestView, pulls: PullBacktest) -> None:
    told = backtest_json(view)["pulls"]
    click.echo(f"\nPull requests of coding agents: {len(pulls.judged)}; of people, not judged: {pulls.people}.")
    for why, count in omissions(pulls).items():
        click.echo(f"{count} left out: {why}.")
    if pulls.executed:
        row = pulls.agreement
        click.echo(f"{row.judged} judged: {row.held} bounced, {row.unjudged} not decided or for a person.")
        click.echo(f"  right, of the bounced:        {in_short(row.precision)}")
        click.echo(f"  bounced, of the merged:       {in_short(row.false_bounces)}")
        click.echo(f"  bounced, of those not taken:  {in_short(row.recall)}")
    for case in told["cases"] if not pulls.executed else told["doubtful"]:
        click.echo(f"  #{case['number']} {case['title']}\n      {case['verdict']}; {case['ending']}")
        for risk in case["risks"]:
            click.echo(f"      {risk}")
