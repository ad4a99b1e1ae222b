"""A unified diff, laid over a program: exactly where it says, or not at all.

A diff comes from strangers. It is parsed in this process, touches no file, names only paths inside the program, and
what Bouncer cannot represent (links, submodules, binary content) is refused rather than half applied.
"""

import io
import itertools
import re
from collections.abc import Callable

from unidiff.constants import DEV_NULL
from unidiff.errors import UnidiffParseError
from unidiff.patch import Hunk, PatchedFile, PatchSet

from bot.verification.syntax import literal

LARGEST = 8 * 2**20  # bytes of one diff

Read = Callable[[str], bytes | None]
_PREFIX = re.compile(r"[abciow12]/")
_MORE = re.compile(r"[+ ]|-(?!-- |- ?$)")
_RENAME = re.compile(r"(rename|copy) from ")


class DiffError(Exception):
    """The diff cannot be read, is not safe or does not fit; the message says where, and the mend."""


def looks_like_a_diff(text: str) -> bool:
    """Whether a file without a telling name holds a unified diff."""
    return bool(re.search(r"^(diff --git |--- .*\n\+\+\+ )", text, re.MULTILINE))


def apply(diff: bytes, read: Read, *, only_file: str = "") -> dict[str, bytes | None]:
    """The files that the diff changes: path -> new content, `None` for a deleted one.

    `read` gives the content of a path in the program, or `None` where there is no such file. With `only_file` the
    program is that one file, which the diff may call what it likes. Raises `DiffError`.
    """
    if len(diff) > LARGEST:
        raise DiffError(f"it is larger than {LARGEST // 2**20} MiB. Give the changed directory instead.")
    patches = _parse(diff)
    if only_file and len(patches) > 1:
        raise DiffError("it changes several files, but the original is one file. Give a directory as the original.")
    changed: dict[str, bytes | None] = {}
    for patch in patches:
        source, target = (only_file, only_file) if only_file else _paths(patch, read)
        if {source, target} & changed.keys():
            raise DiffError(f"{target or source} is changed twice. Give each file once.")
        before = read(source) if source else None
        _check(patch, source, target, before, read)
        after = _patched(patch, before or b"", source or target)
        if source and source != target and not any(line.startswith("copy from ") for line in patch.patch_info or ()):
            changed[source] = None
        if target:
            changed[target] = after
    return changed


def _parse(diff: bytes) -> PatchSet:
    # Bytes that are not UTF-8 travel as surrogates and come out as they went in. Only a newline ends a line.
    text = diff.decode("utf-8", "surrogateescape")
    if re.search(r"^\+\+\+ .*\r$", text, re.MULTILINE):
        text = text.replace("\r\n", "\n")  # saved with Windows line ends, its own header lines included
    try:
        patches = PatchSet(io.StringIO(text, newline="\n"))
    except UnidiffParseError as error:
        problem = str(error).split(":")[0].lower()
        raise DiffError(f"it is not a whole unified diff ({problem}). Make it with `git diff`.") from None
    if not patches:
        raise DiffError("there is no change in it. Make it with `git diff`.")
    lines = [*text.split("\n"), ""]
    for hunk in itertools.chain.from_iterable(patches):
        behind = lines[max(line.diff_line_no or 0 for line in hunk)] if hunk else ""
        if _MORE.match(behind):  # unidiff would take it for a remark and lose a part of the change
            where = f"at line {hunk.source_start} of a file"
            raise DiffError(f"a change {where} has more lines than it says. Make it with `git diff`.")
    return patches


def _paths(patch: PatchedFile, read: Read) -> tuple[str, str]:
    """Where it reads and where it writes; empty for a file that is added or deleted."""
    source, target = _name(patch.source_file), _name(patch.target_file)
    names = [name for name in (source, target) if name]
    if all(_PREFIX.match(name) for name in names) and (source[:2] != target[:2] or not patch.patch_info):
        source, target = source[2:], target[2:]
    if source and target and source != target and not any(map(_RENAME.match, patch.patch_info or ())):
        source = target = source if _inside(source) and read(source) is not None else target  # `diff -u old new`
    for path in (source, target):
        if path and not _inside(path):
            raise DiffError("it names a path outside the program. Make it at the root of the repository.")
    return source, target


def _name(name: str) -> str:
    name = name.rstrip("\r")
    if name == DEV_NULL:
        return ""
    if name.startswith('"') and name.endswith('"'):  # as git writes names that are not plain ASCII
        try:
            quoted: bytes = literal("b" + name)
            return quoted.decode("utf-8", "surrogateescape")
        except (ValueError, SyntaxError):
            raise DiffError("a file name in it is wrongly quoted. Make it with `git diff`.") from None
    return name


def _inside(path: str) -> bool:
    """Whether the path stays inside the program, and out of git's own directory."""
    parts = path.split("/")
    return bool(path) and "\0" not in path and not {"", ".", ".."} & set(parts) and parts[0].lower() != ".git"


def _check(patch: PatchedFile, source: str, target: str, before: bytes | None, read: Read) -> None:
    """Raises for what cannot be represented, and for files that are there or not there against the diff's word."""
    path = target or source
    if patch.is_binary_file:
        raise DiffError(f"{path}: a binary change is not in a unified diff. Give the changed directory instead.")
    if patch.is_symlink or patch.is_submodule or "120000" in (patch.source_mode, patch.target_mode):
        raise DiffError(f"{path} is a link or a submodule, which Bouncer does not follow. Leave it out of the diff.")
    if source and before is None:
        raise DiffError(f"there is no file {source} to change. Make the diff against what you give as its base.")
    if target and target != source and read(target) is not None:
        raise DiffError(f"{target} is to be created, but exists. Make the diff against what you give as its base.")


def _patched(patch: PatchedFile, before: bytes, path: str) -> bytes:
    lines = io.StringIO(before.decode("utf-8", "surrogateescape"), newline="\n").readlines()
    done: list[str] = []
    position = 0
    for number, hunk in enumerate(patch, 1):
        old, new = _sides(hunk)
        start = hunk.source_start - (1 if hunk.source_length else 0)
        if not position <= start <= len(lines) or lines[start : start + len(old)] != old:
            where = f"change {number} of {path}, at line {hunk.source_start}"
            raise DiffError(f"{where}, does not fit the file. Make the diff against what you give as its base.")
        done += lines[position:start] + new
        position = start + len(old)
    rest = lines[position:]
    if patch.target_file == DEV_NULL and (done or rest):
        raise DiffError(f"{path} is to be deleted, but contains more than the diff removes. Make a new diff.")
    return "".join(done + rest).encode("utf-8", "surrogateescape")


def _sides(hunk: Hunk) -> tuple[list[str], list[str]]:
    """The lines before and after. `\\ No newline at end of file` belongs to the line above it."""
    old: list[str] = []
    new: list[str] = []
    last: tuple[list[str], ...] = ()
    for line in hunk:
        if line.line_type == "\\":
            for side in last:
                side[-1] = side[-1].removesuffix("\n")
            continue
        if line.line_type == "":
            continue  # an empty line behind the hunk
        last = tuple(side for side, marks in ((old, " -"), (new, " +")) if line.line_type in marks)
        for side in last:
            side.append(line.value)
    return old, new
