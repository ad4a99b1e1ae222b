"""Whether a report says that what it is about was fixed before, and is there again. Pure; linear in the text.

Three ways of saying so count: the trouble returned; a fix did not hold; it is the same as an issue that was closed.
That something worked before, as in *a regression in 2.0*, does not: that says of no fix that it failed. In doubt the
answer is yes: what came back needs better evidence to be called fixed, and nothing else follows from it.
"""

import re
from functools import lru_cache

from bot.already_fixed.reading.blocks import LONGEST
from bot.already_fixed.reading.wording import pattern

_CAME_BACK = pattern("came_back")
_WRAPPED = re.compile(r"(?<=\S)[ \t]*\n(?![ \t]*(?:\n|[-*+>#|`]|\d{1,3}[.)]))[ \t]*")  # inside of a paragraph


@lru_cache(maxsize=32)  # one look asks several times
def came_back(title: str, text: str) -> bool:
    """Whether the report says that what it is about was fixed before, and is there again."""
    return _CAME_BACK.search(_WRAPPED.sub(" ", f"{title}\n\n{text[:LONGEST]}")) is not None
