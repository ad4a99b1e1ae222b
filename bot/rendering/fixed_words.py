"""The words for whether a report's bug is fixed and for what a run of it showed: the same on the page and in the
terminal."""

from bot.already_fixed.values import Seen
from bot.verdicts import FixStatus

STATUS_WORDS = {
    FixStatus.STILL_PRESENT: "it still fails as reported",
    FixStatus.PARTIALLY_FIXED: "a part of it is fixed, another part still fails",
    FixStatus.ALREADY_FIXED: "it is fixed already: no change is needed",
    FixStatus.POSSIBLY_FIXED: "it may be fixed already, and nothing proves it",
    FixStatus.UNKNOWN: "Bouncer cannot tell whether it is fixed",
}
SEEN_WORDS = {
    Seen.AS_REPORTED: "fails as reported",
    Seen.PASSES: "passes",
    Seen.OTHERWISE: "fails in another way",
    Seen.CANNOT_RUN: "cannot be run",
    Seen.FLAKY: "differs from run to run",
}
