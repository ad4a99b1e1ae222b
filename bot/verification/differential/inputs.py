"""Inputs near the visible calls, inside the domain they span. The same seed gives the same inputs."""

import contextlib
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from bot.verification.differential.domain import Signature, alphabet

ATTEMPTS = 15  # for each input wanted; most of them leave the domain where it is narrow
SMALL = 24


def mutated(signature: Signature, count: int, seed: int, constants: Sequence[Any] = ()) -> Iterator[str]:
    """Calls like the visible ones with something changed, at most `count`, each once."""
    random = Random(seed)  # noqa: S311 (not for secrets)
    known: set[str] = {signature.call(arguments) for arguments in signature.seen}
    for arguments in _attempts(signature, random, count, constants):
        call = signature.call(arguments)
        if call in known or not signature.within(arguments):
            continue
        known.add(call)
        yield call
        if len(known) >= count + len(signature.seen):
            return


def _attempts(signature: Signature, random: Random, count: int, constants: Sequence[Any]) -> Iterator[list[Any]]:
    for base in signature.seen:
        for position, value in enumerate(base):
            near: list[Any] = []
            if type(value) is int:
                near = [*range(1, SMALL), 0, -1, value + 1, value - 1]
            near += [constant for constant in constants if type(constant) is type(value)]
            near += _plain(value)
            for other in near:
                yield [*base[:position], other, *base[position + 1 :]]
    for _ in range(ATTEMPTS * count):
        arguments = list(random.choice(signature.seen))
        for _ in range(random.choice((1, 1, 2, 3))):
            position = random.randrange(len(arguments))
            column = [seen[position] for seen in signature.seen]
            if random.random() < 0.2 and len(arguments) > 1:
                arguments[position] = _from_others(arguments, position, random)
            else:
                arguments[position] = mutate(arguments[position], column, random, constants)
        yield _repaired(arguments, signature, random)


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


def _repaired(arguments: list[Any], signature: Signature, random: Random) -> list[Any]:
    """Where an argument is the length of another in every visible call, make it so again; same for equal lengths."""
    for i, value in enumerate(arguments):
        for j, other in enumerate(arguments):
            if i == j or not isinstance(other, list | tuple | str):
                continue
            if type(value) is int and all(
                isinstance(s[j], list | tuple | str) and s[i] == len(s[j]) for s in signature.seen
            ):
                arguments[i] = len(other)
            elif (
                i < j and isinstance(value, list | tuple | str) and all(len(s[i]) == len(s[j]) for s in signature.seen)
            ):
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
    items = list(items)
    at, other = random.randrange(len(items)), random.randrange(len(items))
    match random.randrange(10):
        case 0:
            del items[at]
        case 1:
            items.insert(other, items[at])
        case 2:
            items[at], items[other] = items[other], items[at]
        case 3:
            items[at] = items[other]
        case 4:
            random.shuffle(items)
        case 5:
            del items[at:]
        case 6:
            items = [random.choice(items) for _ in range(random.randrange(1, len(items) + 4))]
        case 7:
            items = [mutate(item, items, random, constants) for item in items]
        case 8:
            items.insert(other, mutate(items[at], items, random, constants))
        case _:
            items[at] = mutate(items[at], items, random, constants)
    return items


def _mapping(value: dict[Any, Any], random: Random, constants: Sequence[Any]) -> dict[Any, Any]:
    if not value:
        return value
    key = random.choice(list(value))
    changed = dict(value)
    match random.randrange(4):
        case 0:
            del changed[key]
        case 1:
            changed[key] = changed[random.choice(list(value))]
        case 2:
            other = mutate(key, list(value), random, constants)
            if _hashable(other):
                changed[other] = changed[key]
        case _:
            changed[key] = mutate(value[key], list(value.values()), random, constants)
    return changed


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
