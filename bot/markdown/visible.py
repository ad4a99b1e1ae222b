"""What a human reader sees of a text on GitHub, and what was hidden in it.

HTML comments, text only a tag's attribute or a reference definition carries, elements marked as not displayed, and
characters without a shape never reach a judge. Code keeps everything but shapeless characters: there, GitHub shows it.
Where GitHub's own reading is hard to tell, text counts as hidden. Every search is bounded or remembered, so hostile
input costs little more than its length.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import unescape

_LINE = r"^[ ]{0,3}(?:(?:>|[*+-]|\d{1,9}[.)])[ ]{0,4}){0,6}"
_TOKEN = re.compile(
    rf"{_LINE}(?P<fence>`{{3,}}+(?=[^`\n]*+$)|~{{3,}}+)|(?P<ticks>`++)"
    rf"|(?P<markup><!--|<!\[CDATA\[|<\?|<![A-Za-z])|(?P<tag></?[A-Za-z])",
    re.M,
)
_CLOSERS = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]{0,30})((?:\s(?:[^<>\"']|\"[^\"]*+\"|'[^']*+')*+)?)/?>")
_LONGEST_TAG = 4096
_ATTRIBUTE = re.compile(r"\b(?:alt|title|aria-\w{1,20}|content|value)\s{0,5}=\s{0,5}(?:\"([^\"]*+)\"|'([^']*+)')", re.I)
_UNSHOWN = re.compile(
    r"display\s{0,5}:\s{0,5}none|visibility\s{0,5}:\s{0,5}hidden|font-size\s{0,5}:\s{0,5}0|opacity\s{0,5}:\s{0,5}0"
    r"|\shidden(?=[\s=/]|$)",
    re.I,
)
_NEVER_SHOWN = frozenset({"script", "style"})
_ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
# The elements whose tags a reader does not see; what has another name is plain text.
_ELEMENTS = (
    {"body", "head", "html", "link", "meta", "script", "style", "template", "title"}
    | {"blockquote", "center", "details", "div", "hr", "main", "nav", "p", "pre", "section", "summary"}
    | {"h1", "h2", "h3", "h4", "h5", "h6", "dd", "dl", "dt", "li", "ol", "ul"}
    | {"col", "colgroup", "table", "tbody", "td", "tfoot", "th", "thead", "tr"}
    | {"a", "abbr", "b", "br", "cite", "code", "del", "dfn", "em", "font", "i", "ins", "kbd", "mark", "q", "rp", "rt"}
    | {"ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"}
    | {"figcaption", "figure", "iframe", "img", "object", "picture", "source", "svg", "video"}
    | {"form", "input", "label"}
)
_DEFINITION = re.compile(
    r"^[ ]{0,3}\[(?!\^)([^\]\[]{1,999}+)\]:[ \t]{0,9}\n?[ \t]{0,9}(<[^<>\n]{0,999}>|[^\s<]\S{0,1999}+)"
    r"(?:\s{1,9}(\"[^\"]{0,1999}+\"|'[^']{0,1999}+'|\([^()]{0,1999}+\)))?[ \t]{0,9}$\n?",
    re.M,
)
_PLAIN_TARGET = re.compile(r"<?(?:https?:|mailto:|/|\.|www\.)", re.I)
_IMAGE = re.compile(r"!\[([^\]\[\n]{0,1000}+)\](?:\(([^()\n]{0,1000}+)\)|\[[^\]\n]{0,200}+\])")
_REFERENCE = re.compile(r"\[([^\]\[\n]{1,300}+)\](?:\[([^\]\[\n]{0,200}+)\])?(?![\[(:])")
_LINK_TITLE = re.compile(
    r"(\]\([^()\s\"']{1,1000}+)[ \t]{1,9}(?:\"([^\"\n]{0,1000}+)\"|'([^'\n]{0,1000}+)')[ \t]{0,9}\)"
)
_HUGE_REFERENCE = re.compile(r"&#(?:\d{8,}+|x[0-9a-f]{7,}+);?", re.I)

_DIRECTION = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_ZERO_WIDTH = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0"
)
_CONTROL = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufff0-\ufffb"
_SHAPELESS = re.compile(f"[{_DIRECTION}{_ZERO_WIDTH}{_CONTROL}\U000e0000-\U000e0fff]")
_REVERSED = re.compile("\u202e([^\u202a-\u202e\n]*+)\u202c?")  # shown from right to left: read it as it is shown
_IS_DIRECTION = re.compile(f"[{_DIRECTION}]")
_JOINERS = "\u200c\u200d"

COMMENT = "HTML comment"
ATTRIBUTE = "description of an image or link"
DEFINITION = "link definition"
ELEMENT = "element that is not displayed"
DIRECTION = "direction mark"
TAG_CHARACTER = "invisible tag character"
SHAPELESS = "character without a shape"


@dataclass(frozen=True, slots=True)
class Removal:
    """Text that was taken out; `what` is one of this module's names for it."""

    what: str
    text: str


@dataclass(frozen=True, slots=True)
class Visible:
    """The text that is left, with `\\n` line ends, what was taken out, and how many images it shows."""

    text: str
    removals: tuple[Removal, ...]
    images: int = 0


def visible(source: str) -> Visible:
    """Read a GitHub-flavoured Markdown text as a person would; images become `[image]`."""
    source = source.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    removals: list[Removal] = []
    out: list[str] = []
    images = 0
    regions = _regions(source, removals)
    defined = [match for text, is_code in regions if not is_code for match in _DEFINITION.finditer(text)]
    targets = {
        match[1].casefold(): match[2].strip("<>") for match in reversed(defined) if _PLAIN_TARGET.match(match[2])
    }
    for text, is_code in regions:
        if not is_code:
            text, shown = _prose(text, removals, targets)
            images += shown
        out.append(text)
    return Visible(_shaped("".join(out), removals), tuple(removals), images)


def visible_line(source: str) -> Visible:
    """The same for a title: one line in which Markdown and HTML are not rendered, so only characters can hide."""
    removals: list[Removal] = []
    return Visible(" ".join(_shaped(source, removals).split()), tuple(removals))


def _regions(text: str, removals: list[Removal]) -> list[tuple[str, bool]]:
    """Cut the text into (region, is code), without comments and hidden elements, and with bare tags."""
    closing = _Closing(text)
    regions: list[tuple[str, bool]] = []
    start = at = 0
    while token := _TOKEN.search(text, at):
        position = token.start() if token.lastgroup != "fence" else token.start("fence")
        end, kept, is_code = _read_token(text, token, position, closing, removals)
        at = max(end, token.end())
        if end:
            regions += [(text[start:position], False), (kept, is_code)]
            start = at
    regions.append((text[start:], False))
    return regions


def _read_token(
    text: str, token: re.Match[str], position: int, closing: "_Closing", removals: list[Removal]
) -> tuple[int, str, bool]:
    """Where the construct ends (0: it is plain text), what stays of it, and whether that is code."""
    if token["fence"] or token["ticks"]:
        fence, ticks = token["fence"], len(token["ticks"] or "")
        end = closing.fence(token.end(), fence) if fence else closing.code_span(token.end(), ticks)
        return end, text[position:end], True
    if markup := token["markup"]:
        end = closing.markup(position, markup)
        removals += [Removal(COMMENT, text[position:end])] if end else []
        return end, "", False
    tag = _TAG.match(text, position, position + _LONGEST_TAG)
    if tag is None or tag[2].lower() not in _ELEMENTS:
        return 0, "", False
    slash, name, attributes = tag[1], tag[2].lower(), tag[3]
    hides = not slash and (name in _NEVER_SHOWN or _UNSHOWN.search(attributes))
    if hides and (end := closing.element(tag.end(), name)):
        removals.append(Removal(ELEMENT, text[position:end]))
        return end, "", False
    removals += _descriptions(double or single for double, single in _ATTRIBUTE.findall(attributes))
    return tag.end(), "[image]" if name == "img" else f"<{slash}{name}>", False


def _descriptions(values: Iterable[str | None]) -> list[Removal]:
    """Those of some words."""
    return [Removal(ATTRIBUTE, value) for value in values if value and len(value.split()) > 2]


class _Closing:
    """Finds where constructs end, remembering what it looked up so that no text is searched again and again."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lower = text.translate(_ASCII_LOWER)  # str.lower() may change a text's length
        self._last: dict[str, int] = {}
        self._runs: dict[int, list[int]] = defaultdict(list)
        for run in re.finditer("`++", text):
            self._runs[len(run[0])].append(run.start())

    def fence(self, after: int, fence: str) -> int:
        """The end of a fenced block: behind its closing fence, or the end of the text."""
        pattern = re.compile(rf"^[ >\t]{{0,12}}{fence[0]}{{{len(fence)},}}+[ \t]*+$", re.M)
        closed = pattern.search(self._text, after)
        return closed.end() if closed else len(self._text)

    def code_span(self, after: int, length: int) -> int:
        """The end of a code span that closes on its line, or 0."""
        runs = self._runs[length]
        index = bisect_left(runs, after)
        closes = index < len(runs) and self._text.find("\n", after, runs[index]) < 0
        return runs[index] + length if closes else 0

    def markup(self, start: int, opening: str) -> int:
        """The end of a comment or declaration; unclosed, it hides all that follows if it began a line."""
        closer = _CLOSERS.get(opening, ">")
        if self._has(closer, start + 2):
            return self._text.find(closer, start + 2) + len(closer)
        line_start = self._text.rfind("\n", max(0, start - 200), start) + 1
        begins_line = not self._text[max(line_start, start - 200) : start].strip(" \t>*+-")
        return len(self._text) if begins_line and closer != ">" else 0

    def element(self, after: int, name: str) -> int:
        """Behind the element's closing tag, or 0."""
        closer = f"</{name}>"
        return self._lower.find(closer, after) + len(closer) if self._has(closer, after) else 0

    def _has(self, closer: str, start: int) -> bool:
        if closer not in self._last:
            self._last[closer] = self._lower.rfind(closer)
        return self._last[closer] >= start


def _prose(text: str, removals: list[Removal], targets: Mapping[str, str]) -> tuple[str, int]:
    """Text outside code without what Markdown does not render, and the number of its images. targets: of links by
    reference, which are shown as others are."""

    def definition(match: re.Match[str]) -> str:
        label, target, title = match[1], match[2], match[3]
        if title or len(label.split()) > 2 or not _PLAIN_TARGET.match(target):
            removals.append(Removal(DEFINITION, match[0].strip()))
        return ""

    def image(match: re.Match[str]) -> str:
        removals.extend(_descriptions((match[1], (match[2] or "").partition(" ")[2])))
        return "[image]"

    def link(match: re.Match[str]) -> str:
        removals.extend(_descriptions([match[2] or match[3]]))
        return match[1] + ")"

    def reference(match: re.Match[str]) -> str:
        target = targets.get((match[2] or match[1]).casefold())
        return f"[{match[1]}]({target})" if target else match[0]

    text = _IMAGE.sub(image, text)
    text = _LINK_TITLE.sub(link, text)
    text = _DEFINITION.sub(definition, text)
    text = _REFERENCE.sub(reference, text) if targets else text
    return unescape(_HUGE_REFERENCE.sub("", text)), text.count("[image]")


def _shaped(text: str, removals: list[Removal]) -> str:
    """Without characters that have no shape. A lone joiner between letters of scripts that need it stays."""
    taken: dict[str, list[str]] = defaultdict(list)

    def take(match: re.Match[str]) -> str:
        char, at = match[0], match.start()
        if char in _JOINERS and at and ord(text[at - 1]) > 0x2FF and not _SHAPELESS.match(text[at - 1]):
            return char
        if "\U000e0000" <= char <= "\U000e007f":
            taken[TAG_CHARACTER].append(chr(ord(char) - 0xE0000))  # these mirror ASCII: show what they spell
        elif _IS_DIRECTION.match(char):
            taken[DIRECTION].append(f"U+{ord(char):04X} ")
        else:
            taken[SHAPELESS].append(f"U+{ord(char):04X} ")
        return ""

    shaped = _SHAPELESS.sub(take, _REVERSED.sub(lambda match: f"\u202e{match[1][::-1]}\u202c", text))
    removals += [Removal(what, "".join(found)) for what, found in taken.items()]
    return shaped
