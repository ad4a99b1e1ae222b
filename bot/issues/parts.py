"""A report cut into its parts: sentences, code, and what stands below which heading. What is quoted of it.

Lines are read in pieces of bounded length, so that every search is linear in the length of the report.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import takewhile

from bot.issues import patterns
from bot.issues.answers import remarks_alone, says_nothing
from bot.issues.language import specific_words
from bot.issues.wording import BREAKS
from bot.markdown.blocks import BOLD, Block, Section, Sort, blocks, sections
from bot.verdicts import Item

QUOTE = 200  # characters of a stranger's text that evidence may quote
LONGEST_SENTENCE = 2_000  # characters of one that are asked what they say
_LONGEST = 600


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


@dataclass(slots=True)
class Parts:
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
            if block.sort is Sort.CODE and not remarks_alone(block) and says(block.text[:_LONGEST], 2):
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
                    self.named[item] = quote_of(_answer(item, section) or answer, where)


def parts_of(title: str, passages: Iterable[Passage]) -> Parts:
    parts = Parts([Quote(title, "title")] if title else [])
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
        if (patterns.NAMES_A_VERSION.search(beginning) if item is Item.VERSION else says(beginning, 1))
        and asks_for(item, section.heading)
    ]


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
        or (says(section.text[:_LONGEST], 1) and not says_nothing(section.text))
    )


def says(sentence: str, enough: int) -> bool:
    """Whether a sentence says enough: by its specific words, where a name or a literal counts double."""
    sentence = sentence[:LONGEST_SENTENCE]
    told = len(specific_words(sentence))
    told += len(names(sentence)) if told < enough else 0
    return told >= enough or told + len(patterns.LITERAL.findall(sentence)) >= enough


def names(text: str) -> list[str]:
    """Names from code: no number and no version, no word in italics, no prefix of a commit."""
    return [match[0] for match in patterns.IDENTIFIER.finditer(text) if not patterns.NO_NAME.fullmatch(match[0])]


def without_links(text: str) -> str:
    """The text with every link blanked out, nothing else moved: an address's words and numbers are not the writer's."""
    if "://" not in text and "www." not in text:
        return text
    return patterns.LINK.sub(lambda link: " " * len(link[0]), text)


def last_command(code: str) -> str:
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
    lines += [line for text in code for line in cut_lines(text).split("\n") if line.strip()]
    lines = [line for line in lines if len(line) > 3] or lines  # `1.` is a number, no sentence
    if item is Item.STEPS and code:
        return last_command("\n".join(code)[:4000])
    if item is Item.ERROR and (raised := [line for line in lines if patterns.ERROR_TEXT.search(line)]):
        return raised[-1]
    telling = _TOLD_BY.get(item)
    return next((line for line in lines if telling and telling.search(line)), lines[0] if lines else "")


def _sentences(text: str) -> list[str]:
    return [bare for sentence in patterns.SENTENCE.split(text) if (bare := sentence.strip())]


def _filled_in(text: str) -> str:
    """The text with its lines cut and without what a template put there."""
    return patterns.TEMPLATE_LEFTOVER.sub("", cut_lines(text))


def cut_lines(text: str) -> str:
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


def quote_of(text: str, where: str) -> Quote:
    text = text.strip()
    return Quote(text if len(text) <= QUOTE else text[: QUOTE - 1] + "…", where)
