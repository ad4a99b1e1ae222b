"""What maintainers said below an issue or a pull request, read back from its comments.

Who wrote a comment GitHub vouches for, and it is asked what they may do, now. Comments of bots and through Apps say
nothing. An edited comment counts for nothing either: GitHub does not tell who edited it.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from bot.github.client import RepositoryClient
from bot.github.values import Comment
from bot.markdown.commands import Command, parse
from bot.policy import Agents
from bot.pulls.agents import no_persons_word
from bot.verdicts import State
from bot.workflows.commands import WINGS, Right, as_shown, handlers, may

Permission = Callable[[str], str | None]  # of a login; None is unknown, which is no


@dataclass(frozen=True, slots=True)
class CommentCommand:
    """One command of a person's. line: which of the comment's commands."""

    command: Command
    comment: Comment
    line: int

    @property
    def at(self) -> datetime:
        return datetime.fromisoformat(self.comment.created_at)

    @property
    def name(self) -> str:
        """Names its effect, so that it happens once; as the server names it."""
        return f"{self.comment.name}, line {self.line}"


def commands_in(comments: Iterable[Comment], slug: str, agents: Agents, *, but: int | None) -> Iterator[CommentCommand]:
    """The commands of persons, oldest first. but: the id of a comment that is carried out as a delivery."""
    for comment in comments:
        through_app = comment.app_id is not None
        if comment.id == but or comment.updated_at != comment.created_at:
            continue
        if no_persons_word(comment.author, comment.author_is_bot, through_app, agents):
            continue
        for line, command in enumerate(parse(comment.body, slug)):
            yield CommentCommand(command, comment, line)


def as_read(client: RepositoryClient, number: int, said: CommentCommand, slug: str) -> CommentCommand | None:
    """What lifts something, as GitHub shows it to readers; `None` where it does not. Raises `GitHubError`."""
    known = (handlers(wing).get(said.command.word) for wing in WINGS)
    if not any(handler.lifts for handler in known if handler is not None):
        return said
    seen = as_shown(client, said.comment, number, said.command, slug)
    return None if isinstance(seen, str) else replace(said, command=seen)


def issue_state(
    said: Iterable[CommentCommand], permission: Permission, seen: Callable[[CommentCommand], CommentCommand | None]
) -> tuple[State, Comment | None]:
    """Whether Bouncer still looks at an issue, after `accept`, `pause` and `resume` of those who may; and the last of
    these words. seen: `as_read` of this issue."""
    state, last = State.ACTIVE, None
    for each in said:
        wanted = {"accept": State.ACCEPTED, "pause": State.PAUSED, "resume": State.ACTIVE}.get(each.command.word)
        if wanted is None or state is State.ACCEPTED:
            continue
        if may(Right.TRIAGE, permission(each.comment.author)) and seen(each):
            state, last = wanted, each.comment
    return state, last
