"""Reading what everybody may read, without being an installed App: one public issue, or a public repository."""

from bot.github.channel import Channel, Pace, StaticToken
from bot.github.client import RepositoryClient
from bot.github.payloads import to_issue, to_repository
from bot.github.transport import Transport
from bot.github.values import Issue

PATIENCE = 10.0  # seconds a call may wait where GitHub asks for patience


def public_channel(api_url: str, token: str = "") -> Channel:
    """Calls as anybody, or with somebody's token. A wait of more than `PATIENCE` raises `RateLimited`."""
    return Channel(Transport(api_url), StaticToken(token), Pace(0.0, PATIENCE))


def read_issue(api_url: str, full_name: str, number: int) -> Issue:
    """The issue as anybody sees it. Raises a `GitHubError`; a private or absent one is `NotFound`."""
    return to_issue(public_channel(api_url).call("GET", f"/repos/{full_name}/issues/{number}").data)


def public_repository(api_url: str, full_name: str) -> RepositoryClient:
    """A repository as anybody sees it. Raises a `GitHubError`; a private or absent one is `NotFound`."""
    channel = public_channel(api_url)
    repository = to_repository(channel.call("GET", f"/repos/{full_name}").data)
    return RepositoryClient(channel, repository, 0, lambda: "")
