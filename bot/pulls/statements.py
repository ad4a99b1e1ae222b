"""What a pull request claims of itself, read from its own words. Pure; every text comes from strangers.

A claim is a plain statement. What stands in code, quotes, headings and boxes without a tick is none, nor is what is
only wished, asked or made to depend on something. Better none than a wrong one: a contradicted claim asks a person.
"""

import re
from collections.abc import Iterator

from bot.changes.readers import Rows, beside
from bot.markdown.blocks import Sort, blocks
from bot.markdown.visible import visible, visible_line
from bot.pulls.facts import Statement, StatementKind

LONGEST = 16_000  # characters of a text that are read
MOST = 20  # claims
_QUOTE = 200  # characters

_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[(?P<tick>[ xX])?\]\s*)?")
_BOX = re.compile(r"\s*\[(?P<tick>[ xX])?\]\s*")
_CODE = re.compile(r"`[^`\n]{0,300}`|\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|\([^()\n]{0,200}\)|~~[^~\n]{0,200}~~")
_END = re.compile(r"[.!;](?=\s|$)|\n")


class Claimed(Rows):
    """One claim; `statements.toml` says what each part means."""

    says: str
    against: str = ""
    affirms: bool = False
    begins: str = ""
    forms: tuple[str, ...]


class _Table(Rows):
    unsure: str
    parts: dict[str, str]
    claims: dict[StatementKind, Claimed]


_TABLE = beside(__file__, _Table)
CLAIMS = _TABLE.claims


def _form(row: Claimed) -> re.Pattern[str]:
    text = "|".join(row.forms)
    for name, part in _TABLE.parts.items():
        text = text.replace(f"<{name}>", part)
    return re.compile(text, re.I)


_SAYS = tuple((claim, _form(row)) for claim, row in CLAIMS.items())
_UNSURE = re.compile(
    rf"\?|\b(?:{'|'.join(map(re.escape, _TABLE.unsure.split()))}|make sure|let me|other than|so that)\b", re.I
)
_SCOPE = r"(?:\([^()\n]{0,40}\))?: "  # of a title, as in `docs(api): …`


def claims(title: str, body: str) -> tuple[Statement, ...]:
    """Each claim once, where it is made first, at most `MOST`."""
    found: dict[StatementKind, Statement] = {}
    for said in _all(title, body):
        found.setdefault(said.claim, said)
        if len(found) == MOST:
            break
    return tuple(found.values())


def _all(title: str, body: str) -> Iterator[Statement]:
    line = visible_line(title[:_QUOTE]).text
    for claim, row in CLAIMS.items():
        if row.begins and re.match(row.begins + _SCOPE, line, re.I):
            yield Statement(claim, line[:_QUOTE], "title")
    yield from _in(line, "title")
    own = (part for part in visible(body[:LONGEST]).text.split("\n") if not part.lstrip().startswith(">"))
    for block in blocks("\n".join(own)):
        if block.sort is Sort.PROSE:
            yield from _in(block.text, "description")


def _in(text: str, where: str) -> Iterator[Statement]:
    for sentence in statements(text):
        for claim, pattern in _SAYS:
            match = pattern.search(sentence)
            if match is None:
                continue
            # What says how a claim is meant: a "no" belongs to some of them.
            about = sentence if CLAIMS[claim].affirms else f"{sentence[: match.start()]} {sentence[match.end() :]}"
            if not _UNSURE.search(about):
                yield Statement(claim, sentence[:_QUOTE], where)


def statements(text: str) -> Iterator[str]:
    """The sentences that their author makes: no quotes, no code, no box without a tick."""
    for line in text.split("\n"):
        if line.lstrip().startswith((">", "#", "|")) or (line.startswith(("    ", "\t")) and not _ITEM.match(line)):
            continue
        item = _ITEM.match(line) or _BOX.match(line)
        if item and "[" in item[0] and (item["tick"] or " ") == " ":
            continue
        rest = _CODE.sub(" ", line[item.end() if item else 0 :][:2_000]).replace("*", "").replace("_", " ")
        for sentence in _END.split(rest):
            yield " ".join(sentence.split()).strip(" :,")
