"""Tests as they are written down in JavaScript, TypeScript, Go and Rust, read from the syntax tree. Nothing is run.

Rust's tests may stand in a file of the product, as `#[cfg(test)]` items. Of a test in Python only what it expects is
read here.

Names are as `testing.runners` has them: `file::group > test`, in Go `package::Test`, in Rust `file::module::test`, by
its crate's root (`src/lib.rs::module::tests::works`), whichever file its module stands in.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from tree_sitter import Node

from bot.changes.rust_tests import ABOVE, ENDINGS, is_test_item, marks_test
from bot.changes.syntax import nodes_below, text_of, tree
from bot.child_process import TooLong, run_in_child
from bot.verification.syntax import text_cache, tree_of

MOST = 2_000  # tests of one file
_LONGEST = 8_000  # characters of one test that are kept
_FEW = 2_000  # bytes that are read in this process
_KEPT = 8_000_000  # bytes of files
_GROUPS = frozenset({"describe", "suite", "context"})
_TESTS = frozenset({"test", "it", "specify"})
_HOOKS = frozenset({"before", "beforeEach", "beforeAll", "after", "afterEach", "afterAll", "setup", "teardown"})
_DECLARES = frozenset(
    {
        *("function_declaration", "generator_function_declaration", "class_declaration", "lexical_declaration"),
        *("variable_declaration", "var_declaration", "const_declaration", "type_declaration", "function_item"),
        *("const_item", "static_item", "struct_item", "enum_item", "macro_definition"),
    }
)
_VALUES = frozenset({"string", "number", "interpreted_string_literal", "raw_string_literal", "int_literal"})
_VALUES |= {"float_literal", "integer_literal", "string_literal", "template_string"}
_CALLS = frozenset({"call_expression", "new_expression", "arrow_function", "function_expression", "func_literal"})
_ASSERTS = re.compile(r"(?:assert|expect|require|should)\b|assert_?[a-z]*!?$|(?:assert|require|expect|t)\.\w+")
_ERROR = ("Error", "Exception")

Expected = tuple[frozenset[str], ...]
_Read = tuple[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Test:
    """One test. source: its text. demands: what it is made of, whatever the layout. expected: the values that each of
    its assertions expects."""

    __test__ = False

    name: str
    source: str
    demands: frozenset[str]
    expected: Expected


def tests_of(path: str, source: bytes) -> Mapping[str, Test]:
    """The tests of a file by their names, groups and modules before them with a blank between; none where it is
    unreadable."""
    return _known(PurePosixPath(path).suffix, source) if path.endswith(ENDINGS) else {}


@text_cache(_KEPT)
def _known(suffix: str, source: bytes) -> Mapping[str, Test]:
    path = f"a{suffix}"
    found = _tests(path, source) if len(source) <= _FEW else run_in_child(_tests, path, source)
    return {} if isinstance(found, TooLong) else {test.name: test for test in found}


def _tests(path: str, source: bytes) -> tuple[Test, ...]:
    root = tree(path, source)
    if root is None:
        return ()
    found, shared, declared = list[tuple[str, Node]](), list[Node](), dict[str, list[Node]]()
    waiting: list[tuple[Node, tuple[str, ...]]] = [(root, ())]  # the tree may be deeper than Python's stack
    while waiting and len(found) < MOST:
        node, around = waiting.pop()
        what, name = _kind(node)
        inside = (*around, name) if name else around
        if what == "test":
            found.append((" ".join(inside), node))
        elif what == "hook":
            shared.append(node)
            continue
        elif what != "group" and node.type in _DECLARES and not _brings(node):
            for each in _declares(node):
                declared.setdefault(each, []).append(node)
        waiting += [(child, inside) for child in reversed(node.children)]
    read: dict[int, _Read] = {}
    return tuple(
        Test(name, text_of(node)[:_LONGEST], _made_of(node, shared, declared, read), tuple(_expected(node)))
        for name, node in found
    )


def _kind(node: Node) -> tuple[str, str]:
    """Whether a node is a test, a group of tests or what runs around each, and its name."""
    if node.type == "call_expression":
        called = text_of(node.child_by_field_name("function"))[:200]
        first, last = called.replace("(", ".").partition(".")[0], called.rpartition(".")[2]
        title = _title(node)
        if title is None:
            return ("hook", "") if first in _HOOKS else ("", "")
        if first in _TESTS or last in _TESTS:
            return "test", title
        return ("group", title) if first in _GROUPS else ("", "")
    named = text_of(node.child_by_field_name("name"))
    if node.type == "function_declaration" and re.match(r"(?:Test|Example|Fuzz)(?![a-z])", named):
        return "test", named
    if node.type == "mod_item":
        return "group", named
    return ("test", named) if node.type == "function_item" and is_test_item(node) else ("", "")


def _title(node: Node) -> str | None:
    given = node.child_by_field_name("arguments")
    first = given.named_children[0] if given is not None and given.named_children else None
    return text_of(first)[1:-1] if first is not None and first.type in ("string", "template_string") else None


def _brings(node: Node) -> bool:
    """Whether it only gives a name to what another file has."""
    return node.type in ("lexical_declaration", "variable_declaration") and "require(" in text_of(node)


def _declares(node: Node) -> list[str]:
    names = [each for child in (node, *node.named_children) for each in child.children_by_field_name("name")]
    return [text for each in names for text in _leaves(each, names_alone=True)]


def _made_of(
    test: Node, shared: list[Node], declared: Mapping[str, list[Node]], read: dict[int, _Read]
) -> frozenset[str]:
    """The texts of the test, of what runs around it, and of what its file declares and these use. read: the nodes that
    were read for another test already."""
    todo, seen, texts = [test, *shared], set[str](), set[str]()
    while todo:
        node = todo.pop()
        if node.id not in read:
            read[node.id] = " ".join(_leaves(node)), frozenset(_leaves(node, names_alone=True)) & declared.keys()
        text, names = read[node.id]
        texts.add(text)
        todo += [each for name in names - seen for each in declared[name]]
        seen |= names
    return frozenset(texts)


def _leaves(node: Node, *, names_alone: bool = False) -> list[str]:
    below = nodes_below(node, but=lambda each: "comment" in each.type)
    leaves = [each for each in below if not each.child_count]
    return [text_of(each) for each in leaves if not names_alone or "identifier" in each.type or "constant" in each.type]


def _expected(test: Node) -> Iterator[frozenset[str]]:
    for node in nodes_below(test):
        if node.type == "call_expression":
            called = text_of(node.child_by_field_name("function"))[:200]
            if called != "expect" and _ASSERTS.match(called) and node is not test:
                yield frozenset(_values(node.child_by_field_name("arguments")))
        elif node.type == "macro_invocation" and text_of(node.child_by_field_name("macro")).startswith("assert"):
            parts = [each for child in node.children if child.type == "token_tree" for each in child.children]
            yield frozenset(value for part in parts if part.type != "token_tree" for value in _values(part))
        elif node.type == "if_statement":
            condition = node.child_by_field_name("condition")
            if condition is not None and condition.type == "binary_expression":
                yield frozenset(_values(condition))


def _values(node: Node | None) -> Iterator[str]:
    """Literals and the names of errors, except for those inside what is called."""
    waiting = [node] if node is not None else []
    while waiting:
        each = waiting.pop()
        if each.type in _CALLS:
            continue
        text = text_of(each)
        if each.type in _VALUES:
            yield text[1:-1] if text[:1] in "\"'`" else text
        elif "identifier" in each.type and text.endswith(_ERROR):
            yield text
        else:
            waiting += each.children


def expected_values(source: str) -> list[frozenset[str]]:
    """The values that each assertion of a test expects, as they are written: what stands right beside a comparison, in
    `assertEqual` and its like, and what `raises` names."""
    found = []
    for node in ast.walk(tree_of(source)):
        parts: list[ast.expr] = []
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare):
            parts = [node.test.left, *node.test.comparators]
        elif isinstance(node, ast.Assert):
            found.append(frozenset[str]())
            continue
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name == "raises" or name.startswith("assert"):
                parts = [*node.args, *(each.value for each in node.keywords)]
        if parts:
            found.append(frozenset(text for part in parts for text in _written_values(part)))
    return found


def _written_values(node: ast.expr) -> list[str]:
    """Literals, and the names of exceptions; those inside lists, tuples and dictionaries as well."""
    match node:
        case ast.Constant(value=str() as text):
            return [text]
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return [repr(number)]
        case ast.Name(id=name) if name.endswith(("Error", "Exception", "Warning")):
            return [name]
        case ast.Attribute(attr=name) if name.endswith(("Error", "Exception", "Warning")):
            return [name]
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return [text for part in parts for text in _written_values(part)]
        case ast.Dict(keys=keys, values=values):
            return [text for part in (*keys, *values) if part is not None for text in _written_values(part)]
    return []


Spans = tuple[tuple[int, int], ...]
_ROOTS = ("lib.rs", "main.rs")


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


def may_hold(path: str, name: str) -> bool:
    """Whether a test of that name may stand in that file, by the names of its modules."""
    return path.endswith(".rs") and any(path == each or path.endswith(f"/{each}") for each, _ in places(name))


def places(name: str) -> Iterator[tuple[str, str]]:
    """Files in which a test may stand, from its package's folder, and its name there, the innermost module first."""
    root, _, inner = name.partition("::")
    folder, _, file = root.rpartition("/")
    parts = inner.split("::")
    for depth in range(len(parts) - 1 if file in _ROOTS else 0, 0, -1):
        module, rest = "/".join([folder, *parts[:depth]]).lstrip("/"), "::".join(parts[depth:])
        yield f"{module}.rs", rest
        yield f"{module}/mod.rs", rest
    yield root, inner


def _spans(source: bytes) -> Spans:
    return _known_spans(source) if b"test" in source else ()


@text_cache(_KEPT)
def _known_spans(source: bytes) -> Spans:
    found = _read_spans(source) if len(source) <= _FEW else run_in_child(_read_spans, source)
    return () if isinstance(found, TooLong) else found


def _read_spans(source: bytes) -> Spans:
    root = tree("a.rs", source)
    if root is None:
        return ()
    found, begins, marked = list[tuple[int, int]](), -1, False
    for node in root.named_children:
        if node.type in ABOVE:
            if node.type == "attribute_item" and begins < 0:
                begins = node.start_byte
            marked = marked or marks_test(node)
            continue
        if marked:
            found.append((begins, node.end_byte))
        begins, marked = -1, False
    return tuple(found)
