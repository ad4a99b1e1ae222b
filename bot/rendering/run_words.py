"""Plain words for what was asked of a change's judge, and for what ran."""

from bot.judges.rejections import Rejection
from bot.judges.reviews import ReviewMode
from bot.verification.patch_evidence import Fate, Proof, Red, Settled
from bot.verification.values import Ending

REJECTIONS = {
    Rejection.MISREAD_SPEC: "a requirement that was overlooked or misread",
    Rejection.ADDED_REQUIREMENT: "a requirement that nobody wrote",
    Rejection.OVERTHINK_EDGE: "an extreme case that nobody asked for",
    Rejection.ASSUMED_TYPE: "other or stricter types of input than were asked for",
    Rejection.IMAGINED_RUNTIME: "an error that does not happen",
    Rejection.PERFORMANCE_NITPICK: "speed, which nobody asked for",
    Rejection.READABILITY_NITPICK: "style",
    Rejection.PRECISION_ERROR: "rounding, which nobody asked for",
    Rejection.BOUNDARY_ERROR: "an off-by-one error that is none",
    Rejection.LOGIC_ERROR: "wrong logic, without showing where",
    Rejection.VAGUE_DESCRIPTION: "no concrete reason",
    Rejection.OTHER: "something else",
}

FATES = {
    Fate.REWRITTEN: "rewritten",
    Fate.RENAMED: "renamed and rewritten",
    Fate.REMOVED: "removed",
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
    Red.ASSERTION: "its own assertion fails there",
    Red.ERROR: "the code that it calls raises there",
    Red.MISSING: "a name is missing there",
}

ENDINGS = {  # of one call, whose value a place is kept for
    Ending.RETURNED: "returns {}",
    Ending.RAISED: "raises {}",
    Ending.TIMEOUT: "does not end in time",
    Ending.DIED: "crashes its process",
}

MODES = {
    ReviewMode.DIRECT: "a verdict, and reasons only after a no",
    ReviewMode.EXPLAIN: "a verdict with its rationale",
    ReviewMode.FULL: "a verdict, its rationale and a fix",
    ReviewMode.LABEL: "how right the change is, by four grades",
    ReviewMode.AGENTIC: "a verdict after reading the code step by step",
}
