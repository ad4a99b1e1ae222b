"""Secrets in the lines that a change adds. Only their kind and place leave this module, never the secret.

The patterns, in `secrets.toml`, are those their issuers document, each with a prefix of its own; there is no guessing
from entropy alone. detect-secrets, the library for this, has had no release since 2024 and asks the issuer over the
network by default.
"""

import re
import string
import zlib
from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from bot.changes.readers import SENTENCES, Rows, beside
from bot.changes.risks.lines import numbered
from bot.changes.risks.values import Risk
from bot.changes.values import Change, FileChange, Whole

MOST = 20  # found in one change

_DIGITS = string.digits + string.ascii_uppercase + string.ascii_lowercase
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
    gone = {text for file in change.files for _, text, _ in _in(file, "-")}
    found = ((file, *each) for file in change.files for each in _in(file, "+"))
    new = (
        Risk("secret", SENTENCES["secret"].format(kind=kind), file.path, line)
        for file, kind, text, line in found
        if text not in gone
    )
    yield from islice(dict.fromkeys(new), MOST)


def _in(file: FileChange, side: str) -> Iterator[tuple[str, str, int]]:
    """Kind, secret and line of those in the lines of one side, `+` or `-`; each may go on in the line behind."""
    rows = [(number, text) for number, mark, text in numbered(*file.hunks) if mark == side]
    for (number, line), (later, behind) in zip(rows, [*rows[1:], (0, "")], strict=False):
        for kind in (kind for kind in _KINDS if kind.mark in line):
            for match in kind.form.finditer(f"{line}\n{behind}"):
                text, at = match[match.lastgroup or 0], match.start(match.lastgroup or 0)
                if match.start() < len(line) and _is_real(kind, text):
                    yield kind.name, text, number if at < len(line) else later


def _is_real(kind: _Kind, text: str) -> bool:
    if kind.checked:
        return _checksum(text[-36:-6]) == text[-6:]
    return "secret" in kind.form.groupindex or not _PLACEHOLDER.search(text)


def _checksum(text: str) -> str:
    """GitHub's (and npm's): the CRC-32 of what stands before, in base 62, six digits."""
    number = zlib.crc32(text.encode("ascii", "replace"))
    return "".join(_DIGITS[number // 62**place % 62] for place in reversed(range(6)))
