"""`bouncer serve`: the web process."""

import sys

import click

from bot.settings import SettingsError, load
from bot.storage.database import DatabaseError
from webhooks.server import serve as serve_forever

BAD_INPUT = 2


@click.command()
@click.option("--host", help="Where to listen; otherwise BOUNCER_HOST.")
@click.option("--port", type=click.IntRange(0, 65535), help="0 picks a free port; otherwise BOUNCER_PORT.")
def serve(host: str | None, port: int | None) -> None:
    """Receive GitHub's deliveries and store them for a worker.

    Migrates the database first. Exit status 2 when a setting or the database makes that impossible.
    """
    given = {name: value for name, value in {"host": host, "port": port}.items() if value is not None}
    try:
        serve_forever(load(**given))
    except (SettingsError, DatabaseError) as error:
        click.echo(f"bouncer serve: {error}", err=True)
        sys.exit(BAD_INPUT)
