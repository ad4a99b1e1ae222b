"""Takes secrets out of what is logged: those of the settings by their value, all others by their shape."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from urllib.parse import quote

from pydantic import SecretStr
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from bot.settings import Settings

SHORTEST = 4  # characters: what is shorter stands in every other word, and hides nothing
LEAST_OF_A_LINE = 20  # characters of one line of a key
HIDDEN = "[secret]"

# What is named `kept` stays: it says what sort of secret stood there.
_SHAPES = (
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    r"\b(?:gh[a-z]_|github_pat_)[A-Za-z0-9_.-]{8,}",  # GitHub's tokens
    r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+",  # a signed JSON token
    r"(?P<kept_scheme>\b(?i:bearer|basic|token)\s+)(?=[\w.~+/=-]*\d)[\w.~+/=-]{8,}",
    r"(?P<kept_page>/(?:verdicts|welcome)/)[\w-]{16,}",  # the address of a page is its key
    r"(?P<kept_query>[?&](?:token|code|state)=)[\w-]{8,}",  # of the link for setting up, and of signing in
    r"(?P<kept_user>://[^/\s:@]*:)[^/\s@]+(?=@)",
)

Redact = Callable[[str], str]


def redactor(secrets: Iterable[str] = ()) -> Redact:
    """A function that takes these and all that looks like a secret out of a text."""
    known = sorted({each for each in secrets if len(each) >= SHORTEST}, key=len, reverse=True)
    pattern = re.compile("|".join([*map(re.escape, known), *_SHAPES]))
    return lambda text: pattern.sub(_hidden, text)


def _hidden(found: re.Match[str]) -> str:
    return next((kept for kept in found.groupdict().values() if kept), "") + HIDDEN


def secrets_of(settings: Settings) -> Iterator[str]:
    """Every secret value that the settings hold or lead to, in each form in which it may be written."""
    for _, value in chain(settings, *settings.models):
        yield from _written(value)
    with suppress(OSError, UnicodeDecodeError):  # who needs it says what is wrong with it
        yield from _lines(settings.private_key_path.read_text("ascii")) if settings.private_key_path else ()
    try:
        password = make_url(settings.database_url).password
    except ArgumentError:
        return
    if password:
        yield from (password, quote(password, safe=""))


def _written(value: object) -> Iterator[str]:
    if isinstance(value, SecretStr):
        secret = value.get_secret_value()
        yield secret
        yield from _lines(secret.replace("\\n", "\n"))


def _lines(text: str) -> Iterator[str]:
    """Those of a key, each by itself: a message may quote one of them."""
    lines = [line.strip() for line in text.splitlines()]
    if len(lines) > 1:
        yield from (line for line in lines if len(line) >= LEAST_OF_A_LINE and not line.startswith("-----"))
