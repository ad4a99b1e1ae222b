"""What a change shows by itself, before anybody judges it and before anything runs; and which pushes change nothing
that a maintainer let through."""

import ast
import re
from dataclasses import replace
from pathlib import PurePosixPath

from bot.changes.evidence import evidence, risk_evidence
from bot.changes.kinds import is_code, is_documentation_folder, is_for_people, kind_of
from bot.changes.meaning import MOST_WHOLE, does_nothing
from bot.changes.mentions import Mentions, has_readers, reads_programs
from bot.changes.readers import suffix
from bot.changes.risks.catalogue import risks_of
from bot.changes.risks.lines import is_product
from bot.changes.risks.takers import takers
from bot.changes.risks.testing import steers
from bot.changes.risks.values import Holds, Risk
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Whole
from bot.child_process import TooLong, run_bounded
from bot.pulls.facts import PullFacts, RequestKind, Substance
from bot.verdicts import Cause
from bot.verification.syntax import parse

_READ = frozenset(
    {"data", "fixtures", "testdata", "cases", "corpus", "samples", "snippets", "template", "templates", "skeleton"}
)  # folders of what programs read, copy or compare
# Comments that a compiler, or what sets a script up, obeys.
_OBEYED = re.compile(r"#\s{0,9}(?:///|(?:cython|distutils)\s{0,9}:|(?:pythran|transonic)\b)")
_CODING = re.compile(r"coding[:=]")
_UTF_8 = re.compile(r".*coding[:=][ \t]{0,9}utf-?8(?![\w.-]).*", re.I)


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
    # A record beside an edit does not make it one that does something.
    apart = replace(change, files=tuple(file for file in change.files if file.kind is not FileKind.RECORD))
    noop = does_nothing(apart, whole)
    seen = run_bounded(change.size, evidence, change, noop, demanded)
    found = seen if isinstance(seen, TooLong) else risks_of(change, wanted, others, whole)
    if isinstance(seen, TooLong) or isinstance(found, TooLong):
        # Who could make a check neutral by what takes long to read could merge anything beside it.
        return PullFacts(asked=asked, unread=TooLong().reason, blame=Cause.CHANGE)
    found = (*found, *takers(change, whole, mentions))
    return PullFacts(
        asked=asked,
        substance=substance(
            change,
            mentions,
            idle=demanded and noop,
            comments=only_comments(apart, whole, noop=noop),
        ),
        unread=change.problem,
        blame=Cause.CHANGE if change.problem else Cause.OUTSIDE,
        risks=_said(found, Holds.ALWAYS),
        conditional=_said(found, Holds.UNLIKE),
        remarks=_said(found, Holds.WAIVED),
        evidence=(*seen, *risk_evidence(found)),
    )


def _said(found: tuple[Risk, ...], holds: Holds) -> tuple[str, ...]:
    return tuple(dict.fromkeys(risk.sentence for risk in found if risk.holds is holds))


def substance(change: Change, mentions: Mentions, *, idle: bool, comments: bool) -> Substance:
    """What there is to judge in a change. idle: it does nothing, for certain, though behaviour is asked for. comments:
    of code it touches comments and layout alone, so that only the rest may be more than paper."""
    if not change.files:
        return Substance.EMPTY
    if idle:
        return Substance.NO_OP
    comments = comments and not reads_programs((file.path for file in change.files), mentions)
    left = [file for file in change.files if file.kind is FileKind.RECORD or not comments]
    rest = [file for file in left if file.kind is not FileKind.TEST or steers(file)]
    if not all(map(_may_be_paper, rest)):
        return Substance.CODE
    if len(rest) < len(left):
        return Substance.TESTS  # which run, and then so does what reads the rest
    read = has_readers((path for file in rest for path in file.places), mentions)
    return Substance.CODE if read else Substance.PAPER


def _may_be_paper(file: FileChange) -> bool:
    """Whether it lies where people alone read, before and after: whatever else a program may read is executed, however
    much it looks like prose, and so is what says how tests run."""
    if steers(file):
        return False
    if file.kind is FileKind.RECORD:
        # At the root, or in a folder there for agents or for documentation.
        return all("/" not in path or path.startswith(".") or is_documentation_folder(path) for path in file.places)
    return all(map(is_for_people, file.places))


def leaves_code(difference: Change, whole: Whole) -> bool:
    """Whether a difference holds nothing but documentation, tests, and comments and layout of code, and nothing that a
    person should look at: no secret, no test taken away. What could not be read to its end is no yes. whole: files
    before and after."""
    rest = tuple(file for file in difference.files if not _paper(file))
    facts = read_facts(RequestKind.DESCRIPTION, difference, "", whole=whole)
    return does_nothing(Change(rest), whole) and not (facts.unread or facts.risks or facts.conditional)


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
    told = facts.unread or facts.risks or facts.conditional or any(file.executable for file in difference.files)
    return prose and not told and not has_readers(paths, mentions, packed=True)


def only_comments(change: Change, whole: Whole, *, noop: bool) -> bool:
    """Whether a change touches nothing but comments and layout of Python, by Python's own parser. What cannot be known
    is no yes. noop: its files were compared, and found the same except for docstrings at most; else they are asked for
    only where the lines say that nothing but comments differ.

    `bot.changes.meaning` leaves docstrings out and reads many languages, to say that a change does nothing that was
    asked for. This says that nothing has to run, so it is stricter: a docstring may be read as the program runs, a
    comment of another language may be code to its compiler (`// \\u000a` in Java), and a program may read a file that
    lies among data. Comments for linters and type checkers (`# type: ignore`, `# noqa`, `# pragma: no cover`) are
    comments.
    """
    if change.problem or not 0 < len(change.files) <= MOST_WHOLE or not all(map(_is_code, change.files)):
        return False
    hunks = (hunk for file in change.files for hunk in file.hunks)
    if not noop and any(_before_comments(hunk.removed) != _before_comments(hunk.added) for hunk in hunks):
        return False
    both = (whole(file) for file in change.files)
    return all(texts and run_bounded(sum(map(len, texts)), same_to_python, *texts) is True for texts in both)


def _is_code(file: FileChange) -> bool:
    """Whether it is plain Python of the product, which nothing but Python reads."""
    text = file.plain and not file.executable
    plain = text and file.status is FileStatus.MODIFIED and file.kind is FileKind.CODE
    folders = PurePosixPath(file.path.lower()).parts[:-1]
    named = suffix(file.path) in (".py", ".pyi") and "{" not in file.path
    return plain and named and is_product(file) and not steers(file) and _READ.isdisjoint(folders)


def _before_comments(lines: tuple[str, ...]) -> list[str]:
    return [code for line in lines if (code := line.partition("#")[0].rstrip())]


def same_to_python(before: str, after: str) -> bool:
    """Whether Python makes the same of two files, docstrings among it."""
    if _OBEYED.search(before) or _OBEYED.search(after) or _begins(before) != _begins(after):
        return False
    if not all(map(_UTF_8.fullmatch, _begins(before)[1:])):
        return False  # its comments may be code in that encoding
    try:
        return ast.dump(parse(before)) == ast.dump(parse(after))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False


def _begins(text: str) -> tuple[str, ...]:
    """What of its first two lines is more than a comment: the program that starts it, and its encoding."""
    lines = text.split("\n", 2)[:2]
    starts = lines[0] if lines[0].startswith("#!") else ""
    return starts, *(line for line in lines if _CODING.search(line))
