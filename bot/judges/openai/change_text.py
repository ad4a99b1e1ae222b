"""A change as a model reads it: a diff of what people write, and one line for everything else."""

from bot.changes.values import Change, FileChange, FileKind, FileStatus
from bot.judges.unseen import apparent

_NOT_WRITTEN = frozenset({FileKind.GENERATED, FileKind.LOCK, FileKind.RECORD})


def change_text(change: Change) -> str:
    """Every file with what happened to it; unseen characters written out. Names stay on one line."""
    return "\n".join(_file(file) for file in change.files) or "It changes no file."


def _file(file: FileChange) -> str:
    came = f" from {_name(file.old_path)}" if file.old_path and file.old_path != file.path else ""
    head = f"{file.status} {file.kind} file {_name(file.path)}{came}"
    if why := _not_shown(file):
        return f"{head} ({why}, {file.added} lines added, {file.removed} removed; not shown)"
    hunks = (
        f"@@ -{hunk.old_start} +{hunk.new_start} @@\n" + "\n".join(apparent(line) for line in hunk.lines)
        for hunk in file.hunks
    )
    return "\n".join((head, *hunks))


def _not_shown(file: FileChange) -> str:
    if file.binary:
        return "binary"
    if file.link:
        return "a symbolic link"
    if file.submodule:
        return "a submodule"
    if file.status is FileStatus.DELETED and file.kind is not FileKind.TEST:
        return "deleted whole"
    return file.kind.value if file.kind in _NOT_WRITTEN else ""


def _name(path: str) -> str:
    return apparent(path).replace("\n", "\\n").replace("\t", "\\t")
