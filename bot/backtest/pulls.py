"""Pull requests of the past, read from an export: as they were opened, and what became of them.

pulls.jsonl      a pull request a line (`GET /repos/{owner}/{repo}/pulls?state=all`)
timeline.jsonl, edits.jsonl: as for issues (`export.py`); numbers are unique among both
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from bot.backtest.endings import Signal
from bot.backtest.export import (
    edits_of,
    event_of,
    events_of,
    first_body,
    first_labels,
    first_title,
    labels_of,
    login_of,
    number_of,
    rows,
)
from bot.backtest.values import INSIDE, PastAct
from bot.github.fields import is_bot, json_object, moment, text
from bot.github.values import Pull, PullCommit
from bot.pulls.agents import KNOWN, is_known_agent

PULLS = "pulls.jsonl"
_TELLING = ("commented", "reviewed")
_ANOTHER = ("supersed", "duplicat", "replac")


class PullEnding(StrEnum):
    """What became of a pull request."""

    MERGED = "merged as it was opened"
    UNREVIEWED = "merged by its author, a bot or an agent"
    CHANGED = "changed before it was merged"
    ASKED = "merged after a maintainer asked for changes"
    REVERTED = "merged, and reverted later"
    REJECTED = "closed by a maintainer who said why"
    UNSAID = "closed by a maintainer without a word"
    SUPERSEDED = "closed for another pull request"
    WITHDRAWN = "closed by its author or a bot"
    OPEN = "still open"

    @property
    def signal(self) -> Signal:
        """Whether people found it lacking (unclear), fine (clear), or gave no word: what was pushed later may have
        mended it, an author closes for any reason, who merges without a maintainer's approval is no judge, and most
        that are closed show no failure of whoever wrote them (36% do, of agents' as published)."""
        if self in (PullEnding.ASKED, PullEnding.REVERTED, PullEnding.REJECTED):
            return Signal.UNCLEAR
        return Signal.CLEAR if self is PullEnding.MERGED else Signal.NOTHING


@dataclass(frozen=True, slots=True)
class PastPull:
    """proposal: title, text, labels and commits of the opening. head: its newest commit then, `""` where it is not
    known because the branch was rewritten. merged: the commit that the merge made, `""` without one. last: its title,
    text and commits of today."""

    proposal: Pull
    at: datetime
    head: str
    base_branch: str
    text_known: bool
    ending: PullEnding
    last: Pull
    merged: str = ""
    url: str = ""


def read_pulls(folder: Path) -> tuple[PastPull, ...]:
    """Those of an export whose acts are known, newest first; perhaps none. Raises `ExportError`."""
    edits = edits_of(folder)
    told = {number_of(row, folder / PULLS): row for row in rows(folder / PULLS)}
    events = events_of(folder, told)
    known = [(row, events[number], edits(number)) for number, row in told.items() if number in events]
    past = [found for found in (_pull(*each) for each in known) if found is not None]
    return tuple(sorted(past, key=lambda pull: pull.proposal.number, reverse=True))


def _pull(row: Mapping[str, Any], acts: list[dict[str, Any]], edits: Mapping[str, Any] | None) -> PastPull | None:
    """`None` for what is not complete."""
    at, author = moment(row.get("created_at")), login_of(row)
    if at is None:
        return None
    events = tuple(each for each in (event_of(act, author, []) for act in acts) if each is not None)
    commits = [act for act in acts if act.get("event") == "committed" and isinstance(act.get("sha"), str)]
    first = [act for act in commits if (made := moment(text(act, "committer", "date"))) is not None and made <= at]
    rewritten = any(act.get("event") == "head_ref_force_pushed" for act in acts)
    body = first_body(row, edits)
    last = Pull(
        number=row["number"],
        title=text(row, "title"),
        body=text(row, "body"),
        author=author,
        author_is_bot=is_bot(json_object(row, "user")),
        head_branch=text(row, "head", "ref"),
        labels=labels_of(row),
        commits=tuple(map(_commit, commits)),
    )
    return PastPull(
        proposal=replace(
            last,
            title=first_title(last.title, events),
            body=last.body if body is None else body,
            labels=first_labels(last.labels, events, at, acts),
            commits=tuple(map(_commit, first)),
        ),
        last=last,
        at=at,
        head="" if rewritten or not first else str(first[-1]["sha"]),
        base_branch=text(row, "base", "ref"),
        text_known=body is not None,
        ending=_ending(row, acts, author, changed=len(first) < len(commits)),
        merged=text(row, "merge_commit_sha") if row.get("merged_at") else "",
        url=text(row, "html_url"),
    )


def _ending(row: Mapping[str, Any], acts: list[dict[str, Any]], author: str, *, changed: bool) -> PullEnding:
    """Without reverts, which the history shows."""
    if row.get("merged_at"):
        reviews = {str(act.get("state")).lower() for act in acts if act.get("event") == "reviewed" and _inside(act)}
        if "changes_requested" in reviews:
            return PullEnding.ASKED
        if changed:
            return PullEnding.CHANGED
        merges = [act for act in acts if act.get("event") == "merged"]
        unjudged = merges and not any(_persons(act, author) for act in merges) and "approved" not in reviews
        return PullEnding.UNREVIEWED if unjudged else PullEnding.MERGED
    if row.get("state") == "open":
        return PullEnding.OPEN
    closed = [found for found in (event_of(act, author, []) for act in acts) if found and found.act is PastAct.CLOSED]
    if not closed or not closed[-1].maintainer or is_known_agent(closed[-1].by, False, KNOWN):
        return PullEnding.WITHDRAWN
    told = [text(act, "body") for act in acts if act.get("event") in _TELLING and _inside(act, author)]
    if not any(map(str.strip, told)):
        return PullEnding.UNSAID
    return PullEnding.SUPERSEDED if _names_another(told[-1]) else PullEnding.REJECTED


def _names_another(comment: str) -> bool:
    words = [word.strip(",.:;()") for word in comment.casefold().split()]
    return any(
        word.startswith(_ANOTHER) or (word[:1] == "#" and word[1:].isdigit()) or "/pull/" in word for word in words
    )


def _inside(act: Mapping[str, Any], author: str = "") -> bool:
    """Whether a maintainer wrote it; nobody reviews his own pull request."""
    return text(act, "author_association").lower() in INSIDE and _persons(act, author)


def _persons(act: Mapping[str, Any], author: str) -> bool:
    """Whether somebody else than the author did it, and no bot and no agent that Bouncer knows."""
    who = json_object(act, "actor") or json_object(act, "user")
    login = text(who, "login")
    return login != author and not is_bot(who) and not is_known_agent(login, False, KNOWN)


def _commit(act: Mapping[str, Any]) -> PullCommit:
    return PullCommit(act["sha"], text(act, "author", "name"), text(act, "author", "email"), text(act, "message"))
