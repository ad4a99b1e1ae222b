"""A report read into observations. Pure, linear in its length, and without opinion: judging comes later."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from bot.already_fixed.project import UNKNOWN
from bot.already_fixed.reading.extract import read as read_examples
from bot.child_process import TooLong, run_bounded
from bot.issues.features import features_of
from bot.issues.instructions import addressed_to_judge, without_instructions
from bot.issues.kind import kind_of
from bot.issues.language import NAMES, language
from bot.issues.parts import QUOTE, Passage, Quote, asks_for
from bot.issues.signs import Signs, read
from bot.issues.templates import WANTED_EMPTY, Template, without_templates
from bot.markdown import visible as seen
from bot.markdown.visible import Removal, Visible, visible, visible_line
from bot.reports import MOST_FILLED, IssueText, Report
from bot.verdicts import Effect, Evidence, IssueKind, Item

_LONGEST_TITLE = 512  # characters that are read; GitHub takes 256
_BEGINNING = 2_000  # characters of the title and of the text
_ENGLISH = ("en", "und")
_WORD = re.compile(r"[a-z]{2,20}")
_EMPTY_LINES = re.compile(r"\n{4,}")


def parse(text: IssueText, templates: tuple[Template, ...] = ()) -> Report:
    """Observe everything the judges and the decision need. Accepts any text; never raises.

    templates: the repository's own, whose lines are no part of the report. A text that takes too long is read at its
    beginning alone, and the report says so (`unread`).
    """
    size = len(text.title) + len(text.body) + sum(len(reply.body) for reply in text.replies)
    report = run_bounded(size, observed, text, templates)
    if isinstance(report, TooLong):
        first = replace(text, title=text.title[:_BEGINNING], body=text.body[:_BEGINNING], replies=())
        beginning = observed(first, templates)
        return replace(beginning, text=text, unread=f"{report.reason} Only the beginning of the report was read.")
    return report


@lru_cache(maxsize=32)  # the looks at one issue read the same text four times
def observed(text: IssueText, templates: tuple[Template, ...] = ()) -> Report:
    """`parse`, in this process and however long it takes. What it gives is shared: nobody changes it."""
    title = visible_line(text.title[:_LONGEST_TITLE])
    places = [("body", _seen(text.body))]
    places += [(f"reply {number}", _seen(reply.body)) for number, reply in enumerate(text.replies, 1)]

    evidence = [item for where, found in (("title", title), *places) for item in _hidden(where, found.removals)]
    judged_title, orders = without_instructions(title.text)
    evidence += [_order("title", order) for order in orders]
    passages, shown = [], []
    for where, found in places:
        told = without_templates(found.text, templates) if where == "body" else found.text
        shown.append(told)
        judged, orders = without_instructions(told)
        passages.append(Passage(where, judged))
        evidence += [_order(where, order) for order in orders[:5]]

    signs = read(judged_title, passages)
    kind = kind_of(signs.title, signs.prose, signs.error is not None, passages[0].text, text.told)
    spoken = _language(signs)
    expected = signs.expected
    if kind is IssueKind.BUG and not expected:
        expected = _right_of_example(title.text, shown[0])
    items = _items(kind, signs, expected)
    unasked = Item.EXPECTED in items and not expected and not _asks_what_should_come(signs.empty_sections)
    images = sum(found.images for _, found in places)
    required = frozenset[str]().union(*(template.required for template in templates))
    evidence += _observations(signs, items, spoken, images, required)
    return Report(
        text=text,
        visible_title=title.text,
        visible_text="\n\n".join(told for told in shown if told.strip()),
        kind=kind,
        items={item: quote.text if quote else None for item, quote in items.items()},
        language=spoken,
        evidence=tuple(evidence),
        features=features_of(
            signs,
            spoken in _ENGLISH,
            images,
            missing=sum(quote is None for quote in items.values()) - unasked,
            bug=kind is IssueKind.BUG,
        ),
        words=dict(Counter(_WORD.findall(f"{signs.title}\n{signs.prose}".lower()))),
        filled=tuple(section.heading[:QUOTE] for section in signs.sections if section.heading)[:MOST_FILLED],
    )


def _language(signs: Signs) -> str:
    """The reporter's, by the title and the text of the issue, whoever replies in which one; by replies where these say
    too little."""
    own = language(f"{signs.title}\n{signs.own}")
    return language(f"{signs.title}\n{signs.prose}") if own == "und" and signs.prose != signs.own else own


def _seen(text: str) -> Visible:
    """What a reader sees; of many empty lines no more than two, for they take the most time and say nothing."""
    found = visible(text)
    return replace(found, text=_EMPTY_LINES.sub("\n\n\n", found.text))


def _items(kind: IssueKind, signs: Signs, expected: Quote | None) -> dict[Item, Quote | None]:
    """What a report of this kind has to supply, and what supplies it. What is broken should work: what should happen is
    missing only where a form asks for it, or nothing breaks."""
    details = _details(signs)
    if kind is IssueKind.FEATURE:
        return {Item.GOAL: signs.goal, Item.DETAILS: details, Item.SUBJECT: signs.subject}
    if kind is IssueKind.QUESTION:
        return {Item.GOAL: signs.goal or signs.subject, Item.SUBJECT: signs.subject}
    if kind is IssueKind.DOCUMENTATION:
        return {Item.SUBJECT: signs.subject}
    if kind is not IssueKind.BUG:
        return {}
    items: dict[Item, Quote | None] = {Item.OBSERVED: signs.observed}
    if expected or not (signs.breaks or signs.error) or _asks_what_should_come(signs.empty_sections):
        items[Item.EXPECTED] = expected
    items[Item.STEPS] = signs.steps
    if signs.error_mentioned:
        items[Item.ERROR] = signs.error or signs.no_error
    items[Item.VERSION] = signs.version
    items[Item.DETAILS] = details
    return items


def _asks_what_should_come(headings: Iterable[str]) -> bool:
    """Whether one of a form's headings does."""
    return any(asks_for(Item.EXPECTED, heading) for heading in headings)


def _right_of_example(title: str, text: str) -> Quote | None:
    """What an example of it should give, by whatever form says so."""
    shown = read_examples(title, text, UNKNOWN).reproductions
    rights = (one.expectation.right.strip() for one in shown)
    return next((Quote(_short(right), "body") for right in rights if right), None)


def _details(signs: Signs) -> Quote | None:
    for sentence in signs.sentences:
        if any(name in sentence.text for name in (*signs.identifiers[:3], *signs.literals[:3])):
            return Quote(_short(sentence.text), sentence.where)
    shown = next((Quote(_short(block.text.strip().partition("\n")[0]), "body") for block in signs.code), None)
    return signs.runnable or signs.command or signs.error or signs.described or shown


def _hidden(where: str, removals: tuple[Removal, ...]) -> Iterator[Evidence]:
    """One piece of evidence for each sort of hidden text, and one for every order hidden in it."""
    for what, count in Counter(removal.what for removal in removals).items():
        texts = [removal.text for removal in removals if removal.what == what]
        orders = [text for text in texts if addressed_to_judge(text)]
        size = sum(map(len, texts))
        if orders:
            found = f"Hidden text gives instructions to the judge ({what}, {size} characters). It was ignored."
            yield Evidence("hidden_instructions", Effect.HIDDEN, found, _short(orders[0].strip()), where)
            continue
        number = len(texts[0].split()) if what in (seen.DIRECTION, seen.SHAPELESS) else count
        number = len(texts[0]) if what == seen.TAG_CHARACTER else number
        plural = "" if number == 1 else "s"
        found = f"{number} {what}{plural} left out before judging"
        if what == seen.COMMENT:
            found = f"{number} HTML comment{plural} left out before judging ({size} characters), as templates have"
        yield Evidence("hidden_text", Effect.HIDDEN, found + ".", _short(texts[0].strip()), where)


def _order(where: str, sentence: str) -> Evidence:
    found = "A sentence gives instructions to the judge. It was ignored."
    return Evidence("instructions_to_judge", Effect.NEUTRAL, found, _short(sentence.strip()), where)


# Item -> the evidence's `check`, and what is found where it is there and where it is not.
ITEM_CHECKS = {
    Item.OBSERVED: ("observed_behaviour", "says what happens", "does not say what happens"),
    Item.EXPECTED: ("expected_behaviour", "names the expected result", "does not name the expected result"),
    Item.STEPS: ("steps", "gives steps to reproduce", "gives no steps to reproduce"),
    Item.ERROR: ("error_text", "holds the error's text", "mentions an error without its text"),
    Item.VERSION: ("version", "names a version", "names no version"),
    Item.GOAL: ("goal", "says what should become possible", "does not say what should become possible"),
    Item.DETAILS: ("details", "names what it is about", "does not name the exact function, option or file"),
    Item.SUBJECT: ("subject", "says which part it is about", "does not say which part it is about"),
}


def _observations(
    signs: Signs, items: dict[Item, Quote | None], spoken: str, images: int, required: frozenset[str]
) -> Iterator[Evidence]:
    for item, quote in items.items():
        check, present, absent = ITEM_CHECKS[item]
        if quote:
            yield Evidence(check, Effect.CLEAR, f"The report {present}.", quote.text, quote.where)
        else:
            yield Evidence(check, Effect.MISSING, f"The report {absent}.")
    for check, quote, found in (
        ("stack_trace", signs.trace, "There is a stack trace."),
        ("runnable_example", signs.runnable, "There is code or a command to run."),
    ):
        if quote:
            yield Evidence(check, Effect.CLEAR, found, quote.text, quote.where)
    if signs.code:
        found = f"{_number(len(signs.code), 'block')} of code, {sum(block.fenced for block in signs.code)} fenced."
        yield Evidence("code_blocks", Effect.CLEAR, found)
    if names := signs.identifiers:
        found = f"{_number(len(names), 'name')} from code."
        yield Evidence("code_identifiers", Effect.CLEAR, found, _short(", ".join(names[:6])))
    if signs.links:
        yield Evidence("links", Effect.NEUTRAL, f"{_number(len(signs.links), 'link')}.", _short(signs.links[0]))
    if images:
        yield Evidence("images", Effect.NEUTRAL, f"{_number(images, 'image')}, not read.")
    for heading in sorted(signs.empty_sections, key=lambda heading: heading.lower() not in required)[:10]:
        found = WANTED_EMPTY if heading.lower() in required else "A section was left empty."
        yield Evidence("empty_section", Effect.MISSING, found, _short(heading), "body")
    yield Evidence("length", Effect.NEUTRAL, f"{_number(len(signs.prose.split()), 'word')} of prose.")
    if name := NAMES.get(spoken):
        yield Evidence("language", Effect.NEUTRAL, f"The prose is in {name}.")


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _short(text: str) -> str:
    return text if len(text) <= QUOTE else text[: QUOTE - 1] + "…"
