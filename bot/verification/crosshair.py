"""Inputs on which two programs differ, searched symbolically by CrossHair's `diffbehavior`.

Both programs are loaded into one process inside one sandbox, so they can see each other, and what comes out is only a
list of candidates: whoever uses an input has to observe it on each program alone. That nothing was found proves
nothing; CrossHair tries as many paths as its second allows.
"""

import ast
from collections.abc import Iterable, Sequence
from typing import Any

from bot.sandbox.protocol import Executor, Job, Limits, MiB
from bot.verification.literals import literal_call
from bot.verification.programs import SOLUTION
from bot.verification.syntax import parse
from bot.verification.values import Program

STARTING = 10.0  # seconds beside the search, for imports and for a solver on a busy machine
MOST = 20  # candidates of one search
_LARGEST = 64 * 1024  # bytes of one program
_RUN = "import sys; sys.path.insert(0, '/work'); from crosshair.main import main; main()"
_UNREADABLE = (SyntaxError, ValueError, TypeError, RecursionError, MemoryError)


def search(
    executor: Executor,
    original: Program,
    fix: Program,
    function: str,
    *,
    hints: Sequence[str] = (),
    seconds: float = 1.0,
) -> tuple[str, ...]:
    """Calls of `function` with literal, positional arguments on which single-file programs may differ.

    hints: types by position, e.g. `("list[int]", "int")`, for parameters without an annotation; see `types_of`.
    seconds: processor time of the search itself; about half a second of start-up comes on top. Nothing is found where a
    parameter has no type, is not positional, or the sandbox fails. Never raises.
    """
    sources = [_typed(program.files.get(SOLUTION), function, hints) for program in (original, fix)]
    if original.tree or fix.tree or None in sources:
        return ()
    files = {f"{name}.py": source for name, source in zip(("original", "fix"), sources, strict=True)}
    options = [f"--per_condition_timeout={seconds}", "--exception_equivalence=SAME_TYPE"]
    command = [*executor.probe().python, "-I", "-c", _RUN, "diffbehavior", *options]
    limits = Limits(wall=3 * seconds + STARTING, cpu=seconds + STARTING, output=MiB // 4)
    argv = (*command, f"original.{function}", f"fix.{function}")
    outcome = executor.run(Job(argv, files=files, environment={"PYTHONHASHSEED": "0"}, limits=limits))
    return candidates(outcome.stdout.decode(errors="replace"), function)


def candidates(output: str, function: str) -> tuple[str, ...]:
    """The calls in what CrossHair printed, or what a program printed in its place."""
    calls: list[str] = []
    for line in output.splitlines():
        if not (line.startswith("Given: (") and line.endswith("),")):
            continue
        call = literal_call(f"{function}({line[8:-2]})")
        if call is not None and not call.args and ast.unparse(call.func) == function:
            calls.append(f"{function}({', '.join(ast.unparse(word.value) for word in call.keywords)})")
    return tuple(dict.fromkeys(calls))[:MOST]


def types_of(calls: Iterable[str]) -> tuple[str, ...]:
    """The types, by position, of the literal arguments of all calls; nothing where they do not agree."""
    rows = []
    for text in calls:
        call = literal_call(text)
        if call is None or call.keywords:
            return ()
        rows.append([ast.literal_eval(argument) for argument in call.args])
    if not rows or len({len(row) for row in rows}) != 1:
        return ()
    columns = [_type(column) for column in zip(*rows, strict=True)]
    return tuple(column for column in columns if column) if all(columns) else ()


def _type(values: Sequence[Any]) -> str:
    """One annotation for all values; empty when there is none, or when nothing is known of what they hold."""
    kinds = {type(value) for value in values}
    if kinds == {int, float}:
        return "float"
    if len(kinds) != 1:
        return ""
    (kind,) = kinds
    if kind in (int, float, bool, str, bytes):
        return str(kind.__name__)
    if kind in (list, set, frozenset):
        inner = _type([item for value in values for item in value])
        return f"{kind.__name__}[{inner}]" if inner else ""
    if kind is dict:
        key = _type([item for value in values for item in value])
        inner = _type([item for value in values for item in value.values()])
        return f"dict[{key}, {inner}]" if key and inner else ""
    if kind is tuple and len({len(value) for value in values}) == 1 and values[0]:
        inners = [_type(column) for column in zip(*values, strict=True)]
        return f"tuple[{', '.join(inners)}]" if all(inners) else ""
    if kind is tuple:
        inner = _type([item for value in values for item in value])
        return f"tuple[{inner}, ...]" if inner else ""
    return ""


def _typed(source: bytes | None, function: str, hints: Sequence[str]) -> bytes | None:
    """The source with the hints as annotations; `None` where the function cannot be searched."""
    try:
        tree = parse(source or b"") if len(source or b"") <= _LARGEST else ast.Module([], [])
        (definition,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function)
        arguments = definition.args
        parameters = [*arguments.posonlyargs, *arguments.args]
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or not parameters:
            return None
        for place, parameter in enumerate(parameters):
            if parameter.annotation is None:
                parameter.annotation = parse(hints[place], mode="eval").body
        return ast.unparse(tree).encode()
    except (*_UNREADABLE, IndexError):
        return None
