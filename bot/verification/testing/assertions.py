"""Assertions of a test file that can be checked without its process: a call with literals, and a literal it must give.

Code under test can forge whatever its own process reports. It cannot forge these: the call runs in a process that does
not know the expected value, and the comparison happens where no strange code is.

An assertion counts only where it surely runs, once, against the untouched program: at the top of the file, of a plain
test function, or of `check(candidate)` as HumanEval has it; before the first statement that might do anything else.
"""

import ast
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import takewhile, zip_longest
from typing import Any

from bot.judges.code import Interface
from bot.sandbox.protocol import Executor
from bot.verification.calls.observe import Plain, observe
from bot.verification.literals import literal_call
from bot.verification.syntax import UNREADABLE, is_literal, literal, parse, tree_of
from bot.verification.values import Ending, Environment, Observed, Program

LEAST = 15.0  # seconds for all calls
_AROUND = ("setup", "teardown", "setUp", "tearDown", "pytest_")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class PlainAssertion:
    """`assert CALL == EXPECTED`. call: of a function of the program's, with literals. line: in the test file."""

    call: str
    expected: str
    line: int


def plain_assertions(source: str, interface: Interface) -> Iterator[PlainAssertion]:
    """Those of a test file on these functions; none where it may set something up, or is not Python. A name that the
    file neither imports nor defines counts as the program's: benchmarks leave the import out."""
    tree = tree_of(source)
    other = set(_other_names(tree, interface.module))
    names = {name: own for name, own in _program_names(tree, interface).items() if name not in other}
    if not all(map(_harmless, tree.body)):
        return
    tests = (each.body for each in tree.body if isinstance(each, ast.FunctionDef) and _is_test(each))
    for body in (tree.body, *tests):
        for statement in takewhile(_harmless, body):
            match statement:
                case ast.Assert(test=ast.Compare(left, [ast.Eq() | ast.Is()], [expected])):
                    if (call := _plain_call(left, names)) and is_literal(expected):
                        yield PlainAssertion(call, ast.unparse(expected), statement.lineno)


def _plain_call(node: ast.AST, names: Mapping[str, str]) -> str:
    """A call of the program's with literals, as the program has the name; empty for anything else. names: see
    `_program_names`."""
    if not isinstance(node, ast.Call) or not (name := names.get(ast.unparse(node.func))):
        return ""
    call = ast.unparse(ast.Call(ast.Name(name), node.args, node.keywords))
    return call if literal_call(call) else ""


def _program_names(tree: ast.AST, interface: Interface) -> dict[str, str]:
    """What a test may call the functions of the interface -> their own names."""
    functions = {line.partition("(")[0] for line in interface.signatures}
    return {name: name for name in functions} | _called_otherwise(tree, functions, interface.module)


def _called_otherwise(tree: ast.AST, functions: set[str], module: str) -> dict[str, str]:
    """What else a test calls them: `import … as`, `module.f`, `g = module.f`, and a helper's parameter, as in
    `check(f)`.
    """
    names = {f"{prefix}.{name}": name for name in functions for prefix in (module, module.rpartition(".")[2])}
    helpers: dict[str, ast.arguments] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname: alias.name for alias in node.names if alias.asname and alias.name in functions}
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname and alias.name == module:
                    names |= {f"{alias.asname}.{name}": name for name in functions}
        if isinstance(node, ast.FunctionDef):
            helpers[node.name] = node.args
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=given_name)], value=ast.Attribute() as value):
                if (function := names.get(ast.unparse(value))) is not None:
                    names[given_name] = function
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in helpers:
            for parameter, given in zip(helpers[node.func.id].args, node.args, strict=False):
                if isinstance(given, ast.Name) and given.id in functions:
                    names[parameter.arg] = given.id
    return names


def _other_names(tree: ast.Module, module: str) -> Iterator[str]:
    """What the file binds to something else: a name with two meanings is not the program's."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            others = [each for each in node.names if module not in (each.name, getattr(node, "module", ""))]
            yield from (each.asname or each.name for each in others)
        elif isinstance(node, _FUNCTIONS):
            yield node.name
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id


def _is_test(function: ast.FunctionDef) -> bool:
    given, name = ast.unparse(function.args), function.name
    of_check = name == "check" and given.isidentifier()
    return not function.decorator_list and (of_check or (name.startswith("test") and not given))


def _harmless(statement: ast.stmt) -> bool:
    match statement:
        case ast.FunctionDef(name=name, decorator_list=marks) | ast.ClassDef(name=name, decorator_list=marks):
            return not (name.startswith(_AROUND) or any("fixture" in ast.unparse(mark) for mark in marks))
        case ast.Assign(targets=targets, value=value):
            return is_literal(value) and all(isinstance(target, ast.Name) for target in targets)
        case ast.For(body=body, orelse=[]):
            return all(isinstance(inner, ast.Assert | ast.For) and _harmless(inner) for inner in body)
        case ast.Expr(value=ast.Constant() | ast.Call(func=ast.Name("check"), args=[ast.Name()])):
            return True
    return isinstance(statement, ast.Import | ast.ImportFrom | ast.AsyncFunctionDef | ast.Assert | ast.Pass)


def ask_alone(
    executor: Executor, program: Program, plain: Sequence[PlainAssertion], environment: Environment, call_seconds: float
) -> str:
    """Why the program's tests are not to be believed; empty where all that they plainly assert holds.

    program: without its tests, which know the answers. Raises `ObservationError` when the sandbox fails.
    """
    calls, bare = [f"solution.{each.call}" for each in plain], Plain(("solution",), ("/work",))
    seconds = max(2 * call_seconds, LEAST)
    (seen,) = observe(
        executor,
        (program,),
        calls,
        environment=environment,
        plain=bare,
        batch=len(calls),
        call_seconds=call_seconds,
        seconds=seconds,
    )
    return contradiction(plain, seen)


def contradiction(plain: Sequence[PlainAssertion], seen: Sequence[Observed]) -> str:
    """Of the first assertion that does not hold of what was seen of its call; empty without one."""
    for assertion, one in zip_longest(plain, seen[: len(plain)]):
        if one is None or one.ending is not Ending.RETURNED or not _equal(one.value, assertion.expected):
            return f"asked alone, the program does not give what line {assertion.line} asserts"
    return ""


def _equal(text: str, expected: str) -> bool:
    try:
        return bool(value_of(text) == literal(expected))
    except ArithmeticError:  # of numbers that compare with nothing
        return False


_KINDS: Mapping[str, Callable[..., Any]] = {
    **{each.__name__: each for each in (float, complex, set, frozenset, bytearray, deque, Decimal, Fraction)},
    **{f"User{each.__name__.title()}": each for each in (dict, list)},
    "UserString": str,
    "iter": set,  # as the views of a mapping compare
}


def value_of(text: str) -> object:
    """The value of a canonical text (`calls/canonical.py`); a bare `object`, which equals nothing, for no plain
    one. The program had a say in the text; never raises."""
    try:
        return ast.literal_eval(_Plain().visit(parse(text, mode="eval").body))
    except (*UNREADABLE, ArithmeticError):
        return object()


class _Plain(ast.NodeTransformer):
    """Kinds of values that Python has no literals for, as constants."""

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        kind = _KINDS.get(ast.unparse(node.func))
        return ast.Constant(kind(*map(ast.literal_eval, node.args))) if kind and not node.keywords else node
