"""gunicorn, started from code: one process with threads, which is all that claiming deliveries needs."""

from collections.abc import Callable
from typing import Any

from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.config import Config
from gunicorn.glogging import Logger

from bot.settings import Settings
from bot.storage.database import Database
from bot.storage.directories import close_to_others
from bot.storage.migrate import migrate
from bot.telemetry import logs
from webhooks.admission import PageLimit
from webhooks.gunicorn_worker import SEATS, DeadlineWorker
from webhooks.port import check_port

SECONDS_TO_FINISH = 10


def prepare(settings: Settings) -> None:
    """Log to stderr, migrate, and close the caches to others. Raises DatabaseError."""
    logs.set_up(settings)
    close_to_others(settings.cache_dir)
    database = Database.open(settings.database_url)
    try:
        migrate(database, has_app=settings.has_app)
    finally:
        database.close()  # before gunicorn forks: connections are not shared between processes


def serve(settings: Settings, create: Callable[[Settings], Any], listening: Callable[[str], None]) -> None:
    """Serve what `create` makes until a signal ends it (SIGTERM: requests under way are finished).

    listening: is told the address once it listens. Raises `NoPort`.
    """
    check_port(settings)
    _Server(settings, create, listening).run()


class OneLog(Logger):
    """gunicorn's own lines go where all others go: its handlers would print them in another form, with secrets."""

    def setup(self, cfg: Config) -> None:
        super().setup(cfg)
        for logger in (self.error_log, self.access_log):
            logger.handlers.clear()
            logger.propagate = True


class _Server(BaseApplication):
    def __init__(self, settings: Settings, create: Callable[[Settings], Any], listening: Callable[[str], None]) -> None:
        self._settings, self._create, self._told = settings, create, listening
        super().__init__()

    def load_config(self) -> None:
        for name, value in _options(self._settings).items():
            self.cfg.set(name, value)
        self.cfg.set("when_ready", self._say_where)

    def load(self) -> Any:
        return PageLimit(self._create(self._settings))

    def _say_where(self, arbiter: Arbiter) -> None:
        for listener in arbiter.LISTENERS:
            host, port = listener.getsockname()[:2]
            self._told(f"http://{f'[{host}]' if ':' in host else host}:{port}")


def _options(settings: Settings) -> dict[str, Any]:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return {
        "bind": f"{host}:{settings.port}",
        "workers": 1,
        "worker_class": DeadlineWorker,
        "threads": SEATS,
        "worker_connections": 2 * SEATS,  # the others are kept open between two requests, which takes no thread
        "graceful_timeout": SECONDS_TO_FINISH,
        "timeout": 60,
        "keepalive": 15,
        "loglevel": "warning" if settings.log_level == "INFO" else settings.log_level.lower(),
        "logger_class": OneLog,
        # No header says how somebody came, or where this server lies: behind a proxy on this machine gunicorn would
        # believe `SCRIPT_NAME`, and so serve `/metrics` at an address that the proxy lets through.
        "forwarded_allow_ips": "",
        "forwarder_headers": "",
        "secure_scheme_headers": {},
        "control_socket_disable": True,
        "proc_name": "bouncer-web",
    }
