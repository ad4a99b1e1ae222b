"""`bouncer doctor`: is everything in place? Each line passes, warns or fails, and says the mend."""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import asdict
from difflib import get_close_matches

import click
from sqlalchemy import delete, false
from sqlalchemy.exc import SQLAlchemyError

from bot import settings_file
from bot.commands.doctor_github import github_lines, port_line, public_line
from bot.commands.doctor_lines import CheckLine, CheckOutcome, fails, passes, warns
from bot.commands.doctor_running import (
    cache_line,
    extra_lines,
    git_line,
    index_line,
    model_lines,
    sandbox_lines,
    search_line,
    test_tools_line,
)
from bot.commands.scratch import scratch
from bot.settings import NO_APP, Settings, SettingsError, load
from bot.storage.database import Database, DatabaseError, absent_file, trouble

BAD = 2  # exit status
COLOURS = {CheckOutcome.PASS: "green", CheckOutcome.WARN: "yellow", CheckOutcome.FAIL: "red"}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
@click.option("--offline", is_flag=True, help="Ask for neither the package index nor the public address.")
def doctor(as_json: bool, offline: bool) -> None:
    """Check settings, key, GitHub, database, port and judge, and everything that is needed to run a change.

    Changes nothing and costs nothing. Exit status: 0 when nothing fails, 2 otherwise.
    """
    click.get_current_context().with_resource(scratch())
    lines = []
    for line in examine(os.environ, offline=offline):
        lines.append(line)
        if not as_json:
            show(line)
    failed = any(line.outcome is CheckOutcome.FAIL for line in lines)
    if as_json:
        click.echo(json.dumps({"ok": not failed, "checks": [asdict(line) for line in lines]}))
    raise click.exceptions.Exit(BAD if failed else 0)


def show(line: CheckLine) -> None:
    """On the terminal."""
    click.echo(f"{click.style(line.outcome, COLOURS[line.outcome])}  {line.check}: {line.says}")
    if line.mend:
        click.echo(f"      {line.mend}")


def examine(environment: Iterable[str], *, offline: bool = False, started: bool = True) -> Iterator[CheckLine]:
    """Every line, as soon as it is known. `environment`: the names of the variables that are set. offline: the package
    index and the public address are not asked for. started: the server has been, so that deliveries arrive and the
    public address answers."""
    try:
        settings = load()
        yield from _unknown_settings({*environment, *settings_file.values()})
    except SettingsError as error:
        for problem in str(error).splitlines():
            yield fails("settings", problem, "See docs/settings.md for what each setting takes.")
        return
    yield passes("settings", "every one can be read")
    public = public_line(settings) if started and not offline and settings.has_app else None
    if settings.has_app:
        yield from github_lines(settings, public, started)
    else:
        says, _, mend = NO_APP.partition(": ")
        yield fails("app", says, mend[0].upper() + mend[1:])
    yield _database(settings)
    yield port_line(settings)
    yield from model_lines(settings)
    yield git_line()
    yield cache_line(settings)
    yield from extra_lines(settings)
    yield test_tools_line()
    yield search_line()
    if not offline:
        yield index_line(settings)
    if public is not None:
        yield public
    yield from sandbox_lines(settings)


def _unknown_settings(environment: Iterable[str]) -> Iterator[CheckLine]:
    known = [f"BOUNCER_{name.upper()}" for name in Settings.model_fields]
    for name in sorted(environment):
        if name.upper().startswith("BOUNCER_") and name.upper() not in known:
            close = get_close_matches(name.upper(), known, n=1)
            mend = f"Did you mean {close[0]}?" if close else "Remove it; docs/settings.md lists every setting."
            yield warns("settings", f"{name} is not a setting", mend)


def _database(settings: Settings) -> CheckLine:
    if absent := absent_file(settings.database_url):
        return fails("database", f"there is no {absent} yet", "Run `bouncer migrate`.")
    try:
        with closing(Database.open(settings.database_url)) as database:
            database.check()
            database.check_writable()
            for engine, schema in database.schemas:
                with engine.connect() as connection, connection.begin():
                    # A write that changes nothing: a read-only database refuses it all the same.
                    connection.execute(delete(schema.metadata.sorted_tables[0]).where(false()))
    except DatabaseError as error:
        return fails("database", str(error))
    except SQLAlchemyError as error:
        return fails("database", f"it cannot be written: {trouble(database.main.url, error)}")
    return passes("database", "reachable, migrated and writable")
