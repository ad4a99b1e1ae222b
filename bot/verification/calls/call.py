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

from bot.verification.calls.canonical import ITEMS, canonical, is_object, state
from bot.verification.calls.given import FUNCTIONS, state_of_functions, texts_of

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
    """Ending, value, and what became of an object that was asked and of the arguments, where it is another one.

    What is printed counts; in a process like any other only where nothing is returned. Of calls in a row the last one
    counts; a row that ends before it tells where. An object that is made, or gives itself, is what it shows. What
    functions of the tests hold counts as well.
    """
    FUNCTIONS.clear()
    before, of, name, function, given = _compiled(expression)
    for number, step in enumerate(before):
        try:
            _awaited(eval(step, names))  # noqa: S307 (this is the sandbox)
        except BaseException as error:  # noqa: BLE001 (whatever the program raises is what it does)
            return "raised", type(error).__name__, f"Step({number + 1})"
    receiver = eval(of, names) if of else None  # noqa: S307
    positional, named = (eval(each, names) for each in given) if given else ([], {})  # noqa: S307
    held = _arguments(positional, named)
    try:
        found = getattr(receiver, name) if of else eval(function, names)  # noqa: S307
        value = _awaited(_made(found, positional, named) if given else found)
        told = state(value) if (value is receiver and of) or isinstance(found, type) else canonical(value)
    except SystemExit as end:
        return "raised", "SystemExit", f"Exit({canonical(end.code)}, {printed.text!r})"
    except BaseException as error:  # noqa: BLE001
        return "raised", type(error).__name__, state(receiver) if of and is_object(receiver) else ""
    if printed.text and (told == "None" or type(printed) is Printed):
        told = f"Printed({printed.text!r})" if told == "None" else f"Printed({printed.text!r}, {told})"
    if holding := state_of_functions():
        told = f"Given({canonical(holding)}, {told})"
    after = _arguments(positional, named)
    changed = after if after != held else ""
    if of and is_object(receiver):
        changed = f"{state(receiver)}, {changed}" if changed else state(receiver)
    return "returned", told, changed


def _made(function: Any, positional: list[Any], named: dict[str, Any]) -> Any:
    """The call, by a caller in which nothing stands that a function may look for there, as its tests' numbers."""
    return function(*positional, **named)


def _awaited(value: Any) -> Any:
    """What a coroutine gives, and an asynchronous generator yields."""
    if type(value) is types.CoroutineType:
        return importlib.import_module("asyncio").run(value)
    return _awaited(_drained(value)) if type(value) is types.AsyncGeneratorType else value


async def _drained(values: Any) -> list[Any]:
    found: list[Any] = []
    async for each in values:
        found.append(each)
        if len(found) > ITEMS:
            break
    return found


@functools.lru_cache(maxsize=100)
def _compiled(expression: str) -> tuple[Any, ...]:
    """The calls before the last one; of that the object or module that it is asked of, and its name; else the function;
    its positional arguments and its named ones, where it is a call."""
    tree: Any = ast.parse(expression.strip(), mode="eval").body
    row = isinstance(tree, ast.Subscript) and isinstance(tree.value, ast.Tuple)
    *before, last = tree.value.elts if row else [tree]
    asked, given = (last.func, last) if isinstance(last, ast.Call) else (last, None)
    of = asked.value if isinstance(asked, ast.Attribute) else None
    name = getattr(asked, "attr", getattr(asked, "id", ""))
    parts = []
    if given:
        names: list[ast.expr | None] = [ast.Constant(each.arg) for each in given.keywords if each.arg]
        named = ast.Dict(names, [each.value for each in given.keywords if each.arg])
        parts = [_code(ast.List(given.args, ast.Load())), _code(named)]
    return [*map(_code, before)], of and _code(of), name, None if of else _code(asked), parts


def _code(node: ast.expr) -> types.CodeType:
    return compile(ast.fix_missing_locations(ast.Expression(node)), "<call>", "eval")


def _arguments(positional: list[Any], named: dict[str, Any]) -> str:
    """Iterators are left alone: writing them down would use them up. Of files that are given what is in them."""
    values = [None if hasattr(type(value), "__next__") else value for value in (*positional, *named.values())]
    return state([*values, *texts_of(values)])


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
