"""The commands of the wings, which each declares in its `commands.py`: a word, who may give it, and what it does; and
their answers: a comment of its own each, so that whoever asked hears of it, and later ones stay readable.

A new command is a function there with its line in `COMMANDS`, and its line in the help, in
`bot/rendering/words.toml`.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from importlib import import_module
from typing import Any, ClassVar

from bot.github.client import RepositoryClient
from bot.github.deliveries import Delivery
from bot.github.errors import Forbidden, NotFound
from bot.github.values import Comment, CommentPlace
from bot.markdown.commands import Command, meant, parse, parse_all, parse_html
from bot.policy import Policy
from bot.pulls.agents import no_persons_word
from bot.rendering.comment import AnswerMark, answer_to, mark_of
from bot.workflows.issue.apply import same
from bot.workflows.workflow import JobContext

WINGS = ("issue", "pull", "review")
COMMENTS = ("issue_comment", "pull_request_review", "pull_request_review_comment")  # events of what people write
MOST_A_DAY = 5  # answers under one subject to people who may not write there; then a reaction has to do
LOCKED = "not answered: its conversation is locked"
_WRITTEN = ("created", "edited", "submitted")
_WRITE = frozenset({"write", "maintain", "admin"})
_TRIAGE = _WRITE | {"triage"}


class Right(StrEnum):
    """Who may give a command, in plain words for a refusal."""

    ANYBODY = "anybody"
    REPORTER = "the reporter and people with triage rights"
    TRIAGE = "people with triage rights"
    WRITE = "people who may write to this repository"
    OVERRIDE = "people whom `pulls.override` names"


@dataclass(frozen=True, slots=True)
class CommandHandler:
    """word: as people write it. right: who may give it; its wing asks before it is carried out, and at the gate it does
    so itself. carry_out: what it does, given the wing's own context first. lifts: it may end a hold, or keep one from
    coming; then `as_shown` comes first."""

    word: str
    right: Right
    carry_out: Callable[..., Any]
    lifts: bool = False


def may(right: Right, permission: str | None) -> bool:
    """Whether whoever has this GitHub permission may. Unknown permission means no."""
    return permission is not None and permission.lower() in (_WRITE if right is Right.WRITE else _TRIAGE)


@cache
def handlers(wing: str) -> dict[str, CommandHandler]:
    """The commands of a wing, by word."""
    return {handler.word: handler for handler in import_module(f"bot.workflows.{wing}.commands").COMMANDS}


@cache
def words(*wings: str) -> frozenset[str]:
    """All that can be said in these wings."""
    return frozenset(word for wing in wings for word in handlers(wing))


def handler_of(wing: str, command: Command) -> CommandHandler:
    """What carries a command out in a wing that has a help for all others."""
    known = handlers(wing)
    return known["help"] if command.misplaced else known.get(command.word, known["help"])


def what_was_tried(command: Command, *here: str) -> dict[str, Any]:
    """For a help that answers a command: what was tried, and what may have been meant. here: the wings of the place."""
    tried = command.misplaced or command.word != "help"
    own = words(*here)
    return {
        "unknown": command.word if tried else "",
        "elsewhere": tried and command.word in words(*WINGS) - own,
        "meant": meant(command.word, own) if tried else "",
        "misplaced": command.misplaced,
    }


def commands_of(delivery: Delivery, slug: str) -> tuple[Command, ...]:
    """New commands: of a new comment, or in lines an edit added. slug: the App's name. Bots never command.

    Each word counts once, so that nobody can have a comment of a thousand lines answered a thousand times; so do all
    those together that mean nothing. Where there is none, one that is misplaced is given, so that it is answered.
    """
    if delivery.comment is None or delivery.action not in _WRITTEN or delivery.sender_is_bot:
        return ()
    found, known = parse_all(delivery.comment.body, slug, delivery.previous_body), words(*WINGS)
    plain = [command for command in found if not command.misplaced]
    tried = [command for command in found if command.misplaced and meant(command.word, known)]
    once = {command.word if command.word in known else "": command for command in reversed(plain or tried[:1])}
    return tuple(once.values())[::-1]


def as_shown(client: RepositoryClient, comment: Comment, number: int, command: Command, slug: str) -> Command | str:
    """A command as GitHub shows it to readers, asked anew; else why it does not count, as the name of the template that
    says so. Raises `GitHubError`."""
    html = client.html_of(comment, number)
    if html is None:
        return "command_changed"
    raw, seen = (
        [each for each in found if each.word == command.word]
        for found in (parse(comment.body, slug), parse_html(html, slug))
    )
    return seen[raw.index(command)] if command in raw and len(raw) == len(seen) else "command_unseen"


class CommandContext(JobContext):
    """A delivery by which somebody may command. wing: whose commands these are."""

    wing: ClassVar[str]

    @property
    def delivery(self) -> Delivery:
        """With what it is about as that was then."""
        assert self.job.delivery is not None
        return self.job.delivery

    def may(self, right: Right, author: str = "") -> bool:
        """Whether whoever wrote these words may: an edit is by its sender. Bots never command. author: whose the issue
        is. Permission is only asked for where it matters."""
        who = self.delivery.sender
        if self.delivery.sender_is_bot:
            return False
        free = right is Right.ANYBODY or (right is Right.REPORTER and who == author)
        return free or may(right, self.client.permission(who))

    def claims(self, command: Command, comment: Comment) -> bool:
        """Whether this run is the one that carries it out: once for each version of a comment, however often it is
        told."""
        where = f"{self.wing}:{command.word}"
        key = where if comment.place is CommentPlace.CONVERSATION else f"{comment.place} {where}"
        now, run_id = self.services.now(), self.job.run_id
        return self.services.commands.claim(comment.id, comment.updated_at, key, claimant=run_id, now=now)

    def reread(self, handler: CommandHandler, command: Command) -> Command | str:
        """As GitHub shows it to readers, where that matters; else why it does not count. Raises `GitHubError`."""
        comment = self.delivery.comment
        if not handler.lifts or comment is None:
            return command
        return as_shown(self.client, comment, self.job.number, command, self.services.github.slug)


def not_a_persons(delivery: Delivery, policy: Policy | None, *, own: bool = False) -> str:
    """Why what somebody wrote, pressed or did is no person's own word, as a sentence. own: the comment is this App's,
    in which people tick boxes."""
    through_app = delivery.comment is not None and delivery.comment.app_id is not None and not own
    agents = (policy or Policy()).pulls.agents
    return no_persons_word(delivery.sender, delivery.sender_is_bot, through_app, agents)


@dataclass(frozen=True, slots=True)
class AnswerTarget:
    """Where an answer goes. key: names the command, so that it is answered once. who: their login. comment: that with
    the command; `None` where a button was pressed. done: it was carried out, and its outcome is waited for: that is
    always told."""

    key: str
    who: str
    comment: Comment | None
    done: bool = False


def answer(client: RepositoryClient, number: int, asked: AnswerTarget, text: str, now: datetime) -> str:
    """Answer a command, or bring its answer up to date. Returns how. May be repeated. Raises `GitHubError`."""
    given = {each: mark for each in client.comments(number) if (mark := mark_of(each.body)) and client.is_own(each)}
    standing = next((each for each, mark in given.items() if mark.key == asked.key), None)
    guest = not asked.done and not may(Right.WRITE, client.permission(asked.who))
    body = answer_to(AnswerMark(asked.key, guest), text)
    try:
        if standing is not None:
            if not same(standing.body, body):
                client.update_comment(standing.id, body)
            return "answered"
        today = [each for each, mark in given.items() if mark.guest and _is_today(each.created_at, now)]
        if guest and len(today) >= MOST_A_DAY:
            if asked.comment is not None and asked.comment.place is CommentPlace.CONVERSATION:
                with suppress(NotFound):  # deleted meanwhile
                    client.react(asked.comment.id, "eyes")
            return f"not answered in words: {MOST_A_DAY} were answered today"
        client.create_comment(number, body)
    except Forbidden:
        if not client.get_issue(number).locked:
            raise
        return LOCKED
    return "answered"


def _is_today(at: str, now: datetime) -> bool:
    return datetime.fromisoformat(at).astimezone(now.tzinfo).date() == now.date()
