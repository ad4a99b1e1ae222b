"""Times as GitHub writes them."""

from datetime import datetime


def moment(text: str) -> datetime | None:
    """A time as GitHub writes it; `None` for what is none."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else None
