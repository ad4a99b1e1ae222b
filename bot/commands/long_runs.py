"""What commands that execute many changes share: whether anything may run here, how long it takes, a yes to that."""

import sys

import click

from bot.commands.shared import InputError, runner
from bot.sandbox.choose import choose
from bot.sandbox.protocol import Capabilities
from bot.settings import Settings

LONG = 10  # minutes, above which it is asked first
SIDE_BY_SIDE = 2


def nothing_runs(settings: Settings) -> str:
    """Why nothing can be executed here, as a sentence; empty where it can."""
    found = choose(settings, runner(settings))
    return f"Nothing may run here: {found.problem}" if isinstance(found, Capabilities) else ""


def minutes_for(number: int, seconds_each: float) -> int:
    """How long so many take, about."""
    return round(number * seconds_each / SIDE_BY_SIDE / 60)


def agreed_to_wait(doing: str, minutes: int, less: str, *, yes: bool) -> None:
    """doing: what takes so long. less: options that make it shorter. Raises `InputError` where nobody can be asked, and
    `click.Abort` for a no."""
    if minutes <= LONG or yes:
        return
    if not sys.stdin.isatty():
        raise InputError(f"{doing} takes about {minutes} minutes. Add --yes, {less}.")
    click.confirm(f"{doing.capitalize()} takes about {minutes} minutes. Go on?", abort=True, err=True)
