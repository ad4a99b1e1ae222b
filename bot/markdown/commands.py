"""`/bouncer WORD`, or `@` and the App's own name, in a comment: what a reader sees as a command. Pure.

The library that GitHub uses makes HTML of Markdown, and that is read as browsers read it; so GitHub's own HTML of a
comment is read by the same rules.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache

from cmarkgfm import github_flavored_markdown_to_html  # type: ignore[import-untyped]
from cmarkgfm.cmark import Options  # type: ignore[import-untyped]
from justhtml import Element, JustHTML, Node, Text

from bot.child_process import TooLong, run_bounded


@dataclass(frozen=True, slots=True)
class Command:
    """word: what is asked for, in lower case; `help` where nothing is said. rest: what followed it on the line. Both
    are untrusted: nobody has looked whether there is such a command. misplaced: a reader sees it, but not as a plain
    line of its own, so it is none."""

    word: str
    rest: str = ""
    misplaced: bool = False


_LINE = r" {{0,3}}(?:/bouncer{})(?:[ \t]+(\S{{1,100}})(?:[ \t]+(\S.{{0,499}}).*)?)?[ \t]*"

_AS_GITHUB = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_HARDBREAKS | Options.CMARK_OPT_FOOTNOTES
_UNSAID = frozenset({"blockquote", "del", "details", "pre", "s", "strike", "template"})  # quoted, struck out or folded
_OWN_VOICE = frozenset({"a", "b", "div", "em", "i", "p", "strong"})  # elements in which a text speaks for itself
_PICTURES = frozenset({"img", "input", "math", "object", "svg", "video"})  # which a line may begin with


def parse(body: str, slug: str, previous_body: str | None = None) -> tuple[Command, ...]:
    """The commands of a comment, in order; after an edit only those that it added. slug: the App's name in logins.
    Accepts any text; never raises.

    A command stands alone on a line of an ordinary paragraph, at most three spaces in: not in a quote, a list, code, an
    HTML comment or a folded section.
    """
    return tuple(command for command in parse_all(body, slug, previous_body) if not command.misplaced)


def parse_all(body: str, slug: str, previous_body: str | None = None) -> tuple[Command, ...]:
    """The same, and what would be a command if it stood so."""
    old = Counter(_commands(previous_body, slug)) if previous_body is not None else Counter[Command]()
    added = []
    for command in _commands(body, slug):
        if old[command]:
            old[command] -= 1
        else:
            added.append(command)
    return tuple(added)


def parse_html(html: str, slug: str) -> tuple[Command, ...]:
    """The commands that GitHub's own HTML of a comment shows, as `parse` gives them."""
    return tuple(command for command in _said(_bounded(_lines_of, html), slug) if not command.misplaced)


def meant(word: str, known: Iterable[str]) -> str:
    """The command that somebody meant or may have meant by a word; empty where none is near."""
    return next(iter(get_close_matches(word, sorted(known), 1, 0.7)), "")


def may_hold_command(body: str, slug: str) -> bool:
    """Whether a text names Bouncer, or the App, at all."""
    lowered = body.lower()
    return "/bouncer" in lowered or bool(slug and f"@{slug.lower()}" in lowered)


def plain_lines(body: str) -> tuple[str, ...]:
    """What a text says in its own voice: lines of paragraphs that are nothing but plain text, outside code, quotes,
    lists and elements that fold or quote. Links stand as Markdown writes them. None of a text that takes too long."""
    return tuple(line.written for line in _bounded(_lines_in, body) if line.own)


def _commands(body: str, slug: str) -> Iterator[Command]:
    """What a reader sees as one who also reads the source, where it begins a line, too."""
    if not may_hold_command(body, slug):
        return
    heads = map(_beginning(slug).fullmatch, body.splitlines())
    written = Counter(_word(head) for head in heads if head)
    for command in _said(_bounded(_lines_in, body), slug):
        if command.misplaced or written[command.word]:
            written[command.word] -= not command.misplaced
            yield command


def _said(lines: "Iterable[_Line]", slug: str) -> Iterator[Command]:
    begins = _beginning(slug)
    for line in lines:
        if found := begins.fullmatch(line.shown):
            yield Command(_word(found), found[2] or "", line.bare < (found.end(1) if found[1] else len(line.shown)))


def _word(found: re.Match[str]) -> str:
    return (found[1] or "help").lower()


@cache
def _beginning(slug: str) -> re.Pattern[str]:
    """How a command's line looks: by `/bouncer`, or by a mention of the App."""
    named = rf"|@{re.escape(slug)}(?:\[bot\])?[,:]?" if slug else ""
    return re.compile(_LINE.format(named), re.IGNORECASE)


@dataclass(slots=True)
class _Line:
    """A line as it is shown. written: with its links as Markdown writes them. bare: how many characters at its
    beginning stand in no element but a paragraph of the text itself, and a link. own: all of it is plain text."""

    shown: str = ""
    written: str = ""
    bare: int = 0
    own: bool = True


def _bounded(read: Callable[[str], tuple[_Line, ...]], text: str) -> tuple[_Line, ...]:
    """None where it takes too long."""
    found = run_bounded(len(text), read, text)
    return () if isinstance(found, TooLong) else found


def _lines_in(body: str) -> tuple[_Line, ...]:
    """The lines of Markdown."""
    return _lines_of(github_flavored_markdown_to_html(body.encode("utf-8", "replace").decode(), _AS_GITHUB))


def _lines_of(html: str) -> tuple[_Line, ...]:
    """The lines of HTML."""
    reading = _Reading()
    waiting: list[tuple[Node | Text, bool]] = [
        (each, False) for each in reversed(JustHTML(html, fragment=True, sanitize=False).root.children or ())
    ]
    while waiting:  # elements may lie deeper in one another than functions
        node, ends = waiting.pop()
        if isinstance(node, Text):
            reading.add(node.data or "")
        elif isinstance(node, Element) and node.name not in _UNSAID:
            if ends or not node.children:
                reading.leave(node)
                continue
            reading.enter(node)
            waiting.append((node, True))
            waiting += ((each, False) for each in reversed(node.children))
    reading.end()
    return tuple(reading.lines)


class _Reading:
    """What is read so far, and which elements are open: all, paragraphs, links, those that are neither a paragraph of
    the text itself nor a link, and those in which no text speaks for itself."""

    def __init__(self) -> None:
        self.lines: list[_Line] = []
        self._line, self._bare = _Line(), True
        self._all = self._paragraphs = self._odd = self._foreign = 0
        self._linked: list[tuple[int, int]] = []  # where in the line each open link begins

    def enter(self, node: Element) -> None:
        if not self._paragraphs:
            self.end()
        if node.name == "a":
            self._linked.append((len(self._line.shown), len(self._line.written)))
        self._count(node, 1, self._all)

    def leave(self, node: Element) -> None:
        """It ends; or there is nothing in it, as in a line's end and a picture."""
        if node.name == "br":
            self.end()
        elif not node.children:
            if node.name in _PICTURES:
                self.add("\ufffc", bare=False)
        else:
            self._count(node, -1, self._all - 1)
            if node.name == "a":
                self._link(node.attrs.get("href") or "", *self._linked.pop())
            if not self._paragraphs:
                self.end()

    def _count(self, node: Element, by: int, around: int) -> None:
        """around: how many elements are open around it."""
        plain = node.name == "p" and not around and set(node.attrs) <= {"dir"}
        self._all += by
        self._paragraphs += by * (node.name == "p")
        self._odd += by * (not plain and node.name != "a")
        self._foreign += by * (node.name not in _OWN_VOICE)

    def _link(self, address: str, shown: int, written: int) -> None:
        text = self._line.written[written:]
        if self._line.shown[shown:] not in (address, address.partition("//")[2], address.partition(":")[2]):
            self._line.written = f"{self._line.written[:written]}[{text}]({address})"

    def add(self, text: str, *, bare: bool = True) -> None:
        """What is shown next."""
        text = text.replace("\n", " ")
        self._bare &= (bare and not self._odd) or not text.strip()
        self._line.bare += len(text) if self._bare else 0
        self._line.own &= bare and self._paragraphs > 0 and not self._foreign
        self._line.shown += text
        self._line.written += text

    def end(self) -> None:
        """Of a line."""
        line = self._line
        line.bare -= len(line.shown) - len(line.shown.lstrip(" \t"))
        line.shown, line.written = line.shown.strip(" \t"), line.written.strip(" \t")
        if line.shown:
            self.lines.append(line)
        self._line, self._bare, self._linked = _Line(), True, [(0, 0) for _ in self._linked]
