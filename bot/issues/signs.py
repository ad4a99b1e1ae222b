"""What a report holds, found by its form and its wording: each sign is the quote that shows it, or nothing.

Lines are read in pieces of bounded length, so that every search is linear in the text.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, takewhile

from bot.issues import patterns
from bot.issues.answers import remarks_alone, says_nothing
from bot.issues.language import language, specific_words, words_alone
from bot.issues.wording import BREAKS, EXPECTED_ELSEWHERE, WHEN_ELSEWHERE
from bot.markdown.blocks import BOLD, Block, Section, Sort, blocks, sections
from bot.verdicts import Item

QUOTE = 200  # characters of a stranger's text that evidence may quote
_LONGEST_SENTENCE = 2_000  # characters of one that are asked what they say
_LONGEST = 600
_CLAUSE = 3  # different words that could not stand in just any report


@dataclass(frozen=True, slots=True)
class Passage:
    """One place text came from (`title`, `body`, `reply 2`), as a reader sees it and without orders to a judge."""

    where: str
    text: str


@dataclass(frozen=True, slots=True)
class Quote:
    """A verbatim excerpt and the place it came from."""

    text: str
    where: str


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


@dataclass(slots=True)
class _Parts:
    """A report, cut into its parts: what the signs are looked for in."""

    sentences: list[Quote] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    code: list[Block] = field(default_factory=list)
    code_quotes: list[Quote] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    empty_sections: list[str] = field(default_factory=list)
    named: dict[Item, Quote] = field(default_factory=dict)  # -> the answer below a heading that asks for it
    numbered: int = 0  # lines that begin with a number
    own: int = 0  # how many items of the prose the first passage holds

    def add(self, passage: Passage) -> None:
        found = blocks(passage.text)
        self._add_sections(sections(found), passage.where)
        for block in found:
            if block.sort is Sort.CODE and block.fenced and not patterns.CODE.search(block.text):
                block = replace(block, sort=Sort.PROSE)  # words in a box are words
            if block.sort is Sort.CODE and not remarks_alone(block) and _says(block.text[:_LONGEST], 2):
                self.code.append(block)
                self.code_quotes.append(Quote(block.text, passage.where))
            elif block.sort is Sort.PROSE:
                text = _filled_in(block.text)
                self.prose.append(text)
                self.numbered += sum(1 for line in text.split("\n") if patterns.NUMBERED.match(line))
                self.sentences += [Quote(sentence, passage.where) for sentence in _sentences(text)]

    def _add_sections(self, cut: tuple[Section, ...], where: str) -> None:
        answers = [_filled_in(_told(section)).strip() if section.heading else "" for section in cut]
        for place, (section, answer) in enumerate(zip(cut, answers, strict=True)):
            if _is_empty(section, answer) and not _is_answered_below(place, cut, answers):
                self.empty_sections.append(section.heading)
                continue
            self.sections.append(section)
            for item in _asked_for(section, answer):
                if item not in self.named:
                    self.named[item] = _quote(_answer(item, section) or answer, where)


def _cut(title: str, passages: Iterable[Passage]) -> _Parts:
    parts = _Parts([Quote(title, "title")] if title else [])
    for at, passage in enumerate(passages):
        parts.add(passage)
        if at == 0:
            parts.own = len(parts.prose)
    return parts


def asks_for(item: Item, heading: str) -> bool:
    """Whether a heading with such words asks for it."""
    words = patterns.SECTION_OF.get(item)
    return words is not None and bool(words.search(heading))


def _asked_for(section: Section, answer: str) -> list[Item]:
    """What the section's heading asks for and its answer can hold."""
    beginning = answer[:_LONGEST]
    if not answer:
        return []
    return [
        item
        for item in patterns.SECTION_OF
        if (patterns.NAMES_A_VERSION.search(beginning) if item is Item.VERSION else _says(beginning, 1))
        and asks_for(item, section.heading)
    ]


class _Search:
    """Looks for a sign in a report's sentences, then in its code. elsewhere: they are in another language than
    English."""

    def __init__(self, parts: _Parts, elsewhere: bool) -> None:
        self.elsewhere = elsewhere
        bare = [Quote(without_links(sentence.text), sentence.where) for sentence in parts.sentences]
        self._sentences = list(zip(bare, parts.sentences, strict=True))
        whole = parts.sentences + [replace(code, text=_cut_lines(code.text)) for code in parts.code_quotes]
        self._whole = [(without_links(source.text), source) for source in whole]
        self.sources = [replace(source, text=bare) for bare, source in self._whole]

    def said(self, pattern: re.Pattern[str] | None, enough: int) -> Quote | None:
        """The first sentence with such words that says enough."""
        for bare, sentence in self._sentences:
            if (pattern is None or pattern.search(bare.text)) and _says(bare.text, enough):
                return _quote(sentence.text, sentence.where)
        return None

    def clause(self) -> Quote | None:
        """The first sentence that says something, whatever it is: by its words and values, for settings, references
        and addresses are no clause."""
        for _, sentence in self._sentences:
            text = sentence.text[:_LONGEST_SENTENCE]
            if len(specific_words(words_alone(text))) + len(patterns.LITERAL.findall(text)) >= _CLAUSE:
                return _quote(sentence.text, sentence.where)
        return None

    def anywhere(self, pattern: re.Pattern[str]) -> Quote | None:
        """The first line, told or code, that shows it."""
        for bare, source in self._whole:
            if match := pattern.search(bare):
                return _quote(_line_at(source.text, match), source.where)
        return None

    def trace(self) -> Quote | None:
        traced = [source for source in self.sources if _has_trace(source.text)]
        return (_raised(traced, self.sources) or self.anywhere(patterns.TRACE)) if traced else None

    def log(self) -> Quote | None:
        """A sentence that hands over a log by a link; what speaks of a file by its name hands over something else."""
        for bare, sentence in self._sentences:
            named = any(patterns.LOG_FILE.search(word.strip("[]()")) for word in bare.text.split())
            if bare.text != sentence.text and not named and asks_for(Item.ERROR, bare.text):
                return _quote(sentence.text, sentence.where)
        return None

    def command(self) -> Quote | None:
        """A command that everybody has, anywhere; or what is typed, told in a sentence: in a title, if nowhere else."""
        known = (source for bare, source in self._whole if patterns.COMMAND.search(bare))
        told = (sentence for bare, sentence in self._sentences if patterns.TYPED.search(bare.text))
        first = chain(known, sorted(told, key=lambda sentence: sentence.where == "title"))
        return next((_quote(each.text, each.where) for each in first), None)


def _runnable(code_quotes: Iterable[Quote], links: Iterable[str]) -> Quote | None:
    """The code that somebody can run, or else a link to where it runs."""
    for code in code_quotes:
        beginning = code.text[:4000]
        if patterns.RUNNABLE.search(beginning) and not _has_trace(beginning):
            return _quote(_last_command(beginning), code.where)
    return next((_quote(link, "body") for link in links if patterns.REPRODUCTION.match(link)), None)


def _steps(parts: _Parts, search: _Search, runnable: Quote | None, command: Quote | None) -> Quote | None:
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
    parts = _cut(title, passages)
    told = "\n".join(parts.prose)
    plain = _plain(told)
    search = _Search(parts, elsewhere=language(f"{title}\n{plain}") not in ("en", "und"))
    joined = f"{title}\n{told}"
    whole = "\n".join([joined, *(_cut_lines(quote.text) for quote in parts.code_quotes)])
    links = tuple(_links(whole))
    named_plainly = f"{title}\n{plain}"
    attached = tuple(dict.fromkeys(_attached(whole))) if links else ()
    logs = [name for name in attached if patterns.LOG_FILE.search(name)]
    identifiers = tuple(dict.fromkeys(_names(without_links(named_plainly))))
    literals = tuple(dict.fromkeys(match[0] for match in patterns.LITERAL.finditer(named_plainly)))
    words = specific_words(without_commands(without_links(named_plainly)))
    concrete = bool(identifiers or literals or parts.code_quotes)
    broken = patterns.NO_ERROR.sub(" ", joined) if patterns.ERROR_MENTIONED.search(joined) else joined

    trace = search.trace()
    error = trace or search.anywhere(patterns.ERROR_TEXT)
    runnable = _runnable(parts.code_quotes, links if "://" in told or "www." in told else ())
    command = search.command()
    described = search.said(None, 4)
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


def _is_empty(section: Section, answer: str) -> bool:
    code = any(block.sort is Sort.CODE and not remarks_alone(block) for block in section.blocks)
    return bool(section.heading) and not code and says_nothing(answer)


def _told(section: Section) -> str:
    """What stands below a heading, without code that holds nothing but a form's remarks."""
    return "\n".join(block.text for block in section.blocks if not remarks_alone(block)).strip()


def _is_answered_below(at: int, cut: tuple[Section, ...], answers: list[str]) -> bool:
    """Whether a heading without a text of its own has an answer below a deeper one with a `#`: a bold line or a name
    with a colon stands beside it as often."""
    below = takewhile(lambda other: cut[other].level > cut[at].level, range(at + 1, len(cut)))
    return any(cut[other].level < BOLD and not _is_empty(cut[other], answers[other]) for other in below)


def is_answered(section: Section) -> bool:
    """Whether anything below its heading could not stand in just any report."""
    return bool(section.heading) and (
        any(block.sort is Sort.CODE and not remarks_alone(block) for block in section.blocks)
        or (_says(section.text[:_LONGEST], 1) and not says_nothing(section.text))
    )


def _says(sentence: str, enough: int) -> bool:
    """Whether a sentence says enough: by its specific words, where a name or a literal counts double."""
    sentence = sentence[:_LONGEST_SENTENCE]
    told = len(specific_words(sentence))
    told += len(_names(sentence)) if told < enough else 0
    return told >= enough or told + len(patterns.LITERAL.findall(sentence)) >= enough


def _names(text: str) -> list[str]:
    """Names from code: no number and no version, no word in italics, no prefix of a commit."""
    return [match[0] for match in patterns.IDENTIFIER.finditer(text) if not patterns.NO_NAME.fullmatch(match[0])]


def without_links(text: str) -> str:
    """The text with every link blanked out, nothing else moved: an address's words and numbers are not the writer's."""
    if "://" not in text and "www." not in text:
        return text
    return patterns.LINK.sub(lambda link: " " * len(link[0]), text)


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
                return _quote(line, source.where)
    return None


def _last_command(code: str) -> str:
    """The line of an example that sets it off: most examples prepare, and act at the end."""
    lines = [
        line
        for line in code.split("\n")
        if patterns.RUNNABLE.search(line) and not line.lstrip().startswith(("#", "//"))
    ]
    return lines[-1] if lines else code


_TOLD_BY = {
    Item.OBSERVED: BREAKS,
    Item.EXPECTED: patterns.EXPECTED,
    Item.VERSION: patterns.VERSION,
    Item.ERROR: patterns.ERROR_TEXT,
}


def _answer(item: Item, section: Section) -> str:
    """The one sentence or line of a section that shows best what its heading promises."""
    prose = [block.text for block in section.blocks if block.sort is Sort.PROSE]
    code = [block.text for block in section.blocks if block.sort is Sort.CODE]
    lines = [sentence for text in prose for sentence in _sentences(_filled_in(text))]
    lines += [line for text in code for line in _cut_lines(text).split("\n") if line.strip()]
    lines = [line for line in lines if len(line) > 3] or lines  # `1.` is a number, no sentence
    if item is Item.STEPS and code:
        return _last_command("\n".join(code)[:4000])
    if item is Item.ERROR and (raised := [line for line in lines if patterns.ERROR_TEXT.search(line)]):
        return raised[-1]
    telling = _TOLD_BY.get(item)
    return next((line for line in lines if telling and telling.search(line)), lines[0] if lines else "")


def _sentences(text: str) -> list[str]:
    return [bare for sentence in patterns.SENTENCE.split(text) if (bare := sentence.strip())]


def _filled_in(text: str) -> str:
    """The text with its lines cut and without what a template put there."""
    return patterns.TEMPLATE_LEFTOVER.sub("", _cut_lines(text))


def _cut_lines(text: str) -> str:
    """The text with overlong lines broken, which bounds what one search can look at."""
    if len(text) <= _LONGEST:
        return text
    return "\n".join(piece for line in text.split("\n") for piece in _pieces(line))


def _pieces(line: str) -> Iterator[str]:
    """The line in pieces of at most `_LONGEST`, cut between words where it has any: half a word is no word."""
    start = 0
    while len(line) - start > _LONGEST:
        space = line.rfind(" ", start + _LONGEST // 2, start + _LONGEST)
        end = space + 1 if space >= 0 else start + _LONGEST
        yield line[start:end]
        start = end
    yield line[start:]


def _quote(text: str, where: str) -> Quote:
    text = text.strip()
    return Quote(text if len(text) <= QUOTE else text[: QUOTE - 1] + "…", where)
