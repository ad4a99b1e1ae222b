"""Which of Rust's items only its tests have, by the attributes above them."""

import re
from collections.abc import Iterator

from tree_sitter import Node

ABOVE = ("attribute_item", "line_comment", "block_comment")  # what may stand between an attribute and its item
_ATTRIBUTE = re.compile(rb"#!?\[\s*(?:unsafe\s*\()?\s*([\w:]+)(.*)\]\s*", re.S)
_TESTS = frozenset({b"test", b"rstest", b"test_case", b"quickcheck", b"bench", b"wasm_bindgen_test"})
_QUOTED = re.compile(rb'"(?:[^"\\]|\\.)*"', re.S)
_TOKEN = re.compile(rb"\w+|[(),=]")
_DEEPEST = 20  # conditions within conditions


def marks_test(attribute: bytes) -> bool:
    """Whether an item with this attribute is compiled for tests alone: `#[test]`, `#[tokio::test]`, `#[cfg(test)]`,
    but not `#[cfg_attr(test, …)]`, and no condition that may hold without tests."""
    found = _ATTRIBUTE.fullmatch(attribute)
    if found is None:
        return False
    name, given = found.groups()
    if name == b"cfg":
        tokens = iter(_TOKEN.findall(_QUOTED.sub(b"", given)))
        return next(tokens, b"") == b"(" and _holds(next(tokens, b""), tokens, 0)[0] is False
    return name.rpartition(b":")[2] in _TESTS


def is_test_item(item: Node) -> bool:
    """Whether an attribute directly above says so."""
    above = item.prev_named_sibling
    while above is not None and above.type in ABOVE:
        if above.type == "attribute_item" and marks_test(above.text or b""):
            return True
        above = above.prev_named_sibling
    return False


def _holds(word: bytes, tokens: Iterator[bytes], depth: int) -> tuple[bool | None, bytes]:
    """Whether a condition holds where nothing is tested, `None` where that is open; and the token behind it."""
    after = next(tokens, b"")
    if after != b"(":
        while after == b"=":  # of `feature = "…"`
            after = next(tokens, b"")
        return (False if word == b"test" else None), after
    parts: list[bool | None] = []
    while after in (b"(", b",") and depth < _DEEPEST:
        first = next(tokens, b"")
        if first == b")":  # behind a last comma
            break
        part, after = _holds(first, tokens, depth + 1)
        parts.append(part)
    return _together(word, parts), next(tokens, b"")


def _together(word: bytes, parts: list[bool | None]) -> bool | None:
    if word == b"not" and len(parts) == 1:
        return None if parts[0] is None else not parts[0]
    if word == b"all":
        return False if False in parts else None if None in parts else True
    if word == b"any":
        return True if True in parts else None if None in parts else False
    return None
