"""As of when the packages for an old commit are installed."""

import sys
from datetime import date, datetime, timedelta

RECENT = timedelta(days=365)  # a commit's age up to which the packages of today are tried first


def moments_of(made: datetime, now: datetime) -> tuple[str, ...]:
    """ISO 8601, the best first; empty for what there is today.

    Nothing pins most dependencies of an old commit, and those of today may not fit it. So they are those of the month
    it was made in, or, where there are none for this Python yet, those of Python's first weeks. One of the last year
    has those of its month where those of today do not do.
    """
    month = (made.date().replace(day=1) + timedelta(days=31)).replace(day=1)
    if now - made < RECENT:
        return ("",) if month > now.date() else ("", f"{month}T00:00:00Z")
    python = date(2011 + sys.version_info.minor, 12, 1)  # released in October (PEP 602)
    return (*(f"{each}T00:00:00Z" for each in dict.fromkeys((month, max(month, python)))), "")
