"""Files that are more than their text: links, and what may be started. Pure."""

from collections.abc import Iterator

from bot.changes.risks.lines import first
from bot.changes.risks.values import Holds, Risk, Whole
from bot.changes.values import Change, FileKind, FileStatus


def files(change: Change, _whole: Whole) -> Iterator[Risk]:
    """`symbolic_link`, `made_executable`."""
    for file in change.files:
        if file.link:
            say = "It is a symbolic link, which may lead anywhere."
            yield Risk(
                "symbolic_link",
                say,
                file.path,
                0,
                (file.path,),
                beside=("symlink", "symbolic link", "symlinks", "symbolic links"),
            )
        if file.executable:
            new = file.status is FileStatus.ADDED and file.kind is not FileKind.TEST and not file.binary
            holds = Holds.NEVER if new else Holds.ALWAYS
            yield Risk(
                "made_executable",
                "It may be started as a program now.",
                file.path,
                first(file),
                (file.path,),
                holds,
                ("executable", "executable bit", "chmod"),
            )
