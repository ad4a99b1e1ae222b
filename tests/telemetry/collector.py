"""A collector of OpenTelemetry on loopback: it reads what is sent as a real one does, by the published messages."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(frozen=True)
class Sent:
    """A span as it came. service: of the process that made it."""

    service: str
    name: str
    trace: str
    id: str
    parent: str
    failed: bool
    told: dict[str, str]


@dataclass
class Collector:
    """What was sent so far; raw: to the letter."""

    url: str = ""
    spans: list[Sent] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)
    broken: bool = False

    def named(self, name: str) -> list[Sent]:
        return [span for span in self.spans if span.name == name]

    def take(self, body: bytes) -> None:
        self.raw.append(body)
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            about = {each.key: each.value.string_value for each in resource.resource.attributes}
            for scope in resource.scope_spans:
                for span in scope.spans:
                    told = {each.key: str(each.value.string_value or each.value.int_value) for each in span.attributes}
                    ids = span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex()
                    self.spans.append(Sent(about["service.name"], span.name, *ids, span.status.code == 2, told))


@contextmanager
def collecting() -> Iterator[Collector]:
    found = Collector()

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if not found.broken:
                found.headers.append(self.headers.get("X-Team", ""))
                found.take(body)
            self.send_response(400 if found.broken else 200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *given: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    found.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
