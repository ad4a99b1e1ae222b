"""Secrets in the lines that a change adds. Only their kind and place leave this module, never the secret.

The patterns, in `secrets.toml`, are those their issuers document, each with a prefix of its own; there is no guessing
from entropy alone. detect-secrets, the library for this, has had no release since 2024 and asks the issuer over the
network by default.
"""

import re
import zlib
from bisect import bisect
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate, islice

from bot.changes.readers import SENTENCES, Rows, beside
from bot.changes.risks.lines import numbered
from bot.changes.risks.values import Risk
from bot.changes.values import Change, Hunk, Whole

MOST = 20  # found in one change

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PLACEHOLDER = re.compile(r"example|placeholder|your[-_]?|dummy|redacted|(.)\1{5}|123456|abcdef", re.IGNORECASE)


class _Kind(Rows):
    name: str
    mark: str
    pattern: str
    checked: bool = False

    @cached_property
    def form(self) -> re.Pattern[str]:
        begins = "" if self.pattern.startswith("-") else "(?<![A-Za-z0-9_])"  # a key may stand behind a written "\\n"
        return re.compile(rf"{begins}{self.pattern}(?![A-Za-z0-9_])")


class _Table(Rows):
    kind: tuple[_Kind, ...]


_KINDS = beside(__file__, _Table).kind


def secrets(change: Change, _whole: Whole) -> Iterator[Risk]:
    """`secret`: at most so many, in the order of the diff. What is only moved is not new."""
    gone = {text for file in change.files for hunk in file.hunks for _, text, _ in _in(hunk, "-")}
    new = (
        Risk("secret", SENTENCES["secret"].format(kind=kind), file.path, line)
        for file in change.files
        for hunk in file.hunks
        for kind, text, line in _in(hunk, "+")
        if text not in gone
    )
    yield from islice(dict.fromkeys(new), MOST)


def _in(hunk: Hunk, side: str) -> list[tuple[str, str, int]]:
    """Kind, secret and line of those in the lines of one side, `+` or `-`."""
    lines = hunk.added if side == "+" else hunk.removed
    changed = "\n".join(lines)
    numbers = [number for number, mark, _ in numbered(hunk) if mark == side]
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    found = []
    for kind in (kind for kind in _KINDS if kind.mark in changed):
        for match in kind.form.finditer(changed):
            text = match[match.lastgroup or 0]
            if _is_real(kind, text):
                found.append((kind.name, text, numbers[bisect(starts, match.end() - len(text)) - 1]))
    return sorted(found, key=lambda each: each[2])


def _is_real(kind: _Kind, text: str) -> bool:
    if kind.checked:
        return _checksum(text[-36:-6]) == text[-6:]
    return "secret" in kind.form.groupindex or not _PLACEHOLDER.search(text)


def _checksum(text: str) -> str:
    """GitHub's (and npm's): the CRC-32 of what stands before, in base 62, six digits."""
    number, digits = zlib.crc32(text.encode("ascii", "replace")), ""
    for _ in range(6):
        number, digit = divmod(number, 62)
        digits = _DIGITS[digit] + digits
    return digits
