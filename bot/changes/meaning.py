"""Does a change do anything? It asks whether anything at all is different, and says yes when it is not sure: a change
that only adds a test may be just what was asked for. Pure."""

from bot.changes.syntax import in_doubt, readable, same_part, same_program
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Hunk, Whole

LARGEST = 32 * 1024  # characters of all edits together
MOST_WHOLE = 8  # files that are looked at as a whole


def meaningful(file: FileChange, before: str | None = None, after: str | None = None) -> bool:
    """Whether a file is more than laid out, commented or documented in another way.

    With both whole texts their syntax trees decide, else those of the hunks. Whatever is not plain text in a language
    with a grammar is meaningful: configuration, CI, dependencies and lock files, links, binaries, a file that comes,
    goes or gets another name or mode.
    """
    if file.status is not FileStatus.MODIFIED or not file.plain:
        return True
    if before is not None and after is not None:
        return before != after and not (_judged_by_syntax(file) and same_program(file.path, before, after))
    if not file.hunks:
        return False
    return not all(same(file, hunk) for hunk in file.hunks)


def is_noop(change: Change) -> bool:
    """Whether the whole change does nothing, as far as its diff shows: also when it is empty, never when it could not
    be read to its end or is too large to look at every edit."""
    if change.problem or change.size > LARGEST:
        return False
    return not any(map(meaningful, change.files))


def does_nothing(change: Change, whole: Whole) -> bool | None:
    """Whether the whole change does nothing, for certain: `True` only where whole files say so.

    They are looked at where the lines say that it does nothing, and where one cannot tell from lines, as within a text
    that goes on over several; at most `MOST_WHOLE` files. `None`: the lines say so, and more could not be had.
    """
    supposed = is_noop(change)
    if not supposed and not _in_doubt(change):
        return False
    if not change.files or len(change.files) > MOST_WHOLE:
        return None if supposed else False
    for file in change.files:
        texts = whole(file)
        if texts is None:
            return None if supposed else False
        if meaningful(file, *texts):
            return False
    return True


def _in_doubt(change: Change) -> bool:
    """Whether every edit may do nothing for all that lines can tell."""
    if change.problem or change.size > LARGEST:
        return False
    return all(
        file.status is FileStatus.MODIFIED
        and file.plain
        and _judged_by_syntax(file)
        and all(in_doubt(file.path, hunk.before, hunk.after) or same(file, hunk) for hunk in file.hunks)
        for file in change.files
    )


def _judged_by_syntax(file: FileChange) -> bool:
    return file.kind in (FileKind.CODE, FileKind.TEST, FileKind.GENERATED) and readable(file.path)


def same(file: FileChange, hunk: Hunk) -> bool:
    """Whether one edit of a file does nothing, told from its lines alone."""
    changed = tuple(line for line in hunk.lines if line[0] != " ")
    if not changed:
        return True
    if not _judged_by_syntax(file):
        return False
    return hunk.before == hunk.after or same_part(file.path, hunk.before, hunk.after, changed)
