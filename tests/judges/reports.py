"""Reports to judge, each test stating only its difference."""

from typing import Any

from bot.reports import IssueText, Report
from bot.verdicts import IssueKind, Item

TITLE = "Export drops the last row"
BODY = """Exporting a table with 10 rows writes only 9 of them.
Expected: all rows are in the file.

Steps: open `report.csv`, press Export, count the lines."""


def a_report(body: str = BODY, *, title: str = TITLE, **changes: Any) -> Report:
    values: dict[str, Any] = {
        "text": IssueText(title, body),
        "visible_title": title,
        "visible_text": body,
        "kind": IssueKind.BUG,
        "items": {
            Item.OBSERVED: "writes only 9 of them",
            Item.EXPECTED: "all rows are in the file",
            Item.VERSION: None,
        },
        "language": "en",
        "evidence": (),
    }
    return Report(**{**values, **changes})
