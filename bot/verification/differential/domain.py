"""The domain that the visible calls span: what else may be passed without asking for more than anybody promised.

One rule throughout: a property that every visible value has (its type, its sign, being sorted, being as long as another
argument) belongs to the domain, and a value without it lies outside. That is narrow on purpose. A difference on a
value nobody mentioned is no evidence, while inside the domain there are inputs enough.
"""

import string
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, permutations
from operator import eq, le, lt
from typing import Any

from bot.verification.differential.expression import Expression

SPREAD = 3  # times as long or as large as the largest seen may be, plus a little
LONGER = 6
CLASSES = (string.ascii_lowercase, string.ascii_uppercase, string.digits)


@dataclass(frozen=True, slots=True)
class Domain:
    """sites: of each the rows of literals that it was given. limits: numbers that are as good as seen, whatever their
    size, also as lengths. visible: the texts of the calls that were seen. members: of each enumeration's member all
    that may stand in its place."""

    sites: Mapping[str, Sequence[Sequence[Any]]]
    limits: frozenset[float] = frozenset()
    visible: frozenset[str] = frozenset()
    members: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        seen: Iterable[Expression],
        limits: Iterable[float] = (),
        members: Mapping[str, Sequence[str]] | None = None,
    ) -> "Domain":
        """What these span."""
        seen, sites = tuple(seen), dict[str, dict[str, list[Any]]]()
        for each in seen:
            values = each.values
            for name, places in each.sites:
                row = [values[at] for at in places]
                sites.setdefault(name, {}).setdefault(repr(row), row)
        rows_of = {name: [*rows.values()] for name, rows in sites.items()}
        return cls(rows_of, frozenset(limits), frozenset(map(str, seen)), members or {})

    def within(self, other: Expression) -> bool:
        """Whether its literals lie in the domain, each in that of its site."""
        values, sites = other.values, [*other.sites]
        return str(other) in self.visible or all(
            name in self.sites and self._fits([values[at] for at in places], self.sites[name]) for name, places in sites
        )

    def _fits(self, row: Sequence[Any], seen: Sequence[Sequence[Any]]) -> bool:
        columns = zip(*seen, strict=True)
        alone = all(fits(value, column, self.limits) for value, column in zip(row, columns, strict=True))
        return alone and all(
            related(row, i, j)
            for i, j in permutations(range(len(row)), 2)
            for least, related in _PAIRS
            if len(seen) >= least and all(related(each, i, j) for each in seen)
        )

    def of_lengths(self, other: Expression) -> Expression:
        """With what is the length of another literal in every visible call, or as long as another, so again."""
        values = [*other.values]
        for name, places in other.sites:
            for (i, at), (j, of) in permutations(enumerate(places), 2):
                seen = [(row[i], row[j]) for row in self.sites.get(name, ())]
                own, others = _length(values[at]), _length(values[of])
                if others is not None and all(type(one) is int and one == _length(two) for one, two in seen):
                    values[at] = others
                elif None not in (own, others) and all(_length(one) == _length(two) for one, two in seen):
                    values[at], values[of] = values[at][:others], values[of][:own]
        return other.with_values(values)

    def columns(self, of: Expression) -> list[tuple[Any, ...]]:
        """For each literal all that were seen in its place."""
        found = dict[int, tuple[Any, ...]]()
        for name, places in of.sites:
            found |= dict(zip(places, zip(*self.sites[name], strict=True), strict=True))
        return [found[at] for at in range(len(found))]

    def no_larger(self, other: Expression) -> bool:
        """Whether no literal is larger than the largest seen in its place."""
        known = all(name in self.sites for name, _ in other.sites)
        pairs = zip(other.values, self.columns(other) if known else (), strict=True) if known else ()
        return known and all(_size(value) <= max(map(_size, column)) for value, column in pairs)


def _length(value: Any) -> int | None:
    return len(value) if isinstance(value, list | tuple | str) else None


def _size(value: Any) -> float:
    """How much work a value can make: a number's magnitude, a container's length and what it holds."""
    if isinstance(value, int | float):
        return abs(value)
    if isinstance(value, dict):
        return len(value) + sum(_size(item) for pair in value.items() for item in pair)
    if isinstance(value, list | tuple | set | frozenset):
        return len(value) + sum(map(_size, value))
    return len(value) if isinstance(value, str | bytes) else 0


def fits(value: Any, seen: Sequence[Any], limits: Collection[float] = ()) -> bool:
    """Whether a value has what all seen values of its type have. limits: numbers of which none is too large."""
    like = [other for other in seen if type(other) is type(value)]
    if not like:
        return False
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, int | float):
        return _fits_number(value, like, limits)
    if isinstance(value, str):
        return _fits_text(value, like, limits)
    if isinstance(value, bytes):
        return _fits_length(value, like, limits) and (value.isascii() or not all(map(bytes.isascii, like)))
    if isinstance(value, dict):
        keys, items = [k for other in like for k in other], _nested([v for other in like for v in other.values()], like)
        return _fits_length(value, like, limits) and all(
            fits(k, keys, limits) and fits(value[k], items, limits) for k in value
        )
    if isinstance(value, list | tuple):
        return _fits_length(value, like, limits) and _fits_sequence(value, like, limits)
    if isinstance(value, set | frozenset):
        inner = [item for other in like for item in other]
        return _fits_length(value, like, limits) and all(fits(item, inner, limits) for item in value)
    return bool(value in like)


def _nested(items: list[Any], of: list[Any]) -> list[Any]:
    """The items of some containers, with these where some items are such themselves: what nests may nest deeper."""
    kinds = {*map(type, items)}
    return [*{id(each): each for each in (*items, *of)}.values()] if type(of[0]) in kinds and len(kinds) > 1 else items


def _fits_number(value: float, seen: Sequence[float], limits: Collection[float]) -> bool:
    largest = max(abs(other) for other in seen)
    if abs(value) > SPREAD * largest + 10 and value not in limits:
        return False
    if value < 0:
        return min(seen) < 0
    return value > 0 or min(seen) <= 0


def _fits_length(value: Any, seen: Sequence[Any], limits: Collection[float]) -> bool:
    lengths = [len(other) for other in seen]
    if not value:
        return 0 in lengths
    return len(value) <= 2 * max(lengths) + LONGER or len(value) in limits


def _fits_text(value: str, seen: Sequence[str], limits: Collection[float]) -> bool:
    if not _fits_length(value, seen, limits):
        return False
    if all(len(other) == 1 for other in seen) and len(value) != 1:
        return False
    letters = alphabet(seen)
    if not all(character in letters for character in value):
        return False
    forms = {form(other) for other in seen}
    if structured(seen) and form(value) not in forms:
        return False
    if code(seen) and not {_token(t) for t in value.split()} <= {_token(t) for other in seen for t in other.split()}:
        return False
    return all(has(value) for has in _TEXT_PROPERTIES if all(map(has, seen)))


def alphabet(seen: Sequence[str]) -> str:
    """Characters of the kinds that occur: all lower-case letters when one does, but of punctuation only what does."""
    used = {character for text in seen for character in text}
    if used <= set("01"):
        return "01"
    classes = "".join(group for group in CLASSES if used & set(group))
    return classes + "".join(sorted(used - set(classes)))


def form(text: str) -> str:
    """A text with letters and digits replaced by their kind, e.g. `99-99-9999`, `a@a.a`: runs of letters count once."""
    kinds = "".join("9" if c.isdigit() else "a" if c.isalpha() else c for c in text)
    return "".join(c for i, c in enumerate(kinds) if c != "a" or kinds[i - 1 : i] != "a")


def structured(seen: Sequence[str]) -> bool:
    """Whether a text looks like a format (a date, a version, an address) rather than prose or a word."""
    return all(
        " " not in text
        and not _numeric(text)
        and any(c in "-/:.@" for c in text)
        and (any(c.isdigit() for c in text) or "@" in text or "://" in text)
        for text in seen
    )


def code(seen: Sequence[str]) -> bool:
    """Whether texts are written in a vocabulary of a few tokens that repeat, as `a b b a` is, and not in prose."""
    return all(len(text.split()) > 3 and len(set(text.split())) < len(text.split()) for text in seen)


def _token(text: str) -> str:
    """A token's form: of a single character its kind, of any other the token itself."""
    return form(text) if len(text) == 1 else text


def _numeric(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _balanced(text: str) -> bool:
    """Has brackets, and all of them match."""
    stack = []
    pairs = {")": "(", "]": "[", "}": "{"}
    for character in text:
        if character in "([{":
            stack.append(character)
        elif character in pairs and (not stack or stack.pop() != pairs[character]):
            return False
    return not stack and any(character in "([{" for character in text)


_TEXT_PROPERTIES = (
    _balanced,
    lambda text: text == text.strip(),
    lambda text: "  " not in text,
    lambda text: " " in text or not text,
    str.isdigit,
    _numeric,
    str.istitle,
)


def _fits_sequence(value: Sequence[Any], seen: Sequence[Sequence[Any]], limits: Collection[float]) -> bool:
    if record(seen):
        return len(value) == len(seen[0]) and all(
            fits(item, [other[i] for other in seen], limits) for i, item in enumerate(value)
        )
    inner = _nested([item for other in seen for item in other], [*seen])
    if not all(fits(item, inner, limits) for item in value):
        return False
    shortest = min(map(len, seen))
    return not value or all(
        has(value) for least, has in _SEQUENCE_PROPERTIES if shortest >= least and all(map(has, seen))
    )


def record(seen: Sequence[Sequence[Any]]) -> bool:
    """Whether sequences are rows of fixed fields: of one length, and the fields differ in type; or short tuples."""
    if len({len(other) for other in seen}) != 1 or not seen[0]:
        return False
    mixed = any(len({type(item) for item in other}) > 1 for other in seen)
    short = len(seen) > 1 and len(seen[0]) <= (3 if isinstance(seen[0], tuple) else 2)
    return mixed or short


def is_sorted(value: Sequence[Any]) -> bool:
    try:
        return all(a <= b for a, b in pairwise(value))
    except TypeError:
        return False


def _distinct(value: Sequence[Any]) -> bool:
    return all(a != b for i, a in enumerate(value) for b in value[:i])


def _alike(value: Sequence[Any]) -> bool:
    """Elements of one type."""
    return len({type(item) for item in value}) <= 1


def _rows(value: Sequence[Any]) -> bool:
    """Rows of one length."""
    return all(isinstance(row, list | tuple | str) for row in value) and len({len(row) for row in value}) == 1


def _square(value: Sequence[Any]) -> bool:
    return (
        _rows(value) and len(value[0]) == len(value) and all(not isinstance(row, str) and _alike(row) for row in value)
    )


def _permutation(value: Sequence[Any]) -> bool:
    """1 to n, each once."""
    return all(type(item) is int for item in value) and sorted(value) == list(range(1, len(value) + 1))


# Each with the least length at which having it is no accident.
_SEQUENCE_PROPERTIES: tuple[tuple[int, Callable[[Sequence[Any]], bool]], ...] = (
    (3, is_sorted),
    (3, lambda value: is_sorted(value[::-1])),
    (2, lambda value: isinstance(value[0], int) or _distinct(value)),
    (1, _alike),
    (1, _rows),
    (1, _square),
    (4, _permutation),
)


def _of_length(holds: Callable[[int, int], bool]) -> Callable[[Sequence[Any], int, int], bool]:
    """A relation of an argument to the other's length."""
    return lambda values, i, j: (
        type(values[i]) is int and isinstance(values[j], list | tuple | str) and holds(values[i], len(values[j]))
    )


def _of_numbers(holds: Callable[[float, float], bool]) -> Callable[[Sequence[Any], int, int], bool]:
    return lambda values, i, j: (
        all(isinstance(v, int | float) for v in (values[i], values[j])) and holds(values[i], values[j])
    )


def _is_row_index(values: Sequence[Any], i: int, j: int) -> bool:
    table = values[j]
    if type(values[i]) is not int or not isinstance(table, list | tuple) or not table:
        return False
    rows = [len(row) for row in table if isinstance(row, list | tuple)]
    return len(rows) == len(table) and 0 <= values[i] < min(rows)


def _same_length(values: Sequence[Any], i: int, j: int) -> bool:
    return all(isinstance(v, list | tuple | str) for v in (values[i], values[j])) and len(values[i]) == len(values[j])


def _member(values: Sequence[Any], i: int, j: int) -> bool:
    """One of the other's elements or keys, or a piece of its text."""
    if isinstance(values[j], str):
        return isinstance(values[i], str) and values[i] in values[j]
    return isinstance(values[j], list | tuple | dict) and values[i] in list(values[j])


# Relations of one argument to another, each with the least number of calls of which having it is no accident: one shows
# none.
_PAIRS: tuple[tuple[int, Callable[[Sequence[Any], int, int], bool]], ...] = (
    (2, _member),
    (2, _of_length(eq)),
    (2, _of_length(le)),
    (2, _of_length(lambda index, length: 0 <= index < length)),
    (2, _is_row_index),
    (2, _of_numbers(le)),
    (2, _of_numbers(lt)),
    (2, _same_length),
)
