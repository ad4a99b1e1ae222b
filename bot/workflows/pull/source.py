"""Where the change of a pull request is read: as GitHub shows it, or in git, which has what GitHub's API does not show,
or only for many calls."""

from functools import cached_property
from pathlib import Path

from bot.changes.read import LARGEST as LARGEST_DIFF
from bot.changes.read import read_change
from bot.changes.syntax import LARGEST as LARGEST_FILE
from bot.changes.values import Change, FileChange
from bot.github import commits
from bot.github.channel import Credential
from bot.github.client import RepositoryClient
from bot.github.errors import GitHubError, NotFound, Rejected, Unavailable
from bot.github.mirror import Mirrors
from bot.github.values import Repository


def change_between(client: RepositoryClient, base: str, head: str) -> Change | None:
    """Between two hashes, in one call; `None` where GitHub does not show it."""
    try:
        return read_change(client.difference(base, head))
    except (NotFound, Rejected, Unavailable):
        return None


class MirrorSource:
    """Two commits in the mirror on this machine, and where there is one that into which the head is to go (`tip`);
    nothing is fetched before something is asked for. Executing the change needs them all the same."""

    def __init__(
        self,
        mirrors: Mirrors,
        repository: Repository,
        base: str,
        head: str,
        credential: Credential | None,
        *,
        tip: str = "",
    ) -> None:
        self._mirrors = mirrors
        self._repository = repository
        self._base = base
        self._head = head
        self._credential = credential
        self._tip = tip or base

    def diff(self) -> bytes:
        """What `git diff` prints, cut where Bouncer reads no further. Raises `GitHubError`."""
        return commits.diff(self._directory, self._base, self._head, LARGEST_DIFF + 1)

    def whole(self, file: FileChange) -> tuple[str, str] | None:
        """A changed or moved file before and after; `None` where it cannot be had, or is too large to be looked at."""
        try:
            directory = self._directory
        except GitHubError:
            return None
        return commits.text_in_both(
            directory, self._base, self._head, file.path, LARGEST_FILE, moved_from=file.old_path
        )

    def mentions(self, texts: tuple[str, ...]) -> tuple[tuple[str, str], ...] | None:
        """The lines of the head, and of what it is to go into, that hold one of these, each with its path; `None` where
        they cannot be had."""
        try:
            directory = self._directory
            self._mirrors.fetch(self._repository, self._tip, self._credential)
            return commits.mentions(directory, (self._head, self._tip), texts)
        except GitHubError:
            return None

    @cached_property
    def _directory(self) -> Path:
        """The mirror with both commits in it. Raises `GitHubError`, and the same again when asked again."""
        self._mirrors.fetch(self._repository, self._base, self._credential)
        return self._mirrors.directory(self._repository, self._head, self._credential)[0]
