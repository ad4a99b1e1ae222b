"""What a report gives a search to go by: its words, names from code, and the places of its stack traces. Pure."""

import re
from dataclasses import dataclass

from bot.changes.terms import code_terms
from bot.history.log import Mask
from bot.history.terms import spaced
from bot.history.values import Sought
from bot.markdown.blocks import Sort, blocks
from bot.markdown.visible import visible, visible_line

_LONGEST = 60_000  # characters of a report that are read
_MOST = 400  # words, names and places of each sort

_WORD = re.compile(r"[^\W_]{2,40}")
_PART = re.compile(r"[^\W_]{1,60}")
_QUOTED = re.compile(r"(?<!`)`([^`\n]{2,120})`(?!`)")
_PLACES = (
    re.compile(r'File "([^"\n]{1,300})", line \d{1,7}(?:, in ([^\s(]{1,100}))?'),  # Python
    re.compile(r"^[ \t]{0,20}at (?:([\w$.<>]{1,200}) )?\(?([^\s():]{1,300}\.\w{1,5}):\d{1,7}", re.M),  # JavaScript
    re.compile(r"^[ \t]{0,20}at ([\w$.<>]{1,200})\(([\w.]{1,200}):\d{1,7}\)", re.M),  # Java
    re.compile(r"(?<![\w/.\\-])((?:[A-Za-z]:)?[\w./\\-]{1,200}\.[A-Za-z]{1,4}):\d{1,7}\b"),  # Go, Rust, C, pytest
)
_PYTHON, _SCRIPT, _JAVA, _PLAIN = _PLACES
# Words that any report has; the index's own frequencies weigh all others.
_STOP_WORDS = """
the an of to in is it and or for on with this that be as by from at not are if was but can we you have has when which so
no do does will would there should my use using used file line code error python
"""
_STOP = frozenset(_STOP_WORDS.split())
_TITLE, _NAME, _PROSE, _CODE = 3.0, 2.0, 1.0, 0.7  # how much a word counts by where it stands


@dataclass(frozen=True, slots=True)
class Asked:
    """words: each with how much it counts. title: its words. names: names from code, as phrases of their words.
    files, functions: of the stack traces, files with forward slashes, functions as phrases."""

    words: dict[str, float]
    title: tuple[str, ...]
    names: tuple[str, ...]
    files: frozenset[str]
    functions: frozenset[str]
    number: int | None = None


def read(sought: Sought, mask: Mask | None = None) -> Asked:
    """Accepts any text; never raises. mask: what the texts pass through first, as the index's did."""
    title, text = visible_line(sought.title[:1000]).text, visible(sought.text[:_LONGEST]).text
    if mask:
        title, text = mask(title), mask(text)
    parts = blocks(text)
    prose = "\n".join(part.text for part in parts if part.sort is not Sort.CODE)
    code = "\n".join(part.text for part in parts if part.sort is Sort.CODE)
    quoted = " ".join(_QUOTED.findall(f"{title}\n{prose}"))
    counted: dict[str, float] = {}
    for source, weight in ((title, _TITLE), (quoted, _NAME), (prose, _PROSE), (code, _CODE)):
        for word in words(source):
            if len(counted) < 2 * _MOST:
                counted.setdefault(word, weight)
    names = (phrase(name) for name in sorted(code_terms(f"{title}\n{text}")))
    files, functions = _places(text)
    return Asked(
        words=counted,
        title=tuple(words(title)),
        names=tuple(dict.fromkeys(name for name in names if name))[:_MOST],
        files=files,
        functions=functions,
        number=sought.number,
    )


def words(text: str) -> list[str]:
    """Each word once, in lower case, in the order of the text; names from code in their parts."""
    return [word for word in dict.fromkeys(_WORD.findall(spaced(text).lower())) if word not in _STOP]


def phrase(name: str) -> str:
    """A name from code as the words that follow each other where it stands."""
    return " ".join(_PART.findall(spaced(name).lower()))


def _places(text: str) -> tuple[frozenset[str], frozenset[str]]:
    files: dict[str, None] = {}
    functions: dict[str, None] = {}
    found = [(match[1], match[2]) for match in _PYTHON.finditer(text)]
    found += [(match[2], match[1]) for pattern in (_SCRIPT, _JAVA) for match in pattern.finditer(text)]
    found += [(match[1], "") for match in _PLAIN.finditer(text)]
    for file, function in found[-_MOST:]:
        files[file.replace("\\", "/")] = None
        if function and not function.startswith("<"):
            functions[phrase(function.rsplit(".", 1)[-1])] = None
    return frozenset(files), frozenset(functions) - {""}
