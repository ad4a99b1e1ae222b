"""Which of Rust's items only its tests have, by the attributes above them, where they stand in a file of the product.
Nothing is run."""

from collections.abc import Iterator

from tree_sitter import Node

from bot.changes.syntax import tree
from bot.child_process import TooLong, run_in_child
from bot.verification.syntax import text_cache

_ABOVE = ("attribute_item", "line_comment", "block_comment")  # what may stand between an attribute and its item
_TESTS = frozenset({b"test", b"rstest", b"test_case", b"quickcheck", b"bench", b"wasm_bindgen_test"})
_DEEPEST = 20  # conditions within conditions
_FEW = 2_000  # bytes that are read in this process
_KEPT = 8_000_000  # bytes of files

Spans = tuple[tuple[int, int], ...]


def only_tests(source: bytes) -> bytes:
    """The items of the file that only its tests have, one after the other; empty where it has none."""
    return b"\n".join(source[start:end] for start, end in _spans(source))


def with_tests_of(base: bytes, head: bytes) -> bytes:
    """The head's product with the base's tests: where its own stand, else at the end. What stands before them keeps its
    lines."""
    tests, spans = only_tests(base), _spans(head)
    found, at = b"", 0
    for number, (start, end) in enumerate(spans):
        found += head[at:start] + (b"" if number else tests)
        at = end
    return found + head[at:] + (b"" if spans or not tests else b"\n" + tests + b"\n")


def is_test_item(item: Node) -> bool:
    """Whether an attribute directly above says that it is compiled for tests alone."""
    return any(map(marks_test, attributes(item)))


def attributes(item: Node) -> Iterator[Node]:
    """What stands directly above it: attributes and remarks, the nearest first."""
    above = item.prev_named_sibling
    while above is not None and above.type in _ABOVE:
        yield above
        above = above.prev_named_sibling


def marks_test(above: Node) -> bool:
    """Whether it is such an attribute: `#[test]`, `#[tokio::test]`, `#[cfg(test)]`, but not `#[cfg_attr(test, …)]`, and
    no condition that may hold without tests."""
    attribute = above.named_child(0) if above.type == "attribute_item" else None
    if attribute is None:
        return False
    name, given = (attribute.named_child(0) or attribute).text or b"", attribute.child_by_field_name("arguments")
    if name == b"cfg":
        return given is not None and _holds(given)[:1] == [False]
    return name.rpartition(b":")[2] in _TESTS


def _holds(given: Node, depth: int = 0) -> list[bool | None]:
    """Of each condition in parentheses, whether it holds where nothing is tested; `None` where that is open."""
    found: list[bool | None] = []
    for node, behind in zip(given.children, given.children[1:], strict=False):
        if node.type != "identifier":
            continue
        if behind.type == "token_tree":
            found.append(_together(node.text or b"", _holds(behind, depth + 1)) if depth < _DEEPEST else None)
        else:
            found.append(False if node.text == b"test" and behind.type != "=" else None)
    return found


def _together(word: bytes, parts: list[bool | None]) -> bool | None:
    if word == b"not" and len(parts) == 1:
        return None if parts[0] is None else not parts[0]
    if word == b"all":
        return False if False in parts else None if None in parts else True
    if word == b"any":
        return True if True in parts else None if None in parts else False
    return None


def _spans(source: bytes) -> Spans:
    return _known_spans(source) if b"test" in source else ()


@text_cache(_KEPT)
def _known_spans(source: bytes) -> Spans:
    found = _read_spans(source) if len(source) <= _FEW else run_in_child(_read_spans, source)
    return () if isinstance(found, TooLong) else found


def _read_spans(source: bytes) -> Spans:
    root = tree("a.rs", source)
    items = (node for node in (root.named_children if root else ()) if node.type not in _ABOVE)
    return tuple((_begin(item), item.end_byte) for item in items if is_test_item(item))


def _begin(item: Node) -> int:
    return min(above.start_byte for above in attributes(item) if above.type == "attribute_item")
