"""Signs and sends webhooks, in the order things happened, and remembers every delivery as GitHub's log does."""

import hashlib
import hmac
import itertools
import json
import logging
import queue
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import requests

from fake_github.fields import Json

if TYPE_CHECKING:
    from fake_github.app_world import AppWorld

TIMEOUT = 10.0  # seconds GitHub waits for an answer
_UNREACHABLE = (502, "failed to connect to host", "")

log = logging.getLogger(__name__)


@dataclass(eq=False)
class SentDelivery:
    """One attempt to deliver. `status_code` is 0 until it was tried and 502 when nobody answered; `answer` the body."""

    id: int
    guid: str
    event: str
    action: str | None
    installation: int | None
    repository: int | None
    body: bytes
    at: datetime
    redelivery: bool = False
    status: str = "PENDING"
    status_code: int = 0
    duration: float = 0.0
    answer: str = ""

    @property
    def payload(self) -> Json:
        parsed: Json = json.loads(self.body)
        return parsed


def signature(secret: str, body: bytes) -> str:
    """The value of `X-Hub-Signature-256`."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


class Webhooks:
    """One sender thread. Without a webhook URL deliveries fail as they do when a server is down."""

    def __init__(self, world: "AppWorld") -> None:
        self.world = world
        self.deliveries: list[SentDelivery] = []
        self.observers: list[Callable[[SentDelivery], None]] = []
        self.lose_next = 0
        self._ids = itertools.count(12_345_678_901)
        self._queue: queue.Queue[SentDelivery | None] = queue.Queue()
        self._session = requests.Session()
        self._session.trust_env = False  # loopback and compose names, never through a proxy
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._send_all, name="fake-github-webhooks", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        if self._thread:
            self._queue.put(None)
            self._thread.join(timeout=TIMEOUT + 1)
        self._session.close()

    def emit(
        self, event: str, payload: Json, *, installation: int | None, repository: int | None = None
    ) -> SentDelivery:
        """Record the delivery and queue it. Call with the world's lock held: the payload shows this very moment."""
        body = json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode(errors="replace")
        made = SentDelivery(
            next(self._ids),
            str(uuid.uuid4()),
            event,
            payload.get("action"),
            installation,
            repository,
            body,
            self.world.now(),
        )
        return self._queued(made)

    def redeliver(self, delivery_id: int) -> SentDelivery | None:
        """Send a delivery again: same GUID, new id, as on GitHub. `None` when there is no such delivery."""
        with self.world.lock:
            old = next((item for item in self.deliveries if item.id == delivery_id), None)
            if old is None:
                return None
            asked = replace(old, id=next(self._ids), at=self.world.now(), redelivery=True)
            return self._queued(replace(asked, status="PENDING", status_code=0, duration=0.0, answer=""))

    def duplicate(self, delivery_id: int) -> None:
        """Send the same bytes once more without recording it, as GitHub sometimes does."""
        old = next(item for item in self.deliveries if item.id == delivery_id)
        self._post(old)

    def _queued(self, item: SentDelivery) -> SentDelivery:
        with self.world.lock:
            self.deliveries.append(item)
            for observer in self.observers:
                observer(item)
            self._queue.put(item)
            return item

    def wait(self, timeout: float = 30.0) -> None:
        """Return when everything emitted so far was tried; raises `TimeoutError` after so many seconds."""
        deadline = time.monotonic() + timeout
        while any(not item.status_code for item in list(self.deliveries)):
            if time.monotonic() > deadline:
                raise TimeoutError("webhook deliveries are still waiting to be sent")
            time.sleep(0.005)

    def _send_all(self) -> None:
        while (item := self._queue.get()) is not None:
            started = time.monotonic()
            lost = self.lose_next > 0
            self.lose_next -= lost
            code, status, answer = _UNREACHABLE if lost else self._post(item)
            item.duration = time.monotonic() - started
            item.status, item.answer = status, answer
            item.status_code = code

    def _post(self, item: SentDelivery) -> tuple[int, str, str]:
        if not self.world.app.webhook_url:
            return _UNREACHABLE
        headers: dict[str, Any] = {
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/fake",
            "X-GitHub-Delivery": item.guid,
            "X-GitHub-Event": item.event,
            "X-GitHub-Hook-ID": "1",
            "X-GitHub-Hook-Installation-Target-ID": str(self.world.app.id),
            "X-GitHub-Hook-Installation-Target-Type": "integration",
            "X-Hub-Signature-256": signature(self.world.app.webhook_secret, item.body),
        }
        try:
            answer = self._session.post(self.world.app.webhook_url, data=item.body, headers=headers, timeout=TIMEOUT)
        except requests.RequestException as error:
            log.debug("webhook %s was not delivered: %s", item.guid, type(error).__name__)
            return _UNREACHABLE
        return answer.status_code, "OK" if answer.ok else answer.reason or "error", answer.text[:2000]
