"""One named risk, and who may waive it. Pure."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from bot.changes.readers import WORDS
from bot.changes.values import Change, Whole
from bot.verdicts import Effect, Evidence

QUOTE = 200  # characters of a path
MOST_PLACES = 5  # of one sort that are told, each with its line
_LONGEST = 100_000  # characters of a text that are looked at
_SENTENCE = re.compile(r"[^.!?\n]{1,400}(?:[.](?=\S)[^.!?\n]{0,400}){0,20}")
_ASKS = re.compile(rf"\b(?:{'|'.join(WORDS['asks'])})(?:s|d|es|ed|ing)?\b", re.I)

_MARKS = str.maketrans("", "", "`'\"*")


class Holds(StrEnum):
    """When a risk asks for a person."""

    ALWAYS = "always"
    WAIVED = "waived"  # somebody else asked for it
    NEVER = "never"  # it is shown


@dataclass(frozen=True, slots=True)
class Risk:
    """check: stable name. sentence: in Bouncer's own words. path: a stranger's. line: of the file after the change,
    from 1; 0 where there is none. names: what an issue by somebody else calls it, so as to ask for it: no word of any
    issue, and nothing that the change may choose so that it is one. beside: words of which the same sentence must have
    one as well; none where the name says it all."""

    check: str
    sentence: str
    path: str
    line: int = 0
    names: tuple[str, ...] = ()
    holds: Holds = Holds.ALWAYS
    beside: tuple[str, ...] = ()


Find = Callable[[Change, Whole], Iterator[Risk]]


def risk_evidence(found: Iterable[Risk]) -> Iterator[Evidence]:
    """What was found as evidence, each with its place. What holds speaks against the change."""
    counted: Counter[tuple[str, str]] = Counter()
    for risk in found:
        counted[risk.check, risk.sentence] += 1
        if counted[risk.check, risk.sentence] <= MOST_PLACES:
            effect = Effect.MISSING if risk.holds is Holds.ALWAYS else Effect.NEUTRAL
            where = f"diff, line {risk.line}" if risk.line else "diff"
            yield Evidence(risk.check, effect, risk.sentence, risk.path[:QUOTE], where)


def waived(risk: Risk, others: str) -> bool:
    """Whether an issue by somebody else asks for it: one sentence names it and says what should become of it.

    others: the words of such issues alone; the author's own waive nothing.
    """
    names = [_bare(name) for name in risk.names if len(name) > 1]
    for sentence in _SENTENCE.findall(others[:_LONGEST]):
        words = _bare(sentence)
        named = any(_says(words, name) for name in names)
        beside = not risk.beside or any(_says(words, word) for word in risk.beside)
        if named and beside and _ASKS.search(sentence):
            return True
    return False


def _bare(text: str) -> str:
    """In small letters, without the marks around code and quotes."""
    return text.lower().translate(_MARKS)


def _says(sentence: str, name: str) -> bool:
    """As a word of its own, and no part of a longer name: `src/ci.yml`, `@types/mock`, `mock-fs`."""
    return bool(re.search(rf"(?<![\w@-])(?<!(?<!\.)/){re.escape(name)}(?!-?\w)", sentence))
