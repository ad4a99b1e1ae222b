"""`bouncer backup`: a copy of the database while the server runs."""

from pathlib import Path

import click

from bot.commands.shared import Refusing
from bot.settings import load
from bot.storage.backup import back_up


@click.command(cls=Refusing, said="backup")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
def backup(directory: Path) -> None:
    """Copy SQLite's files into DIRECTORY, which is made; web and worker may go on meanwhile.

    Nothing is overwritten. The settings file is not in it: keep it apart. Exit status 2 when it cannot be done, and on
    PostgreSQL, which has `pg_dump`.
    """
    for copy in back_up(load().database_url, directory):
        click.echo(f"{copy}  {copy.stat().st_size:,} bytes")
