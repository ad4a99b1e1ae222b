"""What a change shows by itself, before anybody judges it and before anything runs."""

from bot.changes.evidence import evidence
from bot.changes.meaning import is_noop
from bot.changes.values import Change, FileKind
from bot.pulls.facts import Asked, PullFacts, Substance
from bot.verdicts import Effect

# What a person should look at, whatever a judge and the tests say of it.
RISKY = ("unreadable_files", "secret", "tests_removed", "tests_renamed", "tests_skipped", "checks_removed")
RISKY += ("ci_changed", "hidden_characters")
_PAPER = (FileKind.DOCUMENTATION, FileKind.TEST)


def read_facts(asked: Asked, change: Change, wanted: str, *, documentation: bool = False) -> PullFacts:
    """The facts that the diff alone gives. wanted: what it is held against, from strangers. documentation: a change of
    comments alone may be all that was asked for."""
    seen = evidence(change, wanted)
    return PullFacts(
        asked=asked,
        substance=substance(change, documentation=documentation),
        unread=change.problem,
        risks=tuple(found.found for found in seen if found.check in RISKY and found.effect is not Effect.NEUTRAL),
        evidence=seen,
    )


def substance(change: Change, *, documentation: bool = False) -> Substance:
    """What there is to judge in a change. A change of comments is documentation where that is what was asked for."""
    if not change.files:
        return Substance.EMPTY
    if is_noop(change):
        return Substance.PAPER if documentation else Substance.NO_OP
    paper = all(file.kind in _PAPER for file in change.files)
    return Substance.PAPER if paper else Substance.CODE
