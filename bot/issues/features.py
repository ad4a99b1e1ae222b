"""The numbers the offline judge's rules read, by stable name."""

from math import log1p

from bot.issues.breakage import says_how_it_ends, says_it_breaks
from bot.issues.language import specific_words
from bot.issues.signs import Signs, is_answered, without_commands, without_links
from bot.issues.when import says_when

_OPENING = 2_000  # characters in which a report that says little else says that something fails, and when


def features_of(signs: Signs, readable: bool, images: int) -> dict[str, float]:
    """Every feature; `readable` says whether the wording could be read at all. images: how many a reader sees."""
    told = f"{signs.title}\n{signs.prose[:_OPENING]}"
    return {
        "specific_words": float(len(signs.words)),
        "concrete": float(len(signs.identifiers) + len(signs.literals)),
        "title_words": float(len(specific_words(without_links(without_commands(signs.title))))),
        "body_words": float(len(specific_words(signs.prose))),
        "images": float(images),
        "empty_sections": float(len(signs.empty_sections)),
        "filled_sections": float(sum(map(is_answered, signs.sections))),
        "opening_words": float(sum(len(specific_words(each.text)) for each in signs.sections if not each.heading)),
        "trace": float(signs.trace is not None),
        "numbered": float(signs.numbered),
        "prose_words": float(len(signs.prose.split())),
        "code_blocks": float(len(signs.code)),
        "runnable": float(signs.runnable is not None),
        "command": float(signs.command is not None),
        "error": float(signs.error is not None),
        "observed": float(signs.observed is not None),
        "expected": float(signs.expected is not None),
        "expectation_implied": float(signs.expectation_implied),
        "steps": float(signs.steps is not None),
        "breaks": float(says_it_breaks(told)),
        "ends": float(says_how_it_ends(told)),
        "when": float(says_when(told)),
        "version": float(signs.version is not None),
        "goal": float(signs.goal is not None),
        "guesses": log1p(len(signs.guesses)),
        "links": log1p(len(signs.links)),
        "readable": float(readable),
    }
