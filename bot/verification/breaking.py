"""Breaking one function of a program, so that whoever looks at what it does sees it. Nothing is run.

A broken function looks like ordinary code: it gives another value, does nothing, or raises what the file raises
elsewhere. No name, text or place marks it, so the program cannot tell that it is tried.
"""

import ast
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from bot.changes.bodies import Body, bodies
from bot.verification.programs import content
from bot.verification.syntax import Function, Node, nodes_of, starts, statements, tree_of
from bot.verification.values import Program

_CHANCE = random.SystemRandom()
_VALUES = ("None", "0", "1", "''", "[]", "()", "{}", "False", "True")
# What frameworks and `hasattr` catch as a matter of course is left out: nobody could notice it.
_RAISED = ("ValueError", "TypeError", "RuntimeError")
_TYPED = (".ts", ".cts", ".mts", ".tsx")
_NUMBER = re.compile(r"u?int(?:8|16|32|64)?|uintptr|byte|rune|float(?:32|64)|[iu](?:8|16|32|64|128|size)|f(?:32|64)")
_PLAIN = {"bool": "true", "string": '"1"', "&str": '"1"', "&'static str": '"1"', "String": '"1".to_string()'}
_RESULT = re.compile(r"(?:\w+::)*Result\b")


class BreakForm(StrEnum):
    """How a function is broken."""

    RETURNS = "returns"  # something else, or nothing is done
    RAISES = "raises"


FORMS = {BreakForm.RETURNS: "something else", BreakForm.RAISES: "an exception"}


@dataclass(frozen=True, slots=True)
class Defect:
    """Something in a file that is otherwise. told: as a reader finds it. put: the file's text -> the same with it;
    `None` where there is no place for it."""

    path: str
    told: str
    put: Callable[[bytes], bytes | None]

    def into(self, program: Program) -> Program | None:
        """The program with it."""
        text = self.put(content(program, self.path) or b"")
        return None if text is None else replace(program, files={**program.files, self.path: text})


def defects_of(program: Program, function: Function) -> Iterator[Defect]:
    """The ways in which a function of the program may give something else, one after the other."""
    source, place = content(program, function.path) or b"", f"{function.path}:{function.first}: {function.name}"
    if function.path.endswith(".py"):
        for form, what in FORMS.items():
            if (text := broken(source, function, form)) is not None:
                yield Defect(function.path, f"{place} → {what}", partial(_instead, text))
    elif body := body_of(function, source):
        for says in other_values(function.path, body.gives):
            yield Defect(function.path, f"{place} → {says.rstrip(';')}", partial(_begun, function, says))


def _instead(text: bytes, _source: bytes) -> bytes:
    return text


def _begun(function: Function, says: str, source: bytes) -> bytes | None:
    body = body_of(function, source)
    return begin_with(says, body, source) if body else None


def broken(source: bytes, function: Function, form: BreakForm) -> bytes | None:
    """The file with that function broken, every other line where it was; `None` where it has nothing to break.

    A generator stays one, and so does a coroutine; decorators, arguments and docstring stay.
    """
    module = tree_of(source)
    wanted = (function.name, function.first)
    node = next((node for name, node in nodes_of(module) if (name, starts(node)) == wanted), None)
    if node is None or not (body := _worth_breaking(node)):
        return None
    lines = source.splitlines(keepends=True)
    first, last = body[0], body[-1]
    start = starts(first)
    end, column = last.end_lineno or last.lineno, last.end_col_offset or 0
    instead = "; ".join(_said(node, module, form)).encode()
    kept, after = lines[start - 1][: first.col_offset], lines[end - 1][column:]
    ends = b"\n" * (end - start) if after.endswith(b"\n") else b""
    return b"".join([*lines[: start - 1], kept, instead, after, ends, *lines[end:]])


def functions_in(program: Program, path: str) -> list[Function]:
    """The functions of a file that can be broken."""
    source = content(program, path) or b""
    if path.endswith(".py"):
        worth = ((name, node) for name, node in nodes_of(tree_of(source)) if _worth_breaking(node))
        return [Function(path, name, starts(node), node.end_lineno or node.lineno) for name, node in worth]
    return [Function(path, one.name, one.first, one.last) for one in bodies(path, source) if one.name]


def body_of(function: Function, source: bytes) -> Body | None:
    """The function's body in a file of another language than Python."""
    there = bodies(function.path, source)
    return next((one for one in there if (one.name, one.first) == (function.name, function.first)), None)


def begin_with(statement: str, body: Body, source: bytes) -> bytes:
    """The file with a statement at the beginning of the body. What stands behind stays, so that nothing the file
    declares or imports is left without use."""
    return source[: body.opens] + f" {statement} ".encode() + source[body.opens :]


def _worth_breaking(node: Node) -> list[ast.stmt]:
    """The statements behind the docstring; none where they do nothing but pass, or raise as it is."""
    body = statements(node)
    idle = all(
        isinstance(statement, ast.Pass | ast.Raise)
        or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        for statement in body
    )
    return [] if idle else body


def _said(node: Node, module: ast.Module, form: BreakForm) -> list[str]:
    own = _own_parts(node)
    goes_on = ["yield"] if any(isinstance(part, ast.Yield | ast.YieldFrom) for part in own) else []
    if form is BreakForm.RAISES:
        return [f"raise {_exception(module)}", *goes_on]
    given = [ast.unparse(part.value) for part in own if isinstance(part, ast.Return) and part.value is not None]
    if goes_on or not [value for value in given if value != "None"] or node.name == "__init__":
        return ["return", *goes_on]
    return [f"return {_CHANCE.choice([value for value in _VALUES if value not in given])}"]


def _own_parts(node: Node) -> list[ast.AST]:
    """What lies in the function and in none inside of it."""
    found: list[ast.AST] = []
    waiting: list[ast.AST] = list(node.body)
    while waiting:
        part = waiting.pop()
        found.append(part)
        if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(part)
    return found


def _exception(module: ast.Module) -> str:
    """One that the file raises itself where it can be, and that nothing in it catches."""
    parts = list(ast.walk(module))
    caught = {name.id for part in parts if isinstance(part, ast.ExceptHandler) and part.type for name in _names(part)}
    raised = {name.id for part in parts if isinstance(part, ast.Raise) and part.exc for name in _names(part)}
    free = [name for name in _RAISED if name not in caught] or ["RuntimeError"]
    return _CHANCE.choice([name for name in free if name in raised] or free)


def _names(part: ast.ExceptHandler | ast.Raise) -> list[ast.Name]:
    inside = part.type if isinstance(part, ast.ExceptHandler) else part.exc
    return [name for name in ast.walk(inside) if isinstance(name, ast.Name)] if inside else []


def other_values(path: str, gives: tuple[str, ...]) -> tuple[str, ...]:
    """Statements that let a function give something else, each different from the others. gives: the types of what it
    returns."""
    if path.endswith(".go"):
        first = [f"*new({each})" for each in gives]
        second = [_other(each) or value for each, value in zip(gives, first, strict=True)]
        found = [f"return {', '.join(values)};".replace(" ;", ";") for values in (first, second)]
    elif path.endswith(".rs"):
        given = gives[0] if gives else ""
        value = "Ok(Default::default())" if _RESULT.match(given) else "Default::default()"
        other = _other(given)
        found = [f"return {value};" if given else "return;", f"return {other};" if other else 'panic!("no value");']
    elif path.endswith(_TYPED):
        found = ["return undefined as any;", "return 1 as any;", 'return "1" as any;']
    else:
        found = ["return;", "return 1;", 'return "1";']
    return tuple(dict.fromkeys(found))


def _other(kind: str) -> str:
    """A value of a plain type that is not its first; empty for any other type."""
    if _NUMBER.fullmatch(kind):
        return "1.0" if kind in ("f32", "f64") else "1"
    return _PLAIN.get(kind, "")
