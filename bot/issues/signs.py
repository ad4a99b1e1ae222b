"""What a report holds, found by its form and its wording: each sign is the quote that shows it, or nothing."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from bot.issues import patterns
from bot.issues.language import language, specific_words, words_alone
from bot.issues.parts import (
    LONGEST_SENTENCE,
    QUOTE,
    Parts,
    Passage,
    Quote,
    asks_for,
    cut_lines,
    last_command,
    names,
    parts_of,
    quote_of,
    says,
    without_links,
)
from bot.issues.wording import BREAKS, EXPECTED_ELSEWHERE, WHEN_ELSEWHERE
from bot.markdown.blocks import Block, Section
from bot.verdicts import Item

_OPENING = 2_000  # characters
_CLAUSE = 3  # different words that could not stand in just any report


@dataclass(frozen=True, slots=True)
class Signs:
    """What was found. A `None` or an empty tuple means it was not."""

    title: str
    prose: str
    own: str  # the first passage's part of the prose
    words: tuple[str, ...]
    sentences: tuple[Quote, ...]
    code: tuple[Block, ...]
    sections: tuple[Section, ...]
    empty_sections: tuple[str, ...]
    observed: Quote | None
    expected: Quote | None
    steps: Quote | None
    runnable: Quote | None  # code, or a link to a place where it runs
    command: Quote | None  # told in prose
    trace: Quote | None
    error: Quote | None
    error_mentioned: bool
    no_error: Quote | None  # that there is no message
    attachments: tuple[str, ...]  # names of files
    version: Quote | None
    goal: Quote | None
    subject: Quote | None
    described: Quote | None  # one sentence that says much
    identifiers: tuple[str, ...]
    literals: tuple[str, ...]
    links: tuple[str, ...]
    numbered: int
    opening: str  # the title, and so much of the prose as a report needs that says little else
    breaks: bool  # something does, by the opening


class _Search:
    """Looks for a sign in a report's sentences, then in its code. elsewhere: they are in another language than
    English."""

    def __init__(self, parts: Parts, elsewhere: bool) -> None:
        self.elsewhere = elsewhere
        bare = [Quote(without_links(sentence.text), sentence.where) for sentence in parts.sentences]
        self._sentences = list(zip(bare, parts.sentences, strict=True))
        whole = parts.sentences + [replace(code, text=cut_lines(code.text)) for code in parts.code_quotes]
        self._whole = [(without_links(source.text), source) for source in whole]
        self.sources = [replace(source, text=bare) for bare, source in self._whole]

    def said(self, pattern: re.Pattern[str] | None, enough: int) -> Quote | None:
        """The first sentence with such words that says enough."""
        for bare, sentence in self._sentences:
            if (pattern is None or pattern.search(bare.text)) and says(bare.text, enough):
                return quote_of(sentence.text, sentence.where)
        return None

    def clause(self) -> Quote | None:
        """The first sentence that says something, whatever it is: by its words and values, for settings, references
        and addresses are no clause."""
        for _, sentence in self._sentences:
            text = sentence.text[:LONGEST_SENTENCE]
            if len(specific_words(words_alone(text))) + len(patterns.LITERAL.findall(text)) >= _CLAUSE:
                return quote_of(sentence.text, sentence.where)
        return None

    def anywhere(self, pattern: re.Pattern[str]) -> Quote | None:
        """The first line, told or code, that shows it."""
        for bare, source in self._whole:
            if match := pattern.search(bare):
                return quote_of(_line_at(source.text, match), source.where)
        return None

    def trace(self) -> Quote | None:
        traced = [source for source in self.sources if _has_trace(source.text)]
        return (_raised(traced, self.sources) or self.anywhere(patterns.TRACE)) if traced else None

    def log(self) -> Quote | None:
        """A sentence that hands over a log by a link; what speaks of a file by its name hands over something else."""
        for bare, sentence in self._sentences:
            named = any(patterns.LOG_FILE.search(word.strip("[]()")) for word in bare.text.split())
            if bare.text != sentence.text and not named and asks_for(Item.ERROR, bare.text):
                return quote_of(sentence.text, sentence.where)
        return None

    def command(self) -> Quote | None:
        """A command that everybody has, anywhere; or what is typed, told in a sentence: in a title, if nowhere else."""
        known = (source for bare, source in self._whole if patterns.COMMAND.search(bare))
        told = (sentence for bare, sentence in self._sentences if patterns.TYPED.search(bare.text))
        first = chain(known, sorted(told, key=lambda sentence: sentence.where == "title"))
        return next((quote_of(each.text, each.where) for each in first), None)


def _runnable(code_quotes: Iterable[Quote], links: Iterable[str]) -> Quote | None:
    """The code that somebody can run, or else a link to where it runs."""
    for code in code_quotes:
        beginning = code.text[:4000]
        if patterns.RUNNABLE.search(beginning) and not _has_trace(beginning):
            return quote_of(last_command(beginning), code.where)
    return next((quote_of(link, "body") for link in links if patterns.REPRODUCTION.match(link)), None)


def _steps(parts: Parts, search: _Search, runnable: Quote | None, command: Quote | None) -> Quote | None:
    steps = (
        parts.named.get(Item.STEPS)
        or runnable
        or command
        or search.said(patterns.STEPS, 4)
        or search.said(patterns.NAMED_TEST, 2)
        or (search.said(WHEN_ELSEWHERE, 4) if search.elsewhere else None)
    )
    if steps is None and parts.numbered >= 2:
        return next((sentence for sentence in parts.sentences if patterns.NUMBERED.match(sentence.text)), None)
    return steps


def read(title: str, passages: Iterable[Passage]) -> Signs:
    """Look at the title and every passage; the first place that shows a sign is quoted."""
    parts = parts_of(title, passages)
    told = "\n".join(parts.prose)
    plain = _plain(told)
    search = _Search(parts, elsewhere=language(f"{title}\n{plain}") not in ("en", "und"))
    joined = f"{title}\n{told}"
    whole = "\n".join([joined, *(cut_lines(quote.text) for quote in parts.code_quotes)])
    links = tuple(_links(whole))
    named_plainly = f"{title}\n{plain}"
    attached = tuple(dict.fromkeys(_attached(whole))) if links else ()
    logs = [each for each in (*attached, *links) if patterns.LOG_FILE.search(each) or patterns.PASTED.match(each)]
    identifiers = tuple(dict.fromkeys(names(without_links(named_plainly))))
    literals = tuple(dict.fromkeys(match[0] for match in patterns.LITERAL.finditer(named_plainly)))
    words = specific_words(without_commands(without_links(named_plainly)))
    concrete = bool(identifiers or literals or parts.code_quotes)
    broken = patterns.NO_ERROR.sub(" ", joined) if patterns.ERROR_MENTIONED.search(joined) else joined

    trace = search.trace()
    error = trace or search.anywhere(patterns.ERROR_TEXT)
    runnable = _runnable(parts.code_quotes, links if "://" in told or "www." in told else ())
    command = search.command()
    described, opening = search.said(None, 4), f"{title}\n{plain[:_OPENING]}"
    expected = parts.named.get(Item.EXPECTED) or search.said(patterns.EXPECTED, 2)
    if search.elsewhere:
        expected = expected or search.said(EXPECTED_ELSEWHERE, 2)
    return Signs(
        title=title,
        prose=plain,
        own=plain if parts.own == len(parts.prose) else _plain("\n".join(parts.prose[: parts.own])),
        words=words,
        sentences=tuple(parts.sentences),
        code=tuple(parts.code),
        sections=tuple(parts.sections),
        empty_sections=tuple(parts.empty_sections),
        observed=parts.named.get(Item.OBSERVED)
        or error
        or search.said(BREAKS, 2)
        or search.clause()
        or (described if search.elsewhere else None),
        expected=expected,
        steps=_steps(parts, search, runnable, command),
        runnable=runnable,
        command=command,
        trace=trace,
        error=error or parts.named.get(Item.ERROR) or next((Quote(each, "body") for each in logs), search.log()),
        no_error=search.said(patterns.NO_MESSAGE, 0) if patterns.NO_MESSAGE.search(joined) else None,
        attachments=attached,
        error_mentioned=error is not None or bool(patterns.ERROR_MENTIONED.search(broken)),
        version=parts.named.get(Item.VERSION) or search.anywhere(patterns.VERSION),
        goal=parts.named.get(Item.GOAL) or expected or described,
        subject=search.said(None, 2) if concrete or len(words) > 1 else None,
        described=described,
        identifiers=identifiers,
        literals=literals,
        links=links,
        numbered=parts.numbered,
        opening=opening,
        breaks=bool(BREAKS.search(opening)),
    )


def _links(text: str) -> list[str]:
    return patterns.LINK.findall(text) if "://" in text or "www." in text else []


def _attached(text: str) -> Iterator[str]:
    """The names of files that links hand over, by what a link says or else its address."""
    for link in patterns.LINK.finditer(text):
        before = text[max(0, link.start() - QUOTE) : link.start()]
        said = before.removesuffix("](").rpartition("[")[2] if before.endswith("](") else ""
        if found := patterns.ATTACHMENT.fullmatch(said) or patterns.ATTACHMENT.search(link[0]):
            yield found[0]


def _plain(told: str) -> str:
    linked = "://" in told or "www." in told
    return patterns.NOT_WORDS.sub(" ", patterns.LINK.sub(" ", told) if linked else told).replace("[image]", " ")


def without_commands(text: str) -> str:
    """Without the commands that it tells: they say how to make something happen, and not what happens."""
    return patterns.COMMAND.sub(" ", text)


def _line_at(text: str, match: re.Match[str]) -> str:
    """The line on which what was found begins."""
    begin = match.end() - len(match[0].lstrip())
    return text[text.rfind("\n", 0, begin) + 1 :].partition("\n")[0]


def _has_trace(text: str) -> bool:
    return patterns.TRACE.search(text) is not None


def _raised(traced: Iterable[Quote], sources: Iterable[Quote]) -> Quote | None:
    """What stands for a trace: the last line that names what was raised, beside the trace if it stands there."""
    for source in (*traced, *sources):
        for line in reversed(source.text.split("\n")):
            if source.where != "title" and patterns.ERROR_TEXT.search(line):
                return quote_of(line, source.where)
    return None
