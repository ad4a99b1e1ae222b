"""One call of a program, inside the sandbox, and what it did. Standard library only."""

import ast
import contextlib
import functools
import importlib
import io
import os
import random
import sys
import types
from typing import Any

from bot.verification.differential.canonical import canonical

PRINTED = 4_000


class Printed(io.TextIOBase):
    """Standard output of a call: its first characters are kept, the rest is dropped."""

    def __init__(self) -> None:
        self.text = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.text += str.__str__(text)[: PRINTED - len(self.text)]
        return len(text)


class OutputFile:
    """Standard output of a call, as a process like any other has it: a file."""

    def __init__(self) -> None:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            self.file = sys.stdout.fileno()
            self.begin = os.fstat(self.file).st_size

    @property
    def text(self) -> str:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            return os.pread(self.file, PRINTED, self.begin).decode(errors="replace")
        return ""


def call(expression: str, names: dict[str, Any], printed: Printed | OutputFile) -> tuple[str, str, str]:
    """Ending, value and mutated arguments of one call. What is printed counts only where nothing is returned."""
    function, *given = (eval(each, names) for each in _compiled(expression))  # noqa: S307 (this is the sandbox)
    if not given:
        return "returned", canonical(function), ""
    positional, named = given
    before = _arguments(positional, named)
    try:
        value = function(*positional, **named)
        if type(value) is types.CoroutineType:
            value = importlib.import_module("asyncio").run(value)
        value = canonical(value)
    except BaseException as error:  # noqa: BLE001 (whatever the program raises is what it does)
        return "raised", type(error).__name__, ""
    if value == "None" and printed.text:
        value = f"Printed({printed.text!r})"
    after = _arguments(positional, named)
    return "returned", value, after if after != before else ""


@functools.lru_cache(maxsize=100)
def _compiled(expression: str) -> list[types.CodeType]:
    """The function of a call, its positional arguments and its named ones; the whole where it is no call."""
    tree = ast.parse(expression.strip(), mode="eval").body
    parts: list[ast.expr] = [tree]
    if isinstance(tree, ast.Call):
        names: list[ast.expr | None] = [ast.Constant(each.arg) for each in tree.keywords if each.arg]
        named = ast.Dict(names, [each.value for each in tree.keywords if each.arg])
        parts = [tree.func, ast.List(tree.args, ast.Load()), named]
    return [compile(ast.fix_missing_locations(ast.Expression(each)), "<call>", "eval") for each in parts]


def _arguments(positional: list[Any], named: dict[str, Any]) -> str:
    """Iterators are left alone: writing them down would use them up."""
    return canonical([None if hasattr(type(value), "__next__") else value for value in (*positional, *named.values())])


def call_once(expression: str, names: dict[str, Any], *, plain: bool) -> tuple[str, str, str]:
    """Ending, value and mutated arguments of one call, whatever it raises."""
    random.seed(0)
    printed = OutputFile() if plain else Printed()
    if not plain:
        sys.stdout = printed
    try:
        return call(expression, dict(names), printed)
    except BaseException as error:  # noqa: BLE001 (also what the encoder met in a hostile value)
        return "raised", type(error).__name__, ""
