"""Near-miss versions of a right change: what an author may hand in who has looked at the issue's example alone.

Of Python, by its syntax tree; nothing is run here. Whether a version is really wrong, tests must say that were hidden
from its author. The kinds follow what passes weak tests in strengthened benchmarks: of the variants that survive there
half alter a condition, and half of the new tests bring another input (STING, research questions 1 and 4).
"""

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from bot.changes.kinds import is_test
from bot.verification.syntax import parse
from lab.variants.conditions import without_conditions
from lab.variants.examples import narrowed, special_cased

MOST = 3  # of each kind, of one change
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


class VariantKind(StrEnum):
    """How a version is made from the right change."""

    NARROWED = "narrowed to the example"
    DROPPED = "a condition dropped"
    SPECIAL_CASED = "an input special-cased"


@dataclass(frozen=True, slots=True)
class Variant:
    """One version of a change. files: path -> text of every product file that it changes, as it leaves them."""

    kind: VariantKind
    files: Mapping[str, str]


def variants(
    before: Mapping[str, str], after: Mapping[str, str], issue: str, *, most: int = MOST, seed: int = 0
) -> tuple[Variant, ...]:
    """Versions of the change from `before` to `after`, at most so many of each kind, drawn by the seed.

    before, after: path -> text of each file that the change touches; those that are no Python, and tests, are left out.
    issue: the text that says what is wanted. What is the same program as one of both, or as another version, is left
    out as well, by its syntax tree.
    """
    old = {path: text for path, text in before.items() if is_product(path)}
    new = {path: text for path, text in after.items() if is_product(path) and text != old.get(path)}
    seen = {_shape(new, old), _shape({}, old)}
    if None in seen or len(seen) == 1:
        return ()
    found: list[Variant] = []
    for kind, make in _MAKERS.items():
        fresh = []
        for files in make(old, new, issue):
            if (shape := _shape(files, old)) is not None and shape not in seen:
                seen.add(shape)
                fresh.append(Variant(kind, files))
        found += _drawn(fresh, most, seed)
    return tuple(found)


def _drawn(found: list[Variant], most: int, seed: int) -> list[Variant]:
    """So many of them, in their own order."""
    places = Random(seed).sample(range(len(found)), min(most, len(found)))
    return [found[place] for place in sorted(places)]


def is_product(path: str) -> bool:
    """Whether versions may differ in it."""
    return path.endswith(".py") and not is_test(path)


def _shape(files: Mapping[str, str], old: Mapping[str, str]) -> tuple[str, ...] | None:
    """What tells two programs apart; `None` where one cannot be read."""
    try:
        return tuple(sorted(f"{path}\0{ast.dump(parse(text))}" for path, text in {**old, **files}.items()))
    except _UNREADABLE:
        return None


def _narrowed(old: Mapping[str, str], new: Mapping[str, str], issue: str) -> Iterator[Mapping[str, str]]:
    for path in sorted(new):
        yield from ({**new, path: text} for text in narrowed(old.get(path, ""), new[path], issue))


def _dropped(old: Mapping[str, str], new: Mapping[str, str], _: str) -> Iterator[Mapping[str, str]]:
    for path in sorted(new):
        yield from ({**new, path: text} for text in without_conditions(old.get(path, ""), new[path]))


def _special_cased(old: Mapping[str, str], new: Mapping[str, str], issue: str) -> Iterator[Mapping[str, str]]:
    """The old code, except for one answer."""
    for path in sorted(new.keys() & old.keys()):
        yield from ({path: text} for text in special_cased(old[path], issue))


_MAKERS: Mapping[VariantKind, Callable[[Mapping[str, str], Mapping[str, str], str], Iterator[Mapping[str, str]]]] = {
    VariantKind.NARROWED: _narrowed,
    VariantKind.DROPPED: _dropped,
    VariantKind.SPECIAL_CASED: _special_cased,
}
