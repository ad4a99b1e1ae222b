"""The numbers a statistical judge reads, by stable name. Changing what one means asks for new weights."""

from math import log1p

from bot.issues.blocks import Sort
from bot.issues.signs import Quote, Signs
from bot.verdicts import IssueKind, Item


def features_of(
    signs: Signs, kind: IssueKind, items: dict[Item, Quote | None], images: int, readable: bool
) -> dict[str, float]:
    """Every feature; `readable` says whether the wording could be read at all."""
    code_characters = sum(len(block.text) for block in signs.code)
    prose_words = len(signs.prose.split())
    return {
        "specific_words": float(len(signs.words)),
        "concrete": float(len(signs.identifiers) + len(signs.literals)),
        "prose_words": float(prose_words),
        "title_words": float(len(signs.title.split())),
        "log_prose": log1p(prose_words),
        "log_code": log1p(code_characters),
        "code_blocks": float(len(signs.code)),
        "runnable": float(signs.runnable is not None),
        "trace": float(signs.trace is not None),
        "error": float(signs.error is not None),
        "observed": float(signs.observed is not None),
        "expected": float(signs.expected is not None),
        "expectation_implied": float(signs.expectation_implied),
        "steps": float(signs.steps is not None),
        "version": float(signs.version is not None),
        "goal": float(signs.goal is not None),
        "identifiers": log1p(len(signs.identifiers)),
        "literals": log1p(len(signs.literals)),
        "guesses": log1p(len(signs.guesses)),
        "links": log1p(len(signs.links)),
        "images": log1p(images),
        "empty_sections": log1p(len(signs.empty_sections)),
        "sections": log1p(sum(1 for section in signs.sections if section.heading)),
        "prose_sections": log1p(
            sum(1 for section in signs.sections for block in section.blocks if block.sort is Sort.PROSE)
        ),
        "bug": float(kind is IssueKind.BUG),
        "feature": float(kind is IssueKind.FEATURE),
        "question": float(kind is IssueKind.QUESTION),
        "missing": float(sum(quote is None for quote in items.values())),
        "readable": float(readable),
    }
