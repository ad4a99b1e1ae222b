"""The records of agents' sessions among the files of a pull request. None is ever missed: what cannot be had or read is
no evidence, and the pull request is judged all the same."""

from dataclasses import dataclass, replace

from bot.changes.values import Change, FileChange, FileKind, FileStatus
from bot.pulls.trajectories.evidence import candidates, evidence_in_time
from bot.pulls.trajectories.records import MOST_BYTES
from bot.verdicts import Evidence
from bot.workflows.pull.source import MirrorSource

MOST = 3  # records that are shown
COMMITTED = (
    "It adds the record of an agent's session to the repository. That is not judged as code; attach it to the"
    " description instead."
)


@dataclass(frozen=True, slots=True)
class Recorded:
    """change: with the records among its files marked as such. evidence: neutral, all of it."""

    change: Change
    evidence: tuple[Evidence, ...] = ()
    remarks: tuple[str, ...] = ()


def read_records(source: MirrorSource, change: Change) -> Recorded:
    """What its records show."""
    files = {file.path: file for file in change.files if file.status is not FileStatus.DELETED}
    shown = {path: evidence_in_time(_content(source, files[path]), path) for path in candidates(files)}
    committed = [path for path, found in shown.items() if found]
    marked = tuple(replace(file, kind=FileKind.RECORD) if file.path in committed else file for file in change.files)
    told = tuple(each for path in committed[:MOST] for each in shown[path])
    return Recorded(replace(change, files=marked), told, (COMMITTED,) if committed else ())


def _content(source: MirrorSource, file: FileChange) -> bytes:
    """All of it, or one byte more than is read; nothing where it cannot be had."""
    if file.status is FileStatus.ADDED and file.hunks:  # then the diff holds all of it
        return "\n".join(line for hunk in file.hunks for line in hunk.added).encode()[: MOST_BYTES + 1]
    return source.head_file(file.path, MOST_BYTES) or b""
