"""People who sign in through the App: its OAuth web flow, and what GitHub lets them see.

Everything is asked with the person's own token, so that nobody sees more here than on GitHub. The token stands in no
message and in no log.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

import requests
from pydantic import SecretStr
from requests.auth import AuthBase

from bot.github.errors import NotFound, Rejected, Unauthorized, Unavailable, error_for
from bot.github.fields import FULL_NAME, count, json_list, text

TIMEOUT = 10  # seconds to connect, and between two bytes of the answer: somebody waits for a page
_MOST_PAGES = 10  # of 100
_HEADERS = {"Accept": "application/vnd.github+json", "User-Agent": "bouncer", "X-GitHub-Api-Version": "2022-11-28"}


@dataclass(frozen=True, slots=True)
class VisibleRepository:
    """One that somebody may see."""

    id: int
    full_name: str


class _Bearer(AuthBase):
    """As an object: what a `.netrc` says would replace a plain header."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


@dataclass(frozen=True, slots=True)
class SignInApp:
    """The App as GitHub's sign-in knows it. redirect_uri: its callback, as registered there."""

    web_url: str
    api_url: str
    client_id: str
    client_secret: SecretStr
    redirect_uri: str

    def authorize_url(self, state: str, challenge: str) -> str:
        """Where a browser is sent. challenge: of the PKCE verifier, by S256 (RFC 7636)."""
        asked = {
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return f"{self.web_url.rstrip('/')}/login/oauth/authorize?{urlencode(asked)}"

    def token(self, code: str, verifier: str) -> str:
        """The token for a code that GitHub sent the browser back with. Raises `Unauthorized` for one that is no good,
        `Unavailable` without an answer."""
        sent = {
            "client_id": self.client_id,
            "client_secret": self.client_secret.get_secret_value(),
            "code": code,
            "redirect_uri": self.redirect_uri,
            "code_verifier": verifier,
        }
        where = f"{self.web_url.rstrip('/')}/login/oauth/access_token"
        answer = _send("POST", where, data=sent, headers={"Accept": "application/json", "User-Agent": "bouncer"})
        if not (token := text(answer, "access_token")):
            raise Unauthorized(f"GitHub gave no token: {text(answer, 'error')[:60]}")
        return token

    def login(self, token: str) -> str:
        """Whose token it is. Raises a `GitHubError`."""
        return text(self._read("/user", token), "login")

    def repository(self, token: str, full_name: str) -> VisibleRepository:
        """One by its name, which it may have had before. Raises `NotFound` where this person may not see it, another
        `GitHubError` where that is not known."""
        if not FULL_NAME.fullmatch(full_name):
            raise NotFound("no name of a repository", 404)
        return _seen(self._read(f"/repos/{full_name}", token))

    def repositories(self, token: str) -> Iterator[VisibleRepository]:
        """Those with the App in which the person has a role. Raises a `GitHubError`."""
        for installation in self._pages("/user/installations", "installations", token):
            where = f"/user/installations/{count(installation, 'id')}/repositories"
            yield from map(_seen, self._pages(where, "repositories", token))

    def revoke(self, token: str) -> None:
        """Whoever has a copy of the token can do nothing with it any more. Raises a `GitHubError`."""
        where = f"{self.api_url.rstrip('/')}/applications/{quote(self.client_id)}/token"
        auth = (self.client_id, self.client_secret.get_secret_value())
        _send("DELETE", where, json={"access_token": token}, headers=_HEADERS, auth=auth)

    def _pages(self, path: str, key: str, token: str) -> Iterator[Any]:
        for number in range(1, _MOST_PAGES + 1):
            found = json_list(self._read(f"{path}?per_page=100&page={number}", token).get(key))
            yield from found
            if len(found) < 100:
                return

    def _read(self, path: str, token: str) -> Any:
        return _send("GET", f"{self.api_url.rstrip('/')}{path}", headers=_HEADERS, auth=_Bearer(token))


def _seen(repository: Any) -> VisibleRepository:
    return VisibleRepository(count(repository, "id"), text(repository, "full_name"))


def _send(method: str, address: str, **given: Any) -> Any:
    """The answer's object. Only reads follow where GitHub sends them."""
    try:
        answer = requests.request(method, address, timeout=TIMEOUT, allow_redirects=method == "GET", **given)
    except requests.RequestException as error:
        raise Unavailable(f"GitHub did not answer ({type(error).__name__})") from None
    if answer.status_code >= 500 or answer.status_code == 429:
        raise Unavailable("GitHub gave no usable answer", answer.status_code)
    if answer.status_code == 403 and (
        "retry-after" in answer.headers or answer.headers.get("x-ratelimit-remaining") == "0"
    ):
        raise Unavailable("GitHub asks for patience", answer.status_code)
    if answer.status_code == 204:
        return {}
    if answer.status_code != 200:
        raise error_for(answer.status_code, f"{method}: {answer.status_code}")
    try:
        data: Any = answer.json()
    except requests.JSONDecodeError:
        raise Unavailable("GitHub's answer is not JSON", answer.status_code) from None
    if not isinstance(data, dict):
        raise Rejected("GitHub's answer is no object", answer.status_code)
    return data
