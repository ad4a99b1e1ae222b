"""Inputs near the visible calls, inside the domain they span. The same seed gives the same inputs."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from random import Random
from typing import Any

from bot.verification.differential.domain import Domain, alphabet
from bot.verification.differential.expression import Expression

ATTEMPTS = 15  # for each input wanted; most of them leave the domain where it is narrow
SMALL = 24
LONG = 300  # items, at most, of what is made as long as a limit


def mutated(
    seen: Sequence[Expression], domain: Domain, count: int, seed: int, constants: Sequence[Any] = ()
) -> Iterator[str]:
    """Calls like the visible ones with something changed, at most `count`, each once. seen: all ask the same."""
    random = Random(seed)  # noqa: S311 (not for secrets)
    known = set(map(str, seen))
    most = count + len(known)
    for other in _attempts(seen, domain, random, count, constants):
        call = str(other)
        if call in known or not domain.within(other):
            continue
        known.add(call)
        yield call
        if len(known) >= most:
            return


def _attempts(
    seen: Sequence[Expression], domain: Domain, random: Random, count: int, constants: Sequence[Any]
) -> Iterator[Expression]:
    for base in seen:
        yield from _each(base, lambda value: _at_limits(value, domain.limits))
    steps = {str(step): step for base in seen for step in base.steps if step.of}
    found = chain.from_iterable(base.other_orders([*steps.values()], random) for base in seen)
    orders = list(islice(found, count // 2))
    yield from orders
    for base in seen:
        yield from _each(base, lambda value: _near(value, constants))
    varied = [base for base in (*seen, *orders) if base.values]
    for _ in range(ATTEMPTS * count if varied else 0):
        base = random.choice(varied)
        arguments, columns = list(base.values), domain.columns(base)
        for _ in range(random.choice((1, 1, 2, 3))):
            position = random.randrange(len(arguments))
            if random.random() < 0.2 and len(arguments) > 1:
                arguments[position] = _from_others(arguments, position, random)
            else:
                arguments[position] = mutate(arguments[position], columns[position], random, constants)
        for name, places in base.sites:
            repaired = _repaired([arguments[at] for at in places], domain.sites[name])
            for at, value in zip(places, repaired, strict=True):
                arguments[at] = value
        yield base.with_values(arguments)


def _each(base: Expression, others: Callable[[Any], Iterable[Any]]) -> Iterator[Expression]:
    """With others in the place of one literal, of the last step and the first where there are several."""
    values = base.values
    last = range(len(values) - len(base.steps[-1].values), len(values))
    for position in dict.fromkeys((*last, *range(len(base.steps[0].values)))):
        for other in others(values[position]):
            yield base.with_values([*values[:position], other, *values[position + 1 :]])


def _near(value: Any, constants: Sequence[Any]) -> list[Any]:
    near: list[Any] = []
    if type(value) is int:
        near = [*range(1, SMALL), 0, -1, value + 1, value - 1]
    near += [constant for constant in constants if type(constant) is type(value)]
    return near + _plain(value)


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


def _plain(value: Any) -> list[Any]:
    """The simplest values of its type."""
    if isinstance(value, str):
        return [value[:1], value[::-1], value * 2, value[:1] * 3, value + value[::-1], ""]
    if isinstance(value, list | tuple):
        kind: Any = type(value)
        ordered = []
        with contextlib.suppress(TypeError):
            ordered = [kind(sorted(value)), kind(sorted(value, reverse=True))]
        return [*ordered, value[:1], value[::-1], value * 2, value[:1] * 3, value[1:], value[:-1], kind()]
    return []


def _from_others(arguments: list[Any], position: int, random: Random) -> Any:
    """A value of the right type that the other arguments hold: an element, a length, a piece of text."""
    value = arguments[position]
    found: list[Any] = []
    for i, other in enumerate(arguments):
        if i == position:
            continue
        found += [other]
        if isinstance(other, list | tuple | set | dict):
            found += [*other, len(other)]
        elif isinstance(other, str) and other:
            start = random.randrange(len(other))
            found += [other[start], other[start : start + random.randrange(1, 4)], len(other)]
    found = [other for other in found if type(other) is type(value)]
    return random.choice(found) if found else value


def _repaired(arguments: list[Any], seen: Sequence[Sequence[Any]]) -> list[Any]:
    """Where an argument is the length of another in every visible call, make it so again; same for equal lengths."""
    for i, value in enumerate(arguments):
        for j, other in enumerate(arguments):
            if i == j or not isinstance(other, list | tuple | str):
                continue
            if type(value) is int and all(isinstance(s[j], list | tuple | str) and s[i] == len(s[j]) for s in seen):
                arguments[i] = len(other)
            elif i < j and isinstance(value, list | tuple | str) and all(len(s[i]) == len(s[j]) for s in seen):
                size = min(len(value), len(other))
                arguments[i], arguments[j] = value[:size], other[:size]
    return arguments


def mutate(value: Any, seen: Sequence[Any], random: Random, constants: Sequence[Any] = ()) -> Any:
    """A value of the same type with something changed."""
    if isinstance(value, bool):
        return not value
    fixed = [constant for constant in constants if type(constant) is type(value)]
    if fixed and random.random() < 0.1:
        return random.choice(fixed)
    if isinstance(value, int):
        return _integer(value, random)
    if isinstance(value, float):
        return random.choice((value + 1, value - 1, value / 2, value * 2, -value, round(value), round(value) + 0.5,
                              round(random.uniform(0, 2 * abs(value) + 2), 2)))  # fmt: skip
    if isinstance(value, str):
        return _text(value, [s for s in seen if isinstance(s, str)] or [value], random)
    if isinstance(value, list | tuple):
        return type(value)(_items(list(value), random, constants, seen))
    if isinstance(value, set | frozenset):
        return type(value)(item for item in _items(sorted(value, key=repr), random, constants, seen) if _hashable(item))
    if isinstance(value, dict):
        return _mapping(value, random, constants)
    return value


def _integer(value: int, random: Random) -> int:
    return random.choice((value + 1, value - 1, value + 2, value - 2, -value, value * 2, value // 2, value * 3,
                          random.randrange(1, SMALL), random.randrange(-SMALL, SMALL),
                          random.randrange(0, 2 * abs(value) + 10)))  # fmt: skip


def _text(value: str, seen: Sequence[str], random: Random) -> str:
    letters = alphabet(seen) or "a"
    used = "".join(sorted(set(value))) or letters
    start = random.randrange(len(value) + 1)
    end = random.randrange(start, len(value) + 1)
    one = random.choice(random.choice((used, letters)))
    words = value.split(" ")
    shuffled = random.sample(words, len(words))
    return random.choice((
        value[:start] + value[start + 1 :],
        value[:start] + one + value[start:],
        value[:start] + one + value[start + 1 :],
        value[:start] + value[start:end] * 2 + value[end:],
        value[:start] + value[start:end][::-1] + value[end:],
        value[:start] + value[start:end].swapcase() + value[end:],
        value[start:end],
        value + random.choice(seen),
        " ".join(shuffled),
        " ".join(shuffled[1:] or shuffled),
        "".join(random.sample(value, len(value))),
        "".join(random.choice(used) for _ in range(random.randrange(1, 12))),
        "".join(random.choice(letters) for _ in range(random.randrange(1, 12))),
    ))  # fmt: skip


def _items(items: list[Any], random: Random, constants: Sequence[Any], seen: Sequence[Any]) -> list[Any]:
    if not items:
        return items
    at, other = random.randrange(len(items)), random.randrange(len(items))
    swapped = list(items)
    swapped[at], swapped[other] = swapped[other], swapped[at]

    def step(item: Any) -> Any:
        return mutate(item, items, random, constants)

    return random.choice((
        lambda: [*items[:at], *items[at + 1 :]],
        lambda: [*items[:other], items[at], *items[other:]],
        lambda: swapped,
        lambda: [*items[:at], items[other], *items[at + 1 :]],
        lambda: random.sample(items, len(items)),
        lambda: items[:at],
        lambda: [random.choice(items) for _ in range(random.randrange(1, len(items) + 4))],
        lambda: [step(item) for item in items],
        lambda: [*items[:other], step(items[at]), *items[other:]],
        lambda: [*items[:at], step(items[at]), *items[at + 1 :]],
    ))()  # fmt: skip


def _mapping(value: dict[Any, Any], random: Random, constants: Sequence[Any]) -> dict[Any, Any]:
    if not value:
        return value
    keys, items = list(value), list(value.values())
    key = random.choice(keys)
    other = mutate(key, keys, random, constants)
    return random.choice((
        lambda: {each: item for each, item in value.items() if each is not key},
        lambda: {**value, key: random.choice(items)},
        lambda: {**value, other: value[key]} if _hashable(other) else value,
        lambda: {**value, key: mutate(value[key], items, random, constants)},
    ))()  # fmt: skip


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
