"""What an issue said when it was opened: later edits, names and labels taken away. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from bot.backtest.values import PastAct, PastEvent
from bot.github.fields import json_list, json_object, text

AT_ONCE = timedelta(seconds=10)  # GitHub reports the labels of an opening a moment after it


def first_title(now: str, events: Sequence[PastEvent]) -> str:
    """The title before the first renaming."""
    return next((each.text for each in events if each.act is PastAct.RENAMED and each.text), now)


def first_labels(
    now: Sequence[str], events: Sequence[PastEvent], opened: datetime, raw: Sequence[Mapping[str, Any]]
) -> tuple[str, ...]:
    """The labels of the opening: those put on at once, and those on it today of which nobody was seen to put them on
    (GitHub keeps no event of labels that were there from the start in an imported issue)."""
    put = [each for each in events if each.act is PastAct.LABELED]
    at_once = [each.text for each in put if each.at - opened <= AT_ONCE]
    later = {each.text for each in put} - set(at_once)
    taken = [text(each, "label", "name") for each in raw if each.get("event") == "unlabeled"]
    unseen = [label for label in now if label not in later and label not in at_once and label not in taken]
    return tuple(dict.fromkeys([*at_once, *unseen]))


def first_body(issue: Mapping[str, Any], edits: Mapping[str, Any] | None) -> str | None:
    """The body of the opening; `None` where it is not known for sure.

    edits: GitHub's list of revisions, each with the whole text after it, and whether the opening is one of them. A list
    that is cut off, or whose first revision somebody deleted, does not show the opening.
    """
    body, opened = text(issue, "body"), issue.get("created_at")
    if edits is None:
        return body if issue.get("updated_at") == opened else None  # nothing at all happened to it
    if not edits.get("lastEditedAt"):
        return body
    revisions = json_object(edits, "userContentEdits")
    nodes = [each for each in json_list(revisions.get("nodes")) if isinstance(each, dict)]
    cut_off = json_object(revisions, "pageInfo").get("hasNextPage")
    if not nodes or cut_off or edits.get("includesCreatedEdit") is not True:
        return None
    first = min(nodes, key=lambda each: text(each, "editedAt"))
    return text(first, "diff") if isinstance(first.get("diff"), str) else None
