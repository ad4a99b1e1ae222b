"""Light checks of source that nobody runs: only what is sure, and evidence at most, never a decision.

The source comes from strangers. It is parsed in this process, by CPython's own parser, up to a size; what is larger or
nested deeper than the parser goes gets no findings.
"""

import ast
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from pyflakes import checker, messages  # type: ignore[import-untyped]

from bot.verification.syntax import parse

LARGEST = 256 * 1024  # characters of one source
_MOST = 50  # findings of one source

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_JUMPS = (ast.Return, ast.Raise, ast.Continue, ast.Break)


@dataclass(frozen=True, slots=True)
class StaticFinding:
    """One thing a reader of the source can be sure of.

    kind: `syntax`, `missing_function`, `undefined_name`, `missing_return`, `unreachable`, `unused_parameter` or
        `constant_result`. line: from 1. message: a plain sentence; names in it are identifiers of the source.
    """

    kind: str
    line: int
    message: str


def static_findings(source: str, called: Iterable[str] = ()) -> tuple[StaticFinding, ...]:
    """What is surely wrong or odd, in order of lines. called: functions that the tests call. Never raises."""
    if len(source) > LARGEST:
        return ()
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = parse(source)
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        found = [*_missing(tree, called), *_undefined(tree)]
        for function in functions:
            found += [*_missing_return(function), *_unreachable(function)]
            # A method or a decorated hook may have to take what it does not use, and to answer always the same.
            if function in tree.body and not function.decorator_list:
                found += [*_unused_parameters(function), *_constant(function)]
    except SyntaxError as error:
        return (StaticFinding("syntax", error.lineno or 1, "The source does not parse."),)
    except (ValueError, RecursionError, MemoryError):  # null bytes; nested too deep to look at
        return ()
    return tuple(sorted(set(found), key=lambda finding: (finding.line, finding.kind, finding.message))[:_MOST])


def told_apart(original: str, fix: str) -> tuple[str, ...]:
    """What is odd in one of the two and not in the other, one sentence each with whose it is; names are the source's.

    What both have speaks for neither.
    """
    found = {"original": static_findings(original), "fix": static_findings(fix)}
    kinds = {side: {(finding.kind, finding.message) for finding in findings} for side, findings in found.items()}
    both = kinds["original"] & kinds["fix"]
    return tuple(
        f"In the {side}, line {finding.line}: {finding.message}"
        for side, findings in found.items()
        for finding in findings
        if (finding.kind, finding.message) not in both
    )


def _missing(tree: ast.Module, called: Iterable[str]) -> Iterator[StaticFinding]:
    if any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in ast.walk(tree)):
        return  # it may come from there
    bound = {node.name for node in ast.walk(tree) if isinstance(node, _Function | ast.ClassDef)}
    bound |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    bound |= {(alias.asname or alias.name) for node in tree.body if isinstance(node, _IMPORTS) for alias in node.names}
    for name in called:
        if name not in bound and name.isidentifier():
            yield StaticFinding("missing_function", 1, f"The tests call {name}, which is not defined.")


_IMPORTS = ast.Import | ast.ImportFrom


def _undefined(tree: ast.Module) -> Iterator[StaticFinding]:
    for message in checker.Checker(tree, filename="source", builtins=()).messages:
        if isinstance(message, messages.UndefinedName):
            name = str(message.message_args[0])
            yield StaticFinding("undefined_name", message.lineno, f"{name} is used, but nothing defines it.")


def _missing_return(function: _Function) -> Iterator[StaticFinding]:
    returns = [node for node in _own(function) if isinstance(node, ast.Return)]
    generator = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in _own(function))
    values = [node for node in returns if node.value is not None and not _is_none(node.value)]
    if generator or not values or len(values) != len(returns) or not _may_fall_through(function.body):
        return
    yield StaticFinding(
        "missing_return", function.lineno, f"{function.name} returns a value on some paths and none on others."
    )


def _may_fall_through(body: list[ast.stmt]) -> bool:
    """Whether the end of a block can be reached. Says yes only where control flow is plain."""
    *before, last = body
    if any(isinstance(node, _JUMPS) or (isinstance(node, ast.If) and not _may_fall_through([node])) for node in before):
        return False
    match last:
        case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
            return False
        case ast.If():
            return not last.orelse or _may_fall_through(last.body) or _may_fall_through(last.orelse)
        case ast.With() | ast.AsyncWith():
            return False  # it may swallow what is raised inside: not sure either way
        case ast.Try() | ast.TryStar() | ast.Match():
            return False
        case ast.While():
            return not _is_true(last.test)
        case ast.Assert(test=ast.Constant(value=False)):
            return False
        case ast.Expr(value=ast.Call()):
            return False  # may be `sys.exit()`, or whatever else never comes back
        case _:
            return True


def _unreachable(function: _Function) -> Iterator[StaticFinding]:
    for node in [function, *_own(function)]:
        for block in (getattr(node, field, None) for field in ("body", "orelse", "finalbody")):
            if not isinstance(block, list):
                continue
            for before, after in pairwise(block):
                if isinstance(before, _JUMPS) and not _makes_a_generator(after):
                    yield StaticFinding("unreachable", after.lineno, f"Line {after.lineno} is never reached.")


def _unused_parameters(function: _Function) -> Iterator[StaticFinding]:
    if _is_stub(function):
        return
    if any(isinstance(node, ast.Name) and node.id in ("locals", "vars", "eval", "exec") for node in ast.walk(function)):
        return
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    arguments = function.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        name = argument.arg
        if name not in used and not name.startswith("_"):
            yield StaticFinding(
                "unused_parameter", argument.lineno, f"{function.name} never uses its parameter {name}."
            )


def _constant(function: _Function) -> Iterator[StaticFinding]:
    returns = [node for node in _own(function) if isinstance(node, ast.Return)]
    takes = function.args.args or function.args.posonlyargs
    constants = {ast.dump(node.value) for node in returns if isinstance(node.value, ast.Constant)}
    all_constant = all(isinstance(node.value, ast.Constant) and not _is_none(node.value) for node in returns)
    other = any(isinstance(node, ast.Raise | ast.Yield | ast.YieldFrom) for node in _own(function))
    if takes and all_constant and len(constants) == 1 and not other and not _may_fall_through(function.body):
        value = re.sub(r"\s+", " ", ast.unparse(returns[0].value or ast.Constant(None)))[:40]
        yield StaticFinding(
            "constant_result", function.lineno, f"{function.name} returns {value} whatever it is given."
        )


def _own(function: _Function) -> Iterator[ast.AST]:
    """The nodes of a function, but not those of functions and classes inside it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def _is_stub(function: _Function) -> bool:
    """Only a docstring, `...`, `pass` or `raise NotImplementedError`."""
    return all(
        isinstance(node, ast.Pass | ast.Raise) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in function.body
    )


def _makes_a_generator(statement: ast.stmt) -> bool:
    """`return` and then `yield` is how one writes an empty generator."""
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(statement))


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and bool(node.value)
