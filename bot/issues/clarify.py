"""Questions to the reporter: few, specific, and only about what is missing. Pure.

A judge's own questions come first when they are sane. The others are made from what the report says: each takes up a
phrase of the report that leaves something open, and no phrase is taken up twice. Phrases are read in English; a report
in another language is asked with the fixed sentences that `bot.rendering.words` has in every language.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from bot.issues import patterns
from bot.issues.instructions import SENTENCE_END, addressed_to_judge, without_instructions
from bot.issues.parts import asks_for
from bot.issues.templates import WANTED_EMPTY
from bot.issues.wording import BREAKS
from bot.judges.protocol import Judgement
from bot.markdown.tree import fenced_lines
from bot.plain_text import clean
from bot.reports import Report
from bot.verdicts import IssueKind, Item, Question

_SHORTEST, _LONGEST, _QUOTE = 8, 300, 110
_LONGEST_REASON = 4_000
_ENGLISH = ("en", "und")

# What helps most is asked first, then what a report leaves out most often: how it came about is told in many ways.
_ORDER = (
    Item.GOAL,
    Item.OBSERVED,
    Item.ERROR,
    Item.VERSION,
    Item.STEPS,
    Item.DETAILS,
    Item.EXPECTED,
    Item.SUBJECT,
)

_SOMETIMES = re.compile(r"\b(?:sometimes|occasionally|random(?:ly)?|intermittent(?:ly)?|every now and then)\b", re.I)
_UPGRADE = re.compile(r"\b(?:after|since) (?:\w+ ){0,3}(?:updat\w+|upgrad\w+|releas\w+)|\bused to\b|\blatest\b", re.I)
_SLOW = re.compile(
    r"\b(?:slow\w*|faster|performan\w+|takes? (?:ages|forever|too long|a long time)|laggy?)\b", re.IGNORECASE
)
_MARKUP = re.compile(r"^\s*(?:#{1,6}\s|>|\||<|!\[)")
_LIST = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s*)?")

# Of a model's reasoning: that something is not there, and what it speaks of.
_OPEN = re.compile(
    r"\b(?:unclear|unspecified|undefined|ambiguous|vague|missing|lacks?|lacking|without|left open"
    r"|(?:no|not enough) (?:details?|information|steps?|examples?|version|error|trace|context)"
    r"|not (?:\w+ )?(?:say|clear|specif\w+|mention\w*|given|stated?|explain\w*|describ\w*|show\w*|provid\w*"
    r"|includ\w*))\b"
    r"|n['’]t (?:say|specify|mention|state|explain|describe|give|show|provide|include)\b",
    re.I,
)
_SPOKEN_OF = (Item.ERROR, Item.STEPS, Item.EXPECTED, Item.VERSION)


@dataclass(frozen=True, slots=True)
class English:
    """A sentence that takes up an English phrase, by its key in the catalogue. about: what it is filled in with."""

    key: str
    about: str = ""


def questions(
    report: Report, missing: tuple[Item, ...], offered: tuple[Question, ...], limit: int, language: str = "en"
) -> tuple[Question, ...]:
    """At most `limit` questions, one an item of `missing`: sane ones of the judge first, then ones from the report.

    What should happen is asked where a form asks for it, or nothing else is missing.

    language: the comment's. Where it is not the report's, which a judge speaks, no others join the judge's questions.
    """
    chosen: dict[Item, Question] = {}
    for question in (_cleaned(question) for question in offered):
        if question.item in missing and question.item not in chosen and _sane(question):
            chosen[question.item] = _grounded(question, report)
    if not chosen or language == ("en" if report.language in _ENGLISH else report.language):
        quoted = {question.quote for question in chosen.values() if question.quote}
        left = [item for item in _ORDER if item in missing and item not in chosen]
        if Item.EXPECTED in left and (chosen or len(left) > 1) and not _empty_section(Item.EXPECTED, report):
            left.remove(Item.EXPECTED)
        for item in left[: max(limit - len(chosen), 0)]:
            chosen[item] = _made(item, report, quoted)
    return tuple(chosen.values())[:limit]


def of_judge(report: Report, judgement: Judgement, told: Collection[Item] = ()) -> tuple[Question, ...]:
    """What a judge that holds a report wants to know where nothing is missing by the checklist: its own first question
    about what it did not tick itself, or else the last thing that its reasoning finds open, or what should happen. None
    where the report supplies that. told: what the judge ticks, or a look before this one saw."""
    for question in (_cleaned(question) for question in judgement.questions):
        if _sane(question) and not judgement.items.get(question.item, False):
            return (_grounded(question, report),)
    for sentence in reversed(SENTENCE_END.split(clean(judgement.reasoning, _LONGEST_REASON))):
        about = next((item for item in _SPOKEN_OF if asks_for(item, sentence)), None)
        supplied = about is not None and (report.items.get(about) or judgement.items.get(about))
        if _OPEN.search(sentence) and not supplied and not addressed_to_judge(sentence):
            cores = {
                IssueKind.FEATURE: Item.GOAL,
                IssueKind.QUESTION: Item.SUBJECT,
                IssueKind.DOCUMENTATION: Item.SUBJECT,
            }
            item = about or cores.get(judgement.kind, Item.OBSERVED)
            return (Question(item, keys=(item.value,), english="found_open", about=_shortened(sentence.strip())),)
    unsaid = report.kind is judgement.kind is IssueKind.BUG and Item.EXPECTED not in {*report.items, *told}
    return (_made(Item.EXPECTED, report, set()),) if unsaid else ()


def item_of(section: str) -> Item | None:
    """What a section of this name asks for in a bug report; `None` where nobody knows."""
    return next((item for item in _OF_BUGS if asks_for(item, section)), None)


def _cleaned(question: Question) -> Question:
    """On one line and without anything invisible, which could hide what the text says."""
    return Question(question.item, clean(question.text, _LONGEST + 1), clean(question.quote, _QUOTE))


def _sane(question: Question) -> bool:
    return (
        _SHORTEST <= len(question.text) <= _LONGEST
        and any(character.isalpha() for character in question.text)
        and not addressed_to_judge(question.text)
    )


def _grounded(question: Question, report: Report) -> Question:
    """The judge's question; its quote only when the report really says so, and it is no order."""
    said = " ".join(f"{report.visible_title}\n{report.visible_text}".split())
    quote = question.quote.removesuffix("…").rstrip()
    real = quote in said and not addressed_to_judge(quote)
    return Question(question.item, question.text, question.quote if real else "")


def _made(item: Item, report: Report, quoted: set[str]) -> Question:
    """The first way of asking about the item whose phrase nobody took up yet; the last one needs no phrase."""
    for quote, ask in _ways(item, report):
        if (isinstance(ask, English) and report.language not in _ENGLISH) or (quote and quote in quoted):
            continue
        quoted.add(quote)
        if isinstance(ask, English):
            return Question(item, quote=quote, keys=(item.value,), english=ask.key, about=ask.about)
        return Question(item, quote=quote, keys=ask)
    raise AssertionError("every item has a question that needs no phrase")


_Ask = tuple[str, English | tuple[str, ...]]


def _ways(item: Item, report: Report) -> Iterator[_Ask]:
    """Pairs of a phrase of the report and what to ask about it, the most specific first: the keys of fixed sentences,
    or in English what takes up an English phrase."""
    plain = (item.value,)
    title = _shortened(without_instructions(report.visible_title)[0])
    if section := _empty_section(item, report):
        yield section, ("empty", *plain)
    match item:
        case Item.OBSERVED:
            yield from _phrases(report, (BREAKS, English("see")))
            if any(found.check == "images" for found in report.evidence):
                yield "", ("picture",)
            if title:
                yield title, plain
        case Item.ERROR:
            yield from _phrases(report, (patterns.ERROR_MENTIONED, plain))
        case Item.STEPS:
            yield from _about_steps(report, title)
        case Item.DETAILS:
            yield from _about_details(report, title)
        case Item.EXPECTED:
            if observed := _shortened(report.items.get(Item.OBSERVED) or ""):
                yield observed, ("instead",)
        case Item.VERSION:
            yield from _phrases(report, (_UPGRADE, English("versions")))
        case Item.GOAL:
            yield from _phrases(report, (_SLOW, English("slow")))
            if title:
                yield title, ({IssueKind.FEATURE: "wish", IssueKind.QUESTION: "tried"}.get(report.kind, "trying"),)
        case Item.SUBJECT:
            if title:
                yield title, plain
    yield "", plain


def _phrases(report: Report, *asked: tuple[re.Pattern[str], English | tuple[str, ...]]) -> Iterator[_Ask]:
    """Each sentence of the report that holds a pattern, with what to ask about it."""
    for pattern, ask in asked:
        if phrase := _sentence(pattern, report):
            yield phrase, ask


def _about_steps(report: Report, title: str) -> Iterator[_Ask]:
    yield from _phrases(report, (_SOMETIMES, English("last_time")))
    if observed := _shortened(report.items.get(Item.OBSERVED) or ""):
        yield observed, (Item.STEPS.value,)
    if title:
        yield title, (Item.STEPS.value,)


def _about_details(report: Report, title: str) -> Iterator[_Ask]:
    yield from _phrases(report, (_SLOW, English("slow")))
    if report.kind is not IssueKind.BUG and report.items.get(Item.GOAL):
        yield _shortened(report.items[Item.GOAL] or ""), ("use",)
    if title:
        yield title, (Item.DETAILS.value,)


_CORES = (Item.OBSERVED, Item.GOAL, Item.SUBJECT)  # what a field is taken to ask for whose label says nothing else
_OF_BUGS = (Item.VERSION, Item.STEPS, Item.ERROR, Item.EXPECTED, Item.OBSERVED)  # what is asked most exactly, first


def _empty_section(item: Item, report: Report) -> str:
    empty = [found for found in report.evidence if found.check == "empty_section" and found.quote]
    fitting = next((found.quote for found in empty if asks_for(item, found.quote)), "")
    if fitting or item not in _CORES:
        return fitting
    wanted = (found.quote for found in empty if found.found == WANTED_EMPTY)
    return next((each for each in wanted if not any(asks_for(other, each) for other in patterns.SECTION_OF)), "")


def _sentence(pattern: re.Pattern[str], report: Report) -> str:
    """The first sentence of prose that matches, in the body or else the title, at most a line long."""
    if not pattern.search(f"{report.visible_title}\n{report.visible_text}"):
        return ""  # as of most reports: looking once is cheap
    lines = zip(report.visible_text.split("\n"), fenced_lines(report.visible_text), strict=True)
    told = [line for line, fenced in lines if not fenced and not _MARKUP.match(line)]
    for line in (*told, report.visible_title):
        for sentence in SENTENCE_END.split(_LIST.sub("", line[:2000]).strip()):
            if pattern.search(sentence) and not addressed_to_judge(sentence):
                return _shortened(sentence)
    return ""


def _shortened(text: str) -> str:
    """At most a line, cut between words."""
    line = " ".join(text.split())
    if len(line) <= _QUOTE:
        return line
    return (line[:_QUOTE].rpartition(" ")[0] or line[: _QUOTE - 1]) + "…"
