"""What people say, by language, as one pattern: for the tables of words that stand beside this room's files. Pure."""

import re
from collections.abc import Mapping

from bot.changes.readers import Rows, beside

_UNSPACED = frozenset({"zh", "ja", "ko"})  # languages whose words may stand anywhere


def spoken(table: Mapping[str, str], first: bool = False) -> re.Pattern[str]:
    """That one of these is said, in whichever language. first: a title or a text begins with it."""
    before = r"^\W{0,9}" if first else ""
    return re.compile("|".join(before + _apart(code, words(text)) for code, text in table.items()), re.I)


def pattern(text: str) -> re.Pattern[str]:
    """A table's expression by itself."""
    return re.compile(words(text), re.I)


def words(text: str) -> str:
    """A table's expression, which is broken into lines where it is long."""
    return text.replace("\n", "")


def _apart(code: str, expression: str) -> str:
    return f"(?:{expression})" if code in _UNSPACED else rf"(?<!\w)(?:{expression})(?!\w)"


class _Wording(Rows):
    breaks: dict[str, str]
    ends: dict[str, str]
    when: dict[str, str]
    expected: dict[str, str]


_TABLE = beside(__file__, _Wording)
# That something does not work; what is seen when it does not: a crash, a standstill or no answer; and a moment, a
# condition or a step; and, in other languages than English, what should happen instead.
BREAKS, ENDS, WHEN = spoken(_TABLE.breaks), spoken(_TABLE.ends), spoken(_TABLE.when)
EXPECTED_ELSEWHERE = spoken(_TABLE.expected)
WHEN_ELSEWHERE = spoken({code: text for code, text in _TABLE.when.items() if code != "en"})
