"""How the App is registered at GitHub, for `bouncer doctor`: what GitHub says, and what app.yml asks for."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from bot.github.answers import to_delivery
from bot.github.deliveries import HookDelivery
from bot.github.events import HANDLED
from bot.github.transport import Transport

# app.yml says the same; a test holds the two in step.
PERMISSIONS: Mapping[str, str] = {
    "checks": "write",
    "contents": "read",
    "issues": "write",
    "members": "read",
    "merge_queues": "read",
    "metadata": "read",
    "pull_requests": "write",
    "statuses": "write",
}
# GitHub sends those of the installation unasked.
EVENTS = HANDLED - {"installation", "installation_repositories"}

TIMEOUT = 10  # seconds


@dataclass(frozen=True, slots=True)
class Registration:
    """What GitHub answered.

    status, message: of the answer; anything but 200 leaves the rest empty, except `date`.
    date: GitHub's clock, aware, when it told.
    installations: how many accounts installed the App; `None` when GitHub does not say.
    hook_url, hook_secret, hook_verified: where deliveries go (empty: nowhere), whether a secret is set, whether GitHub
        checks the server's certificate.
    newest_delivery: the newest attempt in GitHub's delivery log, if there is one.
    """

    status: int
    message: str
    date: datetime | None
    name: str = ""
    permissions: Mapping[str, str] | None = None
    events: frozenset[str] = frozenset()
    installations: int | None = None
    hook_url: str = ""
    hook_secret: bool = False
    hook_verified: bool = True
    newest_delivery: HookDelivery | None = None


def ask(api_url: str, authorization: str) -> Registration:
    """Three reads under the App's own token. Raises `Unavailable` when GitHub gives no answer."""
    transport = Transport(api_url, TIMEOUT)
    answer = transport.send("GET", "/app", authorization)
    date = _date(answer.headers.get("date", ""))
    if answer.status != 200:
        return Registration(answer.status, answer.message, date)
    hook = transport.send("GET", "/app/hook/config", authorization)
    config: Mapping[str, Any] = hook.data if hook.status == 200 else {}
    log = transport.send("GET", "/app/hook/deliveries", authorization, parameters={"per_page": 1})
    newest = to_delivery(log.data[0]) if log.status == 200 and log.data else None
    app = answer.data
    return Registration(
        status=200,
        message="",
        date=date,
        name=str(app["name"]),
        permissions=dict(app["permissions"]),
        events=frozenset(app["events"]),
        installations=app.get("installations_count"),
        hook_url=config.get("url") or "",
        hook_secret=bool(config.get("secret")),
        hook_verified=str(config.get("insecure_ssl", "0")) == "0",
        newest_delivery=newest,
    )


def _date(header: str) -> datetime | None:
    try:
        return parsedate_to_datetime(header)
    except ValueError:
        return None
