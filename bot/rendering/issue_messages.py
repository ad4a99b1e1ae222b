"""The text of every message on an issue, as Markdown. The templates escape what is untrusted."""

from functools import partial

from bot.issues.facts import IssueGround
from bot.issues.messages import Asks, FixPart, LookedForFix, Message, Note
from bot.rendering.comment import MARKER, REMINDER_MARKER, render, with_english
from bot.rendering.fix_messages import fix_part, search_note
from bot.rendering.issue_reasons import issue_promise, issue_reasons
from bot.rendering.words import ISSUE_COMMANDS
from bot.reports import ORDERS
from bot.verdicts import Effect, Evidence

_MOST_FINDINGS = 5
_ONE_COMMENT = ("accepted", "cleared", "exempted", "vulnerability")  # templates that the one comment consists of
_FIRST_LINES = {"reminder": f"{REMINDER_MARKER}\n", **dict.fromkeys(_ONE_COMMENT, f"{MARKER}\n")}
_WITH_ENGLISH = ("exempted", "unavailable")  # a reason in them is English alone


def message_text(message: Message, language: str) -> str:
    """What a message says. language: a code; answers to commands are English, as the commands are."""
    match message:
        case Asks():
            return _asks(message, language)
        case FixPart(found, close_at):
            return fix_part(found, close_at=close_at)
        case LookedForFix(found, told):
            return search_note(found, told=told)
        case Note(template):
            said_in = partial(_note, message)
            said = with_english(said_in, language) if template in _WITH_ENGLISH else said_in(language)
            return f"{_FIRST_LINES.get(template, '')}{said}"


def _note(message: Note, language: str) -> str:
    return render(message.template, language, reasons=issue_reasons, commands=ISSUE_COMMANDS, **message.about)


def _asks(message: Asks, language: str) -> str:
    """In another language than English the English comment is folded below it, with the reasons, which are English
    alone. Hidden text and orders to a judge are reported, never repeated."""
    verdict = message.verdict
    orders = [found for found in verdict.evidence if found.check in ORDERS]
    hidden = [found for found in verdict.evidence if found.effect is Effect.HIDDEN and found not in orders]
    empty = [found.quote for found in verdict.evidence if found.check == "empty_section"]
    said_in = partial(
        render,
        "bounced" if message.label else "asked",
        verdict=verdict,
        reasons=issue_reasons(verdict),
        promise=issue_promise(verdict),
        label=message.label,
        again=message.again,
        waits=verdict.ground == IssueGround.LABEL_ASKS,
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
