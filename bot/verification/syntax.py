"""Reading Python source: strangers' source too, and from several threads at once. Nothing of it is run.

Larger source is read in a child first (`bot.child_process`): a stranger's file may take minutes, or more stack than
there is, and nothing ends a parser that is at work in this process.
CPython before 3.11.8 and 3.12.2 keeps the depth of the tree it is building in one place for all threads: when two parse
at once, source that is fine can raise `SystemError` (its issue gh-106905). So one thread parses at a time.
"""

import ast
import hashlib
import math
import threading
import warnings
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import wraps
from io import BytesIO
from tokenize import detect_encoding
from typing import Any, Literal, TypeVar, TypeVarTuple, overload

from bot.child_process import SMALL, in_a_child, run_in_child

# What reading a stranger's source, or a literal in it, may raise.
UNREADABLE = (SyntaxError, ValueError, TypeError, MemoryError, RecursionError)
Node = ast.FunctionDef | ast.AsyncFunctionDef
_LOCK = threading.Lock()
_MOST_KNOWN = 4096
_KEPT = 16_000_000  # bytes of files whose functions are known
_HEADER = 2_000  # bytes that hold the two lines in which an encoding may be named
_NOT_PLAIN = bytes(range(128, 256))
_ends: dict[bytes, bool] = {}  # whether a child came to an end with a source, by its digest


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a Python file. name: dotted, with the classes and functions around it; first, last: its lines, from
    1, its decorators among them. path and name are strangers'."""

    path: str
    name: str
    first: int
    last: int

    @property
    def called(self) -> str:
        """As people are told of it."""
        return f"{self.path}:{self.name}"


@overload
def parse(source: str | bytes, mode: Literal["exec"] = "exec") -> ast.Module: ...
@overload
def parse(source: str | bytes, mode: Literal["eval"]) -> ast.Expression: ...
def parse(source: str | bytes, mode: Literal["exec", "eval"] = "exec") -> ast.Module | ast.Expression:
    """As `ast.parse`; raises what it raises, and `SyntaxError` for what takes too long to read, or names an encoding in
    which plain characters mean others: its lines and columns are not those of the file."""
    if len(source) > SMALL and not in_a_child():
        _read_before(source, mode)
    with _LOCK, warnings.catch_warnings(action="ignore"):  # what it warns of is of every thread
        if isinstance(source, bytes) and b"coding" in source[:_HEADER]:
            _read_as_written(source)
        return ast.parse(source) if mode == "exec" else ast.parse(source, mode="eval")


def _read_before(source: str | bytes, mode: str) -> None:
    """Raise `SyntaxError` unless a child came to an end with it in its time. What is wrong with it is found here."""
    text = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    key = hashlib.sha256(mode.encode() + text).digest()
    if key not in _ends:
        if len(_ends) >= _MOST_KNOWN:
            _ends.clear()
        _ends[key] = run_in_child(ends, source, mode) is True
    if not _ends[key]:
        raise SyntaxError("reading it took too long and was stopped")


def _read_as_written(source: bytes) -> None:
    encoding, _ = detect_encoding(BytesIO(source).readline)
    try:
        plain = source.decode(encoding).encode("ascii", "ignore")
    except (LookupError, UnicodeError) as error:
        raise SyntaxError(f"it is not in the encoding that it names: {type(error).__name__}") from None
    if plain != source.translate(None, _NOT_PLAIN):
        raise SyntaxError("it names an encoding in which plain characters mean others")


def ends(source: str | bytes, mode: str) -> bool:
    """Whether a parser comes to an end with it in this process: made in a child, of so much time and memory."""
    try:
        ast.parse(source, mode=mode)
    except MemoryError:
        return False
    except (SyntaxError, ValueError, RecursionError):
        pass
    return True


def tree_of(source: str | bytes) -> ast.Module:
    """The module; an empty one where it does not parse."""
    try:
        return parse(source)
    except UNREADABLE:
        return ast.Module([], [])


def plain_value(text: str | ast.expr) -> Any:
    """The value that it stands for, as a literal of Python; `None` where it is none."""
    try:
        return ast.literal_eval(parse(text, mode="eval").body if isinstance(text, str) else text)
    except UNREADABLE:
        return None


def literal(text: str) -> Any:
    """As `ast.literal_eval` of a text."""
    with _LOCK:
        return ast.literal_eval(text)


def is_literal(node: ast.expr) -> bool:
    """Whether an expression is a plain value, such as a number or a list of texts."""
    try:
        ast.literal_eval(node)
    except UNREADABLE:
        return False
    return True


def starts(node: ast.stmt) -> int:
    """The line on which the interpreter lets a statement begin: that of a function's first decorator."""
    marks: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(mark.lineno for mark in marks)])


def innermost(functions: Iterable[Function]) -> Callable[[int], Function | None]:
    """The smallest function around a line, asked for as many lines as are wanted. functions: of one file."""
    opening = sorted(functions, key=lambda function: (function.first, -function.last))
    starts_at: list[int] = [0]
    open_: list[Function] = []
    owners: list[Function | None] = [None]

    def close(before: float) -> None:
        while open_ and open_[-1].last < before:
            last = open_.pop().last
            starts_at.append(last + 1)
            owners.append(open_[-1] if open_ else None)

    for function in opening:
        close(function.first)
        open_.append(function)
        starts_at.append(function.first)
        owners.append(function)
    close(math.inf)
    return lambda line: owners[bisect_right(starts_at, line) - 1]


Given = TypeVarTuple("Given")
Answer = TypeVar("Answer")

ENTRY = 500  # bytes that an answer costs beside its texts


def text_cache(most: int) -> Callable[[Callable[[*Given], Answer]], Callable[[*Given], Answer]]:
    """A decorator for pure functions of texts: what was asked last is answered from memory.

    most: bytes of all that is kept, by the texts that were given. A stranger's file may have megabytes, so that a
    number of files would be no bound.
    """

    def decorate(function: Callable[[*Given], Answer]) -> Callable[[*Given], Answer]:
        known: OrderedDict[Hashable, tuple[Answer, int]] = OrderedDict()
        lock, kept = threading.Lock(), 0

        @wraps(function)
        def asked(*given: *Given) -> Answer:
            nonlocal kept
            with lock:
                if given in known:
                    known.move_to_end(given)
                    return known[given][0]
            answer = function(*given)
            size = ENTRY + sum(len(each) for each in given if isinstance(each, bytes | str))
            with lock:
                if given not in known:
                    known[given] = (answer, size)
                    kept += size
                while kept > most:
                    kept -= known.popitem(last=False)[1][1]
            return answer

        return asked

    return decorate


@text_cache(_KEPT)
def functions_of(path: str, source: bytes) -> tuple[Function, ...]:
    """Every function of the file, outer ones before those in them, in no depth of the interpreter's stack; none where
    it does not parse."""
    found, waiting = list[Function](), list[tuple[str, ast.AST]]([("", tree_of(source))])
    while waiting:
        prefix, node = waiting.pop()
        for child in ast.iter_child_nodes(node):
            named = isinstance(child, Node | ast.ClassDef)
            name = f"{prefix}{child.name}" if named else prefix  # type: ignore[attr-defined]
            if isinstance(child, Node):
                found.append(Function(path, name, starts(child), child.end_lineno or child.lineno))
            if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
                waiting.append((f"{name}." if named else prefix, child))
    return tuple(found)


def lets_more_in(name: str, before: bytes, after: bytes) -> bool:
    """Whether the one function of this name, without what stands around it, has the same body in both versions of a
    file, gives no value, and takes more by position or by name than it did."""
    both = [_named(name, each) for each in (before, after)]
    if not all(len(found) == 1 for found in both):
        return False
    old, new = both[0][0], both[1][0]
    try:
        same = list(map(ast.dump, _without_words(old))) == list(map(ast.dump, _without_words(new)))
        gives = any(
            isinstance(each, ast.Return | ast.Yield | ast.YieldFrom) and not _is_none(each) for each in ast.walk(new)
        )
    except RecursionError:
        return False
    more = _given(new).keys() - _given(old).keys()
    return same and not gives and bool(more) and _given(old).items() <= _given(new).items()


def _is_none(node: ast.Return | ast.Yield | ast.YieldFrom) -> bool:
    plain = node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)
    return isinstance(node, ast.Return) and plain


def _named(name: str, source: bytes) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [node for node in ast.walk(tree_of(source)) if isinstance(node, Node) and node.name == name]


def _given(function: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, str]:
    """What it may be given -> how."""
    its = function.args
    many = {f"{stars}{each.arg}": stars for stars, each in (("*", its.vararg), ("**", its.kwarg)) if each}
    named = {each.arg: "name" for each in its.kwonlyargs}
    return {each.arg: str(at) for at, each in enumerate((*its.posonlyargs, *its.args))} | named | many


def _without_words(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
    return function.body[1:] if ast.get_docstring(function) is not None else function.body
