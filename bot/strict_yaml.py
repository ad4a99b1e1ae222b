"""A small, strict reader of YAML: plain data plus the line and column of every key and value.

Only what a settings file needs: one document of mappings, lists and scalars. Scalars follow the core schema of YAML
1.2, so `no`, `on` and `2026-01-01` are text and only `true` and `false` are booleans. Anchors, aliases, tags and
repeated keys are refused, which also leaves no way to make a small file grow into a large one.
"""

import math
import re
from dataclasses import dataclass, replace
from typing import Any

import yaml

MAX_BYTES = 64 * 1024
MAX_DEPTH = 20

Data = None | bool | int | float | str | list["Data"] | dict[str, "Data"]
Path = tuple[str | int, ...]

_INT = re.compile(r"[-+]?[0-9]{1,15}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NULL = {"", "~", "null", "Null", "NULL"}
_TRUE = {"true", "True", "TRUE"}
_FALSE = {"false", "False", "FALSE"}


@dataclass(frozen=True, slots=True)
class Position:
    """A place in the text; the first line is 1 and the first column is 1."""

    line: int
    column: int


START = Position(1, 1)


@dataclass(frozen=True, slots=True)
class Document:
    """What a text says, and where: `keys` has the place of each mapping's key, `values` of each value, by path."""

    data: Data
    keys: dict[Path, Position]
    values: dict[Path, Position]


class YamlError(Exception):
    """The text is not a document this reader accepts; `message` says what to write instead."""

    def __init__(self, position: Position, message: str) -> None:
        super().__init__(f"{position.line}:{position.column}: {message}")
        self.position = position
        self.message = message


def code_span(text: object, limit: int = 60) -> str:
    """Text from strangers as an inline code span: printable, short, unable to end the span."""
    plain = "".join(char if char.isprintable() and char != "`" else "?" for char in str(text))
    return f"`{plain[: limit - 1]}…`" if len(plain) > limit else f"`{plain}`"


def read(content: str | bytes) -> Document:
    """Read one document. Raises `YamlError`; an empty text is a document whose data is `None`."""
    text = _decode(content)
    loader = _Loader("")
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
    except yaml.reader.ReaderError as error:
        raise YamlError(_position_of(text, error.position), "a control character is not allowed; remove it") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlError(_at(mark) if mark else START, _explain(error, text)) from None
    except (ValueError, OverflowError):
        # PyYAML turns `\U00110000`, an escape beyond Unicode, into a bare ValueError.
        raise YamlError(_at(loader.get_mark()), "this escape is not a character") from None
    finally:
        loader.dispose()
    found = Document(None, {}, {(): START})
    return replace(found, data=_value(node, (), found)) if node else found


def _decode(content: str | bytes) -> str:
    raw = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    if len(raw) > MAX_BYTES:
        raise YamlError(START, f"the file is larger than {MAX_BYTES // 1024} KiB; make it smaller")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8", "replace")
        raise YamlError(_position_of(before, len(before)), "the file is not UTF-8; save it as UTF-8") from None


class _Loader(yaml.SafeLoader):
    """Refuses what is not accepted before a node is made of it."""

    depth = 0

    def get_event(self) -> Any:
        event: Any = super().get_event()  # type: ignore[no-untyped-call]
        where = _at(event.start_mark)
        if isinstance(event, yaml.AliasEvent):
            raise YamlError(where, "aliases are not supported; write the value out here")
        if isinstance(event, yaml.NodeEvent) and event.anchor:
            raise YamlError(where, f"anchors are not supported; remove {code_span('&' + event.anchor)}")
        if getattr(event, "tag", None):
            raise YamlError(where, f"tags are not supported; remove {code_span(event.tag)}")
        self.depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if self.depth > MAX_DEPTH:
            raise YamlError(where, f"nested deeper than {MAX_DEPTH} levels; make it flatter")
        return event


def _value(node: Any, path: Path, found: Document) -> Data:
    """What a node says. Its place, and those of all in it, are noted in `found`."""
    found.values[path] = _at(node.start_mark)
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, (*path, number), found) for number, item in enumerate(node.value)]
    if not isinstance(node, yaml.MappingNode):
        return _scalar(node)
    entries: dict[str, Data] = {}
    for key_node, value in node.value:
        where = _at(key_node.start_mark)
        if not isinstance(key_node, yaml.ScalarNode):
            raise YamlError(where, "a key must be a plain word")
        key = _text(key_node)
        if key in entries:
            first = found.keys[(*path, key)].line
            raise YamlError(where, f"the key {code_span(key)} is already given on line {first}; keep one of them")
        found.keys[(*path, key)] = where
        entries[key] = _value(value, (*path, key), found)
    return entries


def _scalar(node: Any) -> Data:
    text = _text(node)
    if node.style is not None:  # quoted or block text is always text
        return text
    if text in _NULL:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if _INT.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    return text


def _text(node: Any) -> str:
    text: str = node.value
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise YamlError(_at(node.start_mark), "this escape is not a character")
    return text


def _explain(error: yaml.MarkedYAMLError, text: str) -> str:
    mark = error.problem_mark
    lines = text.splitlines()
    indent = re.match(r"\s*", lines[mark.line])[0] if mark and mark.line < len(lines) else ""  # type: ignore[index]
    if "\t" in indent or "'\\t'" in str(error.problem):
        return "a tab is used for indentation; use spaces"
    problem = str(error.problem or "this is not YAML")
    if "another document" in problem:
        return "a second document starts here; keep only one"
    if "mapping values are not allowed" in problem:
        return "this is not YAML: a `:` is not expected here; check the indentation, or put the text in quotes"
    plain = "".join(char if char.isprintable() else "?" for char in problem.replace("`", "'"))
    return f"this is not YAML: {plain[:160]}; check indentation, quotes and brackets"


def _at(mark: Any) -> Position:
    return Position(mark.line + 1, mark.column + 1)


def _position_of(text: str, offset: int) -> Position:
    before = text[:offset]
    return Position(before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1)
