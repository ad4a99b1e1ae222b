"""What has to be remembered from one job to the next, as one line that no reader of GitHub sees.

It stands in Bouncer's own comment or check. Who may write as `github-actions[bot]` could forge it, and could as well
write the check itself. It is read as what a stranger wrote all the same: within bounds, by its types, or not at all.
"""

import base64
import binascii
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from bot.pulls.result import restored, stored
from bot.storage.gates import GateRecord
from bot.storage.makers import Push
from bot.storage.subjects import SubjectRecord

LARGEST = 24_000  # characters of one memory; a check has room for more than one
_LARGEST_READ = 4_000_000  # bytes of what it unpacks to
_LINE = re.compile(r"<!-- bouncer:memory 1 ([A-Za-z0-9+/=]{1,65000}) -->")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PullMemory:
    """Of a pull request, after it was judged.

    since: from when on a maintainer's word counts for `record.head`, by GitHub's clock: when GitHub first told of that
    commit, or when the pull request was pointed at another branch. signs: what made it a coding agent's. pushes: who
    brought commits, as far as that was seen. at: when this was remembered, so that the newest is known.
    """

    record: GateRecord
    since: datetime
    at: datetime
    signs: tuple[str, ...] = ()
    pushes: tuple[Push, ...] = ()


_issues: TypeAdapter[SubjectRecord] = TypeAdapter(SubjectRecord)
_pulls: TypeAdapter[PullMemory] = TypeAdapter(PullMemory)


def of_issue(record: SubjectRecord) -> str:
    """The line for an issue's comment; without the verdict where that is long."""
    line = _line(_issues, record)
    return line if len(line) <= LARGEST else _line(_issues, replace(record, verdict=None))


def of_pull(memory: PullMemory) -> str:
    """The line for a check; without what the verdict stands on where that is long."""
    line = _line(_pulls, memory)
    if len(line) <= LARGEST or not memory.record.judged:
        return line
    brief = stored(replace(restored(memory.record.judged), diff=(), annotations=(), suggestions=()))
    line = _line(_pulls, replace(memory, record=replace(memory.record, judged=brief)))
    return line if len(line) <= LARGEST else _line(_pulls, replace(memory, record=replace(memory.record, judged="")))


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
