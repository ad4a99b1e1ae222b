"""What a review says is wrong, claim by claim, with the changes that it offers. Pure.

The account says who reviews; the form says only how a text is read, and any account may use any form.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.changes.readers import Rows, beside
from bot.github.values import Remark
from bot.pulls.suggestions import MOST_TEXT, Suggestion, diff_suggestions
from bot.verdicts import Topic

MOST_CHOICES = 3  # changes that one comment offers, one instead of the other
_LABEL = 40  # characters; what is longer is a sentence
_BEGINNING = 4  # paragraphs in which labels are looked for

_MARKDOWN = MarkdownIt("commonmark")


class Severity(StrEnum):
    """How bad a review says something is, the worst first."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    UNSTATED = "unstated"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class ReviewClaim:
    """One thing that a review says.

    remark: the number of the line comment it stands in; 0 where it stands in the review's own text. first, last: the
    lines of `path` it is about. fixes: the changes that it offers, one instead of the other.
    """

    remark: int
    path: str
    first: int
    last: int
    severity: Severity
    topic: Topic
    text: str
    fixes: tuple[tuple[Suggestion, ...], ...] = ()

    @property
    def place(self) -> str:
        return f"{self.path}:{self.first}" + (f"-{self.last}" if self.last > self.first else "")

    @property
    def about_behaviour(self) -> bool:
        """Whether it may say that the change does something wrong."""
        return self.topic not in (Topic.STYLE, Topic.PERFORMANCE) and self.severity is not Severity.LOW


def claims_of(body: str, remarks: Iterable[Remark]) -> tuple[ReviewClaim, ...]:
    """What a review says, the worst first. body: the review's own text. remarks: its line comments, no replies."""
    found = [_of_remark(each) for each in remarks]
    if len(body) <= MOST_TEXT:
        found += _of_body(_MARKDOWN.parse(body))
    order = list(Severity)
    return tuple(sorted(found, key=lambda claim: (order.index(claim.severity), claim.path, claim.first)))


def _of_remark(remark: Remark) -> ReviewClaim:
    place = remark.path, remark.start_line, remark.line
    tokens = _MARKDOWN.parse(remark.body) if len(remark.body) <= MOST_TEXT else []
    labels = _labels(tokens)
    fences = [token for token in tokens if token.type == "fence" and token.level == 0]
    return ReviewClaim(remark.id, *place, *_read(labels), remark.body, _fixes(*place, fences))


def _of_body(tokens: Sequence[Token]) -> Iterator[ReviewClaim]:
    """Comments on lines that a review keeps in its own text, since the diff does not show them: each file under a
    summary of its own, each comment behind its lines in code."""
    section, path = "", ""
    starts: list[tuple[int, str, str, int, int]] = []
    for at, token in enumerate(tokens):
        for piece in token.content.split("<summary>")[1:] if token.type == "html_block" else ():
            name, _, many = piece.partition("</summary>")[0].strip().rpartition(" (")
            if many.rstrip(")").isdigit():
                section, path = (section, name) if " " not in name else (name, "")
        begin = token.children[0] if token.children else token
        lines = begin.content.split("-") if begin.type == "code_inline" else []
        if path and lines and all(map(str.isdecimal, lines)):
            starts.append((at, section, path, int(lines[0]), int(lines[-1])))
    ends = [*(start[0] for start in starts[1:]), len(tokens)]
    for (at, section, path, first, last), end in zip(starts, ends, strict=False):
        own = tokens[at:end]
        text = "\n\n".join(token.content for token in own if token.type == "inline")
        fences = [token for token in own if token.type == "fence"]
        labels = [*_labels(own), section]
        yield ReviewClaim(0, path, first, last, *_read(labels), text, _fixes(path, first, last, fences))


def _fixes(path: str, first: int, last: int, fences: Sequence[Token]) -> tuple[tuple[Suggestion, ...], ...]:
    """Suggestion blocks replace the comment's lines, one instead of the other. Without one, the comment's diffs are
    parts of one change, or one instead of the other where that does not fit."""
    kinds = [(token.info.split()[:1], token.content) for token in fences]
    blocks = [(Suggestion(path, first, last, text),) for kind, text in kinds if kind == ["suggestion"]]
    if blocks:
        return tuple(blocks[:MOST_CHOICES])
    diffs = [diff_suggestions(path, first, last, text) for kind, text in kinds if kind in (["diff"], ["patch"])]
    diffs = [each for each in diffs if each][:MOST_CHOICES]
    whole = tuple(part for each in diffs for part in each)
    return (whole, *diffs) if len(diffs) > 1 else tuple(diffs)


def _labels(tokens: Sequence[Token]) -> list[str]:
    """What stands out at the beginning: emphasised phrases, the texts of badges, a word in brackets."""
    found = []
    for paragraph in [token for token in tokens if token.type == "inline"][:_BEGINNING]:
        if paragraph.content.startswith("["):
            found.append(paragraph.content[1:].partition("]")[0])
        depth = 0
        for child in paragraph.children or ():
            depth += child.nesting if child.type.startswith(("em_", "strong_")) else 0
            if child.type == "image" or (depth and child.type == "text"):
                found.append(child.content)
    return [each for each in found if len(each) <= _LABEL]


def _read(labels: Iterable[str]) -> tuple[Severity, Topic]:
    said = [f" {''.join(sign if sign.isalnum() else ' ' for sign in each).lower()} " for each in labels]
    said = [" ".join(each.split()).join("  ") for each in said]
    severity = next((each for each, words in _FORMS.severity.items() if _any(words, said)), Severity.UNSTATED)
    return severity, next((each for each, words in _FORMS.topic.items() if _any(words, said)), Topic.UNSTATED)


def _any(words: Iterable[str], said: Iterable[str]) -> bool:
    return any(f" {word} " in each for word in words for each in said)


class _Forms(Rows):
    """By kind of label, its meanings with the words for each."""

    severity: dict[Severity, tuple[str, ...]]
    topic: dict[Topic, tuple[str, ...]]


_FORMS = beside(__file__, _Forms)
