"""Whether two texts are the same program except for comments, docstrings and formatting.

The only module that knows tree-sitter. Its grammars lie inside wheels; nothing is fetched and nothing is executed. A
text that is not parsed to its end, without an error and within bounds, is never called the same as another.
"""

import importlib
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache

from tree_sitter import Language, Node, Parser, Query, QueryCursor

from bot.changes.readers import Rows, beside, suffix
from bot.child_process import run_in_child

_FEW = 2_000  # characters that are read in this process
LARGEST = 512 * 1024  # bytes of a text that is parsed
_MOST_NODES = 200_000
_PATIENCE = 50  # bytes for one report of progress; ordinary code has more than a hundred, text made to be slow a few

Shape = tuple[str | bytes, ...]


class _TooMuch(Exception):
    """The text is too large or takes too long."""


class _Grammar(Rows):
    """A row of `syntax.toml`, which says what each part means."""

    module: str
    function: str = "language"
    endings: tuple[str, ...] = ()
    types: str = ""


class _Table(Rows):
    obeyed: tuple[str, ...]
    verbatim: tuple[str, ...]
    grammar: tuple[_Grammar, ...]


_TABLE = beside(__file__, _Table)
_GRAMMARS = {ending: grammar for grammar in _TABLE.grammar for ending in grammar.endings}
_BASH = _Grammar(module="bash")
_SHELL = frozenset({".sh", ".bash"})  # read for its functions alone

_ORDER = re.compile("|".join(_TABLE.obeyed).encode())
_ENDS_A_LINE = re.compile(rb"\r(?![\n]|\Z)|\xe2\x80[\xa8\xa9]")  # for a language, though not for its grammar


def readable(path: str) -> bool:
    """Whether there is a grammar for such a file."""
    return suffix(path) in _GRAMMARS


def same_program(path: str, before: str, after: str) -> bool:
    """Whether two whole files differ in nothing but comments, docstrings and formatting; no, where that takes long. A
    grammar may take long over much less than a page of what is no program."""
    few = len(before) + len(after) <= _FEW
    same = _same_program(path, before, after) if few else run_in_child(_same_program, path, before, after)
    return same is True


def same_but_for_types(path: str, before: str, after: str) -> bool:
    """The same where types that a program runs without may differ as well: Python's of functions without a decorator,
    TypeScript's in a file without any. A program may still read Python's as it runs."""
    grammar = _GRAMMARS.get(suffix(path))
    asked = (before, after) if grammar and grammar.types else ()
    bare = [run_in_child(without_types, path, text) for text in asked]
    return bool(bare) and all(isinstance(text, str) for text in bare) and same_program(path, *map(str, bare))


def without_types(path: str, text: str, instead: str = "") -> str:
    """The file without them and what goes with them, or with something else in the place of each type; as it is where
    it is not read. For a child process."""
    grammar, source = _GRAMMARS.get(suffix(path), _BASH), text.encode("utf-8", "replace")
    found: dict[str, list[Node]] = {"type": [], "whole": [], "import": [], "decorator": []}
    for each in matches(path, source, grammar.types) if grammar.types else ():
        for name in found.keys() & each.keys():
            found[name] += each[name]
    types = [node for node in found["type"] if not _may_act(node)]
    if instead:
        spans = {(node.start_byte, node.end_byte): instead.encode() for node in types}
        return with_parts(source, _outer(spans)).decode(errors="replace")
    spans = {(node.start_byte, node.end_byte): b"" for node in found["whole"]}
    spans |= {(node.prev_named_sibling.end_byte, node.end_byte): b"" for node in types if node.prev_named_sibling}
    imports = {(node.start_byte, node.end_byte): b"" for node in found["import"]}
    rest = with_parts(source, _outer(spans | imports))
    named = [name.text or b"" for node in found["import"] for name in node.children_by_field_name("name")]
    guards = grammar.module == "python" and found["whole"]  # under a name that only `typing` gives
    if found["decorator"] or (guards and (b"TYPE_CHECKING" in rest or b"TYPE_CHECKING" not in named)):
        return text
    plain = not any(b"*" in (node.text or b"") or b" as " in (node.text or b"") for node in found["import"])
    return (rest if plain and not any(name in rest for name in named) else with_parts(source, _outer(spans))).decode(
        errors="replace"
    )


def _may_act(node: Node) -> bool:
    """Whether a type may do something where it stands, or a decorator read it."""
    makes = any(each in (node.text or b"") for each in (b"(", b":=")) and node.parent is not None
    decorated = any(each.type == "decorated_definition" for each in above(node))
    return decorated or (makes and node.type == "type")


def _outer(spans: Mapping[tuple[int, int], bytes]) -> dict[tuple[int, int], bytes]:
    """Those that lie in no other."""
    end, kept = 0, dict[tuple[int, int], bytes]()
    for first, last in sorted(spans, key=lambda each: (each[0], -each[1])):
        if first >= end:
            kept[first, last] = spans[first, last]
            end = last
    return kept


def _same_program(path: str, before: str, after: str) -> bool:
    grammar = _GRAMMARS.get(suffix(path))
    try:
        shape = _shape(grammar, before) if grammar else None
        return shape is not None and grammar is not None and shape == _shape(grammar, after)
    except _TooMuch:
        return False


@cache
def _language(module: str, function: str) -> Language:
    return Language(getattr(importlib.import_module(f"tree_sitter_{module}"), function)())


def _shape(grammar: _Grammar, text: str) -> Shape | None:
    """The syntax tree without what does not count, as one flat row: names of nodes as `str`, their texts as `bytes`.

    `None` where it has an error. Raises `_TooMuch`.
    """
    source = text.encode("utf-8", "replace")
    root = _tree(grammar, source)
    return None if root.has_error else tuple(_row(root, source, grammar))


def tree(path: str, source: bytes, *, whole: bool = True) -> Node | None:
    """The syntax tree of a file; `None` where there is no grammar for it, it has an error, or parsing it takes long. A
    stranger's text of more than a page is for a child process; see `bot.child_process`. whole: else also where parts of
    it are errors."""
    grammar = _GRAMMARS.get(suffix(path))
    try:
        root = _tree(grammar, source) if grammar else None
    except _TooMuch:
        return None
    return None if root is None or (whole and root.has_error) else root


def matches(path: str, source: bytes, query: str) -> Iterator[dict[str, list[Node]]]:
    """What a query of tree-sitter finds in a file, by its captures; nothing where `tree` reads nothing."""
    grammar = _BASH if suffix(path) in _SHELL else _GRAMMARS.get(suffix(path))
    root = shell_tree(source) if grammar is _BASH else tree(path, source)
    if grammar and root and not root.has_error:
        yield from (found for _, found in QueryCursor(_query(grammar.module, grammar.function, query)).matches(root))


@cache
def _query(module: str, function: str, text: str) -> Query:
    return Query(_language(module, function), text)


def text_of(node: Node | None) -> str:
    """As it stands in the file; empty where there is no node."""
    return (node.text or b"").decode(errors="replace") if node is not None else ""


def nodes_below(root: Node, but: Callable[[Node], bool] = lambda _: False) -> Iterator[Node]:
    """The node and all below it in their order, except for some and all below those; in no depth of Python's stack."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not but(node):
            yield node
            waiting += reversed(node.children)


def above(node: Node) -> Iterator[Node]:
    """The node, what it stands in, and so on."""
    around: Node | None = node
    while around is not None:
        yield around
        around = around.parent


def with_parts(source: bytes, parts: Mapping[tuple[int, int], bytes]) -> bytes:
    """The source with these in the place of what stands from one byte to another."""
    pieces, position = list[bytes](), 0
    for (first, last), text in sorted(parts.items()):
        pieces += [source[position:first], text]
        position = last
    return b"".join([*pieces, source[position:]])


def plain_text(path: str, node: Node, source: bytes) -> str:
    """What a part of a file says, equal where only comments, docstrings and formatting differ."""
    row = _row(node, source, _GRAMMARS[suffix(path)])
    return " ".join(each if isinstance(each, str) else each.decode(errors="replace") for each in row)


def shell_tree(line: bytes) -> Node | None:
    """The syntax tree of a shell's command line, also where parts of it are errors; `None` where it takes long."""
    try:
        return _tree(_BASH, line)
    except _TooMuch:
        return None


def _tree(grammar: _Grammar, source: bytes) -> Node:
    if len(source) > LARGEST:
        raise _TooMuch
    left = 200 + len(source) // _PATIENCE

    def enough(_offset: int, _error: bool) -> bool:
        nonlocal left
        left -= 1
        return left < 0

    def read(offset: int, _point: object) -> bytes:
        return source[offset : offset + 65536]

    parser = Parser(_language(grammar.module, grammar.function))
    try:
        root = parser.parse(read, progress_callback=enough).root_node
    except ValueError:
        raise _TooMuch from None
    if root.descendant_count > _MOST_NODES:
        raise _TooMuch
    return root


def _row(root: Node, source: bytes, grammar: _Grammar) -> Iterator[str | bytes]:
    waiting: list[Node | str | bytes] = [root]  # the tree may be deeper than Python's stack
    while waiting:
        node = waiting.pop()
        if isinstance(node, str | bytes):
            yield node
        elif "comment" in node.type:
            text = source[node.start_byte : node.end_byte]
            if _ORDER.search(text) or _ENDS_A_LINE.search(text):
                yield text
        elif not node.child_count or any(part in node.type for part in _TABLE.verbatim):
            text = source[node.start_byte : node.end_byte]
            if text.strip():
                yield text
        elif grammar.module != "python" or not is_docstring(node):
            waiting.append(")")
            waiting += reversed(list(_inside(node, source)))
            yield node.type


def _inside(node: Node, source: bytes) -> Iterator[Node | bytes]:
    """The children, and what stands between them without being one."""
    position = node.start_byte
    for child in node.children:
        if between := source[position : child.start_byte].strip():
            yield between
        position = child.end_byte
        if child.type != "line_continuation":
            yield child
    if between := source[position : node.end_byte].strip():
        yield between


def is_docstring(node: Node) -> bool:
    """A Python statement that is nothing but a text: it documents a module, class, function or attribute."""
    return node.type == "expression_statement" and all(
        child.type == "string" and not any(part.type == "interpolation" for part in child.children)
        for child in node.children
    )
