"""What git says of commits and their changes, read as a stream: bounded, whatever the bytes are.

Two readings, since a message is a stranger's text and a diff another's: `commits` ends every field with a NUL, which no
message holds; in `changes` each line of a file begins with a mark of git's, so a line of forty hexadecimal digits is
git's own.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

from bot.changes.kinds import kind_of
from bot.changes.values import FileKind
from bot.github import git
from bot.github.errors import Unavailable

MESSAGE = 20_000  # bytes of a message that are read
COLUMN = 20_000  # characters of a commit's lines of one sort that are kept
PATHS = 200  # of a commit that are kept
_LINE = 2_000  # bytes of a line that are read
_CHUNK = 1 << 16
_LATEST = 253_402_300_799  # the last second that a date of Python's knows
_PORTION = 1_000  # commits that git is asked for at once: few enough for a busy machine to show them in time
_MOST_DAMAGED = 200  # commits that cannot be shown until no more is asked
LARGE_FILE = "core.bigFileThreshold=1m"  # larger files count as binary
ATTRIBUTES = Path(__file__).with_name("attributes")
_SHA = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?\n")
_CHANGELOG = re.compile(
    r"(?:^|/)(?:change|changelog|changes|news|newsfragments|history|release|releases|whats.?new)\b", re.I
)

Mask = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class LoggedCommit:
    """A commit without its changes. at: seconds since 1970, 0 where it tells no time. message: decoded, cut after
    `MESSAGE` bytes."""

    sha: str
    parents: tuple[str, ...]
    at: int
    message: str


@dataclass(slots=True)
class LoggedChange:
    """What a commit changed, as text to be searched: lines added and removed alike.

    places: what git shows beside a hunk, mostly the function. added, removed: fingerprints of the lines, so that the
    same change elsewhere and the change that takes it back are known by them; 0 where nothing can be told.
    """

    paths: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    documentation: list[str] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    grown: int = 0
    shrunk: int = 0
    created: int = 0
    added: int = 0
    removed: int = 0


def commits(directory: Path, wanted: Sequence[str], unwanted: Sequence[str] = ()) -> Iterator[LoggedCommit]:
    """The commits reachable from `wanted` and not from `unwanted`, parents before their children.

    Full SHAs only. Raises `Unavailable`.
    """
    yield from _log(directory, [*wanted, *(f"^{sha}" for sha in unwanted)], "--topo-order", "--reverse")


def named(directory: Path, shas: Sequence[str], *, seconds: float = git.TIMEOUT) -> Iterator[LoggedCommit]:
    """These commits alone. Raises `Unavailable`."""
    yield from _log(directory, shas, "--no-walk=unsorted", seconds=seconds)


def _log(
    directory: Path, revisions: Sequence[str], *words: str, seconds: float = git.TIMEOUT
) -> Iterator[LoggedCommit]:
    if not revisions:  # git would read its own HEAD
        return
    plain = ("--no-show-signature", "--no-notes", "--no-mailmap", "--no-color")
    asked = "".join(f"{revision}\n" for revision in revisions).encode()
    form = "--format=%H%x00%P%x00%ct%x00%B"
    words = ("-z", *words, *plain, form, "--stdin")
    with git.stream(directory, "log", *words, stdin=asked, timeout=seconds) as output:
        yield from read_commits(output)


def read_commits(output: BinaryIO) -> Iterator[LoggedCommit]:
    """What `git log -z` prints in the format of `commits`; records that are none are left out."""
    record: list[bytes] = []
    for text in _fields(output):
        record.append(text)
        if len(record) == 4:
            sha, parents, at, message = record
            record = []
            if _SHA.fullmatch(sha + b"\n"):
                found = tuple(parents.decode("ascii", "replace").split())
                # It may claim any time, or none: that must not cut the history off.
                made = min(int(at[:20]), _LATEST) if at.isdigit() else 0
                yield LoggedCommit(sha.decode(), found, made, message.decode(errors="replace"))


def _fields(output: BinaryIO) -> Iterator[bytes]:
    """The texts between NULs, each cut after `MESSAGE` bytes."""
    kept = b""
    while chunk := output.read(_CHUNK):
        *whole, rest = chunk.split(b"\0")
        for text in whole:
            yield (kept + text)[:MESSAGE]
            kept = b""
        kept = (kept + rest)[:MESSAGE]


def changes(
    directory: Path, shas: Sequence[str], mask: Mask = str, *, seconds: float = git.TIMEOUT
) -> Iterator[tuple[str, LoggedChange | None]]:
    """Each commit that changes a file, in the order given; with `None` where git cannot show it: objects are missing.

    Merges change nothing: what they bring are their members' changes. mask: what every text passes through.
    Git is asked in portions, since a history has any length; raises `Unavailable` when one takes longer than `seconds`.
    """
    words = ("-c", LARGE_FILE, "-c", f"core.attributesFile={ATTRIBUTES}", "-c", "core.quotePath=false")
    plain = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=none")
    asking = (*words, "diff-tree", "--stdin", "-r", "--root", "-p", "-U0", *plain)
    at = damaged = 0
    while at < len(shas) and damaged < _MOST_DAMAGED:
        portion = shas[at : at + _PORTION]
        shown: list[tuple[str, LoggedChange]] = []  # the last of a failed run may be torn: it waits for the next
        try:
            asked = "".join(f"{sha}\n" for sha in portion).encode()
            with git.stream(directory, *asking, stdin=asked, timeout=seconds) as output:
                for found in read_changes(output, mask):
                    yield from shown
                    shown = [found]
            yield from shown
            at += len(portion)
        except Unavailable as problem:
            if "longer" in str(problem):
                raise
            at += portion.index(shown[0][0]) if shown else 0
            yield shas[at], None
            at, damaged = at + 1, damaged + 1
    yield from ((sha, None) for sha in shas[at:])


def read_changes(output: BinaryIO, mask: Mask = str) -> Iterator[tuple[str, LoggedChange]]:
    """What `git diff-tree --stdin -p -U0` prints."""
    sha, reader = "", _Reader(mask)
    whole = True  # the line before ended
    while line := output.readline(_LINE):
        begins, whole = whole, line.endswith(b"\n")
        if not begins:
            continue
        if _SHA.fullmatch(line):
            if sha:
                yield sha, reader.change()
            sha, reader = line[:-1].decode(), _Reader(mask)
        elif line[:1] in b"+-@dn":
            reader.read(line)
        # The rest says nothing: modes, blobs, `Binary files differ`.
    if sha:
        yield sha, reader.change()


class _Reader:
    """One commit's diff, line by line."""

    def __init__(self, mask: Mask) -> None:
        self._mask = mask
        self._found = LoggedChange()
        self._lines: list[str] | None = None  # where the file's lines go
        self._note = False
        self._room: dict[int, int] = {}
        self._header = True
        self._added = blake2b(digest_size=7)
        self._removed = blake2b(digest_size=7)
        self._told = 0
        self._path = b""

    def read(self, line: bytes) -> None:
        mark = line[:1]
        if mark == b"d" and line.startswith(b"diff --git "):
            self._file(line)
        elif mark == b"@":
            self._header = False
            place = line.split(b"@@", 2)[-1].strip() if line.count(b"@@") > 1 else b""
            if place and self._lines is self._found.code and len(self._found.places) < PATHS:
                self._found.places.append(self._text(place))
        elif mark == b"n":
            self._found.created += self._lines is self._found.code and line.startswith(b"new file mode ")
        elif not self._header:
            bare = line[1:].strip()
            if not bare:
                return
            self._told += 1
            (self._added if mark == b"+" else self._removed).update(self._path + bare + b"\n")
            if self._lines is self._found.code:
                self._found.grown += mark == b"+"
                self._found.shrunk += mark == b"-"
            if self._lines is None:
                return
            room = self._room.get(id(self._lines), COLUMN) - len(bare)
            if room > 0:
                self._room[id(self._lines)] = room
                text = self._text(bare)
                self._lines.append(text)
                if self._note and mark == b"+":
                    self._found.notes.append(text)

    def change(self) -> LoggedChange:
        if self._told > 1:  # one line alone may well be changed twice
            self._found.added = int.from_bytes(self._added.digest())
            self._found.removed = int.from_bytes(self._removed.digest())
        return self._found

    def _file(self, line: bytes) -> None:
        names = line[len(b"diff --git ") :].rstrip(b"\n")
        path = names[: len(names) // 2].strip(b'"').removeprefix(b"a/")  # both halves name the same file
        self._header, self._path = True, path + b":"
        raw = path.decode(errors="replace")
        column, self._note = _column(raw)
        self._lines = getattr(self._found, column) if column else None
        if len(self._found.paths) < PATHS:
            self._found.paths.append(self._mask(raw))

    def _text(self, text: bytes) -> str:
        return self._mask(text.decode(errors="replace"))


_COLUMNS = {
    FileKind.TEST: "tests",
    FileKind.DOCUMENTATION: "documentation",
    FileKind.CODE: "code",
    FileKind.CONFIGURATION: "code",
    FileKind.DEPENDENCIES: "code",
    FileKind.CI: "code",
}


@lru_cache(maxsize=10_000)
def _column(path: str) -> tuple[str, bool]:
    """Where the lines of such a file go, nowhere for what is generated or cannot be told; whether it is a changelog."""
    kind = kind_of(path)
    if kind in (FileKind.DOCUMENTATION, FileKind.OTHER) and _CHANGELOG.search(path):
        return "documentation", True
    return _COLUMNS.get(kind, ""), False


def joined(lines: Iterable[str]) -> str:
    """The lines as one text of at most two columns' length."""
    return "\n".join(lines)[: 2 * COLUMN]
