"""The text of every message on an issue, as Markdown. The templates escape what is untrusted."""

from dataclasses import asdict
from functools import partial
from typing import assert_never

from bot.issues.messages import (
    Asks,
    Clear,
    ClosedAsFixed,
    ClosedUnanswered,
    FixPart,
    Help,
    LatestNotJudged,
    LookedForFix,
    Message,
    NoLongerFixed,
    NotAllowed,
    Note,
    NotHeld,
    NotHeldByPolicy,
    PrivatePlease,
    Reminder,
    TakenAsItIs,
)
from bot.rendering.comment import MARKER, REMINDER_MARKER, render, with_english
from bot.rendering.fix_messages import fix_part, search_note
from bot.rendering.issue_reasons import issue_promise, issue_reasons
from bot.rendering.words import ISSUE_COMMANDS, sentence
from bot.reports import ORDERS
from bot.verdicts import Effect, Evidence

_MOST_FINDINGS = 5


def message_text(message: Message, language: str) -> str:
    """What a message says. language: a code; answers to commands are English, as the commands are."""
    match message:
        case Asks():
            return _bounce(message, language)
        case Clear(verdict):
            clear = [line for line in verdict.checklist if line.clear]
            return f"{MARKER}\n{render('cleared', language, clear=clear)}"
        case PrivatePlease(policy):
            key = "notes.vulnerability" if policy else "notes.vulnerability_unsaid"
            return f"{MARKER}\n{sentence(language, key, policy=f'[`SECURITY.md`]({policy})')}\n"
        case TakenAsItIs():
            return f"{MARKER}\n{sentence(language, 'notes.accepted')}\n"
        case NotHeldByPolicy(reason):  # which is English
            return f"{MARKER}\n{with_english(partial(render, 'exempted', reason=reason), language)}"
        case Reminder(days):
            return f"{REMINDER_MARKER}\n{render('reminder', language, close_in_days=days)}"
        case ClosedUnanswered(days):
            key = "notes.closed_one" if days == 1 else "notes.closed"
            return f"{sentence(language, key, days=days)}\n"
        case LatestNotJudged(verdict):
            return with_english(partial(render, "unavailable", reason=" ".join(issue_reasons(verdict))), language)
        case FixPart(found, close_at, stays_open):
            return fix_part(found, close_at=close_at, stays_open=stays_open)
        case NoLongerFixed():
            return render("fixed_no_longer")
        case ClosedAsFixed(days):
            return render("fixed_closed", days=days)
        case _:
            return _answer(message)


def _answer(
    message: NotHeld | Note | Help | NotAllowed | LookedForFix,
) -> str:
    match message:
        case NotHeld(verdict, reason):
            return render("spared", verdict=verdict, reasons=issue_reasons(verdict), reason=reason)
        case Note(template):
            return render(template)
        case Help():
            return render("help", commands=ISSUE_COMMANDS, **asdict(message))
        case NotAllowed():
            return render("refused", **asdict(message))
        case LookedForFix(found, told):
            return search_note(found, told=told)
        case _:
            assert_never(message)


def _bounce(message: Asks, language: str) -> str:
    """In another language than English the English comment is folded below it, with the reasons, which are English
    alone. Hidden text and orders to a judge are reported, never repeated."""
    verdict = message.verdict
    orders = [found for found in verdict.evidence if found.check in ORDERS]
    hidden = [found for found in verdict.evidence if found.effect is Effect.HIDDEN and found not in orders]
    empty = [found.quote for found in verdict.evidence if found.check == "empty_section"]
    said_in = partial(
        render,
        "bounced",
        verdict=verdict,
        reasons=issue_reasons(verdict),
        promise=issue_promise(verdict),
        label=message.label,
        again=message.again,
        page=message.page,
        orders=_sentences(orders),
        hidden=_sentences(hidden),
        empty=empty[:_MOST_FINDINGS],
    )
    parts = (message.above, with_english(said_in, language), message.below)
    said = "\n\n".join(part.strip("\n") for part in parts if part.strip())
    return f"{MARKER}\n{said}\n"


def _sentences(evidence: list[Evidence]) -> list[str]:
    return list(dict.fromkeys(found.found for found in evidence))[:_MOST_FINDINGS]
