"""Everything Bouncer says on GitHub about an issue, as Markdown. The templates escape what is untrusted."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from bot.issues.facts import CommentParts
from bot.rendering import words
from bot.rendering.command_help import ISSUE_COMMANDS
from bot.rendering.escape import block, code, prose
from bot.rendering.issue_reasons import issue_promise, issue_reasons
from bot.rendering.translation import ENGLISH, question_sentence, sentence
from bot.verdicts import Effect, Evidence, Question, Verdict

MARKER = "<!-- bouncer:issue -->"  # the first line of the one comment
FIXED_MARKER = "<!-- bouncer:fixed -->"  # begins what is said of a fix, below the head
BRIEF_MARKER = "<!-- bouncer:brief -->"  # begins the brief, below that
NOTE_MARKER = "<!-- bouncer:note -->"  # begins what became of the issue since, below the rest
REMINDER_MARKER = "<!-- bouncer:reminder -->"  # the first line of a reminder, a comment of its own

_ANSWER_MARKER = "<!-- bouncer:answer{}: {} -->"  # the first line of an answer to a command, a comment of its own
_GUEST = " to a guest"
_ANSWER = re.compile(_ANSWER_MARKER.format(f"({_GUEST})?", r"([^\n]{1,300})"))

_ORDERS = ("hidden_instructions", "instructions_to_judge")
_MOST_FINDINGS = 5


@dataclass(frozen=True, slots=True)
class AnswerMark:
    """What the first line of an answer says. key: names the command. guest: whoever gave it may not write there."""

    key: str
    guest: bool


def bounce_comment(
    verdict: Verdict,
    label: str,
    *,
    again: bool,
    above: str = "",
    below: str = "",
    page: str = "",
    language: str = ENGLISH,
) -> str:
    """The comment of a bounce. `label` is the one that holds the issue; `again` when questions were asked before.
    above, below: the maintainers' own Markdown, which the policy has read. page: the address of the issue's page. In
    another language than English the English comment is folded below it, with the reasons, which are English alone.

    Hidden text and orders to a judge are reported, never repeated.
    """
    orders = [found for found in verdict.evidence if found.check in _ORDERS]
    hidden = [found for found in verdict.evidence if found.effect is Effect.HIDDEN and found not in orders]
    empty = [found for found in verdict.evidence if found.check == "empty_section"]
    said_in = partial(
        render,
        "bounced",
        verdict=verdict,
        reasons=issue_reasons(verdict),
        promise=issue_promise(verdict),
        label=label,
        again=again,
        page=page,
        orders=_sentences(orders),
        hidden=_sentences(hidden),
        empty=[found.quote for found in empty][:_MOST_FINDINGS],
    )
    said = "\n\n".join(part.strip("\n") for part in (above, _with_english(said_in, language), below) if part.strip())
    return f"{MARKER}\n{said}\n"


def clear_comment(verdict: Verdict, language: str = ENGLISH) -> str:
    """One line: it is clear now. The ticks stay, folded."""
    clear = [line for line in verdict.checklist if line.clear]
    return f"{MARKER}\n{render('cleared', language, clear=clear)}"


def vulnerability_comment(language: str = ENGLISH) -> str:
    """The pointer to SECURITY.md; says nothing of what the report holds."""
    return f"{MARKER}\n{sentence(language, 'notes.vulnerability')}\n"


def acceptance_comment(language: str = ENGLISH) -> str:
    """One line: a maintainer ended it."""
    return f"{MARKER}\n{sentence(language, 'notes.accepted')}\n"


def exemption_comment(reason: str, language: str = ENGLISH) -> str:
    """One line: the policy leaves this issue alone. The reason is told in English."""
    return f"{MARKER}\n{_with_english(partial(render, 'exempted', reason=reason), language)}"


def never_held_note(verdict: Verdict, reason: str) -> str:
    """What somebody asked for is said, though the policy has the issue never held. reason: why, as a phrase."""
    return render("spared", verdict=verdict, reasons=issue_reasons(verdict), reason=reason)


def reminder(close_in_days: int | None, language: str = ENGLISH) -> str:
    """A reminder, to be posted as a comment of its own; `close_in_days` when closing follows."""
    return f"{REMINDER_MARKER}\n{render('reminder', language, close_in_days=close_in_days)}"


def help_note(unknown: str = "", *, elsewhere: bool = False, left_alone: str = "", page: str = "") -> str:
    """The commands of issues; `unknown` is a word somebody tried. elsewhere: it is one for pull requests. left_alone:
    why Bouncer holds nothing against this issue, as a phrase. page: the address of the issue's page."""
    return render(
        "help", commands=ISSUE_COMMANDS, unknown=unknown, elsewhere=elsewhere, left_alone=left_alone, page=page
    )


def refusal_note(word: str, who: str, why: str = "") -> str:
    """Says who may use the command. why: what is wrong with this word whoever may, as a sentence."""
    return render("refused", word=word, who=who, why=why)


def closure_note(days: int, language: str = ENGLISH) -> str:
    """Says why the issue was closed; the questions above stay."""
    key = "notes.closed_one" if days == 1 else "notes.closed"
    return f"{sentence(language, key, days=days)}\n"


def unavailable_note(reason: str, language: str = ENGLISH) -> str:
    """Says that the latest text could not be judged, and that the comment still stands. Its reason is English."""
    return _with_english(partial(render, "unavailable", reason=reason), language)


def answer_to(mark: AnswerMark, text: str) -> str:
    """An answer to a command, to be posted as a comment of its own."""
    return f"{_ANSWER_MARKER.format(_GUEST if mark.guest else '', mark.key)}\n{text}"


def mark_of(comment: str) -> AnswerMark | None:
    """What an own comment answers; `None` where it is no answer."""
    found = _ANSWER.match(comment)
    return AnswerMark(found[2], bool(found[1])) if found else None


def with_parts(comment: str, below: CommentParts) -> str:
    """Bouncer's own comment with these parts below its head, in place of all that stood there."""
    head = comment
    for marker in (FIXED_MARKER, BRIEF_MARKER, NOTE_MARKER):
        head = head.partition(marker)[0]
    marked = ((FIXED_MARKER, below.fixed), (BRIEF_MARKER, below.brief))
    parts = [f"{marker}\n{text.rstrip()}\n" for marker, text in marked if text]
    return "\n".join([f"{head.rstrip() or MARKER}\n", *parts])


def with_note(comment: str, note: str) -> str:
    """Bouncer's own comment with the note below it, in place of an earlier one. An empty comment gives one to start."""
    body = comment.partition(NOTE_MARKER)[0].rstrip() or MARKER
    return f"{body}\n\n{NOTE_MARKER}\n{note}"


def render(template: str, language: str = ENGLISH, **values: object) -> str:
    """One template with its values, ending in one line feed."""
    values |= {"say": partial(sentence, language), "language": language}
    return _environment().get_template(f"{template}.md.j2").render(**values).strip() + "\n"


def _with_english(said_in: Callable[[str], str], language: str) -> str:
    """What is said in a language; where it is not English, with the English below it, for who cannot read it."""
    if language == ENGLISH:
        return said_in(ENGLISH)
    return f"{said_in(language)}\n<details>\n<summary>In English</summary>\n\n{said_in(ENGLISH)}\n</details>\n"


def _sentences(evidence: list[Evidence]) -> list[str]:
    return list(dict.fromkeys(found.found for found in evidence))[:_MOST_FINDINGS]


def _asked(question: Question, language: str) -> str:
    return prose(question_sentence(question, language))


@cache
def _environment() -> Environment:
    # Markdown, not HTML: escaping is done by the filters, which know GitHub.
    environment: Environment = Environment(
        loader=PackageLoader("bot.rendering"),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    filters: dict[str, Any] = {
        "prose": prose,
        "code": code,
        "block": block,
        "asked": _asked,
        "capitalize_first": lambda text: text[:1].upper() + text[1:],
    }
    environment.filters.update(filters)
    environment.globals["words"] = words
    return environment
