"""The trace of a delivery, from its receipt to its last effect, for a collector that speaks OpenTelemetry.

Off unless the standard OTEL_EXPORTER_OTLP_ENDPOINT (or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) is set: then nothing of
OpenTelemetry is imported, and a span costs one look at a variable. All of its API is in `otlp.py` beside this.

A span says what was done, how it ended and how long it took. What it may be told is the fixed set `Told`: no texts of
issues, no names from repositories, no messages of errors.
"""

import atexit
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, TypedDict, TypeVar, Unpack
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from bot.telemetry.otlp import Span, Tracing

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
SPOKEN = "http/protobuf"
SECONDS_TO_FLUSH = 3.0
NO_EXTRA = (
    "{name} is set, but OpenTelemetry is not installed, so nothing is traced. "
    "Install it: pip install 'bouncer-bot[otel]'."
)
NOT_SPOKEN = (
    "{name} is {value}, so nothing is traced: Bouncer speaks http/protobuf alone. Give the collector's address for "
    "HTTP, whose port is usually 4318, and unset it."
)
ODD = "One of OpenTelemetry's variables (OTEL_…) cannot be used, so nothing is traced: %s."

Given = ParamSpec("Given")
Result = TypeVar("Result")

log = logging.getLogger(__name__)

_tracing: "Tracing | None" = None
_lock = threading.Lock()
_current: "ContextVar[Span | None]" = ContextVar("span", default=None)


class Told(TypedDict, total=False):
    """All that a span may be told. status: a word or number of Bouncer's or HTTP's own."""

    delivery: str
    subject: str
    commit: str
    step: str
    method: str
    model: str
    executor: str
    status: str | int


def problem() -> str:
    """Why nothing is traced though the environment asks for it, with the mend; empty where all is well or not asked."""
    if not (name := _asked()):
        return ""
    spoken = next((each for each in PROTOCOLS if os.environ.get(each)), "")
    if spoken and os.environ[spoken] != SPOKEN:
        return NOT_SPOKEN.format(name=spoken, value=os.environ[spoken][:40])
    try:
        import bot.telemetry.otlp  # noqa: F401 - whether it can be
    except ImportError:
        return NO_EXTRA.format(name=name)
    return ""


def destination() -> str:
    """The host that traces are sent to, with its port; empty where nothing is traced."""
    try:
        return urlsplit(os.environ[name]).netloc.rpartition("@")[2] if (name := _asked()) else ""
    except ValueError:
        return "an address that is none"


def set_up(service: str) -> None:
    """Trace what this process does, where the environment says where to; once for a process. service: its name."""
    global _tracing
    if not _asked():
        return
    with _lock:
        if _tracing is not None:
            return
        if told := problem():
            log.warning("%s", told)
            return
        from bot.telemetry.otlp import Tracing

        try:
            _tracing = Tracing(service)
        except Exception as error:  # noqa: BLE001 - whatever the library makes of its variables; they hold secrets
            log.warning(ODD, type(error).__name__)
            return
        atexit.register(shut_down)


def shut_down(seconds: float = SECONDS_TO_FLUSH) -> None:
    """Send what is left, but wait no longer: nobody's end waits for a collector that is away."""
    global _tracing
    with _lock:
        tracing, _tracing = _tracing, None
    if tracing is not None:
        sending = threading.Thread(target=tracing.shut_down, name="last-traces", daemon=True)
        sending.start()
        sending.join(seconds)


def trace_delivery(event: str, began: float, *, outcome: str, **told: Unpack[Told]) -> None:
    """A delivery was answered; began: by `time.time`. The first answer is the trace's root, from which web and workers
    hang all that follows: both derive its ids from the GUID."""
    if _tracing is not None and told.get("delivery"):
        _tracing.record_delivery(
            event, began, time.time(), queued=outcome == "queued", told={**told, "status": outcome}
        )


@contextmanager
def delivery_span(name: str, guid: str, **told: Unpack[Told]) -> Iterator[None]:
    """What is done for a delivery. Without a GUID nothing is traced."""
    if _tracing is None or not guid:
        yield
        return
    with _recorded(_tracing.of_delivery(name, guid, {**told, "delivery": guid})):
        yield


@contextmanager
def span(name: str, **told: Unpack[Told]) -> Iterator[None]:
    """A part of what is done; only inside of a delivery's."""
    parent = _current.get()
    if _tracing is None or parent is None:
        yield
        return
    with _recorded(_tracing.inside(parent, name, dict(told))):
        yield


def tell(**told: Unpack[Told]) -> None:
    """What is known by now of the span that this is in."""
    if _tracing is not None and (here := _current.get()) is not None:
        here.tell(dict(told))


@contextmanager
def _recorded(begun: "Span") -> Iterator[None]:
    token = _current.set(begun)
    try:
        yield
    except BaseException as error:
        begun.fail(type(error).__name__)
        raise
    finally:
        _current.reset(token)
        begun.end()


def _asked() -> str:
    """The variable that asks for traces."""
    off = os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true" or os.environ.get("OTEL_TRACES_EXPORTER") == "none"
    return "" if off else next((name for name in ENDPOINTS if os.environ.get(name)), "")


class Pool(ThreadPoolExecutor):
    """Threads that know what they work for: what they log, and their part of a trace, belongs to their caller."""

    def submit(self, task: Callable[Given, Result], /, *given: Given.args, **named: Given.kwargs) -> Future[Result]:
        return super().submit(copy_context().run, partial(task, *given, **named))
