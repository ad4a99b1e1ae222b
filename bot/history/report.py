"""What a report gives a search to go by: its words, names from code, and the places of its stack traces. Pure."""

import re
from dataclasses import dataclass

from bot.history.database import spaced
from bot.history.log import Mask
from bot.history.terms import code_terms
from bot.history.values import Sought
from bot.markdown.blocks import Sort, blocks
from bot.markdown.visible import visible, visible_line

_LONGEST = 60_000  # characters of a report that are read
_MOST = 400  # words, names and places of each sort

_WORD = re.compile(r"[^\W_]{2,40}")
_PART = re.compile(r"[^\W_]{1,60}")
_QUOTED = re.compile(r"(?<!`)`([^`\n]{2,120})`(?!`)")
_PLACES = (
    re.compile(  # Python, with the line of code that its traceback shows
        r'File "(?P<file>[^"\n]{1,300})", line (?P<line>\d{1,7})(?:, in (?P<function>[^\s(]{1,100}))?'
        r'(?:[^\n]{0,200}\n[ \t]{1,40}(?!File ")(?P<source>[^\s][^\n]{0,300}))?'
    ),
    re.compile(  # JavaScript
        r"^[ \t]{0,20}at (?:(?P<function>[\w$.<>]{1,200}) )?\(?(?P<file>[^\s():]{1,300}\.\w{1,5}):(?P<line>\d{1,7})",
        re.M,
    ),
    re.compile(
        r"^[ \t]{0,20}at (?P<function>[\w$.<>]{1,200})\((?P<file>[\w.]{1,200}):(?P<line>\d{1,7})\)", re.M
    ),  # Java
    re.compile(  # Go, Rust, C, pytest
        r"(?<![\w/.\\-])(?P<file>(?:[A-Za-z]:)?[\w./\\-]{1,200}\.[A-Za-z]{1,4}):(?P<line>\d{1,7})\b"
    ),
)
# Words that any report has; the index's own frequencies weigh all others.
_STOP_WORDS = """
the an of to in is it and or for on with this that be as by from at not are if was but can we you have has when which so
no do does will would there should my use using used file line code error python
"""
_STOP = frozenset(_STOP_WORDS.split())
_TITLE, _NAME, _PROSE, _CODE = 3.0, 2.0, 1.0, 0.7  # how much a word counts by where it stands


@dataclass(frozen=True, slots=True)
class Frame:
    """One place of a stack trace. file: with forward slashes. line: from 1. function: its last part, or empty.
    source: the line of code, where the trace shows it, without its indentation."""

    file: str
    line: int
    function: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """words: each with how much it counts. title: its words. names: names from code, as phrases of their words ->
    as the report spells them. frames: of the stack traces. files, functions: theirs, functions as phrases. headline,
    prose, code: what readers see of its title and its text."""

    words: dict[str, float]
    title: tuple[str, ...]
    names: dict[str, str]
    frames: tuple[Frame, ...]
    files: frozenset[str]
    functions: frozenset[str]
    headline: str
    prose: str
    code: str


def read(sought: Sought, mask: Mask = str) -> SearchQuery:
    """Accepts any text; never raises. mask: what the texts pass through first, as the index's did."""
    title, text = mask(visible_line(sought.title[:1000]).text), mask(visible(sought.text[:_LONGEST]).text)
    parts = blocks(text)
    prose = "\n".join(part.text for part in parts if part.sort is not Sort.CODE)
    code = "\n".join(part.text for part in parts if part.sort is Sort.CODE)
    quoted = " ".join(_QUOTED.findall(f"{title}\n{prose}"))
    counted: dict[str, float] = {}
    for source, weight in ((title, _TITLE), (quoted, _NAME), (prose, _PROSE), (code, _CODE)):
        for word in words(source):
            if len(counted) < 2 * _MOST:
                counted.setdefault(word, weight)
    spelled: dict[str, str] = {}
    for name in sorted(code_terms(f"{title}\n{text}")):
        spelled.setdefault(phrase(name), name)
    spelled.pop("", None)
    places = tuple(dict.fromkeys(frames(text)))
    return SearchQuery(
        words=counted,
        title=tuple(words(title)),
        names=dict(list(spelled.items())[:_MOST]),
        frames=places,
        files=frozenset(place.file for place in places),
        functions=frozenset(phrase(place.function) for place in places) - {""},
        headline=title,
        prose=prose,
        code=code,
    )


def words(text: str) -> list[str]:
    """Each word once, in lower case, in the order of the text; names from code in their parts."""
    return [word for word in dict.fromkeys(_WORD.findall(spaced(text).lower())) if word not in _STOP]


def phrase(name: str) -> str:
    """A name from code as the words that follow each other where it stands."""
    return " ".join(_PART.findall(spaced(name).lower()))


def frames(text: str) -> list[Frame]:
    """The places of stack traces, those of one language after the other, as they stand in the text; the last ones."""
    found = []
    for match in (match for pattern in _PLACES for match in pattern.finditer(text)):
        told = match.groupdict(default="")
        function = told.get("function", "")
        function = "" if function.startswith("<") else function.rsplit(".", 1)[-1]
        source = told.get("source", "").strip()
        found.append(Frame(told["file"].replace("\\", "/"), int(told["line"]), function, source))
    return found[-_MOST:]


def in_trace(path: str, files: frozenset[str]) -> bool:
    """Whether a stack trace's file may be this one: it ends so, wherever it was installed."""
    name = path.rsplit("/", 1)[-1]
    for file in files:
        if file.rsplit("/", 1)[-1] == name and (
            file.endswith(f"/{path}") or path.endswith(f"/{file}") or file == path or _last_two(file) == _last_two(path)
        ):
            return True
    return False


def _last_two(path: str) -> list[str]:
    return path.split("/")[-2:]
