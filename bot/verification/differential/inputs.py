"""Inputs near the visible calls, inside the domain they span: one literal moved, or one step."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice, zip_longest
from random import Random
from typing import Any

from bot.verification.differential.domain import Domain, alphabet
from bot.verification.differential.expression import Expression

ATTEMPTS = 15  # for each input wanted; most of them leave the domain where it is narrow
SMALL = 24
LONG = 300  # items, at most, of what is made as long as a limit
TWICE = 4  # calls that are made again at once
DEPTH = 3  # of values in values that are moved


def mutated(
    seen: Sequence[Expression], domain: Domain, count: int, seed: int, constants: Sequence[Any] = ()
) -> Iterator[str]:
    """Calls like the visible ones with something changed, at most `count`, each once. seen: all ask the same. The same
    seed gives the same calls."""
    known = set(map(str, seen))
    most = count + len(known)
    for attempt in _attempts(seen, domain, count, Random(seed), constants):  # noqa: S311 (not for secrets)
        call = str(other := domain.of_lengths(attempt))
        if call in known or not domain.within(other):
            continue
        known.add(call)
        yield call
        if len(known) >= most:
            return


def _attempts(
    seen: Sequence[Expression], domain: Domain, count: int, random: Random, constants: Sequence[Any]
) -> Iterator[Expression]:
    for base in seen:
        yield from _each(base, lambda value, at: _at_limits(value, domain.limits))
    yield from _in_turn(base.with_members(domain.members) for base in seen)
    yield from (Expression(base.steps * 2) for base in seen[:TWICE] if len(base.steps) == 1 and base.values)
    steps = {str(step): step for base in seen for step in base.steps if step.of}
    found = chain.from_iterable(base.other_orders([*steps.values()], random) for base in seen)
    orders = list(islice(found, count // 2))
    yield from orders

    def near(base: Expression) -> Iterator[Expression]:
        held = [*constants, *_held(base.values)]
        columns = [{repr(each): each for each in (*held, *its, *_held(its))} for its in domain.columns(base)]
        return _each(base, lambda value, at: _near(value, [*columns[at].values()]))

    yield from islice(_in_turn(_in_turn(map(near, bases)) for bases in (seen, orders)), ATTEMPTS * count)


def _held(values: Iterable[Any]) -> list[Any]:
    """What they hold, and how long they are."""
    many = [each for each in values if isinstance(each, str | list | tuple | set | frozenset | dict)]
    return [*dict.fromkeys(map(len, many)), *chain.from_iterable(many)]


def _each(base: Expression, others: Callable[[Any, int], Iterable[Any]]) -> Iterator[Expression]:
    """With others in the place of one literal, first of those of the last step. others: are asked with the literal and
    its place."""
    values = base.values

    def moved(at: int) -> Iterator[Expression]:
        return (base.with_values([*values[:at], other, *values[at + 1 :]]) for other in others(values[at], at))

    last = range(len(values) - len(base.steps[-1].values), len(values))
    return _in_turn(map(moved, dict.fromkeys((*last, *range(len(values))))))


def _in_turn(rows: Iterable[Iterable[Any]]) -> Iterator[Any]:
    """The first of each, then the second of each."""
    for column in zip_longest(*rows, fillvalue=_in_turn):
        yield from (each for each in column if each is not _in_turn)


def _at_limits(value: Any, limits: Iterable[float]) -> Iterator[Any]:
    """The limits themselves, what holds one of them, and what is as long."""
    many = isinstance(value, list | tuple)
    for limit in sorted(limits):
        if type(value) is type(limit):
            yield limit
        elif type(value) is float:
            yield float(limit)
        if many and value and type(limit) is int and 0 < limit <= LONG:
            yield (value * limit)[:limit]
    for at, item in enumerate(value[:2]) if many else ():
        yield from (type(value)([*value[:at], other, *value[at + 1 :]]) for other in _at_limits(item, limits))
    for key, item in islice(value.items(), 2) if type(value) is dict else ():
        yield from ({**value, key: other} for other in _at_limits(item, limits))


def _near(value: Any, others: Sequence[Any], depth: int = DEPTH) -> Iterator[Any]:
    """Values of the same type: of these others, and the value with something changed."""
    kind = type(value)
    yield from (each for each in others if type(each) is kind)
    if kind is bool:
        yield not value
    elif kind is int:
        yield from (value + 1, value - 1, *range(1, SMALL), 0, -1, -value, value * 2, value // 2)
    elif kind is float:
        yield from (value + 1, value - 1, value / 2, value * 2, -value, value // 1, *(at / 2 for at in range(SMALL)))
    elif kind is str:
        letters = dict.fromkeys(
            [*(each for each in others if isinstance(each, str) and len(each) == 1), *alphabet([value])]
        )
        yield from map("".join, _in_turn((_moved(list(value)), _inside(list(value), lambda letter: letters))))
        yield from map(" ".join, _moved(value.split(" ")))
        yield value.swapcase()
    elif kind is bytes:
        inside = _inside([*value], lambda each: (each ^ 1, 0, 255))
        yield from map(bytes, _in_turn((_moved([*value]), inside)))
    elif kind in (list, tuple, set, frozenset, dict) and depth:
        items = sorted(value, key=repr) if kind in (set, frozenset) else [*value]
        put = others if kind in (list, tuple) else [each for each in others if isinstance(each, str)]  # with a hash
        inside = _inside(items, lambda item: _near(item, put, depth - 1))
        if kind is dict:
            yield from ({**value, key: value} for key in items if type(value[key]) is dict)
            moved = ({**value, key: other} for key in items for other in _near(value[key], others, depth - 1))
            inside = _in_turn((({key: value.get(key, value[items[0]]) for key in keys} for keys in inside), moved))
            yield from chain(map(dict, _moved([*value.items()])), inside)
        else:
            deeper = ([*items[:at], value, *items[at + 1 :]] for at, item in enumerate(items) if type(item) is kind)
            yield from map(kind, _in_turn((_moved(items), inside, deeper)))


def _moved(items: list[Any]) -> Iterator[list[Any]]:
    """In other orders, shorter and longer, then with one left out, twice, or behind the next one."""
    yield from (items[:1], items[::-1], items * 2, items * 3, items[:1] * 3, items + items[::-1], [])
    with suppress(TypeError):
        yield from (sorted(items), sorted(items, reverse=True))
    for at in range(len(items)):
        before, here, after = items[:at], items[at : at + 1], items[at + 1 :]
        yield from ([*before, *after], [*before, *here, *here, *after], [*before, *after[:1], *here, *after[1:]])


def _inside(items: list[Any], near: Callable[[Any], Iterable[Any]]) -> Iterator[list[Any]]:
    """With others in the place of one of them, and behind it. near: asked for these."""

    def moved(at: int) -> Iterator[list[Any]]:
        for other in near(items[at]):
            yield [*items[:at], other, *items[at + 1 :]]
            yield [*items[: at + 1], other, *items[at + 1 :]]

    return _in_turn(map(moved, range(len(items))))
