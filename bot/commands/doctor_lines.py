"""A line of `bouncer doctor`, as every file of it makes one."""

from dataclasses import dataclass
from enum import StrEnum


class CheckOutcome(StrEnum):
    """Only a failure changes the exit status."""

    PASS = "pass"  # noqa: S105 - no password
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One thing that was looked at. Neither text holds a secret."""

    check: str
    outcome: CheckOutcome
    says: str
    mend: str = ""


def passes(check: str, says: str) -> CheckLine:
    return CheckLine(check, CheckOutcome.PASS, says)


def warns(check: str, says: str, mend: str) -> CheckLine:
    return CheckLine(check, CheckOutcome.WARN, says, mend)


def fails(check: str, says: str, mend: str = "") -> CheckLine:
    return CheckLine(check, CheckOutcome.FAIL, says, mend)
