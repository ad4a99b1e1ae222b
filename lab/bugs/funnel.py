"""How a repository's closed issues become a set of bugs with tests: the funnel of Passerine, sections II-A to II-D.

Of its tables I to III, what can be told of any repository: one patch for each bug and one bug for each patch, under 150
lines of code, a source file and a test file among the changes, tests that fail before and pass after, none flaky.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

MOST_LINES = 149  # changed lines of code; nine of ten fixes in the paper were shorter (section II-C)


class LeftOut(StrEnum):
    """Why an issue is not in the set, as people are told."""

    UNREAD = "what happened to it is not known yet"
    OPEN = "it is open"
    NO_FIX = "no merged change is known to fix it"
    SEVERAL = "several changes fix it"
    SHARED = "its change fixes other issues as well"
    ABSENT = "the commits of its change are not here"
    UNREADABLE = "its patch is no text, or too large to be read"
    LONG = f"more than {MOST_LINES} lines of code are changed"
    NO_CODE = "no code is changed"
    NO_TEST = "no test is changed"
    NOT_RUN = "its tests cannot be run"
    NONE_TURNS = "no test fails before the patch and passes after it"
    FAILS_AFTER = "a test passes before the patch and fails after it"
    FLAKY = "a test does not always end the same way"


_STAGES: tuple[tuple[str, tuple[LeftOut, ...]], ...] = (
    ("closed", (LeftOut.UNREAD, LeftOut.OPEN)),
    ("fixed by a merged change", (LeftOut.NO_FIX,)),
    ("one patch for one bug", (LeftOut.SEVERAL, LeftOut.SHARED, LeftOut.ABSENT)),
    (f"at most {MOST_LINES} lines of code", (LeftOut.UNREADABLE, LeftOut.LONG)),
    ("code and tests are changed", (LeftOut.NO_CODE, LeftOut.NO_TEST)),
    ("a test fails before and passes after", (LeftOut.NOT_RUN, LeftOut.NONE_TURNS, LeftOut.FAILS_AFTER)),
    ("no test is flaky", (LeftOut.FLAKY,)),
)


@dataclass(frozen=True, slots=True)
class FunnelStage:
    """left: the issues that came through. out: why others did not, with how many."""

    name: str
    left: int
    out: tuple[tuple[LeftOut, int], ...] = ()


def funnel(issues: int, left_out: Iterable[LeftOut]) -> tuple[FunnelStage, ...]:
    """All stages in order, from all issues to those that are kept. left_out: one of each issue that is not."""
    why = Counter(left_out)
    stages = [FunnelStage("issues", issues)]
    for name, reasons in _STAGES:
        out = tuple((reason, why[reason]) for reason in reasons if why[reason])
        stages.append(FunnelStage(name, stages[-1].left - sum(count for _, count in out), out))
    return tuple(stages)
