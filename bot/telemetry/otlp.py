"""OpenTelemetry's SDK, as far as Bouncer uses it; imported where traces are asked for. The standard OTEL_* variables
say where spans go, with which headers and certificates, how many are kept for that, and which are sampled."""

import logging
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from hashlib import sha256
from os import environ
from typing import Any

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import Decision
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)
from opentelemetry.trace import Span as OtelSpan

MOST = 300  # characters of an attribute
PREFIX = "bouncer."

log = logging.getLogger(__name__)

_root_of: ContextVar[str] = ContextVar("root_of", default="")


def trace_id(guid: str) -> int:
    """Of a delivery, the same in every process."""
    return int.from_bytes(_hashed(guid)[:16])


def root_id(guid: str) -> int:
    """Of its first span."""
    return int.from_bytes(_hashed(guid)[16:24])


def _hashed(guid: str) -> bytes:
    return sha256(b"bouncer delivery " + guid.encode()).digest()


class Span:
    """One that is under way."""

    def __init__(self, span: OtelSpan) -> None:
        self.span = span

    def tell(self, told: Mapping[str, Any]) -> None:
        for name, value in told.items():
            self.span.set_attribute(PREFIX + name, value[:MOST] if isinstance(value, str) else value)

    def fail(self, kind: str) -> None:
        """kind: the error's class; its message may hold what strangers wrote."""
        self.span.set_attribute("error.type", kind)
        self.span.set_status(Status(StatusCode.ERROR))

    def end(self) -> None:
        self.span.end()


class Tracing:
    """Spans of one process, on their way to the collector in a thread of their own."""

    def __init__(self, service: str) -> None:
        named = environ.get("OTEL_SERVICE_NAME") or "service.name=" in environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
        resource = Resource.create(None if named else {"service.name": service})
        self._provider = TracerProvider(resource=resource, id_generator=_Ids(), shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(_Quiet(OTLPSpanExporter())))
        self._tracer = self._provider.get_tracer("bouncer")

    def record_delivery(self, event: str, began: float, ended: float, *, queued: bool, told: Mapping[str, Any]) -> None:
        """A delivery that was stored is the root; one that came again, or could not be stored, hangs below it."""
        guid = told["delivery"]
        token = _root_of.set(guid if queued else "")
        try:
            within = Context() if queued else self._root(guid)
            begun = self._begin(f"receive {event}", within, told, kind=SpanKind.SERVER, start_time=int(began * 1e9))
        finally:
            _root_of.reset(token)
        begun.span.end(int(ended * 1e9))

    def of_delivery(self, name: str, guid: str, told: Mapping[str, Any]) -> Span:
        return self._begin(name, self._root(guid), told, kind=SpanKind.CONSUMER)

    def inside(self, parent: Span, name: str, told: Mapping[str, Any]) -> Span:
        return self._begin(name, set_span_in_context(parent.span, Context()), told)

    def shut_down(self) -> None:
        self._provider.shutdown()

    def _root(self, guid: str) -> Context:
        """The delivery's first span, which another process may have made; sampled as that was, by its trace's id."""
        decided = self._provider.sampler.should_sample(None, trace_id(guid), "receive").decision
        flags = TraceFlags(TraceFlags.SAMPLED if decided is Decision.RECORD_AND_SAMPLE else TraceFlags.DEFAULT)
        root = SpanContext(trace_id(guid), root_id(guid), is_remote=True, trace_flags=flags)
        return set_span_in_context(NonRecordingSpan(root), Context())

    def _begin(self, name: str, within: Context, told: Mapping[str, Any], **how: Any) -> Span:
        begun = self._tracer.start_span(name, within, record_exception=False, set_status_on_exception=False, **how)
        span = Span(begun)
        span.tell(told)
        return span


class _Ids(RandomIdGenerator):
    """Random, except for the first span of a delivery."""

    def generate_span_id(self) -> int:
        guid = _root_of.get()
        return root_id(guid) if guid else super().generate_span_id()

    def generate_trace_id(self) -> int:
        guid = _root_of.get()
        return trace_id(guid) if guid else super().generate_trace_id()


class _Quiet(SpanExporter):
    """Says once that the collector is away, and once that it is back; the library would say it for each batch."""

    def __init__(self, inner: SpanExporter) -> None:
        self._inner, self._away = inner, False
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        try:
            result = self._inner.export(spans)
        except Exception as error:  # noqa: BLE001 - an address that is none, a certificate that cannot be read
            log.debug("spans were not taken: %s", type(error).__name__)
            result = SpanExportResult.FAILURE
        away = result is not SpanExportResult.SUCCESS
        if away and not self._away:
            log.warning("The collector takes no traces, so they are dropped. See OTEL_EXPORTER_OTLP_ENDPOINT.")
        elif self._away and not away:
            log.info("The collector takes traces again.")
        self._away = away
        return result

    def shutdown(self) -> None:
        self._inner.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._inner.force_flush(timeout_millis)
