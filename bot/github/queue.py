"""The merge queue: which groups wait for a branch."""

import re
from urllib.parse import quote

from bot.github.channel import Channel
from bot.github.deliveries import MergeGroup

_HEADS, _QUEUE = "refs/heads/", "gh-readonly-queue"  # where GitHub keeps the groups, and nobody else may write
_NAMED = re.compile(r"/pr-(\d{1,18})-([0-9a-f]{40}|[0-9a-f]{64})\Z", re.ASCII)


class QueueCalls:
    """The part of `RepositoryClient` that concerns the merge queue."""

    _channel: Channel
    _base: str

    def merge_groups(self, branch: str) -> tuple[MergeGroup, ...]:
        """The groups that are in the queue for a branch now, as the names of their own branches tell."""
        path = f"{self._base}/git/matching-refs/heads/{_QUEUE}/{quote(branch)}/pr-"
        found = []
        for item in self._channel.call("GET", path).data:
            named = _NAMED.fullmatch(item["ref"].removeprefix(f"{_HEADS}{_QUEUE}/{branch}"))
            if named:
                found.append(MergeGroup(item["object"]["sha"], named[2], branch, int(named[1])))
        return tuple(found)
