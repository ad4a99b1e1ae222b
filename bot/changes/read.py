"""A unified diff, read into values: what git, GitHub and models write.

`bot.verification.diffs` lays a diff over a program and refuses what does not fit. Here a diff is only understood, so as
much as can be read is kept and the rest is said. Libraries give nothing at all of a diff with one bad line, and take
quadratic time on a hostile one; so this reader is its own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.changes.kinds import kind_of
from bot.changes.values import Change, FileChange, FileStatus, Hunk
from bot.child_process import TooLong, run_bounded

LARGEST = 8 * 2**20  # bytes of one diff that are read
MOST_LINES = 200_000
MOST_FILES = 3000  # as many as GitHub lists for a pull request

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_MODE = re.compile(r"(old|new|new file|deleted file) mode (\d{6})|index [0-9a-f]+\.\.[0-9a-f]+ (\d{6})")
_MOVE = re.compile(r"(rename|copy) (from|to) (.+)")
_PREFIXES = frozenset(f"{each}/" for each in "abciow12")
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)
_ESCAPED = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
NOWHERE = "/dev/null"
LINK, SUBMODULE, _EXECUTABLE = "120000", "160000", "100755"


class _Trouble(Exception):
    """Why reading ends here."""


@dataclass(slots=True)
class FilePatch:
    """One file as the diff has it. hunks: lines with their ends, as far as they have one. Bytes that are no UTF-8 are
    surrogates in names."""

    git: tuple[str, str] | None = None  # the names on its `diff --git` line
    source: str = ""
    target: str = ""
    move: FileStatus | None = None
    moved_from: str = ""
    moved_to: str = ""
    status: FileStatus | None = None
    modes: set[str] = field(default_factory=set)
    binary: bool = False
    mode_changed: bool = False
    executable: bool = False
    hunks: list[Hunk] = field(default_factory=list)


def read_change(diff: str | bytes) -> Change:
    """Read a diff; never raises.

    Line ends are gone, carriage returns before them too, and bytes that are not UTF-8 stand as `\\xNN`. A diff that is
    too large, cut off or malformed gives what was read before, and `problem` in Bouncer's own words.
    """
    change = run_bounded(len(diff), parsed, diff)
    return Change((), change.reason) if isinstance(change, TooLong) else change


def parsed(diff: str | bytes) -> Change:
    """`read_change`, in this process and however long it takes."""
    text, large = _text(diff)
    files, problem = patches(text)
    return Change(tuple(map(_finished, files)), large or problem)


def patches(text: str) -> tuple[list[FilePatch], str]:
    """The files of a diff, and why not all of it was read; empty where it was."""
    files: list[FilePatch] = []
    lines = _lines(text.removeprefix("\ufeff").removesuffix("\n"))
    problem = f"It has more than {MOST_LINES:,} lines; the rest was not read." if len(lines) > MOST_LINES else ""
    try:
        _read(lines[:MOST_LINES], files)
    except _Trouble as trouble:
        problem = problem or str(trouble)
    if not files and not problem and text.strip():
        problem = "There is no change in it that Bouncer can read."
    return files, problem


def _lines(text: str) -> list[str]:
    """Each with its end; what stands before `\\ No newline at end of file` has none."""
    lines: list[str] = []
    for line in text.split("\n"):
        if line.startswith("\\") and lines:
            lines[-1] = lines[-1].removesuffix("\n")
        else:
            lines.append(f"{line}\n")
    return lines


def _text(diff: str | bytes) -> tuple[str, str]:
    if isinstance(diff, str):
        diff = diff[: LARGEST + 1].encode("utf-8", "backslashreplace")  # a character takes one byte at least
    if len(diff) <= LARGEST:
        return diff.decode("utf-8", "backslashreplace"), ""
    whole = diff[: diff.rfind(b"\n", 0, LARGEST) + 1]  # half a line would be another line
    problem = f"It is larger than {LARGEST // 2**20} MiB; the rest was not read."
    return whole.decode("utf-8", "backslashreplace"), problem


def _read(lines: list[str], files: list[FilePatch]) -> None:
    """Add the files that are found. Raises `_Trouble` where reading ends early."""
    rest = iter(enumerate(lines))
    current: FilePatch | None = None
    header = False  # between `diff --git` and the first hunk
    behind = False  # on the line behind a hunk
    for number, whole in rest:
        line = _bare(whole)
        if line.startswith("diff --git "):
            current, header = _added(files, FilePatch(git=_both(line[11:]))), True
        elif line.startswith(("diff --cc ", "diff --combined ", "@@@ ")):
            raise _Trouble("It is the combined diff of a merge, which Bouncer does not read.")
        elif line.startswith("--- ") and lines[number + 1 : number + 2] and lines[number + 1].startswith("+++ "):
            if current is None or not header:
                current = _added(files, FilePatch())
            current.source, current.target = _name(line[4:]), _name(_bare(next(rest)[1])[4:])
            header = False
        elif line.startswith("@@ "):
            if current is None:
                raise _Trouble("Changed lines in it belong to no file.")
            header, behind = False, True
            _hunk(line, rest, current.hunks)
            continue
        elif line.startswith("Binary files ") and line.endswith(" differ"):
            if current is None or not header:
                current = _added(files, FilePatch())
                current.source, _, current.target = (line[13:-7]).rpartition(" and ")
            current.binary = True
        elif header and current is not None:
            _about(line, current)
        elif behind and line[:1] in ("+", "-", " ") and line.rstrip() != "--":  # mail is signed with `-- `
            raise _Trouble("A part of it has more lines than it says; the rest was not read.")
        behind = False


def _bare(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r")


def _added(files: list[FilePatch], file: FilePatch) -> FilePatch:
    if len(files) == MOST_FILES:
        raise _Trouble(f"It changes more than {MOST_FILES:,} files; the rest was not read.")
    files.append(file)
    return file


def _hunk(line: str, rest: Iterator[tuple[int, str]], hunks: list[Hunk]) -> None:
    match = _HUNK.match(line)
    if not match:
        raise _Trouble("A line in it does not say where its change belongs; the rest was not read.")
    old_start, new_start = int(match[1]), int(match[3])
    old, new = int(match[2] or 1), int(match[4] or 1)
    lines: list[str] = []
    while old > 0 or new > 0:
        _, text = next(rest, (0, None))
        if text is None and old == new == 1 and any(line[0] != " " for line in lines):
            text = " \n"  # who strips a patch takes the last line around a change with it, if that was empty
        if text is not None and not _bare(text):
            text = f" {text}"  # mail and editors take the blank off an empty line
        mark = text[:1] if text is not None else ""
        old -= mark in ("-", " ")
        new -= mark in ("+", " ")
        if text is None or mark not in ("+", "-", " ") or old < 0 or new < 0:
            hunks.append(Hunk(old_start, new_start, tuple(lines)))
            raise _Trouble("A part of it is shorter than it says, as if it were cut off; the rest was not read.")
        lines.append(text)
    hunks.append(Hunk(old_start, new_start, tuple(lines)))


def _about(line: str, file: FilePatch) -> None:
    """One line between `diff --git` and the first hunk."""
    if match := _MODE.fullmatch(line):
        file.modes.add(match[2] or match[3])
        file.executable |= match[2] == _EXECUTABLE and match[1] in ("new", "new file")
        if match[1] == "new file":
            file.status = FileStatus.ADDED
        elif match[1] == "deleted file":
            file.status = FileStatus.DELETED
        elif match[1]:
            file.mode_changed = True
    elif match := _MOVE.fullmatch(line):
        file.move = FileStatus.RENAMED if match[1] == "rename" else FileStatus.COPIED
        if match[2] == "from":
            file.moved_from = _name(match[3])
        else:
            file.moved_to = _name(match[3])
    elif line == "GIT binary patch":
        file.binary = True


def _finished(file: FilePatch) -> FileChange:
    source, target = (_shown(name) for name in names(file))
    path = (target if target != NOWHERE else source) or source
    status = file.status or file.move
    if status is None and source == NOWHERE:
        status = FileStatus.ADDED
    elif status is None and target == NOWHERE:
        status = FileStatus.DELETED
    elif status is None and file.mode_changed and not file.hunks and not file.binary:
        status = FileStatus.PERMISSIONS
    elif status is None and not file.git and len(file.hunks) == 1:
        # What a diff without git's words says where one of its sides is no line at all.
        (hunk,) = file.hunks
        status = FileStatus.ADDED if hunk.old_start == 0 else FileStatus.DELETED if hunk.new_start == 0 else None
    return FileChange(
        path=path,
        kind=kind_of(path),
        status=status or FileStatus.MODIFIED,
        hunks=tuple(Hunk(each.old_start, each.new_start, tuple(map(_bare, each.lines))) for each in file.hunks),
        old_path=source if file.move else None,
        binary=file.binary,
        link=LINK in file.modes,
        submodule=SUBMODULE in file.modes,
        executable=file.executable,
    )


def _shown(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def names(file: FilePatch) -> tuple[str, str]:
    """Its names before and after, without the `a/` and `b/` that git puts before them."""
    if file.moved_from and file.moved_to:
        return file.moved_from, file.moved_to
    source, target = file.source, file.target
    if not target:
        source, target = file.git or ("", "")
    prefixes = {name[:2] for name in file.git or (source, target) if name != NOWHERE}
    if prefixes <= _PREFIXES and (len(prefixes) == 2 or not file.git):
        source, target = (name if name == NOWHERE else name[2:] for name in (source, target))
    return source, target


def _name(text: str) -> str:
    """A name as git writes it: ends at a tab, or stands in quotes with C's escapes."""
    if text.startswith('"'):
        return _unquoted(text)
    return text.partition("\t")[0]


def _both(text: str) -> tuple[str, str]:
    """The two names of a `diff --git` line, which are the same except for their first part wherever they are needed."""
    if text.startswith('"'):
        end = re.match(r'"(?:[^"\\]|\\.)*+"', text)
        first = end[0] if end else text
        return _unquoted(first), _name(text[len(first) + 1 :])
    if text.endswith('"') and ' "' in text:
        first, _, second = text.partition(' "')
        return first, _unquoted('"' + second)
    middle = len(text) // 2
    if text[middle : middle + 1] == " " and text[:middle][2:] == text[middle + 1 :][2:]:
        return text[:middle], text[middle + 1 :]
    first, _, second = text.partition(" b/")
    return first, "b/" + second if second else first


def _unquoted(text: str) -> str:
    def plain(match: re.Match[bytes]) -> bytes:
        escape = match[1]
        return bytes([int(escape, 8) & 255]) if escape[:1] in b"01234567" else _ESCAPED.get(escape, escape)

    inner = text.strip().removeprefix('"').removesuffix('"').encode("utf-8", "surrogateescape")
    return _ESCAPE.sub(plain, inner).decode("utf-8", "surrogateescape")
