"""Reading what everybody may read, without being an installed App: one public issue, or a public repository."""

from typing import Any

import requests

from bot.github.channel import Channel, Pace, StaticToken
from bot.github.client import RepositoryClient
from bot.github.errors import Unavailable, error_for
from bot.github.payloads import to_issue, to_repository
from bot.github.transport import Transport
from bot.github.values import Issue

PATIENCE = 10.0  # seconds a call may wait where GitHub asks for patience
TIMEOUT = 20  # seconds to connect, and between two bytes of the answer
_HEADERS = {"Accept": "application/vnd.github+json", "User-Agent": "bouncer", "X-GitHub-Api-Version": "2022-11-28"}


def read_issue(api_url: str, full_name: str, number: int) -> Issue:
    """The issue as anybody sees it. Raises a `GitHubError`; a private or absent one is `NotFound`."""
    address = f"{api_url.rstrip('/')}/repos/{full_name}/issues/{number}"
    try:
        answer = requests.get(address, headers=_HEADERS, timeout=TIMEOUT)
        data: Any = answer.json()
    except requests.RequestException as error:
        raise Unavailable(f"GitHub did not answer ({type(error).__name__})") from None
    if answer.status_code >= 500 or not isinstance(data, dict):
        raise Unavailable("GitHub gave no usable answer", answer.status_code)
    if answer.status_code != 200:
        raise error_for(answer.status_code, str(data.get("message", ""))[:200])
    return to_issue(data)


def public_channel(api_url: str, token: str = "") -> Channel:
    """Calls as anybody, or with somebody's token. A wait of more than `PATIENCE` raises `RateLimited`."""
    return Channel(Transport(api_url), StaticToken(token), Pace(0.0, PATIENCE))


def public_repository(api_url: str, full_name: str) -> RepositoryClient:
    """A repository as anybody sees it. Raises a `GitHubError`; a private or absent one is `NotFound`."""
    channel = public_channel(api_url)
    repository = to_repository(channel.call("GET", f"/repos/{full_name}").data)
    return RepositoryClient(channel, repository, 0, lambda: "")
