"""Plain words for the values people see: items, labels, probabilities."""

from bot.verdicts import IssueKind, Item, SpecificationLabel

ITEMS = {
    Item.SUBJECT: "which part of the project this is about",
    Item.GOAL: "what should become possible",
    Item.OBSERVED: "what happens",
    Item.EXPECTED: "what should happen instead",
    Item.STEPS: "how to make it happen",
    Item.ERROR: "the full text of the error",
    Item.VERSION: "the version and environment",
    Item.DETAILS: "the exact names and values",
}

LABELS = {
    SpecificationLabel.WELL_SPECIFIED: "well specified",
    SpecificationLabel.REASONABLY_SPECIFIED: "reasonably specified",
    SpecificationLabel.VAGUE: "vague",
    SpecificationLabel.IMPOSSIBLE_TO_SOLVE: "impossible to solve as written",
}

KINDS = {
    IssueKind.BUG: "bug report",
    IssueKind.FEATURE: "feature request",
    IssueKind.QUESTION: "question",
    IssueKind.VULNERABILITY: "security report",
}


def chance(probability: float) -> str:
    """A calibrated probability in words, with the figure beside it."""
    words = (
        "very unlikely"
        if probability < 0.1
        else "unlikely"
        if probability < 0.35
        else "about even"
        if probability < 0.65
        else "likely"
        if probability < 0.9
        else "very likely"
    )
    return f"{words}, {probability:.0%}"


def listing(items: tuple[Item, ...]) -> str:
    """`a`, `a and b`, `a, b and c` in plain words."""
    names = [ITEMS[item] for item in items]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
