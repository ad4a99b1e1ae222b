"""Where the functions of JavaScript, TypeScript, Go and Rust lie, read from the syntax tree, and which of Rust's items
only its tests have, by the attributes above them. Nothing is run."""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from bot.changes.syntax import nodes_below, text_of, tree
from bot.child_process import TooLong, run_in_child

ENDINGS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".go", ".rs")
MOST = 2_000  # functions of one file
_FEW = 2_000  # bytes that are read in this process
_FUNCTIONS = frozenset(
    {
        *("function_declaration", "function_expression", "generator_function_declaration", "generator_function"),
        *("method_definition", "arrow_function", "method_declaration", "function_item"),
    }
)
_RUST = frozenset({"function_item", "mod_item", "impl_item"})
_BLOCKS = frozenset({"statement_block", "block"})
ABOVE = ("attribute_item", "line_comment", "block_comment")  # what may stand between an attribute and its item
_TESTS = frozenset({b"test", b"rstest", b"test_case", b"quickcheck", b"bench", b"wasm_bindgen_test"})
_LONGEST = 200  # characters of a name or a type
_DEEPEST = 20  # conditions within conditions


def is_test_item(item: Node) -> bool:
    """Whether an attribute directly above says that it is compiled for tests alone."""
    above = item.prev_named_sibling
    while above is not None and above.type in ABOVE:
        if marks_test(above):
            return True
        above = above.prev_named_sibling
    return False


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


@dataclass(frozen=True, slots=True)
class Body:
    """A function with a block of statements. first, last: its lines, from 1. opens: the offset in bytes behind the
    brace that opens the block. gives: the types of what it returns, as far as they are written. The name and the types
    are a stranger's; the name is empty where the function has none."""

    name: str
    first: int
    last: int
    opens: int
    gives: tuple[str, ...] = ()


def bodies(path: str, source: bytes) -> tuple[Body, ...]:
    """Every function of the product in the file that does something, in order; none where it is unreadable."""
    if not path.endswith(ENDINGS):
        return ()
    found = _bodies(path, source) if len(source) <= _FEW else run_in_child(_bodies, path, source)
    return () if isinstance(found, TooLong) else found


def _bodies(path: str, source: bytes) -> tuple[Body, ...]:
    root = tree(path, source)
    return tuple(_found(root))[:MOST] if root else ()


def _found(root: Node) -> Iterator[Body]:
    for node in nodes_below(root, but=lambda each: each.type in _RUST and is_test_item(each)):
        block = node.child_by_field_name("body") if node.type in _FUNCTIONS else None
        if block and block.type in _BLOCKS and block.named_child_count:
            first, last = node.start_point.row + 1, node.end_point.row + 1
            yield Body(_name(node), first, last, block.start_byte + 1, tuple(_given(node)))


def _given(node: Node) -> Iterator[str]:
    result = node.child_by_field_name("result") or node.child_by_field_name("return_type")
    if result is None:
        return
    if result.type != "parameter_list":
        yield text_of(result)[:_LONGEST]
        return
    for each in result.named_children:  # Go's results, several of which may have a name and share a type
        of = each.child_by_field_name("type")
        if of is not None:
            yield from [text_of(of)[:_LONGEST]] * max(len(each.children_by_field_name("name")), 1)


def _name(node: Node) -> str:
    """Its own, or that of what it is given to."""
    parent = node.parent
    named = node.child_by_field_name("name")
    if named is None and parent is not None:
        named = parent.child_by_field_name("name") or parent.child_by_field_name("key")
    return text_of(named)[:_LONGEST]
