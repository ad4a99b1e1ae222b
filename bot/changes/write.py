"""Changed files as a unified diff that `git apply` takes, and a change as people read it. Pure."""

import re
from collections.abc import Mapping
from difflib import unified_diff
from posixpath import commonprefix

from bot.changes.values import Change

LONGEST = 20_000  # characters of a diff
MOST_LINES = 1_000  # between the first and the last line that differ in one file
CONTEXT = 3
MOST_SHOWN = 40_000  # characters of the hunks of a change, as far as anybody reads
MOST_FILES = 100

_PLAIN = re.compile(r"[\w@+=,.-]+(?:/[\w@+=,.-]+)*", re.ASCII)


def unified(changed: Mapping[str, tuple[bytes | None, bytes | None]]) -> str:
    """The diff from each file's first content to its second, `None` where there is no file; made to be pasted.

    Empty where that is not possible: nothing differs, a file is no plain text with Unix line ends, its name would have
    to be quoted, or it would be longer than anybody reads.
    """
    parts = [_file(path, before, after) for path, (before, after) in sorted(changed.items()) if before != after]
    diff = "".join(part for part in parts if part)
    return diff if all(parts) and len(diff) <= LONGEST else ""


def _file(path: str, before: bytes | None, after: bytes | None) -> str:
    """One file's part; empty where it cannot be shown."""
    old, new = _text(before), _text(after)
    if old is None or new is None or not _PLAIN.fullmatch(path):
        return ""
    there, then = old.splitlines(keepends=True), new.splitlines(keepends=True)
    same = len(commonprefix([there, then])) + len(commonprefix([there[::-1], then[::-1]]))
    few = max(len(there), len(then)) - same <= MOST_LINES  # else comparing them takes long
    mode = "new file mode 100644\n" if before is None else "deleted file mode 100644\n" if after is None else ""
    source, target = ("/dev/null" if before is None else f"a/{path}"), ("/dev/null" if after is None else f"b/{path}")
    lines = unified_diff(there, then, source, target, n=CONTEXT) if few else ()
    diff = "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
    return f"diff --git a/{path} b/{path}\n{mode}{diff}" if diff else ""


def _text(content: bytes | None) -> str | None:
    """`None` for what is no plain text: lines end with `\\n` alone, and nothing else ends one."""
    try:
        text = (content or b"").decode()
    except UnicodeDecodeError:
        return None
    plain = text.replace("\t", "").replace("\n", "").isprintable()
    return text if plain else None


def shown_diff(change: Change) -> tuple[tuple[str, str], ...]:
    """Path and hunks of each file, in the diff's order. A file that has no room left is there without its hunks."""
    shown, room = [], MOST_SHOWN
    for file in change.files[:MOST_FILES]:
        parts = (f"@@ -{hunk.old_start} +{hunk.new_start} @@\n" + "\n".join(hunk.lines) for hunk in file.hunks)
        text = "\n".join(parts)
        if len(text) > room:
            text = ""
        room -= len(text)
        shown.append((file.path, text))
    return tuple(shown)
