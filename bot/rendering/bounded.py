"""Text of strangers for a page: bounded, with nothing invisible in it. It is escaped where it is shown."""

from dataclasses import replace

from bot.plain_text import ELLIPSIS, clean, seen
from bot.verdicts import Evidence

LINE, NAME = 600, 300  # characters


def one_line(text: str, limit: int) -> str:
    """One line. What is far too long is not even looked at."""
    return clean(text[: 2 * limit], limit)


def lines(text: str, limit: int) -> str:
    """Several lines, to the letter; cut where it is longer."""
    shown = seen(text[:limit])
    return f"{shown}\n{ELLIPSIS}" if len(text) > limit else shown


def observed(found: Evidence) -> Evidence:
    """An observation with its texts bounded."""
    return replace(
        found, found=one_line(found.found, LINE), quote=one_line(found.quote, NAME), where=one_line(found.where, NAME)
    )
