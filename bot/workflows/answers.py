"""Answers to commands: a comment of its own each, so that whoever asked hears of it, and later ones stay readable."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from bot.github.client import RepositoryClient
from bot.github.errors import Forbidden, NotFound
from bot.rendering.comment import AnswerMark, answer_to, mark_of
from bot.workflows.issue.apply import same

MOST_A_DAY = 5  # answers under one subject to people who may not write there; then a reaction has to do
LOCKED = "not answered: its conversation is locked"
_WRITERS = frozenset({"write", "maintain", "admin"})


@dataclass(frozen=True, slots=True)
class AnswerTarget:
    """Where an answer goes. key: names the command, so that it is answered once. who: their login. comment: the id of
    the comment with the command; `None` where a button was pressed. done: it was carried out, and its outcome is waited
    for: that is always told."""

    key: str
    who: str
    comment: int | None
    done: bool = False


def answer(client: RepositoryClient, number: int, asked: AnswerTarget, text: str, now: datetime) -> str:
    """Answer a command, or bring its answer up to date. Returns how. May be repeated. Raises `GitHubError`."""
    given = {each: mark for each in client.comments(number) if (mark := mark_of(each.body)) and client.is_own(each)}
    standing = next((each for each, mark in given.items() if mark.key == asked.key), None)
    guest = not asked.done and client.permission(asked.who) not in _WRITERS
    body = answer_to(AnswerMark(asked.key, guest), text)
    try:
        if standing is not None:
            if not same(standing.body, body):
                client.update_comment(standing.id, body)
            return "answered"
        today = [each for each, mark in given.items() if mark.guest and _is_today(each.created_at, now)]
        if guest and len(today) >= MOST_A_DAY:
            if asked.comment is not None:
                with suppress(NotFound):  # deleted meanwhile
                    client.react(asked.comment, "eyes")
            return f"not answered in words: {MOST_A_DAY} were answered today"
        client.create_comment(number, body)
    except Forbidden:
        if not client.get_issue(number).locked:
            raise
        return LOCKED
    return "answered"


def _is_today(at: str, now: datetime) -> bool:
    return datetime.fromisoformat(at).astimezone(now.tzinfo).date() == now.date()
