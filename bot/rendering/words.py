"""Plain words for the values people see: items, labels, probabilities."""

from bot.judges.calibration.patch_prior import BOUNCED
from bot.plain_text import clean
from bot.rendering.tongue import ENGLISH, sentence
from bot.verdicts import KINDS, ChecklistItem, Item, PatchLabel, SpecificationLabel

__all__ = ("ITEMS", "KINDS", "LABELS", "chance", "listing", "often", "wanted", "would")

ITEMS = {item: sentence(ENGLISH, f"items.{item}") for item in Item}

LABELS: dict[SpecificationLabel | PatchLabel, str] = {  # of issues; a reviewer's of a change is a yes or a no
    SpecificationLabel.WELL_SPECIFIED: "well specified",
    SpecificationLabel.REASONABLY_SPECIFIED: "reasonably specified",
    SpecificationLabel.VAGUE: "vague",
    SpecificationLabel.IMPOSSIBLE_TO_SOLVE: "impossible to solve as written",
}

_CHANCES = (
    (0.1, "very unlikely"),
    (0.35, "unlikely"),
    (0.65, "about even"),
    (0.9, "likely"),
    (2.0, "very likely"),
)


def often(times: int, *, more: bool = False) -> str:
    """`once`, `2 times`, or `20 times or more`."""
    return f"{times} times or more" if more else "once" if times == 1 else f"{times} times"


def would(label: PatchLabel | SpecificationLabel) -> str:
    """What a reviewer who gives a change this label would do with it. What ran may say otherwise, and decides."""
    return "not accept it (an opinion)" if label in BOUNCED else "accept it (an opinion)"


def chance(probability: float) -> str:
    """A calibrated probability with its word, as `83% (likely)`. Nothing is ever certain."""
    word = next(word for limit, word in _CHANCES if probability < limit)
    figure = "under 1%" if probability < 0.01 else "over 99%" if probability > 0.99 else f"{probability:.0%}"
    return f"{figure} ({word})"


def wanted(line: ChecklistItem) -> str:
    """What a line of the checklist is about, as one plain line."""
    return f"the section “{clean(line.section, 110)}”" if line.section else ITEMS[line.item]


def listing(items: tuple[Item, ...]) -> str:
    """`a`, `a and b`, `a, b and c` in plain words."""
    names = [ITEMS[item] for item in items]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
