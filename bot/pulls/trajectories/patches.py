"""The patch format of `apply_patch`: files between `*** Begin Patch` and `*** End Patch`."""

import re
from collections.abc import Iterator
from posixpath import join, normpath

from bot.pulls.trajectories.values import SessionStep, StepKind

MOST_FILES = 200

_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.{1,400})$", re.MULTILINE)
_MOVED = re.compile(r"^\*\*\* Move to: (.{1,400})$", re.MULTILINE)


def patch_edits(patch: str, cwd: str) -> Iterator[SessionStep]:
    """One edit for each file of a patch; one of an unknown file when the patch names none."""
    heads = list(_FILE.finditer(patch))[:MOST_FILES]
    if not heads:
        yield SessionStep(StepKind.EDIT, "apply_patch")
        return
    ends = [head.start() for head in heads[1:]] + [len(patch)]
    for head, end in zip(heads, ends, strict=True):
        body = patch[head.end() : end]
        path = normpath(join(cwd, head[2].strip()))
        moved = _MOVED.search(body)
        removed, added = ("\n".join(line[1:] for line in body.split("\n") if line[:1] == mark) for mark in ("-", "+"))
        gone = head[1] == "Delete"
        command = f"apply_patch {head[1].lower()}"
        yield SessionStep(
            StepKind.EDIT, command, path, removed=None if gone else removed, added=added, whole=head[1] == "Add"
        )
        if moved:
            yield SessionStep(StepKind.EDIT, command, normpath(join(cwd, moved[1].strip())))
