"""Visible Markdown as blocks: headings, code and prose, and the sections the headings make."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby

_FENCE = re.compile(
    r"^[ >\t]{0,12}(?:[*+-][ ]{1,4}|\d{1,9}[.)][ ]{1,4})?(`{3,}+|~{3,}+)[ \t]{0,9}(?:\{\.?)?([\w+#.-]{0,30})"
)
_PLAIN_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"^[ ]{0,3}(#{1,6})[ \t]+(.{1,200}?)[ \t#:]*$")
_BOLD_HEADING = re.compile(r"^[ ]{0,3}(?:\*\*|__)([^*_\n]{2,100}?)(?::|[?!.])?(?:\*\*|__)[ \t]*:?[ \t]*(.*)$")
_NAMED_LINE = re.compile(
    r"^[ ]{0,3}((?:the )?(?:expected|actual|current|observed|desired|steps|how|version|environment|system"
    r"|problem|summary"
    r"|description|reproduc\w*|traceback|error|output|result|proposal|motivation|solution"
    r"|what)\b[^:.\n]{0,50}):[ \t]*(.*)$",
    re.I,
)
_QUOTE = re.compile(r"^[ ]{0,3}>[ ]?")
_UNFENCED_CODE = re.compile(
    r"^\s*(?:>>>|\.\.\. |In \[\d+\]:|\$ \S|C:\\\S*>|from [\w.]+ import |import [\w.]+(?: as \w+)?\s*$"
    r"|(?:async )?def \w+\(|class \w+[(:]|@\w[\w.]*(?:\(|$)|(?:public|private|static|const|let|var|func|fn"
    r"|return|elif|except)\b.*[;{:(=]"
    r"|#include\s*[<\"]|(?:if|for|while|with|try|else)\b.{0,200}:\s*$|[\w.\[\]'\"]+ = \S.*[\])'\"\d]\s*$"
    r"|[\w.]+\(.*\)\s*;?\s*$"
    r"|[})\]]+[;,]?\s*$|SELECT\b.+\bFROM\b|</?\w+(?![\w.+-]*[:@])[^>]*>\s*$"
    r"|(?:pip install |npm (?:i|install|run) |curl -)(?!.*\s(?:an?|the|and|but|then|it|me|with|does|doesn't|gives?|is"
    r"|not|fails?|says?|on|in|for|when|how)\s))"  # a command, not a sentence that begins with one
)


MOST_HEADINGS = 500  # of one text; what stands below further ones belongs to the last
BOLD = 7  # the level of a heading without a `#`


class Sort(Enum):
    """What a block is."""

    HEADING = "heading"
    CODE = "code"
    PROSE = "prose"


@dataclass(frozen=True, slots=True)
class Block:
    """Adjoining lines of one sort. `language` is what a fence names; `fenced` code was marked as code by its author.
    level: of a heading, 1 to 6 by its `#`, 7 for a bold line or a name with a colon."""

    sort: Sort
    text: str
    language: str = ""
    fenced: bool = False
    level: int = 0


@dataclass(frozen=True, slots=True)
class Section:
    """A heading (empty for what stands before the first) and the blocks below it. level: the heading's."""

    heading: str
    blocks: tuple[Block, ...]
    level: int = 0

    @property
    def text(self) -> str:
        return "\n".join(block.text for block in self.blocks).strip()


def blocks(text: str) -> tuple[Block, ...]:
    """Cut a visible text into blocks. Unfenced lines that look like code are code too."""
    return tuple(_merged(_lines(text.split("\n"))))


def sections(parts: Iterable[Block]) -> tuple[Section, ...]:
    """Group blocks below their headings."""
    found: list[tuple[Block, list[Block]]] = [(Block(Sort.HEADING, ""), [])]
    for block in parts:
        if block.sort is Sort.HEADING:
            found.append((block, []))
        else:
            found[-1][1].append(block)
    return tuple(Section(heading.text, tuple(below), heading.level) for heading, below in found)


def _lines(lines: list[str]) -> Iterator[Block]:
    """One block a line, except that fenced code comes as a whole."""
    at = headings = 0
    blank_before = True
    while at < len(lines):
        if found := fence_at(lines, at):
            at, inner, language = found
            yield Block(Sort.CODE, "\n".join(inner), language, fenced=True)
            blank_before = True
            continue
        bare = _QUOTE.sub("", lines[at])
        at += 1
        if heading := _HEADING.match(bare):
            headings += 1
            if headings <= MOST_HEADINGS:
                yield Block(Sort.HEADING, heading[2].strip("* _"), level=len(heading[1]))
        elif named := _BOLD_HEADING.match(bare) or _NAMED_LINE.match(bare):
            yield Block(Sort.HEADING, named[1].strip(), level=BOLD)
            if named[2].strip():
                yield Block(Sort.PROSE, named[2])
        elif (blank_before and bare.startswith(("    ", "\t")) and bare.strip()) or _UNFENCED_CODE.match(bare[:400]):
            yield Block(Sort.CODE, bare)
            continue
        else:
            yield Block(Sort.PROSE, bare)
        blank_before = not bare.strip()


def fence_at(lines: Sequence[str], at: int) -> tuple[int, Sequence[str], str] | None:
    """The fenced code that begins at a line: the number of the line behind it, its lines, what its fence names."""
    fence = _FENCE.match(lines[at])
    if fence is None:
        return None
    end = at + 1
    while end < len(lines) and (len(bare := lines[end].strip(" \t>")) < len(fence[1]) or bare.strip(fence[1][0])):
        end += 1
    return end + 1, lines[at + 1 : end], fence[2].lower()


def fence_behind(line: str, fence: str) -> str:
    """The fence of the code that is open behind a line, as GitHub reads one outside lists; empty outside code. fence:
    the one before the line."""
    if fence:
        bare = line.strip()
        return "" if bare.startswith(fence) and not bare.strip(fence[0]) else fence
    found = _PLAIN_FENCE.match(line)
    return found[1] if found else ""


def _merged(parts: Iterable[Block]) -> Iterator[Block]:
    """Join neighbours of the same sort; fenced blocks and headings stay alone."""
    for own, group in groupby(parts, lambda each: each if each.fenced or each.sort is Sort.HEADING else each.sort):
        if isinstance(own, Block):
            yield from group
        elif (text := "\n".join(block.text for block in group)).strip():
            yield Block(own, text)
