"""`bouncer bench attempts`: what Bouncer's own attempts at a fix did on their way, from the server's records."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from typing import Any

import click

from bot.commands.shared import InputError, Refusing, json_option
from bot.judges.agent.commands import REPAIR
from bot.judges.steps import Attempt
from bot.pulls.result import restored
from bot.settings import load
from bot.storage.database import Database, absent_file
from bot.storage.judgements import Judgements, Rejections
from lab.commands.bench_table import percent, print_table, rate_cells
from lab.scores.attempts import KINDS, PUBLISHED, StepRow, smell_rows, step_rows

NOTHING = 3
_COMMANDS = REPAIR.commands


@click.command("attempts", cls=Refusing, said="bench attempts", nothing=lambda _: {"smells": [], "reference": []})
@json_option
def attempts_bench(as_json: bool) -> None:
    """Show what Bouncer's own attempts at a fix did on their way: smells by outcome, and commands by step.

    Reads the server's database and writes nothing; what was removed for its age is not counted. Exit status: 0 when
    there are attempts, 2 for a database that cannot be read, 3 when there are none.
    """
    url = load().database_url
    if absent := absent_file(url):
        raise InputError(f"There is no {absent}. Start this in the server's directory, or set BOUNCER_DATABASE_URL.")
    with closing(Database.open(url)) as database:
        database.check()
        attempts = list(_attempts(database))
    smells, steps = smell_rows(attempts), step_rows(attempts)
    if as_json:
        document = {"attempts": len(attempts), "smells": list(map(asdict, smells)), "steps": list(map(asdict, steps))}
        click.echo(json.dumps(document | {"reference": _published()}))
    elif not attempts:
        click.echo("No attempt at a fix is stored. Bouncer makes one where a model rejects a change without a fix.")
    else:
        click.echo(f"{len(attempts)} attempts. failing: not all tests passed with what came out.\n")
        cells = [(row.smell.value, "", *rate_cells(row.failing), *rate_cells(row.passing)) for row in smells]
        paper = [
            (each["smell"], f"{each['bugs']} (paper)", percent(each["failing"]), "", percent(each["passing"]), "")
            for each in _published()
        ]
        print_table(("smell", "bugs"), ("failing", "95%", "passing", "95%"), [*cells, *paper])
        click.echo("\n(paper): Passerine, table V, of another agent. Which commands are given at each step:\n")
        shares = [
            (
                str(row.number),
                str(row.attempts),
                *(percent(row.commands.get(each, 0) / row.attempts) for each in _COMMANDS),
            )
            for row in steps
        ]
        print_table(("step",), ("attempts", *_COMMANDS), shares)
    raise click.exceptions.Exit(0 if attempts else NOTHING)


def _attempts(database: Database) -> Iterator[Attempt]:
    """Of every judgement and every claim of a review bot that is kept whole."""
    for store in (Judgements(database), Rejections(database)):
        for result in store.results():
            if repair := restored(result).facts.trial.repair:
                yield from repair.attempts


def _shares(row: StepRow) -> Iterator[str]:
    return (percent(row.commands.get(command, 0) / row.attempts) for command in _COMMANDS)


def _published() -> list[dict[str, Any]]:
    return [
        {"smell": smell.value, "bugs": kind, "failing": failing, "passing": passing}
        for smell, rows in PUBLISHED.items()
        for kind, (failing, passing) in zip(KINDS, rows, strict=True)
    ]
