"""Untrusted text, made harmless for the place it is shown in.

GitHub finds mentions, references and emoji in the text *after* Markdown was rendered, so a backslash does not stop
them; a code span does. Therefore words that mean nothing to GitHub stay as they are, and every other word goes into a
code span. Everything is put on one line: what has no line of its own cannot start a block.
"""

import re
from dataclasses import replace
from typing import Any

from bot.plain_text import ELLIPSIS, clean, visible_text
from bot.verdicts import Evidence

_IMAGE = re.compile(r"!\[[^\[\]]*\]\([^()\s]*(?:\s[^()]*)?\)")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*(?:\s[^()]*)?\)")
_ADDRESS = re.compile(r"<?(?<![a-z])(?:https?|ftp)://[!#-;=?-_a-~]*[#-&*+/-9=@-Z\\_a-z~]>?", re.IGNORECASE)

_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_PIECE = re.compile(r"\s+|[^\s\u2e80-\U0010ffff]+|[\u2e80-\U0010ffff]+")
_PEEL = re.compile(r"([(\"'“‘«¿¡]*)(.*?)([)\"'”’».,;:!?…]*)", re.DOTALL)
_LETTER = "[0-9A-Za-z\u0080-\U0010ffff]"
_TAME = re.compile(rf"{_LETTER}+(?:['/-]{_LETTER}+)*%?|\d+(?:[.,]\d+)+%?|(?:[a-zA-Z]\.)+[a-zA-Z]?|[&=–—-]|")
_WILD = re.compile(
    r"(?:.*[a-z]\w*-\d.*|(?:.*[^0-9a-z])?www|(?:.*[^0-9a-z])?[0-9a-f]{7,}(?:[^0-9a-z].*)?)", re.IGNORECASE
)
_STARTS_A_BLOCK = re.compile(r"\d+[.)](?!\S)|[-+=]")
Word = tuple[str, bool]  # the text, and whether it must be shown as code
LINE, NAME = 600, 300  # characters


def prose(text: str, limit: int = 400) -> str:
    """Markdown that shows the text as prose on one line: no mention, reference, link, image, HTML, emoji or block.

    Links are reduced to their text, images and addresses to a word; whatever else GitHub might act on is shown as code.
    """
    line = clean(text, limit * 4)
    line = _ADDRESS.sub("(link)", _LINK.sub(r"\1", _IMAGE.sub("(image)", line)))
    line = clean(line, limit)
    words: list[Word] = []
    start = 0
    for span in _SPAN.finditer(line):
        words += _words(line[start : span.start()])
        words.append((span[2].strip(), True))
        start = span.end()
    shown = _joined(words + _words(line[start:]))
    if _STARTS_A_BLOCK.match(shown):
        head, space, rest = shown.partition(" ")
        return code(head, limit) + space + rest
    return shown


def code(text: str, limit: int = 200) -> str:
    """A Markdown code span that shows the text verbatim on one line; nothing in it is alive."""
    return _code_span(clean(text, limit))


def exact(text: str) -> str:
    """A code span that shows program text to the letter: spaces stay, what cannot be seen is written as its escape."""
    return _code_span(visible_text(text).replace("\n", "\\n"))


def block(text: str, language: str = "") -> str:
    """A fenced code block of program text, as `exact` shows it, line by line. To be put where a line begins."""
    shown = visible_text(text)
    fence = "`" * max(3, _longest_run(shown) + 1)
    return f"{fence}{language}\n{shown}\n{fence}"


def _code_span(line: str) -> str:
    if not line:
        return ""
    fence = "`" * (_longest_run(line) + 1)
    # Markdown takes one space off both ends, and needs one beside a backtick.
    taken = line.startswith(" ") and line.endswith(" ") and line.strip()
    space = " " if taken or line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{space}{line}{space}{fence}"


def _longest_run(text: str) -> int:
    """Of backticks."""
    return max((len(run) for run in re.findall("`+", text)), default=0)


def _words(text: str) -> list[Word]:
    """The text in pieces: words, the spaces between them, and runs of scripts that set no spaces."""
    words: list[Word] = []
    for piece in _PIECE.findall(text):
        if piece.isspace() or ord(piece[0]) >= 0x2E80:
            words.append((piece, False))
        else:
            words += _word(piece)
    return words


def _word(word: str) -> list[Word]:
    """The word, with the punctuation around it apart when the rest must be shown as code."""
    peeled = _PEEL.fullmatch(word)
    if peeled is None:
        return [(word, True)]
    before, core, after = peeled.groups()
    if _TAME.fullmatch(core) and not _WILD.fullmatch(core):
        return [(word, False)]
    if not any(character.isalnum() for character in core):
        return [(word, True)]
    while after.startswith(")") and core.count("(") > core.count(")"):
        core, after = core + ")", after[1:]
    return [(before, False), (core, True), (after, False)]


def _joined(words: list[Word]) -> str:
    """One line. Neighbouring code becomes one span, for touching backticks would make one run."""
    line, pending = "", ""
    for text, as_code in words:
        if as_code or (pending and text.isspace()):
            pending += text
        elif text:
            line += _span(pending) + text
            pending = ""
    return (line + _span(pending)).strip()


def _span(text: str) -> str:
    """The code span, with the space that followed it in the text put behind it."""
    return code(text, len(text)) + (" " if text.endswith(" ") and text.strip() else "")


def one_line(text: str, limit: int = LINE) -> str:
    """One line. What is far too long is not even looked at."""
    return clean(text[: 2 * limit], limit)


def lines(text: str, limit: int = 2_000) -> str:
    """Several lines, to the letter; cut where it is longer."""
    shown = visible_text(text[:limit])
    return f"{shown}\n{ELLIPSIS}" if len(text) > limit else shown


def bound_evidence(found: Evidence) -> Evidence:
    """An observation with its texts bounded."""
    return replace(
        found, found=one_line(found.found), quote=one_line(found.quote, NAME), where=one_line(found.where, NAME)
    )


def fields_json(value: object, names: str, limit: int = 400) -> dict[str, Any]:
    """These fields of a value, as JSON has them."""
    return {name: _json(getattr(value, name), limit) for name in names.split()}


def _json(value: Any, limit: int) -> Any:
    if isinstance(value, tuple):
        return [_json(each, limit) for each in value]
    return clean(value, limit) if isinstance(value, str) else round(value, 4) if isinstance(value, float) else value
