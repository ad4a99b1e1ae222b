"""Invented recorded patches, whose features tell a little of whether they are right."""

import json
from pathlib import Path
from typing import Any

ISSUE = "`total([])` raises IndexError\nIn shop/cart.py, `total([])` raises IndexError. Expected: 0.\n"


def diff(lines: int, path: str = "shop/cart.py") -> str:
    """Adds so many lines."""
    added = "".join(f"+    value_{number} = {number}\n" for number in range(lines))
    return (
        f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n"
        f"@@ -1,2 +1,{lines + 2} @@\n def total(items):\n{added}     return items[0]\n"
    )


def row(task: str, lines: int, resolved: bool, submission: str = "agent-1", **more: Any) -> dict[str, Any]:
    patch = {"instance_id": task, "submission": submission, "model_patch": diff(lines), "resolved": resolved}
    return {**patch, "problem_statement": ISSUE, **more}


def rows(repositories: int = 3, tasks: int = 4) -> list[dict[str, Any]]:
    """Two patches of each task: a short one that is mostly right, and a long one that is mostly wrong."""
    found = []
    for number in range(repositories * tasks):
        task = f"acme__shop{number % repositories}-{number}"
        odd = number % 5 == 4
        found += [
            row(task, 1 + number % 3, not odd, "short"),
            row(task, 12 + number % 7, odd, "long"),
        ]
    return found


def write(folder: Path, given: list[Any], name: str = "patches.jsonl") -> Path:
    path = folder / name
    path.write_text("".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in given))
    return path
