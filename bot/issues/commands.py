"""`/bouncer WORD`, or `@` and the App's own name, in a comment: what reads as a command, and who may give one. Pure."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.child_process import TooLong, run_bounded


class Right(StrEnum):
    """Who may give a command, in plain words for a refusal."""

    ANYBODY = "anybody"
    REPORTER = "the reporter and people with triage rights"
    TRIAGE = "people with triage rights"
    WRITE = "people who may write to this repository"
    OVERRIDE = "people whom `pulls.override` names"


@dataclass(frozen=True, slots=True)
class Command:
    """word: what is asked for, in lower case; `help` where nothing is said. rest: what followed it on the line. Both
    are untrusted: nobody has looked whether there is such a command."""

    word: str
    rest: str = ""


_LINE = r"(?:/bouncer{})(?:[ \t]+(\S{{1,100}})(?:[ \t]+(\S.{{0,499}}))?)?[ \t]*"
_WRITE = frozenset({"write", "maintain", "admin"})
_TRIAGE = _WRITE | {"triage"}

_TAG = r"<(/?)({})\b"
_FOLDING = re.compile(_TAG.format("details|pre|blockquote|code|template"), re.IGNORECASE)
_HIDING = re.compile(
    _TAG.format(
        "details|pre|blockquote|code|template|table|select|svg|math|noscript|object|picture|del|strike|s|q|div|span"
    ),
    re.IGNORECASE,
)
_WHOLE_LINK = re.compile(r"\]\([^()\s\"'<>\\]{0,2000}\)")  # that ends where it began
_BRACKET = re.compile(r"[\[\]]")
_GOES_ON = re.compile(r"\]\(|\]:")  # a link or a definition
_DELIMITERS = re.compile(r"(?=[^|:]*[|:])(?=[^-]*-)[-:| \t]+")  # below a table's head
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_INDENT = re.compile(r" {0,3}(?=\S)")

# Without `text_join` an escaped or encoded slash stays apart, so that only a plain one begins a command. Emphasis and
# links cannot hide a line, but can be nested to cost seconds.
_MARKDOWN = MarkdownIt("commonmark").disable(["text_join", "link", "image", "emphasis", "reference"])


def parse(body: str, slug: str, previous_body: str | None = None) -> tuple[Command, ...]:
    """The commands of a comment, in order; after an edit only those that it added. slug: the App's name in logins.
    Accepts any text; never raises.

    A command stands alone on a line of an ordinary paragraph, at most three spaces in: not in a quote, a list, code, an
    HTML comment or a folded section.
    """
    old = Counter(_commands(previous_body, slug)) if previous_body is not None else Counter[Command]()
    added = []
    for command in _commands(body, slug):
        if old[command]:
            old[command] -= 1
        else:
            added.append(command)
    return tuple(added)


def may(right: Right, permission: str | None, *, is_reporter: bool, is_bot: bool) -> bool:
    """Whether somebody with this GitHub permission may. Unknown permission means no; bots never command."""
    if is_bot:
        return False
    if right is Right.ANYBODY or (right is Right.REPORTER and is_reporter):
        return True
    return permission is not None and permission.lower() in (_WRITE if right is Right.WRITE else _TRIAGE)


def _commands(body: str, slug: str) -> Iterator[Command]:
    lowered = body.lower()
    if "/bouncer" not in lowered and not (slug and f"@{slug.lower()}" in lowered):
        return
    begins = _beginning(slug)
    for line in plain_lines(body, surely=True):
        if found := begins.fullmatch(line):
            yield Command((found[1] or "help").lower(), found[2] or "")


@cache
def _beginning(slug: str) -> re.Pattern[str]:
    """How a command's line looks: by `/bouncer`, or by a mention of the App."""
    named = rf"|@{re.escape(slug)}(?:\[bot\])?[,:]?" if slug else ""
    return re.compile(_LINE.format(named), re.IGNORECASE)


def plain_lines(body: str, *, surely: bool = False) -> tuple[str, ...]:
    """What a text says in its own voice: lines of top-level paragraphs that are nothing but plain text, outside code,
    quotes, lists and elements that fold or quote. Links stand as they are written. None of a text that takes too long.

    surely: only what a reader surely sees as such a line, which no table, definition or other element takes in.
    """
    found = run_bounded(len(body), _plain_lines, body, surely)
    return () if isinstance(found, TooLong) else found


def _plain_lines(body: str, surely: bool) -> tuple[str, ...]:
    return tuple(_read(body, surely))


def _read(body: str, surely: bool) -> Iterator[str]:
    source = body.replace("\r\n", "\n").replace("\r", "\n")
    lines = source.split("\n")
    opened: Counter[str] = Counter()
    top_level, tags = False, _HIDING if surely else _FOLDING
    for token in _MARKDOWN.parse(source):
        if token.type == "html_block":
            _follow(opened, token.content, tags)
        elif token.type == "paragraph_open":
            top_level = token.level == 0
        elif token.type == "heading_open":
            top_level = False
        elif token.type == "inline":
            start, end = token.map or (0, 0)
            written = {line.strip() for line in lines[start:end] if _INDENT.match(line)}
            before = _Before()
            shown = list(_visual_lines(token.children or []))
            said = ["".join(child.content if _is_plain(child) else "\0" for child in line).strip() for line in shown]
            for line, plain, below in zip(shown, said, [*said[1:], ""], strict=True):
                for child in line:
                    _follow(opened, child.content if child.type == "html_inline" else "", tags)
                a_head = bool(_DELIMITERS.fullmatch(below))
                hidden = opened.total() or (surely and (before.hides or a_head))
                if top_level and not hidden and plain in written:
                    yield plain
                before.read(plain)


def _is_plain(child: Token) -> bool:
    """Whether it shows as it is written; a backslash before a letter does too."""
    return child.type == "text" or (child.type == "text_special" and child.content == child.markup)


class _Before:
    """What the lines before one in a paragraph make of it. A link's definition, title or address, an image's text and a
    formula may go on over lines, and show nothing or something else; a table's rows are no sentences. Where GitHub's
    own reading is hard to tell, what follows is not taken."""

    def __init__(self) -> None:
        self._lasting, self._formula, self._dollar, self._brackets = False, False, False, 0

    @property
    def hides(self) -> bool:
        """Whether the next line may not be read as it stands."""
        return self._lasting or self._formula or self._brackets > 0

    def read(self, line: str) -> None:
        """The next line, with `\\0` for whatever is no plain text."""
        plain = _WHOLE_LINK.sub("]", line)
        for bracket in _BRACKET.findall(plain):
            self._brackets = max(0, self._brackets + (1 if bracket == "[" else -1))
        self._formula ^= plain.count("$$") % 2 == 1
        self._dollar |= "$" in plain
        self._lasting |= bool(_GOES_ON.search(plain) or _DELIMITERS.fullmatch(plain))
        self._lasting |= self._dollar and "\\" in plain  # a formula may hide what follows


def _visual_lines(children: list[Token]) -> Iterator[list[Token]]:
    """The parts of a paragraph, line by line as GitHub shows them; code that spans lines is one part."""
    line: list[Token] = []
    for child in children:
        if child.type in ("softbreak", "hardbreak"):
            yield line
            line = []
        else:
            line.append(child)
    yield line


def _follow(opened: Counter[str], html: str, tags: re.Pattern[str]) -> None:
    """Keep count of the elements this HTML leaves open."""
    for tag in tags.finditer(_COMMENT.sub("", html)):
        name = tag[2].lower()
        opened[name] = max(0, opened[name] + (-1 if tag[1] else 1))
