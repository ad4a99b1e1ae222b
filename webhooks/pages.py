"""`GET /verdicts/TOKEN`: what led to one verdict on a commit, or how an issue stands. Nobody can guess the address.
Whoever knows it may read the page of a public repository; of a private one, whoever may see that on GitHub."""

import logging

from flask import Blueprint, Response, abort, render_template
from markupsafe import Markup, escape
from sqlalchemy.exc import SQLAlchemyError

from bot.plain_text import clean
from bot.rendering.decided import DECISIONS, decided
from bot.rendering.issue_page import issue_page, verdict_word
from bot.rendering.page import shown_page
from bot.storage.database import Database
from bot.storage.judgements import JudgementRecord, Judgements
from bot.storage.ledger import Ledger
from bot.storage.overrides import Overrides
from bot.storage.repositories import Repositories
from bot.storage.subjects import SubjectRecord, Subjects
from bot.verdicts import Decision, Effect
from webhooks.access import Access
from webhooks.headers import HEADERS

MOST_OVERRIDES = MOST_LOOKS = 50
SECONDS_UNTIL_RETRY = 30

_SHADES = {Decision.ACCEPT: "good", Decision.BOUNCE: "bad", Decision.UNAVAILABLE: "open"}
_HEADS = {decision: (shade, DECISIONS[decision].capitalize()) for decision, shade in _SHADES.items()}
_EFFECTS = {
    Effect.CLEAR: ("good", "for it"),
    Effect.MISSING: ("bad", "against it"),
    Effect.NEUTRAL: ("", "noted"),
    Effect.HIDDEN: ("bad", "hidden text"),
}

log = logging.getLogger("bouncer.pages")


def pages(database: Database, web_url: str, access: Access) -> Blueprint:
    """web_url: where people read pull requests. access: who may see private ones."""
    blueprint = Blueprint(
        "pages", __name__, url_prefix="/verdicts", static_folder="static", template_folder="templates"
    )
    found = _Pages(database, web_url, access)
    blueprint.add_app_template_filter(clean, "clean")
    blueprint.add_app_template_filter(spans, "spans")

    @blueprint.get("/<token>")
    def page(token: str) -> Response:
        try:
            html = found.at(token)
        except SQLAlchemyError as error:
            log.error("no page: %s", type(error).__name__)
            abort(503)
        if html is None:
            abort(404)
        return Response(html, headers={"Cache-Control": "private, no-store"})

    @blueprint.after_request
    def guarded(response: Response) -> Response:
        response.headers.update(HEADERS)
        if response.status_code == 503:
            response.headers["Retry-After"] = str(SECONDS_UNTIL_RETRY)
        return response

    return blueprint


class _Pages:
    """What is shown at a token's address, from what is stored."""

    def __init__(self, database: Database, web_url: str, access: Access) -> None:
        self._web_url, self._access = web_url, access
        self._repositories = Repositories(database)
        self._judgements, self._overrides = Judgements(database), Overrides(database)
        self._subjects, self._ledger = Subjects(database), Ledger(database)

    def at(self, token: str) -> str | None:
        if judgement := self._judgements.find(token):
            self._guard(judgement)
            return self._of_commit(judgement, token)
        if subject := self._subjects.at(token):
            self._guard(subject)
            return self._of_issue(subject)
        return None

    def _guard(self, found: JudgementRecord | SubjectRecord) -> None:
        """Ends the request for whoever may not see it."""
        if self._repositories.is_private(found.repo_id):
            self._access.require(found.repo_id, found.repository)

    def _of_commit(self, found: JudgementRecord, token: str) -> str:
        trail = self._judgements.trail(found.repo_id, found.number)
        words = self._overrides.trail(found.repo_id, found.number)
        page = shown_page(found.result, found.page)
        return render_template(
            "verdict.html",
            judgement=found,
            page=page,
            pull_url=f"{self._web_url}/{found.repository}/pull/{found.number}",
            trail=trail,
            token=token,
            newer=trail[0] if trail and trail[0].token != token else None,
            overrides=words[:MOST_OVERRIDES],
            standing=next((word for word in words if word.ended_at is None and word.head == found.head), None),
            heads=_HEADS,
            head=(_SHADES[page.decision], decided(page.decision, page.cause).capitalize()),
            effects=_EFFECTS,
        )

    def _of_issue(self, found: SubjectRecord) -> str:
        return render_template(
            "issue.html",
            subject=found,
            page=issue_page(found.verdict, state=found.state, held=found.held, left_alone=found.left_alone),
            issue_url=f"{self._web_url}/{found.repository}/issues/{found.number}",
            looks=self._ledger.entries(found.repo_id, found.number)[: -MOST_LOOKS - 1 : -1],
            verdict_word=verdict_word,
            effects=_EFFECTS,
        )


def spans(text: str) -> Markup:
    """A sentence, escaped, with what stands between backticks as code."""
    first, *rest = (escape(part) for part in text.split("`"))
    told = first
    while len(rest) > 1:
        span, after, *rest = rest
        told += Markup("<code>{}</code>{}").format(span, after)
    return told + Markup("`").join(["", *rest])  # one that has no other stays what it is
