"""The brief for coding agents on one issue: what is asked, what to run first, where to look, when it is done."""

from bot.already_fixed.finding import FixFinding
from bot.already_fixed.values import Reproduction
from bot.issues.instructions import without_instructions
from bot.rendering import words
from bot.rendering.fixed import brief_part
from bot.reports import Report
from bot.verdicts import Item

_TOLD = (Item.GOAL, Item.OBSERVED, Item.EXPECTED, Item.ERROR, Item.STEPS, Item.DETAILS, Item.VERSION)


def brief(report: Report, found: FixFinding | None, given: tuple[Reproduction, ...] = ()) -> str:
    """found: what came of looking for a fix, if anybody looked. given: what the report shows to run, where nothing was
    run yet. Orders to whoever reads a report are left out: an agent reads this."""
    quotes = [(words.ITEMS[item], _quiet(quote)) for item in _TOLD if (quote := report.items.get(item))]
    asked = [(f"{what[:1].upper()}{what[1:]}", quote) for what, quote in quotes if quote]
    return brief_part(_quiet(report.visible_title), asked, found, given)


def _quiet(text: str) -> str:
    return without_instructions(text)[0].strip()
