"""What a text asks for by its own values alone: then code that asks for just these values is what was asked for. Pure.

A number in an issue is an example of a rule, and its answer alone is none. It is the rule itself where a call leaves
another argument open (`fare("demo", days)` should be 0), or where the only thing that should become otherwise is said
of these values, and of all others that they stay (*Seven days of an "L" should cost 50, all others as they are*).
"""

import re
from collections.abc import Collection, Iterator

_LONGEST = 20_000  # characters that are looked at
_SENTENCE = re.compile(r"(?:[^.!?\n]|[.!?](?=\S)){1,600}")
_SHOULD = re.compile(r"\b(?:should|must|ought|shall|needs? to|has to|have to)\b", re.I)
_STAYS = re.compile(
    r"\b(?:others?|else|rest)\b[^.!?\n]{0,60}?"
    r"\b(?:stays?|remains?|keeps?|unchanged|untouched|as (?:they are|it is|before|now|today))\b",
    re.I,
)
_CALL = re.compile(r"[\w.]{1,80}\(([^()\n]{1,200})\)")
LITERAL = re.compile(
    r"'[^'\\\n]{0,200}'|\"[^\"\\\n]{0,200}\"|(?<![\w.])-?\d[\d_]{0,30}(?:\.\d{1,30})?(?!\.?\w)|\b(?:True|False|None|true|false|null)\b|\[\]|\{\}"
)
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_IN_WORDS = re.compile(rf"\b(?:{'|'.join(_NUMBERS)})\b", re.I)


def asks_for_values(text: str, given: Collection[str], answer: Collection[str]) -> bool:
    """Whether the text asks for this answer to these values as a rule of its own. Texts are given without quotation
    marks. answer: one of what should come; none where that is not known."""
    text = in_digits(text[:_LONGEST])
    sentences = [found[0] for found in _SENTENCE.finditer(text)]
    wishes = [at for at, each in enumerate(sentences) if _SHOULD.search(each) and not _STAYS.match(each.strip())]
    if not given:
        return False
    if any(_is_rule(sentences[at], given, answer) for at in wishes):
        return True
    if len(wishes) != 1:
        return False
    wish, behind = sentences[wishes[0]], sentences[wishes[0] + 1 :][:2]
    named = all(names_value(wish, each) for each in given) and (
        not answer or any(names_value(wish, each) for each in answer)
    )
    return named and any(map(_STAYS.search, (wish, *behind)))


def in_digits(text: str) -> str:
    """The text with its small numbers in digits."""
    return _IN_WORDS.sub(lambda found: str(_NUMBERS.index(found[0].lower()) + 1), text)


def _is_rule(wish: str, given: Collection[str], answer: Collection[str]) -> bool:
    """Whether it says what comes of a call that leaves something open but these values."""
    for call in _CALL.finditer(wish):
        known, words = {*_literals(call[1])}, LITERAL.sub("", call[1]).split(",")
        is_open = any(word.strip().isidentifier() for word in words)
        if is_open and {*given} <= known and next(_literals(wish[call.end() :]), "") in answer:
            return True
    return False


def _literals(text: str) -> Iterator[str]:
    return (found[0].strip("'\"").replace("_", "") for found in LITERAL.finditer(text))


def names_value(text: str, value: object) -> bool:
    """Whether it stands there as a word of its own."""
    return bool(re.search(rf"(?<![\w.]){re.escape(str(value))}(?!\.?\w)", text))
