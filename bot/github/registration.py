"""How the App is registered at GitHub: what GitHub says of it, what app.yml asks for, and how an App is made.

It is made from a manifest, as GitHub's "Registering a GitHub App from a manifest" describes it: a browser takes the
manifest to GitHub, GitHub sends it back with a code, and the code is changed once for the credentials.
"""

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from typing import Any
from urllib.parse import quote, urlsplit

from bot.errors import PlainError
from bot.github.auth import AppToken
from bot.github.deliveries import HookDelivery
from bot.github.errors import GitHubError
from bot.github.events import HANDLED
from bot.github.payloads import to_delivery
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
CODE = re.compile(r"[0-9A-Za-z_-]{1,100}")
ORGANIZATION = re.compile(r"[0-9A-Za-z](?:[0-9A-Za-z-]{0,37}[0-9A-Za-z])?")
LONGEST_NAME = 34  # characters that GitHub takes
_PATIENCE = 20  # seconds, while an App is made
DOTCOM = "https://github.com"
_CLOUD = ".ghe.com"  # GitHub Enterprise Cloud with data residency
_DESCRIPTION = "Asks for what vague issues leave out, and judges coding agents' pull requests by running them."


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


class ManifestError(PlainError):
    """The App could not be registered or taken over. The message says the mend, and holds no secret."""


@dataclass(frozen=True, slots=True)
class AppCredentials:
    """What GitHub gives for an App, once. html_url: its public page, from which it is installed."""

    app_id: int
    slug: str
    html_url: str
    private_key: str = field(repr=False)
    webhook_secret: str = field(repr=False)
    client_id: str = ""
    client_secret: str = field(default="", repr=False)

    @property
    def install_url(self) -> str:
        """Where people choose the repositories."""
        return f"{self.html_url}/installations/new"

    def environment(self) -> dict[str, str]:
        """The variables that make Bouncer this App. What is empty is left out."""
        named = {
            "BOUNCER_APP_ID": str(self.app_id),
            "BOUNCER_PRIVATE_KEY": self.private_key,
            "BOUNCER_WEBHOOK_SECRET": self.webhook_secret,
            "BOUNCER_CLIENT_ID": self.client_id,
            "BOUNCER_CLIENT_SECRET": self.client_secret,
        }
        return {name: value for name, value in named.items() if value}


def api_url_of(web_url: str) -> str:
    """The REST address of a GitHub whose pages are there: github.com, a `*.ghe.com`, or a server of one's own."""
    address = urlsplit(web_url.rstrip("/"))
    if address.hostname == "github.com":
        return "https://api.github.com"
    if (address.hostname or "").endswith(_CLOUD):
        return f"{address.scheme}://api.{address.netloc}"
    return f"{address.scheme}://{address.netloc}/api/v3"


def register_url(web_url: str, organization: str, state: str) -> str:
    """Where a browser posts the manifest. organization: empty for the account that is signed in there."""
    owner = f"organizations/{quote(organization, safe='')}/settings" if organization else "settings"
    return f"{web_url.rstrip('/')}/{owner}/apps/new?state={quote(state, safe='')}"


def manifest(public_url: str, here: str, organization: str = "") -> dict[str, Any]:
    """What app.yml says, with the addresses of this server.

    public_url: where GitHub and people reach the web process. here: where GitHub sends the browser back to.
    """
    public = public_url.rstrip("/")
    name = (
        f"bouncer-{organization or secrets.token_hex(2)}"  # GitHub wants one that nobody has; it can be changed there
    )
    return {
        "name": name[:LONGEST_NAME].rstrip("-"),
        "description": _DESCRIPTION,
        "url": public,
        "public": False,
        "hook_attributes": {"url": f"{public}/webhook", "active": True},
        "redirect_url": f"{here.rstrip('/')}/setup/created",
        "callback_urls": [f"{public}/login/callback"],
        "setup_url": f"{public}/installed",
        "default_permissions": dict(PERMISSIONS),
        "default_events": sorted(EVENTS),
    }


def out_of_reach(public_url: str) -> bool:
    """Whether github.com can certainly not send anything there: this machine, or a private network."""
    host = urlsplit(public_url).hostname or ""
    if host == "localhost" or host.endswith((".localhost", ".local", ".internal")):
        return True
    try:
        return not ip_address(host).is_global
    except ValueError:
        return False


def convert(api_url: str, code: str) -> AppCredentials:
    """The credentials for a code, which works once and for an hour. Raises ManifestError."""
    if not CODE.fullmatch(code):
        raise ManifestError("GitHub's code is not as GitHub writes it. Begin again from the first page.")
    answer = _send(Transport(api_url, _PATIENCE), "POST", f"/app-manifests/{code}/conversions", "")
    if answer.status != 201:
        said = f"{answer.status} {answer.message}".strip()
        raise ManifestError(f"GitHub did not give the App's credentials ({said}). Begin again: a code works once.")
    found: Mapping[str, Any] = answer.data
    try:
        return AppCredentials(
            app_id=int(found["id"]),
            slug=str(found["slug"]),
            html_url=str(found["html_url"]),
            private_key=str(found["pem"]),
            webhook_secret=str(found["webhook_secret"] or ""),
            client_id=str(found.get("client_id") or ""),
            client_secret=str(found.get("client_secret") or ""),
        )
    except (KeyError, TypeError, ValueError):
        raise ManifestError("GitHub's answer has no credentials in it. Begin again from the first page.") from None


def take_over(api_url: str, app_id: int, private_key: str, public_url: str) -> AppCredentials:
    """Use an App that exists: its deliveries go here from now on, signed with a new secret.

    private_key: PEM that was checked. Raises ManifestError, and then changed nothing at GitHub.
    """
    transport, authorization = Transport(api_url, _PATIENCE), AppToken(app_id, private_key).header()
    found = _send(transport, "GET", "/app", authorization)
    if found.status != 200:
        mend = "Check that the key belongs to the App of this id, and the clock."
        raise ManifestError(f"GitHub refuses the App ({found.status} {found.message}). {mend}")
    secret = secrets.token_hex(32)
    hook = {"url": f"{public_url.rstrip('/')}/webhook", "content_type": "json", "secret": secret, "insecure_ssl": "0"}
    changed = _send(transport, "PATCH", "/app/hook/config", authorization, body=hook)
    if changed.status != 200:
        raise ManifestError(f"GitHub did not take the webhook's address ({changed.status} {changed.message}).")
    app = found.data
    client = str(app.get("client_id") or "")
    return AppCredentials(app_id, str(app["slug"]), str(app["html_url"]), private_key, secret, client)


def _send(transport: Transport, method: str, path: str, authorization: str, *, body: Any = None) -> Any:
    try:
        return transport.send(method, path, authorization, body=body)
    except GitHubError as error:
        raise ManifestError(f"GitHub cannot be reached: {error}. Check the network and the proxy.") from None
