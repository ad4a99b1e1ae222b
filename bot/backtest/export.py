"""Reads an export: JSON lines as GitHub's API gives them. What an issue said when it was opened is read here too: later
edits, names and labels are taken away. `docs/backtest.md` says how to make one.

issues.jsonl     an issue a line (`GET /repos/{owner}/{repo}/issues?state=all`)
timeline.jsonl   {"number": …, "events": […]} a line (`GET …/issues/{number}/timeline`); more lines of one issue add up.
                 With "updated_at" it counts only for what was last changed then
edits.jsonl      {"number", "lastEditedAt", "userContentEdits": {"nodes": [{"editedAt", "diff"}], "pageInfo"}} a line
                 (GraphQL); without it a text counts as it is today, unless it says itself that it was edited
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bot.backtest.values import INSIDE, PastAct, PastEvent, PastIssue, RepositoryPast
from bot.errors import PlainError
from bot.github.fields import is_bot, json_list, json_object, moment, text

ISSUES, TIMELINE, EDITS = "issues.jsonl", "timeline.jsonl", "edits.jsonl"
_NAME = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}", re.ASCII)
AT_ONCE = timedelta(seconds=10)  # GitHub reports the labels of an opening a moment after it
BESIDE = timedelta(minutes=1)  # a merge closes its issues so soon
NO_LIST: Mapping[str, Any] = {}
_EDIT_WORDS = frozenset({"edit", "edited", "update", "updated", "upd"})


class ExportError(PlainError):
    """The export cannot be used; the message says where and what would mend it."""


def read_export(folder: Path, name: str, most: int, *, private: bool = False) -> RepositoryPast:
    """The newest `most` issues of an export, pull requests left out. Raises `ExportError`.

    name: of the repository, for the report; where it is empty, the issues' addresses say it. private: whether the
    repository is, which no line of an export tells.
    """
    if not (folder / ISSUES).is_file():
        raise ExportError(f"{folder}: there is no {ISSUES} in it. docs/backtest.md says how to make an export.")
    told = {number: row for row in rows(folder / ISSUES) for number in [number_of(row, folder / ISSUES)]}
    issues = [row for row in told.values() if not row.get("pull_request")]
    if not issues:
        raise ExportError(f"{folder / ISSUES}: there is no issue in it, so there is nothing to judge.")
    issues.sort(key=lambda row: number_of(row, folder / ISSUES), reverse=True)
    events = events_of(folder, told)
    edits = edits_of(folder)
    wanted = issues[:most]
    read = [row for row in wanted if row["number"] in events]
    past = tuple(_issue(row, events[row["number"]], edits(row["number"])) for row in read)
    known = (folder / EDITS).is_file()
    return RepositoryPast(name or _name(wanted[0]) or folder.name, past, len(wanted) - len(read), private, known)


def events_of(folder: Path, told: Mapping[int, Mapping[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    """The acts on each of these issues or pull requests, as GitHub tells them; none of one that was changed since they
    were read, for its new title and labels would count as those of its opening. Raises `ExportError`."""
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows(folder / TIMELINE):
        number = number_of(row, folder / TIMELINE)
        at = row.get("updated_at")
        if number in told and (at is None or at == told[number].get("updated_at")):
            found[number] += [each for each in json_list(row.get("events")) if isinstance(each, dict)]
    return found


def edits_of(folder: Path) -> Callable[[int], Mapping[str, Any] | None]:
    """Number -> what GitHub said of its revisions: `None` where it was not asked yet, `NO_LIST` where there is no list
    of them at all. Raises `ExportError`."""
    if not (folder / EDITS).is_file():
        return lambda number: NO_LIST
    return {number_of(row, folder / EDITS): row for row in rows(folder / EDITS)}.get


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a file, none where there is no file. A last line that was cut off is left out: whoever wrote it was
    stopped, and writes it again. Raises `ExportError`."""
    if not path.is_file():
        return
    lines = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            if number == len(lines):
                return
            raise ExportError(
                f"{path}, line {number}: this is not JSON in UTF-8. Each line must be one object."
            ) from None
        if not isinstance(row, dict):
            raise ExportError(f"{path}, line {number}: this is no object. Each line must be one JSON object.")
        yield row


def number_of(row: Mapping[str, Any], path: Path) -> int:
    """Raises `ExportError`, which names the file, where a row has none."""
    number = row.get("number")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise ExportError(f'{path}: a line has no "number", the issue\'s.')
    return number


def _issue(row: Mapping[str, Any], acts: list[Any], edits: Mapping[str, Any] | None) -> PastIssue:
    at = moment(row.get("created_at"))
    if at is None:
        raise ExportError(f'{ISSUES}: issue {row["number"]} has no "created_at".')
    merged = _merged(row, acts)
    found = [event_of(each, login_of(row), merged) for each in acts]
    events = tuple(sorted((each for each in found if each is not None), key=lambda each: each.at))
    body = first_body(row, edits)
    return PastIssue(
        number=row["number"],
        at=at,
        author=login_of(row),
        author_is_bot=is_bot(json_object(row, "user")),
        association=text(row, "author_association").lower(),
        title=first_title(text(row, "title"), events),
        body=text(row, "body") if body is None else body,
        labels=first_labels(labels_of(row), events, at, acts),
        text_known=body is not None,
        events=events,
        is_open=row.get("state") == "open",
        url=text(row, "html_url"),
        through_app=bool(json_object(row, "performed_via_github_app")),
    )


@dataclass(frozen=True, slots=True)
class Merge:
    """A merged pull request that names an issue. pull: its number; `None` where it is another repository's."""

    pull: int | None
    at: datetime


def _merged(row: Mapping[str, Any], acts: list[Any]) -> list[Merge]:
    """The merges of pull requests that name the issue: of a closing by one, GitHub names no commit."""
    found = []
    for act in acts:
        named = json_object(act, "source", "issue")
        at, number = moment(text(named, "pull_request", "merged_at")), named.get("number")
        home = text(named, "repository_url")
        here = isinstance(number, int) and home in ("", text(row, "repository_url"))
        if at is not None:
            found.append(Merge(number if here else None, at))
    return found


def event_of(event: Mapping[str, Any], reporter: str, merged: list[Merge]) -> PastEvent | None:
    """One of GitHub's events; `None` for what says nothing here, or is not complete. merged: of pull requests that name
    the issue."""
    kind = text(event, "event")
    at = moment(event.get("created_at"))
    if kind not in set(PastAct) or at is None:
        return None
    who = json_object(event, "actor") or json_object(event, "user")
    bot = is_bot(who) or bool(json_object(event, "performed_via_github_app"))
    act, said = PastAct(kind), ""
    maintainer = text(who, "login") != reporter
    if act is PastAct.COMMENTED:
        said = text(event, "body")
        maintainer = maintainer and text(event, "author_association").lower() in INSIDE
    elif act is PastAct.LABELED:
        said = text(event, "label", "name")
    elif act is PastAct.RENAMED:
        said = text(event, "rename", "from")
    elif act is PastAct.CLOSED:
        said = text(event, "state_reason")
        return _closing(PastEvent(at, act, text(who, "login"), bot, maintainer and not bot, said), event, merged)
    return PastEvent(at, act, text(who, "login"), bot, maintainer and not bot, said)


def _closing(closed: PastEvent, event: Mapping[str, Any], merged: list[Merge]) -> PastEvent:
    """With what closed the issue, where that was code."""
    at_once = [each for each in merged if abs(closed.at - each.at) <= BESIDE]
    commit = text(event, "commit_id")
    pulls = tuple(dict.fromkeys(each.pull for each in at_once if each.pull is not None))
    return replace(closed, by_code=bool(commit or at_once), commit=commit, pulls=pulls)


def login_of(row: Mapping[str, Any]) -> str:
    """Whose it is; empty for an account that is gone."""
    return text(row, "user", "login")


def labels_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of its labels today."""
    return tuple(name for name in (text(each, "name") for each in json_list(row.get("labels"))) if name)


def _name(row: Mapping[str, Any]) -> str:
    """`owner/name`; empty where it is none, for a folder is called after it."""
    name = "/".join(text(row, "repository_url").split("/")[-2:])
    return name if _NAME.fullmatch(name) else ""


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
    that is cut off, or whose first revision somebody deleted, does not show the opening. Without any (`NO_LIST`) the
    text counts as it is, unless it says itself that it was edited.
    """
    body = text(issue, "body")
    if not edits:
        unknown = edits is None or says_edited(body)
        return None if unknown and issue.get("updated_at") != issue.get("created_at") else body
    if not edits.get("lastEditedAt"):
        return body
    revisions = json_object(edits, "userContentEdits")
    nodes = [each for each in json_list(revisions.get("nodes")) if isinstance(each, dict)]
    cut_off = json_object(revisions, "pageInfo").get("hasNextPage")
    if not nodes or cut_off or edits.get("includesCreatedEdit") is not True:
        return None
    first = min(nodes, key=lambda each: text(each, "editedAt"))
    return text(first, "diff") if isinstance(first.get("diff"), str) else None


def says_edited(body: str) -> bool:
    """Whether a line of it begins with `Edit:`, `UPDATE 2:` or the like."""
    leads = (line.partition(":") for line in body.splitlines())
    words = ("".join(filter(str.isalpha, lead)).casefold() for lead, colon, _ in leads if colon)
    return any(word.rstrip("s") in _EDIT_WORDS for word in words)
