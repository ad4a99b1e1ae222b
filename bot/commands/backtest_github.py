"""Where `bouncer backtest OWNER/REPO` takes the past from: GitHub, kept as an export in the cache."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from bot.backtest.download import calls_of, download
from bot.backtest.export import TIMELINE
from bot.commands.own_clone import UNWRITABLE, unwritable_cache
from bot.commands.shared import InputError
from bot.github.channel import Channel, StaticToken
from bot.github.errors import Forbidden, GitHubError, NotFound, RateLimited, Unauthorized
from bot.github.mirror import Mirrors
from bot.github.payloads import to_repository
from bot.github.public import public_channel
from bot.github.values import Repository
from bot.settings import Settings
from bot.storage.directories import lock

ANONYMOUS, WITH_TOKEN = 60, 5_000  # calls an hour, where GitHub does not say how many it answers
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[\w.-]{1,100}")
_SOONER = "Set BOUNCER_GITHUB_TOKEN to a token of yours"


def fetch_export(
    name: str, issues: int, pulls: int, settings: Settings
) -> tuple[Path, str, tuple[str, ...], Repository]:
    """The export's folder, the repository's name as GitHub spells it, what the reader should know, and the repository.
    Raises `InputError`."""
    if not _NAME.fullmatch(name):
        raise InputError(f"{name}: there is no such folder, and it is not OWNER/REPO.")
    token = settings.github_token.get_secret_value() if settings.github_token else ""
    channel = public_channel(settings.github_api_url, token)
    try:
        return _fetched(channel, name, issues, pulls if token else 0, settings, token)
    except UNWRITABLE:
        raise unwritable_cache(settings) from None
    except NotFound:
        mend = "check what the token may see" if token else f"{_SOONER} if it is private"
        raise InputError(f"{name}: GitHub shows no such repository. Check the name, or {mend}.") from None
    except Unauthorized:
        raise InputError("GitHub does not accept BOUNCER_GITHUB_TOKEN. Make a new one, or leave it out.") from None
    except Forbidden as error:
        raise InputError(f"{name}: the token may not read this ({error}). It needs read access to issues.") from None
    except RateLimited as limit:
        raise InputError(f"GitHub answers no more calls for now. {_again(limit.retry_after, token)}") from None
    except GitHubError as error:
        raise InputError(f"{name}: GitHub gave no answer to work with: {error}. Run it again.") from None


def history_of(repository: Repository, settings: Settings, pulls: Sequence[int]) -> tuple[Path, str]:
    """A git directory with the repository's history and these pull requests, and its newest commit. Raises
    `InputError`."""
    token = settings.github_token.get_secret_value() if settings.github_token else ""
    credential = StaticToken(token) if token else None
    try:
        return Mirrors.from_settings(settings).history(repository, credential, pulls)
    except GitHubError as error:
        raise InputError(f"{repository.full_name}: its history cannot be fetched: {error}.") from None


def _fetched(
    channel: Channel, name: str, issues: int, pulls: int, settings: Settings, token: str
) -> tuple[Path, str, tuple[str, ...], Repository]:
    answer = channel.call("GET", f"/repos/{name}")
    repository = to_repository(answer.data)
    folder = settings.cache_dir / "backtest" / repository.full_name.replace("/", "+").lower()
    calls, hourly = calls_of(folder, issues, pulls, token=bool(token)), _hourly(answer.headers, token)
    console = Console(stderr=True)
    hours = f", which takes {-(-calls // hourly)} hours" if calls > hourly else ""
    console.print(f"At most {calls} calls to GitHub, which answers {hourly:,} an hour{hours}.", highlight=False)
    show = Progress(console=console, transient=True, disable=not console.is_terminal)
    with (
        lock(folder.with_name(f"{folder.name}.lock")),
        show as progress,
    ):  # a second run waits, then goes on from there
        task = progress.add_task("Fetching")
        found = download(
            channel,
            repository.full_name,
            folder,
            issues,
            pulls,
            token=bool(token),
            progress=lambda done, total: progress.update(task, completed=done, total=total),
        )
    if not found.wait:
        return folder, repository.full_name, (), repository
    again = _again(found.wait, token)
    if not (folder / TIMELINE).is_file():
        raise InputError(f"GitHub answers no more calls for now. {again}")
    return folder, repository.full_name, (f"GitHub's rate limit stopped this. {again}",), repository


def _hourly(headers: Mapping[str, str], token: str) -> int:
    """Calls an hour: an organisation's App, or a server of one's own, has another number."""
    said = headers.get("x-ratelimit-limit", "")
    return int(said) if re.fullmatch(r"[1-9]\d{0,8}", said, re.ASCII) else WITH_TOKEN if token else ANONYMOUS


def _again(seconds: float, token: str) -> str:
    at = datetime.now().astimezone() + timedelta(seconds=seconds)
    sooner = "" if token else f" {_SOONER} to go on now."
    return f"Run the same again from {at:%H:%M} on; it goes on where it stopped.{sooner}"
