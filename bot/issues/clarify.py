"""Questions to the reporter: few, specific, about what is missing only. Pure."""

from bot.reports import Report
from bot.verdicts import Item, Question


def questions(
    report: Report, missing: tuple[Item, ...], offered: tuple[Question, ...], limit: int
) -> tuple[Question, ...]:
    """At most `limit` questions, one an item: the judge's own first, then ones made from the report."""
    return tuple(Question(item, f"Could you add {item}?") for item in missing[:limit])
