"""Bouncer's own comments on GitHub, as Markdown: the marks by which they are found again, the parts of the one comment,
and the templates, which escape what is untrusted."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from bot.issues.facts import CommentParts
from bot.plain_text import count_of
from bot.rendering import words
from bot.rendering.escape import block, code, prose
from bot.rendering.words import ENGLISH, question_sentence, sentence
from bot.verdicts import Question

MARKER = "<!-- bouncer:issue -->"  # the first line of the one comment
FIXED_MARKER = "<!-- bouncer:fixed -->"  # begins what is said of a fix, below the head
BRIEF_MARKER = "<!-- bouncer:brief -->"  # begins the brief, below that
NOTE_MARKER = "<!-- bouncer:note -->"  # begins what became of the issue since, below the rest
REMINDER_MARKER = "<!-- bouncer:reminder -->"  # the first line of a reminder, a comment of its own

_ANSWER_MARKER = "<!-- bouncer:answer{}: {} -->"  # the first line of an answer to a command, a comment of its own
_GUEST = " to a guest"
_ANSWER = re.compile(_ANSWER_MARKER.format(f"({_GUEST})?", r"([^\n]{1,300})"))


@dataclass(frozen=True, slots=True)
class AnswerMark:
    """What the first line of an answer says. key: names the command. guest: whoever gave it may not write there."""

    key: str
    guest: bool


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


def template(name: str, **known: object) -> Template:
    """One whose macros say something each. known: what they ask, beside what they are given."""
    return _environment().get_template(name, globals=known)


def with_english(said_in: Callable[[str], str], language: str) -> str:
    """What is said in a language; where it is not English, with the English below it, for who cannot read it."""
    if language == ENGLISH:
        return said_in(ENGLISH)
    return f"{said_in(language)}\n<details>\n<summary>In English</summary>\n\n{said_in(ENGLISH)}\n</details>\n"


def _asked(question: Question, language: str) -> str:
    return question.text if question.markdown else prose(question_sentence(question, language))


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
        "name": words.name,
        "names": words.names,
        "one": words.one,
        "count_of": count_of,
    }
    environment.filters.update(filters)
    environment.globals["words"] = words
    return environment
