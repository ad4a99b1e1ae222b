"""Changed files as a unified diff that `git apply` takes, and a change as people read it. Pure."""

import re
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from itertools import takewhile

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
    hunks = _hunks(old.splitlines(keepends=True), new.splitlines(keepends=True))
    if not hunks:
        return ""
    mode = "new file mode 100644\n" if before is None else "deleted file mode 100644\n" if after is None else ""
    source, target = ("/dev/null" if before is None else f"a/{path}"), ("/dev/null" if after is None else f"b/{path}")
    return f"diff --git a/{path} b/{path}\n{mode}--- {source}\n+++ {target}\n{hunks}"


def _text(content: bytes | None) -> str | None:
    """`None` for what is no plain text: lines end with `\\n` alone, and nothing else ends one."""
    try:
        text = (content or b"").decode()
    except UnicodeDecodeError:
        return None
    plain = all(part.isprintable() or part.replace("\t", "").isprintable() for part in text.split("\n"))
    return text if plain else None


def _hunks(old: list[str], new: list[str]) -> str:
    """What differs; empty where that is nothing, or too much to be compared."""
    first = sum(1 for _ in takewhile(_same, zip(old, new, strict=False)))
    most = min(len(old), len(new)) - first
    last = min(most, sum(1 for _ in takewhile(_same, zip(reversed(old), reversed(new), strict=False))))
    if max(len(old), len(new)) - first - last > MOST_LINES:
        return ""
    skip, keep = max(first - CONTEXT, 0), max(last - CONTEXT, 0)
    a, b = old[skip : len(old) - keep], new[skip : len(new) - keep]
    groups = SequenceMatcher(None, a, b, autojunk=False).get_grouped_opcodes(CONTEXT)
    return "".join(_hunk(group, a, b, skip) for group in groups)


def _same(pair: tuple[str, str]) -> bool:
    return pair[0] == pair[1]


def _hunk(group: list[tuple[str, int, int, int, int]], a: list[str], b: list[str], skip: int) -> str:
    """One hunk. skip: how many lines were left out before."""
    lines: list[str] = []
    for what, i, until_i, j, until_j in group:
        lines += _marked(" " if what == "equal" else "-", a[i:until_i])
        lines += _marked("+", b[j:until_j]) if what != "equal" else []
    before, after = _span(group[0][1], group[-1][2], skip), _span(group[0][3], group[-1][4], skip)
    return f"@@ -{before} +{after} @@\n" + "".join(lines)


def _marked(sign: str, lines: Iterable[str]) -> list[str]:
    return [sign + line if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n" for line in lines]


def _span(start: int, end: int, skip: int) -> str:
    """As a hunk's head counts: from 1, but an empty stretch names the line before it."""
    length = end - start
    return f"{start + skip + (1 if length else 0)},{length}"


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
