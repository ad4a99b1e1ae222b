"""`GET /verdicts/TOKEN`: what led to one verdict on a commit, or how an issue stands. Nobody can guess the address.
Whoever knows it may read the page of a public repository; of a private one, whoever may see that on GitHub."""

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from flask import Blueprint, Response, abort, render_template
from markupsafe import Markup, escape
from sqlalchemy.exc import SQLAlchemyError

from bot.already_fixed.finding import FOUND, FixFinding
from bot.already_fixed.script import shown as script
from bot.plain_text import clean
from bot.pulls.result import restored
from bot.rendering import words
from bot.rendering.escape import lines, one_line
from bot.rendering.issue_page import issue_page, runs_of, verdict_word
from bot.rendering.pull_page import bound_names, pull_page, usage_words
from bot.rendering.rejection_view import outcome
from bot.rendering.statement import VerdictStanding, statement
from bot.rendering.words import DECISIONS, TESTED_REJECTIONS, decision_words
from bot.statements.envelope import MEDIA_TYPE, sign
from bot.statements.keys import public_pem
from bot.statements.verdict import VerdictStatement
from bot.storage.gates import GateState
from bot.storage.judgements import JudgementRecord, RejectionRecord
from bot.storage.ledger import Act, Entry
from bot.storage.overrides import Override
from bot.storage.stores import Stores
from bot.storage.subjects import SubjectRecord
from bot.verdicts import Decision, Effect, IssueKind, State, Usage
from webhooks.access import RepositoryAccess

MOST_OVERRIDES = MOST_LOOKS = 50
SECONDS_UNTIL_RETRY = 30

Found = TypeVar("Found")

_SHADES = {Decision.ACCEPT: "good", Decision.BOUNCE: "bad", Decision.UNAVAILABLE: "open"}
_HEADS = {decision: (shade, DECISIONS[decision].capitalize()) for decision, shade in _SHADES.items()}
_EFFECTS = {
    Effect.CLEAR: ("good", "for it"),
    Effect.MISSING: ("bad", "against it"),
    Effect.NEUTRAL: ("", "noted"),
    Effect.HIDDEN: ("bad", "hidden text"),
}

_ACTS = {Act.LABEL_REMOVED: "took the label off", Act.ACCEPT: "wrote `/bouncer accept`"}

log = logging.getLogger("bouncer.pages")


def pages(
    stores: Stores, web_url: str, access: RepositoryAccess, keep_days: int = 0, key: Ed25519PrivateKey | None = None
) -> Blueprint:
    """web_url: where people read pull requests. access: who may see private ones. keep_days: how long a page keeps what
    its verdict stands on; 0 for ever. key: signs verdicts; `None` where they are not signed."""
    blueprint = Blueprint(
        "pages", __name__, url_prefix="/verdicts", static_folder="static", template_folder="templates"
    )
    found = _Pages(stores, web_url, access)
    blueprint.context_processor(lambda: {"keep_days": keep_days, "signs": key is not None, "words": words})
    for name, made in _FILTERS.items():
        blueprint.add_app_template_filter(made, name)

    @blueprint.get("/<token>")
    def page(token: str) -> Response:
        return Response(or_end(lambda: found.at(token)))

    @blueprint.get("/<token>/statement.json")
    def statement(token: str) -> Response:
        said = or_end(lambda: found.statement_of(token) if key else None)
        assert key is not None
        named = {"Content-Disposition": f'attachment; filename="bouncer-{said.heads[0][:12]}.json"'}
        return Response(sign(said.payload(), key), mimetype=MEDIA_TYPE, headers=named)

    return blueprint


def or_end(look: Callable[[], Found | None]) -> Found:
    """What is there; the request ends where nothing is, or the database is away."""
    try:
        there = look()
    except SQLAlchemyError as error:
        log.error("no page: %s", type(error).__name__)
        abort(503)
    if there is None:
        abort(404)
    return there


class _Pages:
    """What is shown at a token's address, from what is stored."""

    def __init__(self, stores: Stores, web_url: str, access: RepositoryAccess) -> None:
        self._stores, self._web_url, self._access = stores, web_url, access

    def at(self, token: str) -> str | None:
        """Ends the request for whoever may not see what is there."""
        if judgement := self._stores.judgements.find(token):
            return self._of_commit(judgement, token)
        if rejection := self._stores.rejections.find(token):
            return self._of_commit(rejection, token)
        if subject := self._stores.subjects.find(token):
            return self._of_issue(subject, self._guarded(subject))
        return None

    def statement_of(self, token: str) -> VerdictStatement | None:
        """The verdict on a commit as a statement, as it stands now; `None` where it is not known any more on what the
        verdict stands, or there is none. Ends the request while the commit is judged anew: then nothing stands."""
        found = self._stores.judgements.find(token)
        if found is None or not found.result:
            return None
        self._guarded(found)
        gate = self._stores.gates.get(found.repo_id, found.number)
        if gate is not None and (gate.head, gate.state) == (found.head, GateState.JUDGING):
            abort(503)
        newest = self._stores.judgements.newest(found.repo_id, found.number, found.head)
        told = VerdictStanding(
            result=restored(found.result),
            judged_at=found.at,
            stated_at=datetime.now(UTC),
            repository=found.repository,
            uri=f"{self._web_url}/{found.repository}",
            number=found.number,
            override=self._standing(found),
            superseded_at=newest if newest is not None and newest > found.at else None,
        )
        return statement(told)

    def _standing(self, found: JudgementRecord | RejectionRecord) -> Override | None:
        """As the check has it: the newest word, and only for the branch that the commit is proposed to by now."""
        word = self._stores.overrides.current(found.repo_id, found.number)
        gate = self._stores.gates.get(found.repo_id, found.number)
        if word is None:
            return None
        return word if word.lets(found.head, gate.base_branch if gate is not None else word.base_branch) else None

    def _guarded(self, found: JudgementRecord | RejectionRecord | SubjectRecord) -> bool:
        """Whether it is private."""
        private = self._stores.repositories.is_private(found.repo_id)
        if private:
            self._access.require(found.repo_id, found.repository)
        return private

    def _of_commit(self, found: JudgementRecord | RejectionRecord, token: str) -> str:
        private, about = self._guarded(found), (found.repo_id, found.number)
        rejected = isinstance(found, RejectionRecord)
        trail = self._stores.rejections.trail(*about) if rejected else self._stores.judgements.trail(*about)
        page = pull_page(found.result, found.decision, found.sentence)
        verdict = page.result.verdict
        decided = decision_words(verdict.decision, verdict.cause).capitalize()
        return render_template(
            "verdict.html",
            judgement=found,
            page=page,
            pull_url=f"{self._web_url}/{found.repository}/pull/{found.number}",
            trail=trail,
            token=token,
            newer=trail[0] if trail and trail[0].token != token else None,
            overrides=self._stores.overrides.trail(*about)[:MOST_OVERRIDES],
            standing=self._standing(found),
            statement=bool(found.result) and not rejected,
            heads={each: (_SHADES[each], TESTED_REJECTIONS[each]) for each in Decision} if rejected else _HEADS,
            commits=_HEADS,
            head=(_SHADES[verdict.decision], TESTED_REJECTIONS[verdict.decision] if rejected else decided),
            cost=self._cost(found),
            effects=_EFFECTS,
            private=private,
        )

    def _cost(self, found: JudgementRecord | RejectionRecord) -> tuple[tuple[str, str], ...]:
        """What each model was asked, with which version of its prompt, and what all of it cost."""
        asked = tuple(
            (f"Asked {clean(judge, 100)}", usage_words(usage))
            for judge, usage in self._stores.ledger.usage_of_run(found.run_id, found.at).items()
        )
        entry = self._stores.ledger.get(found.run_id)
        total = usage_words(entry.usage) if entry else ""
        return (*asked, ("Models in all", total)) if total else asked

    def _fix(self, found: SubjectRecord, looks: Sequence[Entry]) -> tuple[FixFinding, bool, bool] | None:
        """What came of looking for a fix, whether what the reporter wrote is repeated, and whether somebody disagreed.
        Of what reads like a vulnerability, nothing; of what is not looked at any more, or left alone, without the
        reporter's text: that may be another one by now."""
        record = self._stores.fixes.get(found.repo_id, found.number)
        verdict = found.verdict or (looks[-1].verdict if looks else None)
        in_private = verdict is not None and verdict.kind is IssueKind.VULNERABILITY
        if record is None or not record.found or in_private:
            return None
        quotes = found.state is State.ACTIVE and not found.left_alone
        return FOUND.validate_json(record.found), quotes, record.objected

    def _of_issue(self, found: SubjectRecord, private: bool) -> str:
        looks = self._stores.ledger.entries(found.repo_id, found.number)
        acts = self._stores.disagreements.about(found.repo_id, found.number)[::-1]
        return render_template(
            "issue.html",
            subject=found,
            page=issue_page(
                found.verdict,
                state=found.state,
                held=found.held,
                left_alone=found.left_alone,
                accepted_by=acts[0].who if acts else "",
                overruled=acts[0].verdict if acts else None,
            ),
            looks_again=found.retry_at if found.state is State.ACTIVE and not found.left_alone else None,
            removed=found.verdict is None and any(look.verdict.decision is not Decision.UNAVAILABLE for look in looks),
            fix=self._fix(found, looks),
            issue_url=f"{self._web_url}/{found.repository}/issues/{found.number}",
            looks=looks[: -MOST_LOOKS - 1 : -1],
            acts=acts[:MOST_OVERRIDES],
            act_words=_ACTS,
            cost=usage_words(sum((look.usage for look in looks), Usage())),
            verdict_word=verdict_word,
            effects=_EFFECTS,
            private=private,
        )


def spans(text: str) -> Markup:
    """A sentence, escaped, with what stands between backticks as code."""
    first, *rest = (escape(part) for part in text.split("`"))
    told = first
    while len(rest) > 1:
        span, after, *rest = rest
        told += Markup("<code>{}</code>{}").format(span, after)
    return told + Markup("`").join(["", *rest])  # one that has no other stays what it is


_FILTERS: dict[str, Callable[..., Any]] = {
    **{"clean": clean, "spans": spans, "line": one_line, "lines": lines},
    **{"bounded": bound_names, "outcome": outcome, "asked": words.question_sentence},
    **{"script": script, "runs": runs_of, "capital": lambda text: text[:1].upper() + text[1:]},
}


def statement_key(key: Ed25519PrivateKey | None) -> Blueprint:
    """`GET /statement-key.pem`: the public half of the key that signs verdicts. Anybody may have it. key: `None` where
    verdicts are not signed."""
    blueprint = Blueprint("statement_key", __name__)

    @blueprint.get("/statement-key.pem")
    def public() -> Response:
        if key is None:
            abort(404)
        return Response(public_pem(key.public_key()), mimetype="application/x-pem-file")

    return blueprint
