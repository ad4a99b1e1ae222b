"""The records of agents' sessions that a pull request brings, as far as they can be had. None is ever missed: whatever
fails, there is no such evidence, and the pull request is judged all the same."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.changes.values import Change, FileChange, FileKind, FileStatus
from bot.github.client import RepositoryClient
from bot.github.downloads import download, members
from bot.github.errors import GitHubError
from bot.pulls.trajectories.evidence import Candidates, candidates, evidence_in_time, is_record_name
from bot.pulls.trajectories.records import MOST_BYTES
from bot.verdicts import Evidence
from bot.workflows.pull.source import MirrorSource

MOST = 3  # records that are read
MOST_DOWNLOADS = 3  # attachments and artifacts together
WITHIN = 30.0  # seconds for all of them
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


def read_records(client: RepositoryClient, source: MirrorSource, change: Change, body: str, web_url: str) -> Recorded:
    """body: the pull request's text, from a stranger. web_url: GitHub's. Never raises `GitHubError`."""
    files = {file.path: file for file in change.files if file.status is not FileStatus.DELETED}
    where = candidates(client.repository.full_name, files, body, web_url)
    found: list[Evidence] = []
    committed: list[str] = []
    for name, data in _committed(source, [files[path] for path in where.files]):
        if shown := evidence_in_time(data, name):
            committed.append(name)
            found += shown if len(committed) <= MOST else ()
    left = MOST - len(committed)
    for name, data in _linked(client, where) if left > 0 else ():
        if shown := evidence_in_time(data, name):
            found += shown
            left -= 1
            if not left:
                break
    marked = tuple(replace(file, kind=FileKind.RECORD) if file.path in committed else file for file in change.files)
    return Recorded(replace(change, files=marked), tuple(found), (COMMITTED,) if committed else ())


def _committed(source: MirrorSource, files: list[FileChange]) -> Iterator[tuple[str, bytes]]:
    for file in files:
        if file.status is FileStatus.ADDED and file.hunks:  # then the diff holds all of it
            yield file.path, "\n".join(line for hunk in file.hunks for line in hunk.added).encode()[: MOST_BYTES + 1]
        elif (data := source.head_file(file.path, MOST_BYTES)) is not None:
            yield file.path, data


def _linked(client: RepositoryClient, where: Candidates) -> Iterator[tuple[str, bytes]]:
    """What is attached, then artifacts. Nobody but people who are signed in sees what is attached in a private
    repository, so that is left alone."""
    deadline = time.monotonic() + WITHIN
    attachments = () if client.repository.private else where.attachments
    places: tuple[str | int, ...] = (*attachments, *where.artifacts)
    for place in places[:MOST_DOWNLOADS]:
        left = deadline - time.monotonic()
        if left <= 0:
            return
        try:
            if isinstance(place, str):
                yield place.rpartition("/")[2], download(place, MOST_BYTES, left)
            else:
                yield from members(client.artifact(place, MOST_BYTES, left), is_record_name, MOST_BYTES)
        except GitHubError:
            continue
