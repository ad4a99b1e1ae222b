"""What is a risk by who reads the file: CI, hooks, builders, services, editors, agents, git, package tools. Pure.

The table of readers is `bot/changes/readers.toml`. Where a file can be compared whole, comments and layout are only
shown, and so are newer versions of what was there.
"""

from collections.abc import Iterator
from fnmatch import fnmatch

from packaging.version import InvalidVersion, Version

from bot.changes.kinds import is_test_by_path
from bot.changes.readers import NEWER, SENTENCES, FileReader, readers_of, suffix
from bot.changes.risks.data import Leaf, leaves, read
from bot.changes.risks.lines import first
from bot.changes.risks.values import Holds, Risk
from bot.changes.syntax import readable, same_program
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Hunk, Whole

LONGEST = 128 * 1024  # characters of a file that are looked at
_PROSE = (".md", ".rst", ".adoc", ".png", ".svg")
# Files in which a line that begins with `#` is a comment, as far as their names end in something.
_HASHES = ("sh", "bash", "tf", "hcl", "ini", "cfg", "conf", "properties", "nix", "cmake", "service", "timer", "in")
_ORDERS = ("uses", "rev")  # by versions: a commit may be anybody's, also under the name of the real project
_CHECKSUMS = ("sha256sum", "checksum", "sha256", "integrity")  # of what the version beside it names
_LARGEST = 1_000_000


def files(change: Change, whole: Whole) -> Iterator[Risk]:
    """What the table of readers says, and `unreadable_files`, `symbolic_link`, `made_executable`."""
    for file in change.files:
        told: set[str] = set()
        for path in file.places:
            for row in _read_by(path):
                found = None if row.check in told else _weighed(file, row, whole)
                if found:
                    told.add(row.check)
                    yield Risk(row.check, found[0], path, first(file), row.names(path), found[1])
        yield from _modes(file)


def _read_by(path: str) -> Iterator[FileReader]:
    """Prose beside orders is read by people alone, and what lies among tests is not what it looks like."""
    prose = path.lower().endswith(_PROSE)
    for row in readers_of(path):
        if row.check and (row.tested or not is_test_by_path(path)) and (row.kind or row.counts == "all" or not prose):
            yield row


def _modes(file: FileChange) -> Iterator[Risk]:
    if file.binary:
        shown = file.kind in (FileKind.DOCUMENTATION, FileKind.TEST)  # does nothing by itself
        yield Risk("unreadable_files", SENTENCES["binary"], file.path, holds=Holds.NEVER if shown else Holds.ALWAYS)
    if file.submodule:
        say = "It changes which commit of another repository is included."
        yield Risk("git_changed", say, file.path, 0, (file.path,), beside=("submodule", "git submodule"))
    if file.link:
        say = "It is a symbolic link, which may lead anywhere."
        beside = ("symlink", "symbolic link", "symlinks", "symbolic links")
        yield Risk("symbolic_link", say, file.path, names=(file.path,), beside=beside)
    if file.executable:
        new = file.status is FileStatus.ADDED and file.kind is not FileKind.TEST and not file.binary
        holds, said = Holds.NEVER if new else Holds.ALWAYS, ("executable", "executable bit", "chmod")
        say = "It may be started as a program now."
        yield Risk("made_executable", say, file.path, first(file), (file.path,), holds, said)


def _weighed(file: FileChange, row: FileReader, whole: Whole) -> tuple[str, Holds] | None:
    """What to say of a change of what this reader reads, and whether it asks for a person."""
    modified = file.status is FileStatus.MODIFIED and file.plain and not file.executable
    texts = whole(file) if modified and row.counts != "all" else None
    if file.status is FileStatus.ADDED and file.plain:
        texts = "", "\n".join(line for hunk in file.hunks for line in hunk.added)
    if row.holds and not (texts and _has(file.path, row, *texts)):
        return None
    if row.counts != "all" and modified and only_newer(file, () if row.counts == "orders" else NEWER):
        what = "CI runs already" if row.counts == "orders" else "was there"
        return f"It takes newer versions of what {what}.", Holds.NEVER
    if row.counts != "all" and modified and texts and only_layout(file.path, *texts):
        what = "what CI runs" if row.check == "ci_changed" else "it"
        return f"It changes only comments and layout of {what}.", Holds.NEVER
    return None if row.keys and texts and not _obeys(file.path, row, *texts) else (row.says, Holds.ALWAYS)


def _has(path: str, row: FileReader, *texts: str) -> bool:
    """Whether it is such a file, before or after."""
    read_ = [read(path, text) for text in texts]
    documents = [each for data in read_ for each in (data if isinstance(data, list) else [data])]
    return any(isinstance(each, dict) and row.holds <= each.keys() for each in documents)


def _obeys(path: str, row: FileReader, before: str, after: str) -> bool:
    """Whether something differs that this reader obeys, in more than newer versions. What cannot be read may be."""
    old, new = read(path, before) if before else {}, read(path, after)
    if old is None or new is None:
        return True
    mine, theirs = _obeyed(old, row), _obeyed(new, row)
    if [keys for keys, _ in mine] != [keys for keys, _ in theirs]:
        return True
    pairs = ((keys[-1].lower(), was, now) for (keys, was), (_, now) in zip(mine, theirs, strict=True) if was != now)
    return not all(key in NEWER and newer_text(was, now) for key, was, now in pairs)


def _obeyed(data: object, row: FileReader) -> list[Leaf]:
    below = (leaf for leaf in leaves(data) if any(fnmatch(key.lower(), glob) for key in leaf[0] for glob in row.keys))
    return sorted(below)


def only_layout(path: str, before: str, after: str) -> bool:
    """Whether two texts of a file say the same to whatever reads them. What is in doubt is no yes.

    For YAML two questions, and both must say so. The lines: nothing but blank lines, lines that are a comment and
    blanks at the end of lines differ. The file: a reader of YAML finds the same in it, so that no such line stands in a
    script or a text of several lines, ends one, or breaks the file.
    """
    if max(len(before), len(after)) > LONGEST or before == after:
        return False
    ending = suffix(path)
    same_lines = _said_lines(before) == _said_lines(after)
    if ending in (".yml", ".yaml", ".toml", ".json", ".jsonc"):
        data = read(path, before)
        same = data is not None and list(leaves(data)) == list(leaves(read(path, after)))
        return same and (same_lines or not ending.startswith(".y"))
    if readable(path) and ending != ".sh":
        return same_program(path, before, after)
    plain = ending[1:] in ("", *_HASHES) or "file." in path.lower()
    return plain and same_lines and "<<" not in before + after and "\\\n" not in before + after


def _said_lines(text: str) -> list[str]:
    """The lines that say something, with their indentation. A line that goes on over its end stays as it stands."""
    bare = (line if line.rstrip().endswith("\\") else line.rstrip(" \t") for line in text.split("\n"))
    return [line for line in bare if line and not _is_comment(line)]


def _is_comment(line: str) -> bool:
    """What is printed holds no sign that another reader takes for the end of the line, and is no order to a builder:
    `# syntax=…`, `#[[`."""
    text = line.lstrip(" ")
    order = text[1:].partition("=")[0].strip().isidentifier() and "=" in text
    plain = not text.startswith(("#!", "#[")) and not text.endswith("\\") and text.isprintable()
    return text.startswith("#") and plain and not order


def not_older(before: str, after: str) -> bool:
    """Whether the second of two versions is as new as the first, or newer. What is none for certain is not: a commit,
    also a short one, may be anybody's. Nor is a tag of fewer numbers, which may move on: `v4` after `v4.1`."""
    old, new = _version(before), _version(after)
    return old is not None and new is not None and old.release <= new.release and old <= new


def is_older(before: str, after: str) -> bool:
    """Whether the second of two versions is certainly the older one."""
    old, new = _version(before), _version(after)
    return old is not None and new is not None and new < old


def _version(text: str) -> Version | None:
    try:
        found = Version(text)
    except InvalidVersion:
        return None
    short_commit = len(found.release) == 1 and (found.is_prerelease or found.is_postrelease)  # `12a3456`
    return None if short_commit or found.local or found.epoch or max(found.release) > _LARGEST else found


def only_newer(file: FileChange, keys: tuple[str, ...] = ()) -> bool:
    """Whether all it changes is versions that were there, none of them to an older one: of actions and hooks, and of
    what stands behind one of these keys."""
    return file.status is FileStatus.MODIFIED and bool(file.hunks) and all(_is_newer(hunk, keys) for hunk in file.hunks)


def _is_newer(hunk: Hunk, keys: tuple[str, ...]) -> bool:
    if len(hunk.added) != len(hunk.removed):
        return False
    found = [_newer_line(old, new, keys) for old, new in zip(hunk.removed, hunk.added, strict=True)]
    return None not in found and True in found


def _newer_line(before: str, after: str, keys: tuple[str, ...]) -> bool | None:
    """`False` for a checksum, which says nothing by itself; `None` for what is no newer version."""
    (what, old), (same, new) = _parted(before), _parted(after)
    key = what.lstrip("- ").strip(" :=\"'").lower()
    if what != same:
        return None
    if key in _ORDERS:
        (old_name, at, old), (name, _, new) = old.rpartition("@"), new.rpartition("@")
        return True if old_name == name and bool(at) is (key == "uses") and not_older(old, new) else None
    if key.endswith(_CHECKSUMS) and keys:
        return False
    return True if key in keys and newer_text(old, new) else None


def _parted(line: str) -> tuple[str, str]:
    """What a line is about, and what it says of that."""
    ends = [end for sign in (": ", "=", " ") if (end := line.find(sign, len(line) - len(line.lstrip("- ")))) > 0]
    end = min(ends, default=len(line)) + 1
    return line[:end], line[end:].strip(" \"',")


def newer_text(before: str, after: str) -> bool:
    """Whether two texts differ in versions alone, none of which is older: `python:3.12`, `…/gradle-8.5-bin.zip`."""
    old, new = _words(before), _words(after)
    return len(old) == len(new) and all(a == b or not_older(a, b) for a, b in zip(old, new, strict=True))


def _words(text: str) -> list[str]:
    return "".join(each if each.isalnum() or each in ".+" else f" {each} " for each in text).split()
