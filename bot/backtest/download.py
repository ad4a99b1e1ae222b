"""Fetches the past of a repository from GitHub into an export (`export.py`), as far as GitHub's rate limit allows.

What was fetched stays: the next run goes on where this one was stopped, and asks again only for what something happened
to since. One call an issue or pull request, one for each hundred of them, and with a token one for each fifty texts.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from bot.backtest.export import EDITS, ISSUES, TIMELINE, rows
from bot.backtest.pulls import PULLS
from bot.github.channel import Channel
from bot.github.errors import RateLimited

TEXTS_AT_ONCE = 50
REVISIONS = """\
query Revisions($owner: String!, $name: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    issues(first: 50, after: $after, orderBy: {field: CREATED_AT, direction: DESC}) {
      pageInfo { hasNextPage endCursor }
      nodes {
        number lastEditedAt includesCreatedEdit
        userContentEdits(first: 30) { nodes { editedAt diff } pageInfo { hasNextPage } }
      }
    }
  }
}
"""


PULL_REVISIONS = REVISIONS.replace("issues(", "pullRequests(")


@dataclass(frozen=True, slots=True)
class Fetched:
    """missing: subjects whose acts are not here yet. wait: seconds until GitHub answers again; 0 if it did not stop."""

    missing: int
    wait: float = 0.0


def download(
    channel: Channel,
    full_name: str,
    folder: Path,
    issues: int,
    pulls: int,
    *,
    token: bool,
    progress: Callable[[int, int], None],
) -> Fetched:
    """Fetch the newest issues and pull requests, so many of each. Raises a `GitHubError`, but not for a rate limit.

    token: whether there is one; without it nobody may ask for revisions. progress: subjects done, and all.
    """
    folder.mkdir(parents=True, exist_ok=True)
    known = {row["number"]: row for row in rows(folder / TIMELINE)}
    try:
        _renew(folder / ISSUES, list(_issues(channel, full_name, issues)))
        if pulls:
            pages = channel.pages(f"/repos/{full_name}/pulls", parameters={"state": "all", "sort": "created"})
            _renew(folder / PULLS, list(islice(pages, pulls)))
        if token:
            edits = [*_revisions(channel, full_name, REVISIONS, issues)]
            edits += _revisions(channel, full_name, PULL_REVISIONS, pulls) if pulls else ()
            _replace(folder / EDITS, edits)
    except RateLimited as limit:
        return Fetched(len(_stale(_wanted(folder), known)), limit.retry_after)
    return _timelines(channel, full_name, folder, _wanted(folder), known, progress)


def calls_of(folder: Path, issues: int, pulls: int, *, token: bool) -> int:
    """How many calls a download takes at most, with what is here already."""
    known = {row["number"] for row in rows(folder / TIMELINE)}
    every = issues + pulls
    return 2 + every // 100 + (2 + every // TEXTS_AT_ONCE if token else 0) + max(0, every - len(known))


def _wanted(folder: Path) -> list[dict[str, Any]]:
    return [*rows(folder / ISSUES), *rows(folder / PULLS)]


def _timelines(
    channel: Channel,
    full_name: str,
    folder: Path,
    wanted: list[dict[str, Any]],
    known: dict[int, dict[str, Any]],
    progress: Callable[[int, int], None],
) -> Fetched:
    stale = _stale(wanted, known)
    _replace(folder / TIMELINE, [row for number, row in known.items() if number not in stale])
    with (folder / TIMELINE).open("a", encoding="utf-8") as file:
        for done, (number, updated) in enumerate(stale.items()):
            progress(done, len(stale))
            try:
                events = list(channel.pages(f"/repos/{full_name}/issues/{number}/timeline"))
            except RateLimited as limit:
                return Fetched(len(stale) - done, limit.retry_after)
            file.write(json.dumps({"number": number, "updated_at": updated, "events": events}) + "\n")
            file.flush()
    progress(len(stale), len(stale))
    return Fetched(0)


def _stale(wanted: list[dict[str, Any]], known: Mapping[int, Mapping[str, Any]]) -> dict[int, str]:
    """The issues of which something is not here, with when it happened."""
    newest = {row["number"]: str(row.get("updated_at")) for row in wanted}
    return {number: at for number, at in newest.items() if known.get(number, {}).get("updated_at") != at}


def _issues(channel: Channel, full_name: str, most: int) -> Iterator[dict[str, Any]]:
    """Pull requests are in GitHub's list and left out here."""
    found = channel.pages(f"/repos/{full_name}/issues", parameters={"state": "all", "sort": "created"})
    return islice((issue for issue in found if not issue.get("pull_request")), most)


def _revisions(channel: Channel, full_name: str, query: str, most: int) -> Iterator[dict[str, Any]]:
    owner, _, name = full_name.partition("/")
    after: str | None = None
    for _ in range(-(-most // TEXTS_AT_ONCE)):
        answer = channel.query(query, {"owner": owner, "name": name, "after": after})
        (listed,) = answer["repository"].values()
        yield from (node for node in listed["nodes"] if node)
        after = listed["pageInfo"]["endCursor"]
        if not listed["pageInfo"]["hasNextPage"]:
            return


def _renew(path: Path, found: list[dict[str, Any]]) -> None:
    """What GitHub said before of texts that may have been edited since is forgotten first: it may not answer again."""
    before = {row["number"]: row.get("updated_at") for row in rows(path)}
    changed = {row["number"] for row in found if before.get(row["number"]) != row.get("updated_at")}
    edits = path.with_name(EDITS)
    if edits.is_file():
        _replace(edits, [row for row in rows(edits) if row["number"] not in changed])
    _replace(path, found)


def _replace(path: Path, found: list[dict[str, Any]]) -> None:
    """Whole or not at all."""
    beside = path.with_suffix(".new")
    beside.write_text("".join(json.dumps(row) + "\n" for row in found), encoding="utf-8")
    beside.replace(path)
