"""What has to be remembered from one job to the next, as one line that no reader of GitHub sees.

It stands in Bouncer's own comment or check. Who may write as `github-actions[bot]` could forge it, and could as well
write the check itself. It is read as what a stranger wrote all the same: within bounds, by its types, or not at all.
"""

import base64
import binascii
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from bot.action.trial_result import RunBasis
from bot.github.checks import MAX_CHECK_TEXT
from bot.pulls.result import restored, stored
from bot.storage.gates import GateRecord
from bot.storage.pull_authors import Push
from bot.storage.subjects import SubjectRecord

LARGEST = 24_000  # characters of one memory; a check has room for more than one
REST = 0  # the number of no pull request: it stands for all that are not named beside it
_LONGEST_SIGN = 200  # characters, where there is no room
_LARGEST_READ = 4_000_000  # bytes of what it unpacks to
_LINE = re.compile(r"<!-- bouncer:memory 1 ([A-Za-z0-9+/=]{1,65000}) -->")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StandingWords:
    """Of a pull request's comments, those that hold: which override and which word that it is a person's, by their
    names, empty without one. taken_back: the newest word that took those before it back, by GitHub's clock; that lasts,
    whatever becomes of whoever said it."""

    override: str = ""
    person: str = ""
    taken_back: datetime | None = None


@dataclass(frozen=True, slots=True)
class PullMemory:
    """Of a pull request, after it was judged.

    since: from when on a maintainer's word counts for `record.head`, by GitHub's clock: when GitHub first told of that
    commit, or when the pull request was pointed at another branch. signs: what made it a coding agent's. pushes: who
    brought commits, as far as that was seen. at: when this was remembered, so that the newest is known. words: by which
    the check was made; its `person` is the one that it was judged by. ran: what the run was for that the verdict stands
    on, where one did.
    """

    record: GateRecord
    since: datetime
    at: datetime
    signs: tuple[str, ...] = ()
    pushes: tuple[Push, ...] = ()
    words: StandingWords = StandingWords()
    ran: RunBasis | None = None


_issues: TypeAdapter[SubjectRecord] = TypeAdapter(SubjectRecord)
_pulls: TypeAdapter[PullMemory] = TypeAdapter(PullMemory)


def of_issue(record: SubjectRecord) -> str:
    """The line for an issue's comment; without the verdict where that is long."""
    line = _line(_issues, record)
    return line if len(line) <= LARGEST else _line(_issues, replace(record, verdict=None))


def of_pull(memory: PullMemory) -> str:
    """The line for a check; without what the verdict stands on where that is long."""
    return _ever_shorter(memory)[0]


def of_pulls(memories: Iterable[PullMemory], rest: PullMemory, *, some_lost: bool = False) -> str:
    """The lines for a check that these pull requests share, which has an end. Where not all fit, the longest is made
    shorter first. rest: stands for those of whom nothing fits, and for those who were some_lost before."""
    lines = [_ever_shorter(each) for each in memories]
    while not _fit(each[0] for each in lines) and (longer := [each for each in lines if len(each) > 1]):
        max(longer, key=lambda each: len(each[0])).pop(0)
    if not some_lost and _fit(each[0] for each in lines):
        return "\n".join(each[0] for each in lines)
    kept = [of_pull(rest)]
    for each in lines:
        if _fit((*kept, each[-1])):
            kept.append(each[-1])
    return "\n".join(kept)


def _fit(lines: Iterable[str]) -> bool:
    return len("\n".join(lines)) <= MAX_CHECK_TEXT


def _ever_shorter(memory: PullMemory) -> list[str]:
    """The same with less and less of what is only shown. What keeps the pull request back is in each."""
    record = memory.record
    brief = [memory]
    if record.judged:
        seen = stored(replace(restored(record.judged), diff=(), annotations=(), suggestions=()))
        brief += [replace(memory, record=replace(record, judged=judged)) for judged in (seen, "")]
    # Who pushed also says which words a push ended. Without that, every word up to the newest push is taken for ended.
    ended = max(filter(None, (memory.words.taken_back, *(push.at for push in memory.pushes))), default=None)
    bare = replace(
        brief[-1],
        signs=tuple(sign[:_LONGEST_SIGN] for sign in memory.signs[:1]),
        pushes=(),
        words=replace(memory.words, taken_back=ended),
        ran=None,
    )
    lines = [_line(_pulls, each) for each in (*brief, bare)]
    return [line for line in lines[:-1] if len(line) <= LARGEST] + lines[-1:]


def issue_in(text: str) -> SubjectRecord | None:
    """What is remembered there; `None` where nothing can be read."""
    return next(_read(_issues, text), None)


def pulls_in(text: str) -> tuple[PullMemory, ...]:
    """The memories of all pull requests that stand on a check's commit."""
    return tuple(_read(_pulls, text))


def _line(kind: TypeAdapter[T], value: T) -> str:
    packed = base64.b64encode(zlib.compress(kind.dump_json(value), 9)).decode()
    return f"<!-- bouncer:memory 1 {packed} -->"


def _read(kind: TypeAdapter[T], text: str) -> Iterator[T]:
    for found in _LINE.finditer(text):
        try:
            unpack = zlib.decompressobj()
            raw = unpack.decompress(base64.b64decode(found[1], validate=True), _LARGEST_READ)
            if unpack.eof:
                yield kind.validate_json(raw)
        except (binascii.Error, zlib.error, ValidationError, ValueError, RecursionError):
            continue
