"""Does a change do anything? It asks whether anything at all is different, and says yes when it is not sure: a change
that only adds a test may be just what was asked for. Pure."""

from bot.changes.syntax import readable, same_program
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Whole

LARGEST = 32 * 1024  # characters of all edits together
MOST_WHOLE = 8  # files that are looked at as a whole


def does_nothing(change: Change, whole: Whole) -> bool:
    """Whether the whole change does nothing, for certain: each file, before and after, is the same program, laid out,
    commented or documented in another way. Lines alone do not tell, since they may stand within a text.

    Whatever is not plain text in a language with a grammar does something: configuration, CI, dependencies and lock
    files, links, binaries, a file that comes, goes or gets another name or mode.
    """
    if change.problem or change.size > LARGEST or len(change.files) > MOST_WHOLE:
        return False
    return all(map(_may, change.files)) and all(_same(file, whole) for file in change.files if file.hunks)


def _may(file: FileChange) -> bool:
    program = file.kind in (FileKind.CODE, FileKind.TEST, FileKind.GENERATED) and readable(file.path)
    return file.status is FileStatus.MODIFIED and file.plain and (program or not file.hunks)


def _same(file: FileChange, whole: Whole) -> bool:
    texts = whole(file)
    return texts is not None and same_program(file.path, *texts)
