"""The web process while there is no App: `/setup` alone. From the moment there is one, the usual application."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from flask import Flask
from werkzeug.wrappers import Request

from bot import settings_file
from bot.github.registration import AppCredentials
from bot.settings import Settings, load
from bot.setup.flow import Guard, SetupFlow
from bot.setup.pages import COOKIE, setup_app
from bot.storage.database import Database
from bot.storage.heartbeats import Apps
from bot.storage.welcomes import Welcomes, welcome_pages
from bot.telemetry import logs
from webhooks.app import create_app


def open_for_setup(settings: Settings, database: Database) -> bool:
    """Whether an App may be set up here: it was asked for, and there never was one. `database` is migrated."""
    return settings.setup and not settings.has_app and not Apps(database).any()


class SetupApplication:
    """`/setup` until there is an App; then everything. The pages of setting up stay for who is in the middle."""

    def __init__(self, settings: Settings, guard: Guard) -> None:
        self._guard = guard
        self._database = Database.open(settings.database_url)
        self._usual: Flask | None = None
        flow = SetupFlow(settings, self._keep)
        self._setup = setup_app(guard, flow, self._closed, self._welcomes, settings.public_url)

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if self._usual is None or self._in_the_middle(Request(environ)):
            return self._setup(environ, start_response)
        return self._usual(environ, start_response)

    def _in_the_middle(self, request: Request) -> bool:
        ours = request.path == "/installed" or request.path.startswith("/setup")
        return ours and self._guard.knows(request.cookies.get(COOKIE, ""))

    def _closed(self) -> str:
        """An App that another process set up closes this door as well."""
        if self._usual is None and Apps(self._database).any():
            return "There is an App already. Start this process again with its settings."
        return ""

    def _welcomes(self) -> dict[str, str]:
        return welcome_pages(Welcomes(self._database).all(), load().public_url)

    def _keep(self, credentials: AppCredentials, variables: Mapping[str, str]) -> None:
        settings_file.write(settings_file.require_place(), variables)
        settings = load()
        logs.set_up(settings)  # now it knows the App's secrets
        self._usual = create_app(settings)
        Apps(self._database).remember(credentials.app_id, now=datetime.now(UTC))
