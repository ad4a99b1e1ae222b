"""`bouncer migrate`: bring the database up to date."""

from contextlib import closing

import click

from bot.commands.shared import Refusing
from bot.settings import load
from bot.storage.database import Database
from bot.storage.migrate import migrate as migrate_database


@click.command(cls=Refusing, said="migrate")
def migrate() -> None:
    """Create or upgrade the tables; safe to run at any time, and more than once.

    Exit status 2 when a setting or the database makes that impossible.
    """
    with closing(Database.open(load().database_url)) as database:
        migrate_database(database)
    click.echo("The database is up to date.")
