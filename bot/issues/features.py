"""The facts that the offline judge weighs, as numbers by stable name: what is there, what a form wanted, what is
missing and how it is said."""

import re

from bot.issues.kind import ASKS
from bot.issues.language import specific_words
from bot.issues.parts import is_answered, without_links
from bot.issues.signs import Signs, without_commands
from bot.issues.wording import ENDS, WHEN

_FEW = 12  # different words that could not stand in just any report


def features_of(signs: Signs, readable: bool, images: int, missing: int, bug: bool) -> dict[str, float]:
    """Every feature. readable: the wording could be read at all. images: how many a reader sees. missing: items that
    one of its kind should have and this has not. bug: it is taken for a report of one."""
    title, body = set(specific_words(without_links(without_commands(signs.title)))), set(specific_words(signs.prose))
    told, breaks, shown = signs.opening, signs.breaks, bool(signs.code or signs.error or signs.runnable or signs.trace)
    told_more = WHEN.search(told) or signs.version or signs.identifiers or signs.literals
    return {
        "missing": float(missing),
        "attachments": float(len(signs.attachments)),
        "fails_alone": float(breaks and not shown and not images and len(body | title) < _FEW and not told_more),
        "fails_unshown": float(breaks and not shown and not images),
        "asks": float(bug and bool(ASKS.search(told))),
        "specific_words": float(len(signs.words)),
        "concrete": float(len(signs.identifiers) + len(signs.literals)),
        "title_words": float(len(title)),
        "body_words": float(len(body)),
        "images": float(images),
        "empty_sections": float(len(signs.empty_sections)),
        "filled_sections": float(sum(map(is_answered, signs.sections))),
        "opening_words": float(sum(len(specific_words(each.text)) for each in signs.sections if not each.heading)),
        "trace": float(signs.trace is not None),
        "numbered": float(signs.numbered),
        "prose_words": float(len(signs.prose.split())),
        "code_blocks": float(len(signs.code)),
        "code_lines": float(sum(block.text.count("\n") + 1 for block in signs.code)),
        "source_files": float(len(_source_files(signs))),
        "runnable": float(signs.runnable is not None),
        "command": float(signs.command is not None),
        "error": float(signs.error is not None),
        "observed": float(signs.observed is not None),
        "expected": float(signs.expected is not None),
        "steps": float(signs.steps is not None),
        "breaks": float(breaks),
        "when": float(bool(WHEN.search(told))),
        "ends": float(bool(ENDS.search(told))),
        "version": float(signs.version is not None),
        "links": float(len(signs.links)),
        "readable": float(readable),
    }


_SOURCE_FILE = re.compile(
    r"[\w./-]{1,200}\.(?:py|pyx|js|jsx|ts|tsx|go|rs|java|kt|rb|php|cs|c|cc|cpp|h|hpp|swift|scala)(?!\w)"
)


def _source_files(signs: Signs) -> set[str]:
    """The different source files that a report names, in prose, traces or code, by their last name."""
    texts = (signs.title, signs.prose, *(block.text for block in signs.code))
    return {found.rpartition("/")[2] for text in texts for found in _SOURCE_FILE.findall(text)}
