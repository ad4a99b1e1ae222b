"""A change as frozen values. All text in it comes from strangers."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class FileKind(StrEnum):
    """What a file is for, told from its path alone."""

    CODE = "code"
    TEST = "test"
    DOCUMENTATION = "documentation"
    GENERATED = "generated"
    LOCK = "lock"
    DEPENDENCIES = "dependencies"  # manifests such as pyproject.toml, package.json
    CONFIGURATION = "configuration"
    CI = "ci"  # CI, workflow and build steps
    OTHER = "other"


class FileStatus(StrEnum):
    """What happened to a file. `PERMISSIONS`: its mode alone changed."""

    ADDED = "added"
    DELETED = "deleted"
    MODIFIED = "modified"
    RENAMED = "renamed"
    COPIED = "copied"
    PERMISSIONS = "permissions"


@dataclass(frozen=True, slots=True)
class Hunk:
    """One stretch of changed lines with what stands around it.

    old_start, new_start: line numbers from 1, as in the diff. lines: each with its first character, ` `, `+` or `-`,
    without line ends.
    """

    old_start: int
    new_start: int
    lines: tuple[str, ...]

    @property
    def before(self) -> str:
        """The stretch as it was."""
        return "\n".join(line[1:] for line in self.lines if line[:1] != "+")

    @property
    def after(self) -> str:
        """The stretch as it is."""
        return "\n".join(line[1:] for line in self.lines if line[:1] != "-")

    @property
    def added(self) -> tuple[str, ...]:
        """The new lines."""
        return tuple(line[1:] for line in self.lines if line[:1] == "+")

    @property
    def removed(self) -> tuple[str, ...]:
        """The lines that are gone."""
        return tuple(line[1:] for line in self.lines if line[:1] == "-")


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file. path: after the change, or before it where it was deleted. old_path: where it was renamed or copied
    from. binary, link (symbolic), submodule: what it is, with no hunks that mean anything for code. executable: it may
    be started as a program, and could not before."""

    path: str
    kind: FileKind
    status: FileStatus
    hunks: tuple[Hunk, ...] = ()
    old_path: str | None = None
    binary: bool = False
    link: bool = False
    submodule: bool = False
    executable: bool = False

    @property
    def plain(self) -> bool:
        """Whether it is a text, with hunks that mean something for code."""
        return not (self.binary or self.link or self.submodule)

    @property
    def places(self) -> tuple[str, ...]:
        """Its path, and the one that it was renamed from: what is moved is gone from where it was."""
        moved = self.old_path if self.status is FileStatus.RENAMED else None
        return (self.path, moved) if moved else (self.path,)

    @property
    def added(self) -> int:
        """Number of new lines."""
        return sum(len(hunk.added) for hunk in self.hunks)

    @property
    def removed(self) -> int:
        """Number of lines that are gone."""
        return sum(len(hunk.removed) for hunk in self.hunks)


Whole = Callable[[FileChange], tuple[str, str] | None]  # a file before and after; `None` where it cannot be had


@dataclass(frozen=True, slots=True)
class Change:
    """A whole change, files in the order of the diff. problem: why it could not be read to its end; then `files` holds
    what was read before."""

    files: tuple[FileChange, ...]
    problem: str = ""

    @property
    def size(self) -> int:
        """Characters of all its hunks."""
        return sum(len(line) for file in self.files for hunk in file.hunks for line in hunk.lines)

    def of(self, *kinds: FileKind) -> tuple[FileChange, ...]:
        """The files of these kinds."""
        return tuple(file for file in self.files if file.kind in kinds)
