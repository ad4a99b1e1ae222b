"""Files of tests, read from the syntax tree: Python, JavaScript, TypeScript, Go and Rust. Nothing is run.

Names are as `testing.runners` has them: `file::group > test`, in Go `package::Test`, in Rust `file::module::test`, by
its crate's root (`src/lib.rs::module::tests::works`), whichever file its module stands in.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import PurePosixPath

from tree_sitter import Node

from bot.changes.syntax import nodes_below, plain_text, text_of, tree
from bot.child_process import TooLong, run_in_child
from bot.verification.files.loads import READ
from bot.verification.files.rust_tests import is_test_item
from bot.verification.syntax import text_cache
from bot.verification.testing.sources import defines_python_tests

MOST = 2_000  # tests of one file
_LONGEST = 8_000  # characters of one test that are kept
_MOST_PARTS = 500  # that belong to one test
_MOST_USED = 500  # names that one of them uses
_FEW = 2_000  # bytes that are read in this process
_SECONDS = 10.0  # of the processor, for one file
_KEPT = 8_000_000  # bytes of files
_GROUPS = frozenset({"describe", "suite", "context"})
_TESTS = frozenset({"test", "it", "specify"})
_HOOKS = frozenset({"before", "beforeEach", "beforeAll", "after", "afterEach", "afterAll", "setup", "teardown"})
_HOOKS_OF_PYTHON = ("pytestmark", "setup_module", "setup_function", "setUpModule", "teardown_module", "tearDownModule")
_DECLARES = frozenset(
    {
        *("function_declaration", "generator_function_declaration", "class_declaration", "lexical_declaration"),
        *("variable_declaration", "var_declaration", "const_declaration", "type_declaration", "function_item"),
        *("const_item", "static_item", "struct_item", "enum_item", "macro_definition"),
    }
)
_QUOTED = ("string_content", "string_fragment", "interpreted_string_literal_content")
_IMPORTS = frozenset({"import_statement", "import_from_statement", "future_import_statement"})  # of Python
_VALUES = frozenset({"string", "number", "interpreted_string_literal", "raw_string_literal", "int_literal"})
_VALUES |= {"float_literal", "integer_literal", "string_literal", "template_string", "integer", "float"}
_OTHERS = frozenset({"call_expression", "new_expression", "arrow_function", "function_expression", "func_literal"})
_OTHERS |= {"call", "lambda", "subscript", "binary_operator"}  # of Python
_ASSERTS = re.compile(
    r"(?:assert|expect|require|should)\b|assert_?[a-z]*!?$|(?:assert|require|expect|t)\.\w+"
    r"|(?:.*\.)?(?:raises$|assert\w*$)"  # of Python
)
_ERROR = ("Error", "Exception", "Warning")

Expected = tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a file of tests. text: what it says, whatever the layout. uses: the names in it. brings: it gives a
    name to what another file has."""

    text: str
    uses: tuple[str, ...] = field(default=(), compare=False)
    brings: bool = False


Placed = tuple[str, Snippet]  # with its file


@dataclass(frozen=True, slots=True)
class Test:
    """One test. source: its text. parts: itself, and what stands around it. expected: the values that each of its
    assertions expects."""

    __test__ = False

    source: str
    parts: tuple[Snippet, ...]
    expected: Expected


@dataclass(frozen=True, slots=True)
class TestFile:
    """tests: by their names, groups, classes and modules before them with a blank between; in Python each function may
    be one. declared: what else it has, by its names. shared: what runs around each test."""

    __test__ = False

    tests: Mapping[str, Test] = field(default_factory=dict)
    declared: Mapping[str, tuple[Snippet, ...]] = field(default_factory=dict)
    shared: tuple[Snippet, ...] = ()

    def demands(
        self, test: Test, path: str = "", defined: Callable[[str, str], Iterable[Placed]] | None = None
    ) -> frozenset[Snippet]:
        """All that a test is made of. defined: what gives a name its meaning in a file; else what this one declares."""
        defined = defined or (lambda path, name: ((path, each) for each in self.declared.get(name, ())))
        todo = [(path, each) for each in (*test.parts, *self.shared)]
        seen, found = set[tuple[str, str]](), set[Snippet]()
        while todo and len(found) < _MOST_PARTS:
            found.update(part for _, part in todo)
            names = dict.fromkeys((where, name) for where, part in todo for name in part.uses)
            todo = list(chain.from_iterable(defined(*each) for each in names if each not in seen))
            seen.update(names)
        return frozenset(found)


def read_tests(path: str, source: bytes) -> TestFile:
    """The tests of a file; none where it is unreadable."""
    return _known(PurePosixPath(path).suffix, source) if path.endswith((".py", *READ)) else TestFile()


def defines_tests(path: str, source: bytes) -> bool:
    """Whether a file has tests, or classes of tests."""
    return defines_python_tests(source) if path.endswith(".py") else bool(read_tests(path, source).tests)


@text_cache(_KEPT)
def _known(suffix: str, source: bytes) -> TestFile:
    path = f"a{suffix}"
    found = _read(path, source) if len(source) <= _FEW else run_in_child(_read, path, source, seconds=_SECONDS)
    return TestFile() if isinstance(found, TooLong) else found


def _read(path: str, source: bytes) -> TestFile:
    root, python = tree(path, source, whole=False), path.endswith(".py")
    tests, shared, known = dict[str, Test](), list[Snippet](), dict[int, Snippet]()
    declared: dict[str, list[Snippet]] = {}

    def part(node: Node) -> Snippet:
        if node.id not in known:
            known[node.id] = Snippet(plain_text(path, node, source), tuple(dict.fromkeys(_names(node)))[:_MOST_USED])
        return known[node.id]

    # The tree may be deeper than Python's stack.
    waiting: list[tuple[Node, tuple[str, ...], tuple[Node, ...]]] = [(root, (), ())] if root else []
    while waiting and len(tests) < MOST:
        whole, names, around = waiting.pop()
        node = _inner(whole)
        what, name = _kind(node)
        inside = (*names, name) if name else names
        if what == "hook":
            shared.append(part(node))
            continue
        if what == "test":
            parts = tuple(map(part, (whole, *around)))
            tests[" ".join(inside)] = Test(text_of(whole)[:_LONGEST], parts, tuple(_expected(whole)))
        if not python and not what and node.type in _DECLARES and not _brings(node):
            for each in _declares(node):
                declared.setdefault(each, []).append(part(node))
        elif python and not names:
            for each, its in _bound(whole, node, part):
                declared.setdefault(each, []).append(its)
        if python and node.type in ("function_definition", "expression_statement", *_IMPORTS):
            continue
        if what == "group" and python:
            around = (*around, *_around(whole, node))
        waiting += [(child, inside, around) for child in reversed(node.children)]
    shared += [each for name in _HOOKS_OF_PYTHON if python for each in declared.get(name, ())]
    return TestFile(tests, {name: tuple(its) for name, its in declared.items()}, tuple(shared))


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
    if node.type == "function_definition" or (
        node.type == "function_declaration" and re.match(r"(?:Test|Example|Fuzz)(?![a-z])", named)
    ):
        return "test", named
    if node.type in ("mod_item", "class_definition"):
        return "group", named
    return ("test", named) if node.type == "function_item" and is_test_item(node) else ("", "")


def _title(node: Node) -> str | None:
    given = node.child_by_field_name("arguments")
    first = given.named_children[0] if given is not None and given.named_children else None
    return text_of(first)[1:-1] if first is not None and first.type in ("string", "template_string") else None


def _brings(node: Node) -> bool:
    return node.type in ("lexical_declaration", "variable_declaration") and "require(" in text_of(node)


def _declares(node: Node) -> list[str]:
    names = [each for child in (node, *node.named_children) for each in child.children_by_field_name("name")]
    return [text for each in names for text in _names(each)]


def _bound(whole: Node, node: Node, part: Callable[[Node], Snippet]) -> Iterator[Placed]:
    """The names that a statement of Python's gives a meaning, and what it says of each: of an import that one alone."""
    if node.type in ("function_definition", "class_definition"):
        yield text_of(node.child_by_field_name("name")), part(whole)
    elif node.type == "expression_statement":
        left = [each.child_by_field_name("left") for each in node.named_children]
        yield from ((name, part(node)) for each in left if each for name in dict.fromkeys(_names(each)))
    elif node.type in _IMPORTS:
        module = text_of(node.child_by_field_name("module_name"))
        for each in node.children_by_field_name("name"):
            name = text_of(each.child_by_field_name("name") or each)
            called = text_of(each.child_by_field_name("alias")) or name.partition(".")[0]
            yield called, Snippet(f"import {module} {text_of(each)}", (name.rpartition(".")[2],), brings=True)


def _inner(node: Node) -> Node:
    """What Python decorates, or anything else itself."""
    return node.child_by_field_name("definition") or node if node.type == "decorated_definition" else node


def _around(whole: Node, node: Node) -> Iterator[Node]:
    """What a class of Python's is made of besides its tests: decorators, bases, attributes, set-up, helpers."""
    yield from (each for each in whole.children if each.type == "decorator")
    bases, body = node.child_by_field_name("superclasses"), node.child_by_field_name("body")
    yield from filter(None, [bases])
    for each in body.named_children if body else ():
        of = _inner(each)
        if of.type != "function_definition" or not text_of(of.child_by_field_name("name")).startswith("test"):
            yield each


def _names(node: Node) -> Iterator[str]:
    """The names in it, and those that a text may be, as in `usefixtures("…")`."""
    for each in nodes_below(node, but=lambda each: "comment" in each.type):
        named = "identifier" in each.type or "constant" in each.type
        if not each.child_count and (named or (each.type in _QUOTED and text_of(each).isidentifier())):
            yield text_of(each)


def _expected(test: Node) -> Iterator[frozenset[str]]:
    """The values that each assertion expects, as they are written: what stands beside a comparison, in `assertEqual`
    and its like, and what `raises` names."""
    for node in nodes_below(test):
        if node.type in ("call_expression", "call"):
            called = text_of(node.child_by_field_name("function"))[:200]
            if called != "expect" and _ASSERTS.match(called) and node is not test:
                yield frozenset(_values(node.child_by_field_name("arguments")))
        elif node.type == "macro_invocation" and text_of(node.child_by_field_name("macro")).startswith("assert"):
            parts = [each for child in node.children if child.type == "token_tree" for each in child.children]
            yield frozenset(value for part in parts if part.type != "token_tree" for value in _values(part))
        elif node.type == "assert_statement":  # of a mere condition, and the message, nothing is known
            compared = node.named_child(0)
            yield frozenset(_values(compared) if compared and compared.type == "comparison_operator" else ())
        elif node.type == "if_statement":
            condition = node.child_by_field_name("condition")
            if condition is not None and condition.type == "binary_expression":
                yield frozenset(_values(condition))


def _values(node: Node | None) -> Iterator[str]:
    """Literals and the names of errors, except for those inside what is called or worked out."""
    waiting = [node] if node is not None else []
    while waiting:
        each = waiting.pop()
        if each.type in _OTHERS:
            continue
        text = text_of(each)
        if each.type in _VALUES:
            yield text[1:-1] if text[:1] in "\"'`" else text
        elif "identifier" in each.type and text.endswith(_ERROR):
            yield text
        else:
            waiting += each.children
