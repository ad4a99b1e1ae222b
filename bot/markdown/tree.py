"""A Markdown text by its structure: the code, headings and tables that GitHub shows, by markdown-it's tokens. Pure.

What stands inside of a line is not read. In some ways people are read as they mean it, not as GitHub shows it: a tag
holds back no Markdown below it, `>>>` is Python's prompt and no quotation, and a line of dashes makes no heading of
what stands above it, which is an output as often.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote
from markdown_it.token import Token

_LONGEST_HEADING = 200  # characters; what is longer is prose
_LANGUAGE = re.compile(r"\s*\{?\.?([\w+#.-]{1,30})")
PROMPT = ">>>"


class PartKind(Enum):
    """What a part of a text is; all the rest is prose."""

    FENCE = "fence"
    INDENTED = "indented"
    HEADING = "heading"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class TextPart:
    """begin, end: its lines in the text, from 0; `end` is the first behind it. text: code without its fence and the
    marks of quotations and lists around it, or what a heading says. language: what the fence names, in lower case.
    level: of a heading, 1 to 6. rows: of a table, the cells of each row, its head first. closed: a line ends the fence.
    """

    kind: PartKind
    begin: int
    end: int
    text: str = ""
    language: str = ""
    level: int = 0
    rows: tuple[tuple[str, ...], ...] = ()
    closed: bool = False


@lru_cache(maxsize=8)  # a long list takes a second, and several look at one text
def parts(text: str) -> tuple[TextPart, ...]:
    """In order; none overlaps another. text: with `\\n` line ends."""
    return tuple(each for part in _parts(text) for each in _fenced_inside(part))


def fenced_lines(text: str) -> tuple[bool, ...]:
    """Of each line whether it belongs to fenced code that is no quotation, its fences among it."""
    lines, fenced = text.split("\n"), set[int]()
    for part in parts(text):
        if part.kind is PartKind.FENCE and not lines[part.begin].lstrip().startswith(">"):
            fenced.update(range(part.begin, part.end))
    return tuple(line in fenced for line in range(len(lines)))


_INLINE_CODE = re.compile(r"`[^`\n]*`")


def blank_unsaid(text: str) -> str:
    """The text with blanks for all that its author shows and does not say: fenced code, code in a line and quotations.
    Every other character stays where it is, so what is found here is found there. text: as a reader sees it."""
    lines = text.split("\n")
    unsaid = {at for at, fenced in enumerate(fenced_lines(text)) if fenced}
    for token in _PARSER.parse(text):
        if token.type == "blockquote_open" and token.map:
            unsaid.update(at for at in range(*token.map) if lines[at].lstrip().startswith(">"))
    return _INLINE_CODE.sub(
        lambda code: " " * len(code[0]),
        "\n".join(" " * len(line) if at in unsaid else line for at, line in enumerate(lines)),
    )


def _quotation(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    begin = state.bMarks[line] + state.tShift[line]
    return not state.src.startswith(PROMPT, begin) and blockquote(state, line, end, silent)


_UNREAD = ["normalize", "inline", "reference", "html_block", "lheading"]
_PARSER = MarkdownIt("commonmark").enable("table").disable(_UNREAD)
_PARSER.block.ruler.at("blockquote", _quotation, {"alt": ["paragraph", "blockquote", "list"]})


def _parts(text: str) -> Iterator[TextPart]:
    lines, tokens = text.split("\n"), _PARSER.parse(text)
    for at, token in enumerate(tokens):
        begin, end = token.map or (0, 0)
        match token.type:
            case "fence":
                language = _LANGUAGE.match(token.info)
                named = language[1].lower() if language else ""
                code, closed = token.content, end - begin - token.content.count("\n") == 2
                yield TextPart(PartKind.FENCE, begin, end, code.removesuffix("\n"), named, closed=closed)
            case "code_block" if lines[begin].startswith((" ", "\t", ">")):  # no line of a list, or of a diff
                yield TextPart(PartKind.INDENTED, begin, end, token.content.rstrip("\n"))
            case "heading_open":
                said = tokens[at + 1].content.strip("* _").rstrip(" \t#:")
                if said and len(said) <= _LONGEST_HEADING:
                    yield TextPart(PartKind.HEADING, begin, end, said, level=int(token.tag[1:]))
            case "table_open":
                yield TextPart(PartKind.TABLE, begin, end, rows=tuple(_rows(tokens, at)))


def _rows(tokens: list[Token], at: int) -> Iterator[tuple[str, ...]]:
    """Of the table whose token is the one at `at`."""
    row: list[str] = []
    for token in tokens[at:]:
        if token.type == "inline":
            row.append(token.content)
        elif token.type == "tr_close":
            yield tuple(row)
            row = []
        elif token.type == "table_close":
            return


def _fenced_inside(part: TextPart) -> Iterator[TextPart]:
    """Of indented code that begins with a fence, what the fence holds: its author took the indentation for nothing."""
    inside = list(_parts(part.text)) if part.kind is PartKind.INDENTED else []
    if inside and inside[0].kind is PartKind.FENCE and inside[0].begin == 0:
        yield from (replace(each, begin=part.begin + each.begin, end=part.begin + each.end) for each in inside)
    else:
        yield part
