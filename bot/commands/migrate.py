"""`bouncer migrate`: bring the database up to date."""

import sys

import click

from bot.settings import SettingsError, load
from bot.storage.database import Database, DatabaseError
from bot.storage.migrate import migrate as migrate_database

BAD_INPUT = 2


@click.command()
def migrate() -> None:
    """Create or upgrade the tables; safe to run at any time, and more than once.

    Exit status 2 when a setting or the database makes that impossible.
    """
    try:
        database = Database.open(load().database_url)
        migrate_database(database)
        database.close()
    except (SettingsError, DatabaseError) as error:
        click.echo(f"bouncer migrate: {error}", err=True)
        sys.exit(BAD_INPUT)
    click.echo("The database is up to date.")
