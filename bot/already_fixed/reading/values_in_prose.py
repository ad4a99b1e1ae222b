"""Values in prose. Pure; linear in the text.

They stand between backticks, or bare to the end of their sentence where they read as Python and not as English.
"""

import ast
import re
from collections.abc import Collection

from bot.already_fixed.reading import python
from bot.already_fixed.reading.wording import pattern

TICKED = re.compile(r"(`{1,2})(?!`)([^`\n]{1,300})\1(?!`)")
_SHAPE = re.compile(r"[A-Za-z_][\w.]{0,60}[(\[]|[(\[{'\"<]|-?\d")
_ENGLISH = pattern("english")
CONSTANTS = frozenset({"True", "False", "None", "nan", "inf"})
_COMMENTED = pattern("right_in_remark")
_WISHED = pattern("wished_before")
_TICKED_WRONG = pattern("gives_ticked")


def value_at(prose: str, at: int, names: Collection[str] = ()) -> str:
    """The value that begins here: between backticks, or up to where the sentence ends."""
    if ticked := TICKED.match(prose, at):
        return ticked[2].strip()
    if prose.startswith("`", at):
        return ""
    line = prose[at : at + 200].partition("\n")[0].strip()
    ends = {found.start() for found in re.finditer(r"$|[.,;:!?](?=\s|$)|\s(?:but|and|or|instead|as|for)\b", line)}
    for end in sorted(ends, reverse=True)[:12]:
        if is_value(bare := line[:end].strip(" .,;:!?"), names):
            return bare
    return ""


def is_value(text: str, names: Collection[str] = ()) -> bool:
    """Whether a bare text reads as a value of Python and not as a word."""
    if not text or len(text) > 200 or _ENGLISH.search(text):
        return False
    match value := python.expression(text):
        case None:
            return False
        case ast.Name():
            return value.id in CONSTANTS or (value.id in names and value.id.islower())
        case ast.Constant():
            return value.value is not ...
        case ast.Tuple():
            return text.startswith("(")
    return not isinstance(value, ast.Attribute | ast.Compare)


def shape(value: str) -> str:
    """How a value begins: its class and bracket, its quotation mark, or `0` where it is a number; empty for a word."""
    found = _SHAPE.match(value.lstrip())
    return ("0" if found[0][-1].isdigit() else found[0]) if found else ""


def ticked_wrong(near: str) -> str:
    """What prose says is there, in code; not what it says should be. Of several nobody can tell which is wrong."""
    values = {
        found[1].strip()
        for found in _TICKED_WRONG.finditer(near)
        if not _WISHED.search(near[max(0, found.start() - 40) : found.start()])
    }
    return values.pop() if len(values) == 1 else ""


def commented_right(code: str) -> str:
    found = _COMMENTED.search(code)
    return found[1].strip(" `'\".") if found else ""
