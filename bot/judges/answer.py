"""A model's text -> a checked answer. Tolerant of wrapping, strict about meaning: what is ambiguous is refused."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, cast

from pydantic import BaseModel, StrictBool, StrictStr, ValidationError

from bot.judges.protocol import Judgement
from bot.verdicts import IssueKind, Item, Question, SpecificationLabel

# What a model is asked to tell apart; the others are told from labels and form.
KINDS = frozenset({IssueKind.BUG, IssueKind.FEATURE, IssueKind.QUESTION, IssueKind.VULNERABILITY})
MAX_CHARACTERS = 60_000
MAX_QUESTIONS = 3
MAX_QUESTION = 300
MAX_QUOTE = 200
MIN_CLAUSE = 10  # characters; what is shorter is found in any text
MAX_CLAUSE = 400  # of a clause that are kept
MAX_REASONING = 4_000

Shape = TypeVar("Shape", bound=BaseModel)

_THINKING, _THOUGHT, _FENCE = "<think>", "</think>", "```"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")


class BadAnswer(Exception):
    """The answer cannot be used. The message says why, for the model and for a maintainer; it quotes nothing."""


class _Question(BaseModel):
    item: Item
    text: StrictStr
    quote: StrictStr = ""


class _Answer(BaseModel):
    reasoning: StrictStr
    kind: IssueKind
    items: dict[StrictStr, StrictBool | None]
    questions: list[Any] = []
    label: SpecificationLabel


def read_answer(text: str, report: str) -> Judgement:
    """The one answer in `text`: quotes occur in the report, questions concern items not marked as supplied. It names no
    judge and says nothing of what its label is worth. Raises BadAnswer."""
    answer = read_as(_Answer, text)
    if answer.kind not in KINDS:
        raise BadAnswer("the field kind is none of those it was asked for")
    items = {Item(name): value for name, value in answer.items.items() if name in set(Item) and value is not None}
    return Judgement(
        label=answer.label,
        probability=None,
        kind=answer.kind,
        judge="",
        items=items,
        questions=_questions(answer.questions, items, report),
        reasoning=answer.reasoning[:MAX_REASONING],
    )


def read_as(shape: type[Shape], text: str) -> Shape:
    """The one answer in `text`, in this shape. Raises BadAnswer."""
    try:
        return shape.model_validate(only_object(text))
    except ValidationError as error:
        raise BadAnswer(_describe(shape, error)) from None


def in_shape(shape: type[Shape], entries: Iterable[Any]) -> list[Shape]:
    """The entries of an answer's list that are in shape. A malformed one is dropped, not the answer."""
    found = []
    for entry in entries:
        try:
            found.append(shape.model_validate(entry))
        except ValidationError:
            continue
    return found


def only_object(text: str) -> Mapping[str, Any]:
    """The single JSON object of a text that may carry a thinking block, a code fence or prose around it.

    Two objects, or a name twice in one, are refused: one of them may be an echo of the report. Raises BadAnswer.
    """
    if len(text) > MAX_CHARACTERS:
        raise BadAnswer("the answer is far too long")
    text = text.strip()
    if text.startswith(_THINKING) and _THOUGHT in text:
        text = text.partition(_THOUGHT)[2].strip()
    language, _, rest = text.removeprefix(_FENCE).partition("\n")
    if text.startswith(_FENCE) and rest.endswith(_FENCE) and (language.strip().isalpha() or not language.strip()):
        text = rest.removesuffix(_FENCE).strip()
    if not text:
        raise BadAnswer("the answer is empty")
    try:
        found = _objects(text)
    except RecursionError:
        raise BadAnswer("the answer is nested too deeply") from None
    if not found:
        raise BadAnswer("the answer contains no complete JSON object")
    if len(found) > 1:
        raise BadAnswer("the answer contains more than one JSON object")
    return found[0]


def _objects(text: str) -> list[dict[str, Any]]:
    """The outermost JSON objects of the text, two at most.

    Every opening brace outside them must start one: looking inside a broken or cut-off object could take an echoed
    answer for the real one.
    """
    decoder = json.JSONDecoder(object_pairs_hook=_without_duplicates)
    found: list[dict[str, Any]] = []
    start = text.find("{")
    while start >= 0 and len(found) < 2:
        try:
            value, end = decoder.raw_decode(text, start)
        except ValueError:
            raise BadAnswer("the answer is not valid JSON") from None
        found.append(cast(dict[str, Any], value))
        start = text.find("{", end)
    return found


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadAnswer("the answer gives a field twice")
    return found


def _questions(raw: list[Any], items: Mapping[Item, bool], report: str) -> tuple[Question, ...]:
    """The usable ones, at most three: questions can be made without a malformed one."""
    found: list[Question] = []
    for question in in_shape(_Question, raw):
        text = one_line(question.text)[:MAX_QUESTION]
        if text and not items.get(question.item, False):
            found.append(Question(question.item, text, verbatim(question.quote, report)))
    return tuple(found[:MAX_QUESTIONS])


def verbatim(quote: str, report: str) -> str:
    """The quote on one line, at most 200 characters, when its words occur in the report in that order; else nothing."""
    line = one_line(quote)
    return line[:MAX_QUOTE].rstrip() if line and line in one_line(report) else ""


def quoted(clause: str, specification: str) -> str:
    """The clause on one line, when the specification has these words and they are enough to mean something."""
    line, text = one_line(clause), one_line(specification)
    if len(line) < MIN_CLAUSE and line != text:
        return ""
    before = r"(?<!\w)" if line[:1].isalnum() else ""
    after = r"(?!\w)" if line[-1:].isalnum() else ""
    return line[:MAX_CLAUSE].rstrip() if line and re.search(before + re.escape(line) + after, text) else ""


def one_line(text: str) -> str:
    """The text without control and invisible characters, its white space made single spaces."""
    return " ".join(_CONTROL.sub(" ", text).split())


def _describe(shape: type[BaseModel], error: ValidationError) -> str:
    """Which fields are wrong and what they may hold; never the values, which may be an echo of the report."""
    known = set(shape.model_fields)
    wrong = []
    for problem in error.errors(include_input=False, include_url=False):
        field = str(problem["loc"][0]) if problem["loc"] else ""
        wrong.append(f"{field}: {problem['msg']}" if field in known else problem["msg"])
    return "the answer has wrong fields (" + "; ".join(dict.fromkeys(wrong))[:600] + ")"
