"""`bouncer serve`: the web process."""

import logging
from contextlib import closing
from datetime import UTC, datetime

import click
from sqlalchemy.exc import SQLAlchemyError

from bot import settings_file
from bot.commands.shared import ServerCommand, settings_with, tell
from bot.settings import Settings, SettingsError
from bot.statements.keys import load_signing_key
from bot.storage.database import Database, DatabaseError
from bot.storage.heartbeats import Apps
from webhooks.app import create_app
from webhooks.secrets import webhook_secrets
from webhooks.server import prepare
from webhooks.server import serve as serve_forever

HAD_APP = (
    "BOUNCER_SETUP opens nothing: this database had an App. Give that App's settings, or register another one with "
    "`bouncer setup`."
)


@click.command(cls=ServerCommand, said="serve")
@click.option("--host", help="Where to listen; otherwise BOUNCER_HOST.")
@click.option("--port", type=click.IntRange(0, 65535), help="0 picks a free port; otherwise BOUNCER_PORT.")
def serve(host: str | None, port: int | None) -> None:
    """Receive GitHub's deliveries and store them for a worker.

    Migrates the database first. With BOUNCER_SETUP=1 and no App yet, it serves the pages that register one. Exit status
    2 when a setting or the database makes that impossible.
    """
    settings = settings_with(host=host, port=port)
    if settings.setup:
        from bot.setup.application import open_for_setup  # with PyGithub, which the web process else does without

        prepare(settings)
        with closing(Database.open(settings.database_url)) as database:
            wanted = open_for_setup(settings, database)
        if wanted:
            _set_up(settings)
            return
        if not settings.has_app:
            raise SettingsError(HAD_APP)
        tell("bouncer serve: BOUNCER_SETUP opens nothing: a setting of an App is there.", logging.WARNING)
    webhook_secrets(settings)
    load_signing_key(settings)  # here: gunicorn would print a traceback, and end with a status that says nothing
    prepare(settings)
    with closing(Database.open(settings.database_url)) as database:
        try:
            Apps(database).remember(settings.app_id or 0, now=datetime.now(UTC))
        except SQLAlchemyError as error:
            raise DatabaseError.of(database.main, error) from None
    serve_forever(settings, create_app, _say_where)


def _set_up(settings: Settings) -> None:
    from bot.setup.application import SetupApplication
    from bot.setup.flow import Guard, invitation

    settings_file.check_writable(settings_file.require_place())  # GitHub gives the credentials only once
    guard = Guard()

    def invite(address: str) -> None:
        _say_where(address)
        click.echo(invitation(guard, settings.public_url or address))

    serve_forever(settings, lambda given: SetupApplication(given, guard), invite)


def _say_where(address: str) -> None:
    click.echo(f"Listening on {address}")
