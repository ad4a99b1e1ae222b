"""Calls with literal arguments, and what is expected of them, read from text nobody trusts. Nothing is ever run.

A call and an expectation have a normal form, the text that Python's own unparser gives them: it can be pasted, put
into a test's source and compared, whatever the text it was read from tried to smuggle in.
"""

import ast
import builtins
import copy
import inspect
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from keyword import iskeyword
from typing import Any

from bot.judges.code import Interface
from bot.verification.syntax import UNREADABLE, parse, tree_of

SCRIPT = "run_script"
FUNCTION = "make_function"
# `calls/given.py`: what these are first given says what they make.
GIVEN = (SCRIPT, FUNCTION, "make_file", "make_path")
MAX_TEXT = 4_000  # characters of one call or literal
MAX_LINES = 2_000  # of a text that is searched for examples
MAX_LINE = 1_000

_SELF = "self"  # stands for the object of a method
_BARE = inspect.Signature([inspect.Parameter(_SELF, inspect.Parameter.POSITIONAL_ONLY)])  # of a class without its own
_RAISES = re.compile(r"raises\s+([A-Za-z]\w*)")


@dataclass(frozen=True, slots=True)
class Call:
    """One call. arguments: by parameter, in normal form. text: its normal form, which does not count in a comparison:
    two ways to write one call are equal.
    """

    function: str
    arguments: tuple[tuple[str, str], ...]
    text: str = field(compare=False)


def read_call(text: str, interface: Interface) -> Call | None:
    """The call, when it is one to a function of the interface, or to a method of an object made for it, with literal
    arguments that these take."""
    node = literal_call(text)
    made = maker(node)
    if node is None:
        return None
    known = _signatures(interface)
    if made is None:
        given = _bound(node, known.get(ast.unparse(node.func)))
        return Call(ast.unparse(node.func), given, ast.unparse(node)) if given is not None else None
    of, name = ast.unparse(made.func), getattr(node.func, "attr", "")
    given, own = _bound(node, known.get(f"{of}.{name}"), _SELF), _bound(made, known.get(f"{of}.__init__", _BARE), _SELF)
    if given is None or own is None:
        return None
    return Call(f"{of}.{name}", (*((f"{of}({key})", value) for key, value in own), *given), ast.unparse(node))


def _bound(node: ast.Call, signature: inspect.Signature | None, *first: str) -> tuple[tuple[str, str], ...] | None:
    """Arguments by parameter; `None` where the function does not take them, or none is known."""
    words = {str(word.arg): ast.unparse(word.value) for word in node.keywords}
    try:
        bound = signature.bind(*first, *map(ast.unparse, node.args), **words) if signature else None
    except TypeError:
        return None
    if bound is not None:
        bound.apply_defaults()
    return tuple((name, str(value)) for name, value in bound.arguments.items()) if bound else None


def literal_call(text: str) -> ast.Call | None:
    """The call, when all it does is to call a plain name, or a method of what such a call makes, with literals."""
    node = _expression(text)
    made = maker(node)
    calls = [each for each in (node, made) if isinstance(each, ast.Call)]
    names = [getattr(each.func, "id", getattr(each.func, "attr", "")) for each in calls]
    if not calls or not isinstance(calls[-1].func, ast.Name) or any(name.startswith("__") for name in names):
        return None
    for each in calls:
        named = [word.arg for word in each.keywords]
        plain = all(map(_is_literal, (*each.args, *(word.value for word in each.keywords))))
        if not plain or None in named or len(set(named)) < len(named):
            return None
    return calls[0]


def maker(node: ast.expr | None) -> ast.Call | None:
    """The call that makes the object whose method is called; `None` for a function."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Call() as made)):
            return made
    return None


def name_to_import(call: ast.Call) -> str:
    """Of a literal call, what is imported for it."""
    return ast.unparse((maker(call) or call).func)


def read_expected(text: str) -> str | None:
    """The normal form of a literal, or of `raises X` with a built-in exception."""
    if raises := _RAISES.fullmatch(text.strip()):
        found = getattr(builtins, raises[1], None)
        return f"raises {raises[1]}" if isinstance(found, type) and issubclass(found, Exception) else None
    node = _expression(text)
    return ast.unparse(node) if node is not None and _is_literal(node) else None


def exception(expected: str) -> str:
    """The exception's name in an expectation of the form `raises X`, else nothing."""
    raises = _RAISES.fullmatch(expected)
    return raises[1] if raises else ""


def same(one: str, other: str) -> bool:
    """Whether two expectations in normal form mean the same."""
    if exception(one) or exception(other):
        return one == other
    return same_value(*(_value(parse(text, mode="eval").body) for text in (one, other)))


def returned(value: str) -> str:
    """Of what a call gave, as the sandbox writes it, the value alone, without what was printed beside it."""
    try:
        node = parse(value, mode="eval").body if value.startswith("Printed(") else None
    except UNREADABLE:
        return value
    return ast.unparse(node.args[1]) if isinstance(node, ast.Call) and len(node.args) > 1 else value


def settled(found: Any) -> Any:
    """What a call gives, as a text about it means it: of a generator and its like, the items.

    Before they are asked for, nothing of what it does has happened: it has raised nothing either.
    """
    return list(islice(found, 10_000)) if isinstance(found, Iterator) else found


def same_value(found: Any, expected: Any) -> bool:
    """Equality of literals, floats to within one part in a million, NaN equal to itself."""
    if isinstance(found, float) and isinstance(expected, float) and math.isnan(found):
        return math.isnan(expected)
    if float in (type(found), type(expected)) and {type(found), type(expected)} <= {int, float}:
        try:
            return math.isclose(found, expected, rel_tol=1e-6, abs_tol=0.0 if expected else 1e-9)
        except OverflowError:  # an integer beyond all floats
            return False
    if isinstance(expected, list | tuple) and type(found) is type(expected):
        return len(found) == len(expected) and all(map(same_value, found, expected))
    if isinstance(expected, dict) and isinstance(found, dict):
        return found.keys() == expected.keys() and all(same_value(found[key], expected[key]) for key in expected)
    return bool(found == expected)


def interface_of(source: str, module: str, *, awaited: bool = False) -> Interface:
    """The public functions at the top of a module, and the methods of its classes behind their names; none when it does
    not parse. awaited: asynchronous ones as well, which no plain call makes."""
    body = tree_of(source).body
    named = {"": body} | {f"{node.name}.": node.body for node in body if isinstance(node, ast.ClassDef)}
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef) if awaited else ast.FunctionDef
    functions = ((prefix, node) for prefix, its in named.items() for node in its if isinstance(node, kinds))
    public = [(prefix, node) for prefix, node in functions if node.name == "__init__" or node.name[0] != "_"]
    returns = {node: f" -> {ast.unparse(node.returns)}" if node.returns else "" for _, node in public}
    return Interface(
        module, tuple(f"{prefix}{each.name}({ast.unparse(each.args)}){returns[each]}" for prefix, each in public)
    )


def calls_in(text: str, interface: Interface) -> Iterator[str]:
    """The calls with literal arguments that a text names, in normal form, whatever it says of them."""
    for line in text.splitlines()[:MAX_LINES]:
        for start in calls_at(line, interface) if len(line) <= MAX_LINE else ():
            if found := call_at_start(line[start:], interface):
                yield found[0].text


def calls_at(line: str, interface: Interface) -> Iterator[int]:
    """Where a line begins to call one of the functions."""
    for name in dict.fromkeys(each.partition(".")[0] for each in _signatures(interface)):
        yield from (found.start() for found in re.finditer(rf"(?<![\w.]){re.escape(name)}\s*\(", line))


def is_module(name: str) -> bool:
    """Whether the name can stand in an import."""
    return all(part.isidentifier() and not iskeyword(part) for part in name.split("."))


def _expression(text: str) -> ast.expr | None:
    if len(text) > MAX_TEXT:
        return None
    try:
        found: ast.expr = parse(text.strip(), mode="eval").body
        return found
    except UNREADABLE:
        return None


def _is_literal(node: ast.expr) -> bool:
    try:
        _value(node)
    except UNREADABLE:
        return False
    return not any(isinstance(part, ast.Constant) and part.value is ... for part in ast.walk(node))


def _value(node: ast.expr) -> Any:
    """What a literal means. Raises ValueError for anything else. Not changed by it."""
    return ast.literal_eval(_Plain().visit(copy.deepcopy(node)))


class _Plain(ast.NodeTransformer):
    """`float('nan')` and `float('inf')`, which Python has no literals for, as constants."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(
                func=ast.Name(id="float"), args=[ast.Constant(value="nan" | "inf" | "-inf" as text)], keywords=[]
            ):
                return ast.Constant(float(text))
        return node


def _signatures(interface: Interface) -> dict[str, inspect.Signature]:
    """By function name; what cannot be read is left out."""
    found = {}
    for line in interface.signatures:
        name, _, rest = line.partition("(")
        for function in tree_of(f"def _({rest}: ...").body[:1]:
            if isinstance(function, ast.FunctionDef):
                found[name] = _bindable(function.args)
    return found


def _bindable(arguments: ast.arguments) -> inspect.Signature:
    """The signature with the text of each default in its place."""
    kinds = inspect.Parameter
    positional = [
        *((a, kinds.POSITIONAL_ONLY) for a in arguments.posonlyargs),
        *((a, kinds.POSITIONAL_OR_KEYWORD) for a in arguments.args),
    ]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    parameters = [_parameter(a.arg, kind, default) for (a, kind), default in zip(positional, defaults, strict=True)]
    if arguments.vararg:
        parameters.append(kinds(arguments.vararg.arg, kinds.VAR_POSITIONAL))
    for a, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        parameters.append(_parameter(a.arg, kinds.KEYWORD_ONLY, default))
    if arguments.kwarg:
        parameters.append(kinds(arguments.kwarg.arg, kinds.VAR_KEYWORD))
    return inspect.Signature(parameters)


def _parameter(name: str, kind: Any, default: ast.expr | None) -> inspect.Parameter:
    return inspect.Parameter(name, kind, default=inspect.Parameter.empty if default is None else ast.unparse(default))


def call_at_start(line: str, interface: Interface) -> tuple[Call, str] | None:
    """The call that a line begins with, and what comes after it."""
    for end in [match.end() for match in re.finditer(r"\)", line)][:20]:
        if call := read_call(line[:end], interface):
            return call, line[end:].lstrip()
    return None
