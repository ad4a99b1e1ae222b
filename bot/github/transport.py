"""One HTTP exchange with GitHub, carried by PyGithub's requester; it decides nothing.

PyGithub's objects are not used on top of it: they complete themselves with requests of their own, know no conditional
reads, and PyGithub's default retry repeats a POST after a 5xx, which may post a comment twice. Three of its edges are
handled here. It follows a 301 but drops the query, which would read another branch: our connections call it a 308, and
we follow that. A requester keeps the request in flight in its connection object, so it must not be shared between
threads: every thread has its own. And at DEBUG it logs whole answers, installation tokens included: not here.
"""

import json
import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import requests
from github.Requester import (
    HTTPRequestsConnectionClass,
    HTTPSRequestsConnectionClass,
    Requester,
    RequestsResponse,
)
from urllib3.exceptions import NewConnectionError

from bot.github.errors import Unavailable

TIMEOUT = 20  # seconds to connect, and between two bytes of an answer

logging.getLogger(Requester.__module__).setLevel(logging.INFO)


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """Header names are in lower case; `data` is the parsed JSON, `None` for an empty body, or the text where something
    else than JSON was asked for."""

    status: int
    headers: Mapping[str, str]
    data: Any

    @property
    def message(self) -> str:
        """GitHub's own explanation of an error: one line of at most 200 characters."""
        text = self.data.get("message") if isinstance(self.data, dict) else None
        return " ".join(text.split())[:200] if isinstance(text, str) else ""


class _Plain(HTTPRequestsConnectionClass):
    def getresponse(self) -> RequestsResponse:
        return _unfollowed(super().getresponse())


class _Secure(HTTPSRequestsConnectionClass):
    def getresponse(self) -> RequestsResponse:
        return _unfollowed(super().getresponse())


def _unfollowed(response: RequestsResponse) -> RequestsResponse:
    response.status = 308 if response.status == 301 else response.status
    return response


class Transport:
    """Sends requests to one GitHub (`base_url` is its REST address). Thread-safe."""

    def __init__(self, base_url: str, timeout: int = TIMEOUT) -> None:
        self._base_url = base_url.rstrip("/")
        self._timeout = timeout
        self._local = threading.local()
        self._host = urlsplit(self._base_url)

    @property
    def graphql_url(self) -> str:
        """Where GraphQL is asked: beside REST on github.com, beside its `/v3` on GitHub Enterprise Server."""
        return self._requester.graphql_url

    def send(
        self,
        method: str,
        path: str,
        authorization: str,
        *,
        parameters: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
    ) -> HttpAnswer:
        """The answer, whatever its status. Raises `Unavailable` when there is none; `path` may be GitHub's own URL."""
        sent = {"Accept": "application/vnd.github+json", **(headers or {})}
        if authorization:  # none: as anybody
            sent["Authorization"] = authorization
        try:
            asked = dict(parameters or {})
            status, received, text = self._requester.requestJson(method, path, asked, sent, body, self._connection)
            if status in (307, 308) and "location" in received:  # renamed or moved
                path = self._moved_to(received["location"])
                status, received, text = self._requester.requestJson(method, path, asked, sent, body, self._connection)
        except requests.RequestException as error:
            problem = "no connection to GitHub" if _never_sent(error) else "GitHub did not answer"
            raise Unavailable(f"{problem} ({type(error).__name__})", maybe_done=not _never_sent(error)) from None
        as_text = status < 300 and not sent["Accept"].endswith("json")
        return HttpAnswer(status, received, text if as_text else _parse(status, text))

    def _moved_to(self, location: str) -> str:
        """The token goes nowhere but to GitHub."""
        address = urlsplit(location)
        if address.netloc and (address.scheme, address.netloc) != (self._host.scheme, self._host.netloc):
            raise Unavailable("GitHub redirects to another address; check BOUNCER_GITHUB_API_URL")
        return location if address.netloc else f"{self._host.scheme}://{self._host.netloc}{location}"

    @property
    def _connection(self) -> HTTPRequestsConnectionClass | HTTPSRequestsConnectionClass:
        """Kept open from call to call."""
        found: HTTPRequestsConnectionClass | HTTPSRequestsConnectionClass | None
        found = getattr(self._local, "connection", None)
        if found is None:
            kind = _Secure if self._host.scheme == "https" else _Plain
            found = kind(self._host.hostname or "", self._host.port, timeout=self._timeout, verify=True)
            self._read_environment(found)
            self._local.connection = found
        return found

    def _read_environment(self, connection: HTTPRequestsConnectionClass | HTTPSRequestsConnectionClass) -> None:
        """Which proxy and certificates it names, once: `requests` would look for them at each call, which takes a tenth
        of one."""
        session = connection.session
        found = session.merge_environment_settings(self._base_url, {}, None, connection.verify, None)
        session.proxies, connection.verify, session.trust_env = found["proxies"], found["verify"], False

    @property
    def _requester(self) -> Requester:
        found: Requester | None = getattr(self._local, "requester", None)
        if found is None:
            found = self._local.requester = Requester(
                auth=None,
                base_url=self._base_url,
                timeout=self._timeout,
                user_agent="bouncer",
                per_page=100,
                verify=True,
                retry=None,
                pool_size=None,
                api_version="2022-11-28",
            )
        return found


def _never_sent(error: requests.RequestException) -> bool:
    """Whether GitHub certainly saw nothing: no connection came about."""
    if isinstance(error, requests.ConnectTimeout):
        return True
    cause = error.args[0] if error.args else None
    return isinstance(getattr(cause, "reason", cause), NewConnectionError)


def _parse(status: int, text: str) -> Any:
    if not text:
        return None
    try:
        return json.loads(text)
    except ValueError:
        if status < 300:  # a proxy's page, or an answer that was cut off
            raise Unavailable("GitHub's answer is not JSON", status, maybe_done=True) from None
        return None
