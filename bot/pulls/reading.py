"""What a change shows by itself, before anybody judges it and before anything runs; and which pushes change nothing
that a maintainer let through."""

from bot.changes.kinds import is_code, is_for_people, kind_of
from bot.changes.meaning import does_nothing
from bot.changes.mentions import Mentions, has_readers
from bot.changes.risks.catalogue import risks_of
from bot.changes.risks.shadows import takers
from bot.changes.risks.testing import steers
from bot.changes.risks.values import Holds, Risk, risk_evidence
from bot.changes.values import Change, FileChange, FileKind, Whole
from bot.child_process import TooLong
from bot.pulls.facts import PullFacts, RequestKind, Substance
from bot.verdicts import Cause


def read_facts(
    asked: RequestKind,
    change: Change,
    wanted: str,
    *,
    others: str = "",
    demanded: bool = False,
    whole: Whole = lambda file: None,
    mentions: Mentions = lambda texts: (),
) -> PullFacts:
    """The facts that the diff alone gives. wanted: what it is held against, from strangers. others: what others than
    its author asked for here; that alone waives a named risk.

    demanded: others ask for behaviour, and not for documentation as well. whole: files before and after, which may be
    asked for a few of them; without them no change is called one that does nothing. mentions: lines of its tree that
    hold given texts.
    """
    found = risks_of(change, wanted, others, whole)
    if isinstance(found, TooLong):
        # Who could make a check neutral by what takes long to read could merge anything beside it.
        return PullFacts(asked=asked, unread=TooLong().reason, blame=Cause.CHANGE)
    found = (*found, *takers(change, whole, mentions))
    return PullFacts(
        asked=asked,
        substance=substance(change, mentions, idle=demanded and does_nothing(change, whole)),
        unread=change.problem,
        blame=Cause.CHANGE if change.problem else Cause.OUTSIDE,
        risks=_said(found, Holds.ALWAYS),
        remarks=_said(found, Holds.WAIVED),
        evidence=tuple(risk_evidence(found)),
    )


def _said(found: tuple[Risk, ...], holds: Holds) -> tuple[str, ...]:
    return tuple(dict.fromkeys(risk.sentence for risk in found if risk.holds is holds))


def substance(change: Change, mentions: Mentions, *, idle: bool) -> Substance:
    """What there is to judge in a change. idle: it does nothing, for certain, though behaviour is asked for."""
    if not change.files:
        return Substance.EMPTY
    if idle:
        return Substance.NO_OP
    rest = [file for file in change.files if file.kind is not FileKind.TEST or steers(file)]
    if not all(map(_may_be_paper, rest)):
        return Substance.CODE
    if has_readers((path for file in rest for path in file.places), mentions):
        return Substance.CODE
    return Substance.TESTS if len(rest) < len(change.files) else Substance.PAPER


def _may_be_paper(file: FileChange) -> bool:
    """Whether it lies where people alone read, before and after: whatever else a program may read is executed, however
    much it looks like prose, and so is what says how tests run."""
    return not steers(file) and all(map(is_for_people, file.places))


def leaves_code(difference: Change, whole: Whole) -> bool:
    """Whether a difference holds nothing but documentation, tests, and comments and layout of code, and nothing that a
    person should look at: no secret, no test skipped. What could not be read to its end is no yes. whole: files
    before and after."""
    rest = tuple(file for file in difference.files if not _paper(file))
    facts = read_facts(RequestKind.DESCRIPTION, difference, "", whole=whole)
    return does_nothing(Change(rest), whole) and not (facts.unread or facts.risks)


def _paper(file: FileChange) -> bool:
    """Also before it was renamed: code that is moved among the tests is code that is gone."""
    paths = filter(None, (file.path, file.old_path))
    return all(kind_of(path) is FileKind.TEST or is_for_people(path) for path in paths)


def leaves_files(difference: Change, mentions: Mentions) -> bool:
    """Whether a difference holds nothing but prose that lies where people alone read and under no folder of tests, that
    nothing names which builds, packs or runs, and in which there is nothing that a person should look at. What could
    not be read to its end is no yes. mentions: as `read_facts` takes them."""
    facts = read_facts(RequestKind.DESCRIPTION, difference, "")
    paths = [path for file in difference.files for path in file.places]
    prose = all(is_for_people(path) and not is_code(path) for path in paths)
    told = facts.unread or facts.risks or any(file.executable for file in difference.files)
    return prose and not told and not has_readers(paths, mentions, packed=True)
