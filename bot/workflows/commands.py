"""The commands of one wing: a file each, which declares its word, who may give it, and what it does.

A new command is a new file with a `COMMAND`, and its line in the help, in
`bot/rendering/words.py`.
"""

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from bot.github.deliveries import Delivery
from bot.issues.commands import Command, Right, parse

WINGS = ("issue", "pull", "review")


@dataclass(frozen=True, slots=True)
class CommandHandler:
    """word: as people write it. right: who may give it; the wing of issues asks before it is carried
    out, in the others it does so itself. carry_out: what it does, given the wing's own context first."""

    word: str
    right: Right
    carry_out: Callable[..., Any]


@cache
def handlers(wing: str) -> dict[str, CommandHandler]:
    """The commands of a wing, by word."""
    package = import_module(f"bot.workflows.{wing}.commands")
    modules = (import_module(f"{package.__name__}.{found.name}") for found in pkgutil.iter_modules(package.__path__))
    declared: list[CommandHandler] = [module.COMMAND for module in modules]
    return {handler.word: handler for handler in declared}


@cache
def words(*wings: str) -> frozenset[str]:
    """All that can be said in these wings."""
    return frozenset(word for wing in wings for word in handlers(wing))


def commands_of(delivery: Delivery, slug: str) -> tuple[Command, ...]:
    """New commands: of a new comment, or in lines an edit added. slug: the App's name. Bots never command.

    Each word counts once, so that nobody can have a comment of a thousand lines answered a thousand times; so do all
    those together that mean nothing.
    """
    if delivery.comment is None or delivery.action not in ("created", "edited") or delivery.sender_is_bot:
        return ()
    found = parse(delivery.comment.body, slug, delivery.previous_body)
    known = words(*WINGS)
    once = {command.word if command.word in known else "": command for command in reversed(found)}
    return tuple(once.values())[::-1]
