"""The same pairs of programs in other forms: a function as a method of a class, and as a module of two files. Made of
their text; nothing of them is run."""

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import StrEnum

from bot.verification.syntax import UNREADABLE, parse
from lab.data.programs import Pair

_CLASS, _PARTS = "Task", "parts.py"


class Form(StrEnum):
    """How a program is called by its tests."""

    FUNCTION = "function"
    METHOD = "method"  # of a class, on an instance made without arguments
    MODULES = "modules"  # as a function of `solution.py`, which calls the one in `parts.py` that a fix changes


def in_forms(pairs: Iterable[Pair]) -> list[dict[Form, Pair]]:
    """Each pair in all forms; without those that cannot be had in each."""
    made = ({form: make(pair) for form, make in _FORMS.items()} for pair in pairs)
    return [{form: pair for form, pair in each.items() if pair} for each in made if all(each.values())]


def _as_method(pair: Pair) -> Pair | None:
    name = tested(pair.tests)
    inside = _Renamed(name, lambda: ast.Attribute(ast.Name("self"), name))
    outside = _Renamed(name, lambda: ast.Attribute(ast.Call(ast.Name(_CLASS), [], []), name))

    def convert(source: str) -> str | None:
        tree = _parsed(source)
        function = _function(tree, name)
        if tree is None or function is None:
            return None
        for each in tree.body:
            (inside if each is function else outside).visit(each)
        function.args.args.insert(0, ast.arg("self"))
        tree.body[tree.body.index(function)] = ast.ClassDef(_CLASS, [], [], [function], [])
        return _written(tree)

    calls = re.sub(rf"(?<![\w.]){name}\(", f"{_CLASS}().{name}(", pair.specification)
    tests = _parsed(pair.tests.replace(f"import {name}\n", f"import {_CLASS}\n", 1))
    if tests is None or not name:
        return None
    tests = outside.visit(tests)
    return _changed(replace(pair, tests=_written(tests), specification=calls), convert)


def _as_modules(pair: Pair) -> Pair | None:
    name = tested(pair.tests)
    inner = f"{name}_part"
    function = _function(_parsed(pair.original), name)

    def convert(source: str) -> str | None:
        tree = _parsed(source)
        found = _function(tree, name)
        if tree is None or found is None or inner in source:
            return None
        found.name = inner
        _Renamed(name, lambda: ast.Name(inner)).visit(tree)
        return _written(tree)

    given = function.args if function else None
    if given is None or given.vararg or given.kwonlyargs or given.kwarg or given.defaults:
        return None
    taken = ", ".join(each.arg for each in (*given.posonlyargs, *given.args))
    outer = f"from parts import {inner}\n\n\ndef {name}({taken}):\n    return {inner}({taken})\n"
    return _changed(replace(pair, path=_PARTS, beside=(("solution.py", outer),)), convert)


def _changed(pair: Pair, convert: Callable[[str], str | None]) -> Pair | None:
    original, fix = convert(pair.original), convert(pair.fix)
    return replace(pair, original=original, fix=fix) if original and fix else None


_FORMS: dict[Form, Callable[[Pair], Pair | None]] = {
    Form.FUNCTION: lambda pair: pair,
    Form.METHOD: _as_method,
    Form.MODULES: _as_modules,
}


class _Renamed(ast.NodeTransformer):
    """Puts something else where a name is read."""

    def __init__(self, name: str, other: Callable[[], ast.expr]) -> None:
        self._name, self._other = name, other

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._other() if node.id == self._name and isinstance(node.ctx, ast.Load) else node


def tested(tests: str) -> str:
    """The function that visible tests import."""
    found = re.match(r"from solution import (\w+)\n", tests)
    return found[1] if found else ""


def _parsed(source: str) -> ast.Module | None:
    try:
        return parse(source)
    except UNREADABLE:
        return None


def _function(tree: ast.Module | None, name: str) -> ast.FunctionDef | None:
    """The last of this name; `None` where it is decorated, for a decorator may count what it is given."""
    found = [node for node in (tree.body if tree else ()) if isinstance(node, ast.FunctionDef) and node.name == name]
    return found[-1] if len(found) == 1 and not found[0].decorator_list else None


def _written(tree: ast.Module) -> str:
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
