"""Configuration as data: what a file of YAML, TOML or JSON says, whatever its comments and layout. Pure."""

import json
import tomllib
from collections.abc import Iterator
from typing import Any

import yaml

from bot.changes.readers import suffix

LONGEST = 512 * 1024  # characters of a file that are read
_DEEPEST = 60
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one in C takes a hundredth of the time

Leaf = tuple[tuple[str, ...], str]


def read(path: str, text: str) -> Any:
    """What the file says; `None` where it is no such file, cannot be read, or is too long."""
    ending = suffix(path)
    try:
        if len(text) > LONGEST:
            return None
        if ending in (".yml", ".yaml"):
            return _document(iter(yaml.parse(text, Loader=_LOADER)), 0)
        if ending == ".toml" or (path.lower().endswith((".lock", "pipfile")) and not text.lstrip().startswith("{")):
            return tomllib.loads(text)
        if ending in (".json", ".jsonc", ".json5", ".code-workspace", ".lock"):
            return json.loads(_without_remarks(text))
    except (ValueError, RecursionError, yaml.YAMLError):
        pass
    return None


def leaves(data: Any, *above: str) -> Iterator[Leaf]:
    """Every value that holds no others, as a text, with the keys above it; `*` for each place in a list."""
    if len(above) > _DEEPEST:
        return
    if isinstance(data, dict):
        for key, value in data.items():
            yield from leaves(value, *above, str(key))
    elif isinstance(data, list):
        for value in data:
            yield from leaves(value, *above, "*")
    else:
        yield above, str(data)


def _document(found: Iterator[yaml.Event], depth: int) -> Any:
    """Texts, lists and mappings, with tags left out and aliases as they are written; of several documents a list."""
    if depth > _DEEPEST:
        raise ValueError("too deep")
    given: list[Any] = []
    for event in found:
        if isinstance(event, yaml.SequenceEndEvent):
            return given
        if isinstance(event, yaml.MappingEndEvent):
            return {str(key): value for key, value in zip(given[::2], given[1::2], strict=True)}
        if isinstance(event, yaml.AliasEvent):
            given.append(f"*{event.anchor}")
        elif isinstance(event, yaml.ScalarEvent):
            given.append(event.value)
        elif isinstance(event, yaml.CollectionStartEvent):
            given.append(_document(found, depth + 1))
    return given[0] if len(given) == 1 else given


def _without_remarks(text: str) -> str:
    """JSON as editors write it: without lines that are remarks, and without commas behind the last of a list."""
    lines = [line for line in text.split("\n") if not line.lstrip().startswith("//")]
    ends = [*(line.strip()[:1] for line in lines[1:]), ""]
    return "\n".join(
        line.rstrip()[:-1] if line.rstrip().endswith(",") and end in ("]", "}") else line
        for line, end in zip(lines, ends, strict=True)
    )
