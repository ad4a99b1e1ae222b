"""JSON and JSON Lines from strangers. What is broken is left out and named; nothing is raised."""

import json
import re
from typing import Any

MOST_BYTES = 20_000_000
MOST_DAMAGED = 100  # places after which no more is looked for

Record = dict[str, Any]

_INNER_LIST = re.compile(r'"(?:trajectory|history)"\s{0,20}:\s{0,20}\[')
_BETWEEN = re.compile(r"[\s,]*+")
_DECODER = json.JSONDecoder()


def read_records(data: bytes) -> tuple[list[Record], str]:
    """The objects of a file, in order, and why some are missing (empty when none are).

    Understood: a list, one object that holds the list as `trajectory` or `history`, objects one after another, one on
    each line or not. Of a file cut in the middle, the objects before the cut.
    """
    if len(data) > MOST_BYTES:
        return [], f"The file is larger than {MOST_BYTES // 1_000_000} MB."
    text = data.decode("utf-8-sig", "replace").strip()
    values, damaged = _values(text, 1 if text.startswith("[") else 0)
    inner = _INNER_LIST.search(text) if damaged else None
    if inner and not any("action" in value or "type" in value for value in values if isinstance(value, dict)):
        values = _values(text, inner.end())[0]
    if len(values) == 1 and isinstance(values[0], dict):
        lists = (values[0].get(name) for name in ("trajectory", "history"))
        values = next((one for one in lists if isinstance(one, list)), values)
    # Older OpenHands histories pair each action with its observation.
    flat = [inner for value in values for inner in (value if isinstance(value, list) else [value])]
    problem = "The file breaks off or is damaged; that part was left out." if damaged else ""
    return [value for value in flat if isinstance(value, dict)], problem


def _values(text: str, position: int) -> tuple[list[Any], int]:
    """Values with commas or blanks in between, from a position to the bracket that closes their list, and in how many
    places there was none. After such a place, what begins on the next line."""
    found: list[Any] = []
    damaged = 0
    while damaged < MOST_DAMAGED:
        between = _BETWEEN.match(text, position)
        position = between.end() if between else position
        if position == len(text) or text[position] == "]":
            break
        try:
            value, position = _DECODER.raw_decode(text, position)
            found.append(value)
        except (ValueError, RecursionError):
            damaged += 1
            position = text.find("\n", position) % (len(text) + 1)
    return found, damaged
