"""`/repositories`: the repositories of whoever signed in, and a dashboard for each: what was judged, how often that was
right, what it cost, what is under way."""

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from typing import TypeVar

from flask import Blueprint, Response, abort, after_this_request, render_template, request
from sqlalchemy.exc import SQLAlchemyError

from bot.live.precision import Subject
from bot.plain_text import count_of
from bot.rendering import dashboard as view
from bot.rendering.plots import precision_plot, spend_plot, verdicts_plot
from bot.rendering.precision import NOISE, removal_words, sample_words
from bot.storage.dashboards import Dashboards
from bot.storage.database import Database
from bot.storage.stores import Stores
from bot.verdicts import Decision
from webhooks.access import RepositoryAccess, refuse
from webhooks.figures import FiguresCache, FiguresSnapshot
from webhooks.headers import OWN_FORMS, policy
from webhooks.session import Person

DAYS = (30, 90, 365)
MOST_LISTED = 25
_DOORS = {"issues": Subject.ISSUE, "pulls": Subject.PULL, "reviews": Subject.REVIEW}
_RUN = re.compile(r"[!-~]{1,500}")
_DECISIONS = {each.value.lower(): each for each in Decision}

Choice = TypeVar("Choice", bound=StrEnum)
log = logging.getLogger("bouncer.dashboard")


@dataclass(frozen=True, slots=True)
class Filters:
    """What of a repository is shown. before: the list of verdicts begins with older ones. run: and with those of the
    same moment that come after this one."""

    days: int
    door: Subject | None
    decision: Decision | None
    before: datetime | None
    run: str


def dashboards(
    database: Database, stores: Stores, web_url: str, access: RepositoryAccess, figures: FiguresCache
) -> Blueprint:
    """web_url: where people read issues and pull requests. access: who may see what."""
    blueprint = Blueprint("dashboards", __name__, url_prefix="/repositories")
    shown = _Dashboard(Dashboards(database), stores, web_url, figures)

    @blueprint.get("")
    def repositories() -> Response:
        person = access.person()
        seen = {each.id for each in access.repositories(person)}
        return _answer(lambda: shown.list_page(seen, person))

    @blueprint.get("/<owner>/<name>")
    def repository(owner: str, name: str) -> Response:
        person, filters = access.person(), read_filters(request.args)
        seen = access.repository(person, f"{owner}/{name}")
        if seen is None:
            abort(404)
        return _answer(lambda: shown.of(seen.id, filters, person))

    return blueprint


def read_filters(given: Mapping[str, str]) -> Filters:
    """From an address. Ends the request for what it cannot hold."""
    door, decision, before, run = (given.get(name, "") for name in ("door", "decision", "before", "run"))
    days = given.get("days") or str(DAYS[1])
    for name, known, told in (
        ("days", map(str, DAYS), days),
        ("door", _DOORS, door),
        ("decision", _DECISIONS, decision),
    ):
        if told and told not in (choices := tuple(known)):
            refuse(f"`{name}` is one of {', '.join(choices)}.", 400)
    if run and not _RUN.fullmatch(run):
        refuse("`run` is the name of a run, as the link to older verdicts has it.", 400)
    try:
        at = datetime.fromisoformat(before) if before else None
        at = at and (at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC))
    except (ValueError, OverflowError):  # the second: in UTC it is no year that there is
        refuse("`before` is a time such as 2026-01-31T12:00:00+00:00.", 400)
    return Filters(int(days), _DOORS.get(door), _DECISIONS.get(decision), at, run)


def _answer(made: Callable[[], str | None]) -> Response:
    try:
        html = made()
    except SQLAlchemyError as error:
        log.error("no dashboard: %s", type(error).__name__)
        refuse("The database does not answer. Try again in a minute.", 503)
    if html is None:
        abort(404)
    return Response(html, headers={"Content-Security-Policy": policy(OWN_FORMS)})


class _Dashboard:
    """What is shown, from what is stored."""

    def __init__(self, lists: Dashboards, stores: Stores, web_url: str, figures: FiguresCache) -> None:
        self._lists, self._stores, self._web_url, self._figures = lists, stores, web_url, figures

    def list_page(self, seen: set[int], person: Person) -> str:
        """Those of these that Bouncer knows, and the welcome pages of those that are new."""
        known = self._stores.repositories.get_many(seen)
        since = _since(DAYS[0], datetime.now(UTC))
        verdicts = self._lists.verdicts([each.repo_id for each in known], since)
        new = self._stores.welcomes.of(seen)
        return render_template(
            "repositories.html", known=known, verdicts=verdicts, days=DAYS[0], person=person, welcomes=new
        )

    def of(self, repo_id: int, filters: Filters, person: Person) -> str | None:
        """One repository's; `None` where Bouncer never heard of it."""
        found = self._stores.repositories.get(repo_id)
        if found is None:
            return None
        now, door = datetime.now(UTC), filters.door
        since = _since(filters.days, now)
        counted = self._figures.of(found.repo_id, since, now)
        if counted is None:
            after_this_request(_looked_at_again)
        recent = self._lists.recent(
            found.repo_id,
            since,
            most=MOST_LISTED + 1,
            subject=door,
            decision=filters.decision,
            before=filters.before,
            run=filters.run,
        )
        queue = self._lists.queue(found.repo_id)
        return render_template(
            "dashboard.html",
            repository=found,
            welcomes=self._stores.welcomes.of({found.repo_id}),
            person=person,
            filters=filters,
            days=DAYS,
            doors={name: view.DOORS[each] for name, each in _DOORS.items()},
            decisions={name: view.DECISION_CHOICES[each] for name, each in _DECISIONS.items()},
            chosen={"door": _name(_DOORS, door), "decision": _name(_DECISIONS, filters.decision)},
            since=since,
            counted=counted and self._counted(found.repo_id, counted, since, door),
            queue=queue,
            search=view.label_search(queue.labels),
            recent=recent[:MOST_LISTED],
            head_of=view.verdict_head,
            older=recent[MOST_LISTED - 1].entry if len(recent) > MOST_LISTED else None,
            web_url=self._web_url,
        )

    def _counted(
        self, repo_id: int, counted: FiguresSnapshot, since: datetime, door: Subject | None
    ) -> Mapping[str, object]:
        """What the page shows of the figures."""
        figures, periods = counted.figures, counted.periods[door]
        sentences = self._lists.first_reasons(repo_id, view.examples(figures, door))
        removed = self._stores.retention.count_removed(repo_id)
        return {
            "at": counted.at,
            "judged": count_of(sum(each.judged for each in periods), "verdict"),
            "stands_on": sample_words(*counted.standing[door]),
            "removed": removal_words(removed) if removed.until and removed.until > since else "",
            "noise": NOISE,
            "plots": [
                verdicts_plot(periods),
                precision_plot(periods),
                *([spend_plot(periods)] if figures.spent else []),
            ],
            "doors": (view.DOOR_COLUMNS, view.door_rows(figures, door)),
            "reasons": (view.REASON_COLUMNS, view.reasons(figures, door, sentences)),
            "failures": (view.FAILURE_COLUMNS, view.failures(figures, door, sentences)),
            "claims": (view.CLAIM_COLUMNS, view.bots_rows(self._stores.rejections.tallies(since, [repo_id]))),
            "spent": (view.SPEND_COLUMNS, view.spend_rows(figures)),
        }


def _looked_at_again(answer: Response) -> Response:
    """The browser asks once more by itself, for the figures that are being counted."""
    answer.headers["Refresh"] = "2"
    return answer


def _since(days: int, now: datetime) -> datetime:
    """Midnight in UTC, so that a day's figures stay the same ones."""
    return datetime.combine(now.date() - timedelta(days=days), time(), UTC)


def _name(known: Mapping[str, Choice], wanted: Choice | None) -> str:
    return next((name for name, each in known.items() if each is wanted), "")
