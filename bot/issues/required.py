"""Sections that the policy wants filled in a bug report, and which of them are not. Pure."""

import re

from bot.issues.clarify import item_of
from bot.issues.facts import IssueFacts
from bot.policy import Policy
from bot.policy_choices import Strictness
from bot.verdicts import ChecklistItem, IssueKind, Item, Question

_BETWEEN = re.compile(r"[\W_]+")


def unfilled(facts: IssueFacts, kind: IssueKind, policy: Policy) -> tuple[ChecklistItem, ...]:
    """A line for each that is missing or empty, in the policy's order. An answer without the heading counts where
    parsing knows what the heading asks for."""
    if kind is not IssueKind.BUG or policy.issues.strictness is Strictness.LENIENT:
        return ()
    filled = {_name(heading) for heading in facts.report.filled}
    wanted = dict.fromkeys(policy.issues.required_sections)
    return tuple(
        ChecklistItem(item_of(section) or Item.DETAILS, clear=False, section=section)
        for section in wanted
        if _name(section) not in filled and not _is_answered(item_of(section), facts)
    )


def asks_for(line: ChecklistItem) -> Question:
    """The question about one of them, by its own name."""
    item = item_of(line.section)
    keys = ("missing", item.value if item else "fill_in")
    return Question(line.item, quote=line.section, keys=keys)


def _is_answered(item: Item | None, facts: IssueFacts) -> bool:
    return item is not None and (bool(facts.report.items.get(item)) or item in facts.history.satisfied)


def _name(heading: str) -> str:
    """As it is compared: letters and digits, whatever stands between them."""
    return _BETWEEN.sub(" ", heading.casefold()).strip()
