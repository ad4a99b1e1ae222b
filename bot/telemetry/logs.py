"""The log of a server's process: one line an event on stderr, as text or as JSON, without secrets.

Everybody logs by the standard library; structlog lays the records out, and holds what a delivery is about.
"""

import logging
import sys
import threading
from collections.abc import Mapping, MutableMapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, TextIO

import structlog
from structlog.contextvars import bound_contextvars, merge_contextvars
from structlog.stdlib import ProcessorFormatter

from bot.settings import Settings
from bot.telemetry.redaction import Redact, redactor, secrets_of

TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
LOUD = ("alembic", "urllib3", "github", "opentelemetry")  # they tell at INFO what concerns nobody
PLAIN = (int, float, bool, type(None))

log = logging.getLogger(__name__)


class _Stderr(logging.StreamHandler[TextIO]):
    """Where this process logs."""


def set_up(settings: Settings) -> None:
    """Send the process' log to stderr, in the form that the settings name; nothing where it has a log. To be called
    again with settings that hold other secrets."""
    redact = redactor(secrets_of(settings))
    formatter = json_lines(redact) if settings.log_format == "json" else PlainLines(redact)
    handlers = logging.getLogger().handlers
    if own := next((each for each in handlers if isinstance(each, _Stderr)), None):
        own.setFormatter(formatter)
    if handlers:
        return  # somebody else has a log already, as pytest does
    handler = _Stderr()
    handler.setFormatter(formatter)
    logging.basicConfig(level=settings.log_level, handlers=[handler])
    for name in LOUD:
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.raiseExceptions = False  # the library would print a record that it cannot write, with all that is in it
    logging.captureWarnings(True)
    sys.excepthook = _unexpected
    threading.excepthook = lambda failed: _unexpected(failed.exc_type, failed.exc_value, failed.exc_traceback)


def about(*, delivery: str = "", subject: str = "", commit: str = "") -> AbstractContextManager[None]:
    """What is logged inside concerns these; what is empty is not told.

    delivery: GitHub's GUID. subject: `OWNER/REPO#N`. commit: full SHA.
    """
    told = {"delivery": delivery, "subject": subject, "commit": commit}
    return bound_contextvars(**{name: value for name, value in told.items() if value})


def json_line(text: str, level: int) -> str:
    """What is said before there is a log, or by who has none, as a line of it."""
    return json_lines(redactor()).format(log.makeRecord("bouncer", level, "", 0, text, (), None))


class PlainLines(logging.Formatter):
    """A line of text each."""

    def __init__(self, redact: Redact) -> None:
        super().__init__(TEXT)
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        return self._redact(super().format(record))


def json_lines(redact: Redact) -> logging.Formatter:
    """One JSON object a line: time, level, logger, message, what it is about, and a traceback as one text."""
    shared = (
        merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
    )

    def redact_event(logger: Any, name: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
        return {key: _redacted(value, redact) for key, value in event.items()}

    return ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[
            ProcessorFormatter.remove_processors_meta,
            structlog.processors.StackInfoRenderer(),
            structlog.processors.format_exc_info,
            structlog.processors.EventRenamer("message"),
            redact_event,  # last, so that it sees every text as it is written
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
    )


def _redacted(value: Any, redact: Redact) -> Any:
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, Mapping):
        return {str(key): _redacted(each, redact) for key, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_redacted(each, redact) for each in value]
    return redact(value if isinstance(value, str) else repr(value))


def _unexpected(kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
    """What nobody caught is a line of the log as well; the library would print it as it is."""
    if issubclass(kind, KeyboardInterrupt | SystemExit):
        return
    log.critical("Something unexpected ended a thread", exc_info=(kind, error or kind(), trace))
