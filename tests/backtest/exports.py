"""Exports of our own writing, in the shape of GitHub's API."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.backtest.export import EDITS, ISSUES, TIMELINE

DAY = "2026-03-{:02}T10:00:00Z"
VAGUE = ("It does not work", "Saving is broken since yesterday. Please fix.")
CLEAR = (
    "`export()` writes an empty file when the name has a space",
    "With version 2.4.1 on Linux, `export('a b.csv')` writes 0 bytes. I expect the three rows of the table.\n\n"
    "```python\nfrom shop import export\nexport('a b.csv')\n```\n\nIt prints `ValueError: no rows` in the log.",
)


def comment(by: str, body: str, day: int = 2, association: str = "MEMBER") -> dict[str, Any]:
    """A comment on the issue."""
    return event("commented", by, day) | {"body": body, "author_association": association}


def event(kind: str, by: str, day: int = 3, **more: Any) -> dict[str, Any]:
    """An act on the issue."""
    bot = by.endswith("[bot]")
    return {
        "event": kind,
        "actor": {"login": by, "type": "Bot" if bot else "User"},
        "created_at": DAY.format(day),
        **more,
    }


ASKED = comment("maintainer", "Could you share the full stack trace?")
TOLD = comment("maintainer", "Thanks, that is right.")
DONE = event("closed", "maintainer", state_reason="completed")
FIXED = event("closed", "maintainer", state_reason="completed", commit_id="a" * 40)


@dataclass
class Exported:
    """An issue. edits: what GraphQL says of its text; `None` where it was not asked."""

    number: int
    title: str
    body: str
    events: tuple[dict[str, Any], ...] = ()
    edits: dict[str, Any] | None = field(default_factory=lambda: {"lastEditedAt": None})
    author: str = "reporter"
    association: str = "NONE"
    state: str = "closed"
    labels: tuple[str, ...] = ()
    app: str = ""  # the App that wrote it for its author


def write_export(folder: Path, issues: Iterable[Exported]) -> Path:
    """The folder, with the three files in it."""
    told = list(issues)
    _lines(folder / ISSUES, [_issue(each) for each in told])
    _lines(folder / TIMELINE, [{"number": each.number, "events": list(each.events)} for each in told])
    if edits := [{"number": each.number} | each.edits for each in told if each.edits is not None]:
        _lines(folder / EDITS, edits)
    return folder


def _issue(each: Exported) -> dict[str, Any]:
    return {
        "number": each.number,
        "title": each.title,
        "body": each.body,
        "user": {"login": each.author, "type": "Bot" if each.author.endswith("[bot]") else "User"},
        "author_association": each.association,
        "labels": [{"name": name} for name in each.labels],
        "state": each.state,
        "created_at": DAY.format(1),
        "updated_at": DAY.format(9),
        "html_url": f"https://github.com/acme/widgets/issues/{each.number}",
        "repository_url": "https://api.github.com/repos/acme/widgets",
        "performed_via_github_app": {"id": 5, "slug": each.app} if each.app else None,
    }


def _lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
