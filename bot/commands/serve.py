"""`bouncer serve`: the web process."""

import click

from bot.commands.shared import Refusing, settings_with
from webhooks.server import serve as serve_forever


@click.command(cls=Refusing, said="serve")
@click.option("--host", help="Where to listen; otherwise BOUNCER_HOST.")
@click.option("--port", type=click.IntRange(0, 65535), help="0 picks a free port; otherwise BOUNCER_PORT.")
def serve(host: str | None, port: int | None) -> None:
    """Receive GitHub's deliveries and store them for a worker.

    Migrates the database first. Exit status 2 when a setting or the database makes that impossible.
    """
    serve_forever(settings_with(host=host, port=port))
