"""One named risk, and how it is told. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from bot.changes.values import Change, Whole
from bot.verdicts import Effect, Evidence

QUOTE = 200  # characters of a path
MOST_PLACES = 5  # of one sort that are told, each with its line


class Holds(StrEnum):
    """When a risk asks for a person."""

    ALWAYS = "always"
    NEVER = "never"  # it is shown


@dataclass(frozen=True, slots=True)
class Risk:
    """check: stable name. sentence: in Bouncer's own words. path: a stranger's. line: of the file after the change,
    from 1; 0 where there is none."""

    check: str
    sentence: str
    path: str
    line: int = 0
    holds: Holds = Holds.ALWAYS


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
