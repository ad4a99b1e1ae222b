"""One line of what `bouncer doctor` says."""

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """Only a failure changes the exit status."""

    PASS = "pass"  # noqa: S105 - no password
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that was looked at. Neither text holds a secret."""

    check: str
    outcome: Outcome
    says: str
    mend: str = ""


def passes(check: str, says: str) -> Line:
    return Line(check, Outcome.PASS, says)


def warns(check: str, says: str, mend: str) -> Line:
    return Line(check, Outcome.WARN, says, mend)


def fails(check: str, says: str, mend: str = "") -> Line:
    return Line(check, Outcome.FAIL, says, mend)
