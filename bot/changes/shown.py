"""A change as people read it: the hunks of each file, as far as anybody reads. Pure."""

from bot.changes.values import Change, FileChange

LONGEST = 40_000  # characters of all files
MOST_FILES = 100


def shown_diff(change: Change) -> tuple[tuple[str, str], ...]:
    """Path and hunks of each file, in the diff's order. A file that has no room left is there without its hunks."""
    shown, room = [], LONGEST
    for file in change.files[:MOST_FILES]:
        text = _hunks(file)
        if len(text) > room:
            text = ""
        room -= len(text)
        shown.append((file.path, text))
    return tuple(shown)


def _hunks(file: FileChange) -> str:
    parts = (f"@@ -{hunk.old_start} +{hunk.new_start} @@\n" + "\n".join(hunk.lines) for hunk in file.hunks)
    return "\n".join(parts)
