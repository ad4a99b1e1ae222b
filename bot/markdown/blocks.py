"""Visible Markdown as blocks: headings, code and prose, and the sections the headings make."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from itertools import groupby, zip_longest

from bot.markdown.tree import PROMPT, PartKind, parts

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
    return tuple(_answered(tuple(_merged(_blocks(text)))))


def sections(found: Iterable[Block]) -> tuple[Section, ...]:
    """Group blocks below their headings."""
    headed: list[tuple[Block, list[Block]]] = [(Block(Sort.HEADING, ""), [])]
    for block in found:
        if block.sort is Sort.HEADING:
            headed.append((block, []))
        else:
            headed[-1][1].append(block)
    return tuple(Section(heading.text, tuple(below), heading.level) for heading, below in headed)


def _blocks(text: str) -> Iterator[Block]:
    lines, at, headings = text.split("\n"), 0, 0
    for part in parts(text):
        yield from _of_lines(lines[at : part.begin])
        at = part.end
        match part.kind:
            case PartKind.HEADING:
                headings += 1
                if headings <= MOST_HEADINGS:
                    yield Block(Sort.HEADING, part.text, level=part.level)
            case PartKind.TABLE:
                yield from _of_lines(lines[part.begin : part.end])
            case _:
                yield Block(Sort.CODE, part.text, part.language, fenced=part.kind is PartKind.FENCE)
    yield from _of_lines(lines[at:])


def _of_lines(lines: Iterable[str]) -> Iterator[Block]:
    """What is no part of the tree, a block a line."""
    for line in lines:
        bare = line if line.lstrip().startswith(PROMPT) else _QUOTE.sub("", line)
        if named := _BOLD_HEADING.match(bare) or _NAMED_LINE.match(bare):
            yield Block(Sort.HEADING, named[1].strip(), level=BOLD)
            if named[2].strip():
                yield Block(Sort.PROSE, named[2])
        else:
            yield Block(Sort.CODE if _UNFENCED_CODE.match(bare[:400]) else Sort.PROSE, bare)


def _answered(found: tuple[Block, ...]) -> Iterator[Block]:
    """With the answer that stands in a heading itself, behind a colon, below it: `### System: Debian 10`, and nothing
    else."""
    for block, after in zip_longest(found, found[1:]):
        name, colon, answer = block.text.partition(": ")
        alone = after is None or after.sort is Sort.HEADING
        if block.sort is Sort.HEADING and block.level < BOLD and colon and answer.strip() and alone:
            yield replace(block, text=name)
            yield Block(Sort.PROSE, answer)
        else:
            yield block


def _merged(found: Iterable[Block]) -> Iterator[Block]:
    """Join neighbours of the same sort; fenced blocks and headings stay alone."""
    for own, group in groupby(found, lambda each: each if each.fenced or each.sort is Sort.HEADING else each.sort):
        if isinstance(own, Block):
            yield from group
        elif (text := "\n".join(block.text for block in group)).strip():
            yield Block(own, text)
