"""GitHub under the token of a workflow's job (`GITHUB_TOKEN`): one repository, while the job runs.

What such a job writes is by `github-actions[bot]`, as is what every other workflow of the repository writes. So a
comment is Bouncer's own only where it also begins as Bouncer's do. Between two jobs nothing is kept but on GitHub: what
has to be remembered stands in the one comment and in the check, where no reader sees it.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from bot.github.app import PATIENCE, GitHubApp
from bot.github.channel import Channel, Pace, StaticToken
from bot.github.client import RepositoryClient
from bot.github.errors import NotFound
from bot.github.graphql import CHECKED, FORCED, REOPENED, RETARGETED, to_commits_with_checks, to_force_pushes, to_last
from bot.github.payloads import to_pull, to_repository
from bot.github.transport import Transport
from bot.github.values import Check, CheckRun, Comment, ForcedPush, Pull, Repository

SLUG = "github-actions"  # of the App by which jobs write
BEGINS = "<!-- bouncer:"  # all that Bouncer writes below an issue or a pull request
_MEMORY = re.compile(
    r"\n(<!-- bouncer:memory [0-9]+ [A-Za-z0-9+/=]+ -->)\s*\Z"
)  # the last line: nobody is quoted there
LARGEST_COMMENT = 65_536  # characters; GitHub takes no more


@dataclass(eq=False)
class Memories:
    """What stands unseen on GitHub, for all clients of a job. comments: by the comment's id. of_check: what to remember
    beside the check of a commit."""

    comments: dict[int, str] = field(default_factory=dict)
    of_check: Callable[[str], str] = lambda head: ""


class WorkflowClient(RepositoryClient):
    """As the App's client, but the memory is taken off what is read, and goes back on what is written."""

    memories: Memories

    def is_own(self, comment: Comment) -> bool:
        return super().is_own(comment) and comment.body.startswith(BEGINS)

    def get_comment(self, comment_id: int) -> Comment:
        return self._seen(super().get_comment(comment_id))

    def update_comment(self, comment_id: int, body: str) -> Comment:
        return self._seen(super().update_comment(comment_id, self._whole(comment_id, body)))

    def remember(self, comment: Comment, memory: str) -> None:
        """Put this into one of Bouncer's comments. Nothing is written where it stands there, or does not fit."""
        if self.memories.comments.get(comment.id, "") == memory or len(comment.body) + len(memory) > LARGEST_COMMENT:
            return
        self.memories.comments[comment.id] = memory
        self.update_comment(comment.id, comment.body)

    def put_check(self, check: Check, old: CheckRun | None = None, *, new: bool = False) -> CheckRun:
        """Without buttons: no workflow hears of their being pressed."""
        check = replace(check, text=self.memories.of_check(check.head_sha), buttons=())
        return super().put_check(check, old, new=new)

    def checks_of_jobs(self, head: str, name: str) -> tuple[CheckRun, ...]:
        """What jobs of this repository wrote of that name, newest first; none where GitHub does not have the commit any
        more."""
        try:
            return self.own_checks(head, name)
        except NotFound:
            return ()

    def open_pulls_from(self, owner: str, branch: str) -> tuple[Pull, ...]:
        """The open pull requests from a branch of that account's."""
        parameters = {"state": "open", "head": f"{owner}:{branch}", "sort": "created", "direction": "asc"}
        return tuple(map(to_pull, self._channel.pages(f"{self._base}/pulls", parameters=parameters)))

    def force_pushes(self, number: int) -> tuple[ForcedPush, ...]:
        """Those to a pull request's branch, the last first."""
        return to_force_pushes(self._query(FORCED, number=number))

    def commits_with_checks(self, number: int) -> tuple[tuple[str, ...], bool]:
        """Those of a pull request's newest commits on which jobs wrote checks, the newest first; and whether no commit
        was left out since there are too many."""
        return to_commits_with_checks(self._query(CHECKED, number=number, app=self._app_id))

    def last_base_change(self, number: int) -> datetime | None:
        """When a pull request was pointed at another branch for the last time."""
        return to_last(self._query(RETARGETED, number=number))

    def last_reopening(self, number: int) -> datetime | None:
        """When a pull request was opened again for the last time."""
        return to_last(self._query(REOPENED, number=number))

    def artifact_named(self, run_id: int, name: str) -> int | None:
        """The id of a workflow run's artifact; `None` without exactly one of that name."""
        where = f"{self._base}/actions/runs/{run_id}/artifacts"
        found = self._channel.call("GET", where, parameters={"name": name}).data["artifacts"]
        return int(found[0]["id"]) if len(found) == 1 and not found[0]["expired"] else None

    def _comments(self, number: int) -> Iterator[Comment]:
        return map(self._seen, super()._comments(number))

    def _seen(self, comment: Comment) -> Comment:
        """Without the memory, which only counts in a comment of Bouncer's own."""
        found = _MEMORY.search(comment.body) if self.is_own(comment) else None
        if found is None:
            return comment
        self.memories.comments[comment.id] = found[1]
        return replace(comment, body=comment.body[: found.start()].rstrip() + "\n")

    def _whole(self, comment_id: int, body: str) -> str:
        memory = self.memories.comments.get(comment_id, "")
        whole = f"{body.rstrip()}\n\n{memory}" if memory else body
        return whole if len(whole) <= LARGEST_COMMENT else body


class WorkflowGitHub(GitHubApp):
    """In the place of the App, for the one repository of a job."""

    def __init__(self, app_id: int, channel: Channel, memories: Memories) -> None:
        """What the App does beside, such as listing installations, is a server's work and is not there."""
        self.id = app_id
        self.memories = memories
        self._only = channel

    @classmethod
    def enter(cls, api_url: str, token: str, *, seconds_between_writes: float) -> "WorkflowGitHub":
        """Asks GitHub for the id of the App that jobs write by, which each server has its own of. Raises
        `GitHubError`."""
        channel = Channel(Transport(api_url), StaticToken(token), Pace(seconds_between_writes, PATIENCE))
        return cls(int(channel.call("GET", f"/apps/{SLUG}").data["id"]), channel, Memories())

    @property
    def slug(self) -> str:
        """None: a mention of `github-actions` is no word to Bouncer."""
        return ""

    def about(self, full_name: str) -> Repository:
        """What GitHub says of the repository. Raises `GitHubError`."""
        return to_repository(self._only.call("GET", f"/repos/{full_name}").data)

    def repository(self, installation_id: int, repository: Repository) -> WorkflowClient:
        client = WorkflowClient(self._only, repository, self.id, lambda: f"{SLUG}[bot]")
        client.memories = self.memories
        return client

    def _installed(self, installation_id: int) -> Channel:
        return self._only
