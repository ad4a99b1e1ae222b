"""The text of every message on an issue, as Markdown."""

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
from bot.rendering import comment, fix_messages
from bot.rendering.issue_reasons import issue_reasons


def message_text(message: Message, language: str) -> str:
    """What a message says. language: a code; answers to commands are English, as the commands are."""
    match message:
        case Asks():
            return comment.bounce_comment(
                message.verdict,
                message.label,
                again=message.again,
                above=message.above,
                below=message.below,
                page=message.page,
                language=language,
            )
        case Clear(verdict):
            return comment.clear_comment(verdict, language)
        case PrivatePlease():
            return comment.vulnerability_comment(language)
        case TakenAsItIs():
            return comment.acceptance_comment(language)
        case NotHeldByPolicy(reason):
            return comment.exemption_comment(reason, language)
        case Reminder(days):
            return comment.reminder(days, language)
        case ClosedUnanswered(days):
            return comment.closure_note(days, language)
        case LatestNotJudged(verdict):
            return comment.unavailable_note(" ".join(issue_reasons(verdict)), language)
        case FixPart(found, close_at, stays_open):
            return fix_messages.fix_part(found, close_at=close_at, stays_open=stays_open)
        case NoLongerFixed():
            return fix_messages.withdrawal_part()
        case ClosedAsFixed(days):
            return fix_messages.closure_note(days)
        case _:
            return _answer(message)


def _answer(
    message: NotHeld | Note | Help | NotAllowed | LookedForFix,
) -> str:
    match message:
        case NotHeld(verdict, reason):
            return comment.never_held_note(verdict, reason)
        case Note(template):
            return comment.render(template)
        case Help(unknown, elsewhere, left_alone, page):
            return comment.help_note(unknown, elsewhere=elsewhere, left_alone=left_alone, page=page)
        case NotAllowed(word, who, why):
            return comment.refusal_note(word, who, why)
        case LookedForFix(found, told):
            return fix_messages.search_note(found, told=told)
        case _:
            assert_never(message)
