"""Which answers below a form's headings say nothing: a joke, "idk", a dash, a remark in a fence, names without values.
Pure."""

import re

from bot.changes.readers import Rows, beside
from bot.markdown.blocks import Block, Sort

_LONGEST = 400  # characters of an answer that may say nothing


class _Answers(Rows):
    fillers: str
    hollow: dict[str, str]


_TABLE = beside(__file__, _Answers)
_FILLERS = frozenset(_TABLE.fillers.split())
_HOLLOW = frozenset(" ".join(each.split()) for text in _TABLE.hollow.values() for each in text.split("|"))
_WORD = re.compile(r"[^\W_]+")
_REMARK = ("#", "//", ";", "--", "<!--", "%", "rem ", "REM ")
_PLACEHOLDER = re.compile(
    r"(?:<[^<>\n]{1,60}>|\[[^\]\n(]{1,80}\](?!\()|\{[^{}\n]{1,60}\}|\.{2,}|…|(?:[-*+]|\d{1,3}[.)])(?=\s|$)|>)"
)
_HINT = re.compile(r"(?:describe\b|a clear and concise\b|(?:if applicable|add any other context)\b).{0,200}", re.I)


def says_nothing(text: str) -> bool:
    """Whether what stands below a heading, outside code, says nothing."""
    return len(text) <= _LONGEST and all(_empty(line) for line in text.split("\n"))


def remarks_alone(block: Block) -> bool:
    """Whether a block of code holds nothing but remarks, as forms put there, or nothing at all."""
    lines = [line.strip() for line in block.text[:_LONGEST].split("\n") if line.strip()]
    return block.sort is Sort.CODE and (not lines or all(line.startswith(_REMARK) for line in lines))


def _empty(line: str) -> bool:
    bare = _PLACEHOLDER.sub(" ", line.replace("[image]", " ")).strip()
    bare = _HINT.sub("", bare)
    if bare.endswith((":", "：")) and len(bare) < 80:
        return True  # a name without its value
    words = [word.lower() for word in _WORD.findall(bare)]
    told = [word for word in words if word not in _FILLERS and (len(word) > 1 or word.isascii())]
    return not told or " ".join(told) in _HOLLOW or " ".join(words) in _HOLLOW
