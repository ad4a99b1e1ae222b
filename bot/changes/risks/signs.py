"""How a line of code shows that it asks, reaches or changes something: the rows of `signs.toml`, read and checked at
start. Pure.

Python reads letters of other widths as the plain ones, and several languages read escapes in texts and names, so a line
is looked at as it stands and as it is read.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import Literal

from bot.changes.readers import Rows, beside, suffix
from bot.changes.risks.lines import added, moved, old_lines, words
from bot.changes.risks.values import Risk
from bot.changes.values import FileChange

MOST = 20  # found in one file

_PATCHES = ("monkeypatch", "monkey-patch", "monkey patch")
# A line that asks what one in its place asked, and compares it with nothing: neither texts nor numbers, nor a choice.
_CHOICES = frozenset({"if", "else", "in", "is", "not", "and", "or", "match", "case", "while", "assert"})
_PLAIN = frozenset("_.(),; \t")


class Sign(Rows):
    """One row; `signs.toml` says what each part means."""

    check: str
    forms: tuple[str, ...]
    says: str = ""
    endings: str = ""
    but: tuple[str, ...] = ()
    asked: Literal["", "name", "variable", "patch"] | tuple[str, ...] = ""

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return _any(self.forms)

    @cached_property
    def _usual(self) -> re.Pattern[str]:
        return _any(self.but)

    def search(self, text: str) -> re.Match[str] | None:
        """The first place that shows it."""
        return self._pattern.search(self._usual.sub("", text) if self.but else text)

    def names(self, found: re.Match[str]) -> tuple[str, ...]:
        """What an issue calls what was found."""
        if isinstance(self.asked, tuple):
            return self.asked
        name = next(filter(None, found.groups()), found[0]).replace(" ", "").strip("('\"")
        if self.asked == "variable":
            return (f"{name} variable", f"{name} environment variable", f"environment variable {name}")
        return patches(name) if self.asked == "patch" else (name,) if self.asked else ()


class _Table(Rows):
    sentences: dict[str, str]
    endings: dict[str, str]
    parts: dict[str, str]
    sign: tuple[Sign, ...]


_TABLE = beside(__file__, _Table)
SAYS = _TABLE.sentences
_MEANT = {
    **{"…": ".{0,200}?", "{": "(?:", "}": ")", ",": "|", "«": "(", "»": ")", "'": "['\"]", "^": "^"},
    **{f"<{name}>": part for name, part in _TABLE.parts.items()},
}


def _any(forms: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(_form, forms)) or "(?!)")


def _form(form: str) -> str:
    """As a regular expression: a word is whole, and blanks may stand or be missing except between two words."""
    made, depth, place = "", 0, 0
    while place < len(form):
        part = next((part for part in _MEANT if form.startswith(part, place)), form[place])
        depth += (part == "{") - (part == "}")
        if part == "," and not depth:
            made += ","
        elif part == " ":
            between = form[place - 1 : place].isalnum() and form[place + 1 : place + 2].isalnum()
            made += r"\s+" if between else r"\s*"
        elif part in _MEANT:
            made += _MEANT[part]
        else:
            made += re.escape(part)
        place += len(part)
    begins = r"(?<!\w)" if form.lstrip("«{")[:1].isalnum() or form.lstrip("«{")[:1] == "_" else ""
    last = form.rstrip("»}")[-1:]
    ends = r"(?!\w)" if last.isalnum() or last == "_" else "(?![=>])" if last == "=" else ""
    return begins + f"(?:{made})" + ends


_ENDINGS = {name: frozenset(endings.split()) for name, endings in _TABLE.endings.items()}
SIGNS = tuple(sign for sign in _TABLE.sign if not sign.endings or sign.endings in _ENDINGS)


def signs_at(*places: str) -> tuple[Sign, ...]:
    """Those of places that are read apart."""
    return tuple(sign for sign in _TABLE.sign if sign.endings in places)


def patches(what: str) -> tuple[str, ...]:
    """What is said of something that is to be another for everybody. Its name alone says nothing: who wants
    `json.loads` used wants it as it is."""
    return tuple(f"{patch} {what}" for patch in _PATCHES)


def as_read(text: str) -> str:
    """A line as a program reads it: letters of another width as plain ones, and escapes as what they stand for."""
    if text.isascii() and "\\" not in text:
        return text
    first, *rest = unicodedata.normalize("NFKC", text).split("\\")
    return first + "".join(map(_unescaped, rest))


def _unescaped(text: str) -> str:
    """What stands behind a backslash: the character of `x41`, `u0041`, `u{41}` or `U00000041`, and what follows."""
    length = {"x": 2, "u": 4, "U": 8}.get(text[:1], 0)
    digits, rest = text[1 : 1 + length], text[1 + length :]
    if text.startswith("u{"):
        digits, _, rest = text[2:].partition("}")
    try:
        return chr(int(digits, 16)) + rest
    except (ValueError, OverflowError):
        return "\\" + text


def sign_in(text: str, signs: tuple[Sign, ...]) -> tuple[Sign, re.Match[str]] | None:
    """The first of these signs that a line shows, as it stands or as it is read."""
    read = as_read(text)
    forms = (text,) if read == text else (text, read)
    found = ((sign, sign.search(form)) for sign in signs for form in forms)
    return next(((sign, match) for sign, match in found if match), None)


def show(file: FileChange, signs: tuple[Sign, ...], *others: FileChange) -> Iterator[Risk]:
    """One risk for every new line that shows one of these signs, which are of one check. others: files of the change
    from which a line may be moved here."""
    mine = tuple(sign for sign in signs if suffix(file.path) in _ENDINGS.get(sign.endings, (suffix(file.path),)))
    found = [(number, text, *seen) for number, text in added(file) if (seen := sign_in(text, mine))]
    known = moved(file, *others) if found else bool
    asked = {_sort(seen) for text in old_lines(file, *others) if (seen := sign_in(text, mine))} if found else set()
    shown = (
        (number, sign, match)
        for number, text, sign, match in found
        if not known(text) and not (_sort((sign, match)) in asked and _passes_on(text))
    )
    for number, sign, match in islice(shown, MOST):
        yield Risk(sign.check, SAYS[sign.says], file.path, number, sign.names(match))


def _sort(found: tuple[Sign, re.Match[str]]) -> tuple[Sign, str]:
    sign, match = found
    return sign, match[0]


def _passes_on(text: str) -> bool:
    plain = all((each.isascii() and each.isalpha()) or each in _PLAIN for each in text)
    return plain and _CHOICES.isdisjoint(words(text))
