"""What went over the wire, and what goes wrong there on purpose."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Exchange:
    """One REST call.

    route: the path as GitHub's OpenAPI description writes it, e.g. `/repos/{owner}/{repo}/issues/{issue_number}`.
    request, response: parsed JSON, `None` where there was none.
    took_effect: something was changed, whatever the caller was told. spoilt: a fault had its hand in the answer.
    """

    method: str
    route: str
    path: str
    parameters: dict[str, Any]
    query: dict[str, str]
    request: Any
    status: int
    response: Any
    took_effect: bool = False
    spoilt: bool = False


@dataclass(eq=False)
class Fault:
    """Something to go wrong `times` times.

    method, route: which calls it hits; `None` is any; `route` matches the end of the OpenAPI path.
    after_effect: the call does its work first, and only its answer is spoilt.
    drop: close the connection without an answer. delay: seconds before the answer. half: the answer ends in its middle:
    "cut" closes the connection before all that was announced has come, "chunk" within a chunked answer, and "text" ends
    as if that were all. An answer without a body is lost whole.
    """

    times: int
    method: str | None = None
    route: str | None = None
    status: int = 0
    message: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    after_effect: bool = False
    drop: bool = False
    delay: float = 0.0
    half: str = ""

    @property
    def spoils(self) -> bool:
        """Whether it does more than delay the answer, or end it early."""
        return bool(self.status or self.drop)

    def hits(self, method: str, route: str) -> bool:
        return self.method in (None, method) and (self.route is None or route.endswith(self.route))


class Traffic:
    """The log of calls and the faults still to come."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: list[Fault] = []
        self._closing = threading.Event()
        self.exchanges: list[Exchange] = []
        self.observers: list[Callable[[Exchange], None]] = []

    def record(self, exchange: Exchange) -> None:
        with self._lock:
            self.exchanges.append(exchange)
        for observer in self.observers:
            observer(exchange)

    def add(self, fault: Fault) -> None:
        with self._lock:
            self._faults.append(fault)

    def clear(self) -> None:
        """Forget the faults still to come."""
        with self._lock:
            self._faults.clear()

    def take(self, method: str, route: str) -> Fault | None:
        """The first fault that hits this call, counted down."""
        with self._lock:
            for fault in self._faults:
                if fault.hits(method, route):
                    fault.times -= 1
                    if fault.times <= 0:
                        self._faults.remove(fault)
                    return fault
        return None

    def pause(self, seconds: float) -> None:
        """Wait, but not beyond the server's end."""
        if seconds > 0:
            self._closing.wait(seconds)

    def close(self) -> None:
        self._closing.set()
