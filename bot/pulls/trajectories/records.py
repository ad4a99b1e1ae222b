"""JSON and JSON Lines from strangers, read within bounds. What is broken is left out and named; nothing is raised."""

import json
import re
from collections.abc import Iterator
from typing import Any

MOST_BYTES = 20_000_000
MOST_LINE = 4_000_000  # characters of one line
MOST_VALUES = 1_000_000  # of a whole file, by its brackets and commas: what bounds the memory that JSON turns into
MOST_RECORDS = 50_000

Record = dict[str, Any]

_UNREADABLE = (ValueError, RecursionError)
_INNER_LIST = re.compile(r'"(?:trajectory|history)"\s{0,20}:\s{0,20}\[')
_TOO_MANY = f"The file has more than {MOST_RECORDS} records; the rest was not read."
_BETWEEN = re.compile(r"[\s,]*+")
_DECODER = json.JSONDecoder()


def read_records(data: bytes) -> tuple[tuple[Record, ...], str]:
    """The objects of a file, in order, and why some are missing (empty when none are).

    Understood: a list, one object that holds the list as `trajectory` or `history`, objects one after another, one on
    each line or not. A file cut in the middle gives the objects before the cut.
    """
    if len(data) > MOST_BYTES:
        return (), f"The file is larger than {MOST_BYTES // 1_000_000} MB."
    if sum(data.count(mark) for mark in (b",", b"[", b"{")) > MOST_VALUES:
        return (), "The file holds more values than Bouncer reads."
    text = data.decode("utf-8-sig", "replace").strip()
    if text.startswith("["):
        return _bounded(*_elements(text, 1))
    first, _, rest = text.partition("\n")
    if rest and _parsed(first) is not None:
        return _bounded(*_lines(text))
    whole = _parsed(text)
    if isinstance(whole, dict):
        inner = next((whole[key] for key in ("trajectory", "history") if isinstance(whole.get(key), list)), None)
        return _bounded([whole] if inner is None else inner, "")
    start = _INNER_LIST.search(text)
    if start:
        return _bounded(*_elements(text, start.end()))
    return _bounded(*_elements(text, 0))


def _lines(text: str) -> tuple[list[Any], str]:
    parsed = [_parsed(line) if len(line) <= MOST_LINE else None for line in text.split("\n") if line.strip()]
    bad = sum(not isinstance(value, dict) for value in parsed)
    return parsed, f"{bad} of its lines cannot be read." if bad else ""


def _elements(text: str, position: int) -> tuple[list[Any], str]:
    """Values with commas or blanks in between, from a position to the bracket that closes their list."""
    found: list[Any] = []
    while (position := _end(_BETWEEN, text, position)) < len(text) and text[position] != "]":
        try:
            value, position = _DECODER.raw_decode(text, position)
        except _UNREADABLE:
            return found, "The file breaks off or is damaged; what stands before that was read."
        found.append(value)
        if len(found) > MOST_RECORDS:
            return found, _TOO_MANY
    return found, ""


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position


def _bounded(values: list[Any], problem: str) -> tuple[tuple[Record, ...], str]:
    kept = tuple(value for value in _flat(values) if isinstance(value, dict))
    if len(kept) > MOST_RECORDS:
        return kept[:MOST_RECORDS], _TOO_MANY
    return kept, problem


def _flat(values: list[Any]) -> Iterator[Any]:
    """Older OpenHands histories pair each action with its observation."""
    for value in values:
        if isinstance(value, list):
            yield from value
        else:
            yield value


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except _UNREADABLE:
        return None
