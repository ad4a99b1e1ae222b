"""Plain words for the values people see: items, labels, probabilities."""

from bot.judges.rejections import Rejection
from bot.judges.reviews import Mode
from bot.rendering.escape import clean
from bot.rendering.tongue import ENGLISH, sentence
from bot.verdicts import ChecklistItem, IssueKind, Item, PatchLabel, SpecificationLabel
from bot.verification.values import Ending, Fate, Proof, Red, Settled

ITEMS = {item: sentence(ENGLISH, f"items.{item}") for item in Item}

LABELS: dict[SpecificationLabel | PatchLabel, str] = {
    SpecificationLabel.WELL_SPECIFIED: "well specified",
    SpecificationLabel.REASONABLY_SPECIFIED: "reasonably specified",
    SpecificationLabel.VAGUE: "vague",
    SpecificationLabel.IMPOSSIBLE_TO_SOLVE: "impossible to solve as written",
    PatchLabel.CORRECT_AND_PRECISE: "correct and precise",
    PatchLabel.CORRECT_BUT_INCOMPLETE: "correct but incomplete",
    PatchLabel.BROAD_MISSING_KEY_ASPECTS: "broad, missing key aspects",
    PatchLabel.INCORRECT: "incorrect",
}

KINDS = {
    IssueKind.BUG: "bug report",
    IssueKind.FEATURE: "feature request",
    IssueKind.QUESTION: "question",
    IssueKind.DOCUMENTATION: "documentation issue",
    IssueKind.VULNERABILITY: "security report",
    IssueKind.TASK: "task",
    IssueKind.TRACKING: "tracking list",
    IssueKind.RELEASE: "release",
    IssueKind.DISCUSSION: "request for comments",
    IssueKind.NOTICE: "bot's notice",
}

REJECTIONS = {
    Rejection.MISREAD_SPEC: "a requirement was overlooked, or read as another one",
    Rejection.ADDED_REQUIREMENT: "a requirement that nobody wrote",
    Rejection.OVERTHINK_EDGE: "an extreme case that nobody asked for",
    Rejection.ASSUMED_TYPE: "other or stricter types of input than were asked for",
    Rejection.IMAGINED_RUNTIME: "an error that does not happen",
    Rejection.PERFORMANCE_NITPICK: "speed, which nobody asked for",
    Rejection.READABILITY_NITPICK: "style",
    Rejection.PRECISION_ERROR: "rounding, which nobody asked for",
    Rejection.BOUNDARY_ERROR: "off by one, where it is right",
    Rejection.LOGIC_ERROR: "wrong logic, without showing where",
    Rejection.VAGUE_DESCRIPTION: "no concrete reason",
    Rejection.OTHER: "something else",
}

FATES = {
    Fate.REWRITTEN: "rewritten",
    Fate.RENAMED: "renamed and rewritten",
    Fate.REMOVED: "taken away",
}

SETTLED = {
    Settled.NEW: "the issue asks for the new one",
    Settled.OLD: "the issue asks for the old one",
    Settled.OPEN: "nothing says which of them is right",
}

PROOFS = {
    Proof.PROVED: "each was noticed",
    Proof.BLIND: "no test noticed",
    Proof.UNPROVED: "unproved",
    Proof.UNTRIED: "not tried",
}

REDS = {
    Red.ASSERTION: "its own assertion does not hold there",
    Red.ERROR: "what it calls raises there",
    Red.MISSING: "a name is missing there",
}

ENDINGS = {  # of one call, whose value a place is kept for
    Ending.RETURNED: "returns {}",
    Ending.RAISED: "raises {}",
    Ending.TIMEOUT: "does not end in time",
    Ending.DIED: "takes its process down",
}

MODES = {
    Mode.DIRECT: "a verdict, and reasons only after a no",
    Mode.EXPLAIN: "a verdict with its rationale",
    Mode.FULL: "a verdict, its rationale and a fix",
    Mode.LABEL: "one of four labels",
    Mode.AGENTIC: "a verdict at the end of a walk through the code",
}

_CHANCES = (
    (0.1, "very unlikely"),
    (0.35, "unlikely"),
    (0.65, "about even"),
    (0.9, "likely"),
    (2.0, "very likely"),
)


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
