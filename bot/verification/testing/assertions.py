"""Assertions of a test file that can be checked without its process: a call with literals, and a literal it must give.

Code under test can forge whatever its own process reports. It cannot forge these: the call runs in a process that does
not know the expected value, and the comparison happens where no strange code is.

An assertion counts only where it surely runs, once, against the untouched program: at the top of the file, of a plain
test function, or of `check(candidate)` as HumanEval has it; before the first statement that might do anything else.
"""

import ast
import builtins
from collections import UserDict, UserList, UserString, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import zip_longest
from operator import eq, is_, ne
from typing import Any

from bot.sandbox.protocol import Executor
from bot.verification.differential.observe import Plain, observe
from bot.verification.syntax import UNREADABLE, is_literal, literal, parse
from bot.verification.values import Ending, Environment, Observed, Program

LONGEST_SOURCE = 1_000_000  # characters
LONGEST_CALL = 20_000
LEAST = 15.0  # seconds for all calls
_MODULE = "solution"
_BARE = Plain((_MODULE,), ("/work",))

_AROUND = ("setup", "teardown", "setUp", "tearDown", "pytest_")


_SIGNS: Mapping[type, str] = {ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is", ast.In: "in", ast.NotIn: "not in"}
_HOLDS: Mapping[str, Callable[[Any, Any], object]] = {
    **{"==": eq, "!=": ne, "is": is_, "bool": lambda value, expected: bool(value) is expected},
    **{"in": lambda value, expected: value in expected, "not in": lambda value, expected: value not in expected},
}


@dataclass(frozen=True, slots=True)
class PlainAssertion:
    """`assert CALL RELATION EXPECTED`.

    call: a Python expression for the program's own names, e.g. `add(1, 2)`; its arguments are literals.
    expected: a Python literal.
    line: in the test file, from 1.
    relation: `==`, `!=`, `is`, `in`, `not in`, or `bool`: the truth of the value is `expected`.
    """

    call: str
    expected: str
    line: int
    relation: str = "=="

    def holds(self, value: object) -> bool:
        """Whether a value is what the assertion asks. A bare `object` is no plain one: its truth is its own affair."""
        if type(value) is object and self.relation == "bool":
            return True
        try:
            return bool(_HOLDS[self.relation](value, literal(self.expected)))
        except (TypeError, ValueError, RecursionError):
            return False


def plain_assertions(source: str, module: str = _MODULE) -> tuple[PlainAssertion, ...]:
    """The plain assertions of a test file on the names of `module`, in order; none from a file that is not Python.

    A name that the file neither imports nor defines counts as the program's: benchmarks leave the import out.
    """
    if len(source) > LONGEST_SOURCE:
        return ()
    try:
        return tuple(_of_file(parse(source), module))
    except UNREADABLE:
        return ()


@dataclass(frozen=True, slots=True)
class _Names:
    """program: name in the test file -> name in the program. others: what else the file binds."""

    program: dict[str, str]
    others: set[str]
    module: str

    def of(self, function: ast.expr) -> str | None:
        """The program's own name of what is called, if it is the program's."""
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            return function.attr if self.program.get(function.value.id) == self.module + "." else None
        if not isinstance(function, ast.Name):
            return None
        if function.id in self.others:
            return None
        known = self.program.get(function.id)
        return known or (None if hasattr(builtins, function.id) else function.id)


def _of_file(tree: ast.Module, module: str) -> Iterator[PlainAssertion]:
    names = _names(tree, module)
    for index, statement in enumerate(tree.body):
        if isinstance(statement, ast.FunctionDef):
            if statement.name.startswith(_AROUND):
                return
            if statement.decorator_list:
                if any("fixture" in ast.unparse(decorator) for decorator in statement.decorator_list):
                    return
            elif statement.name.startswith("test") and not _arguments(statement):
                yield from _of_body(statement.body, names)
            elif statement.name == "check" and len(_arguments(statement)) == 1:
                yield from _of_check(statement, tree.body[index + 1 :], names)
        elif isinstance(statement, ast.Assert):
            yield from _of_body([statement], names)
        elif not (_harmless(statement) or _checked(statement)):
            return


def _of_body(body: Iterable[ast.stmt], names: _Names) -> Iterator[PlainAssertion]:
    """The assertions up to the first statement that might change what the next ones mean."""
    for statement in body:
        if isinstance(statement, ast.Assert):
            if assertion := _plain(statement, statement.lineno, names):
                yield assertion
        elif not _harmless(statement):
            return


def _of_check(check: ast.FunctionDef, behind: list[ast.stmt], names: _Names) -> Iterator[PlainAssertion]:
    given = [each for statement in behind if (each := _checked(statement))]
    if len(given) == 1 and (function := names.of(given[0])):
        candidate = _arguments(check)[0]
        inner = _Names({**names.program, candidate: function}, names.others - {candidate}, names.module)
        yield from _of_body(check.body, inner)


def _plain(statement: ast.Assert, line: int, names: _Names) -> PlainAssertion | None:
    test = statement.test
    relation, expected = "bool", "True"
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, expected = test.operand, "False"
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right = test.left, test.comparators[0]
        relation = _SIGNS.get(type(test.ops[0]), "")
        if relation in ("==", "!=") and is_literal(left):
            left, right = right, left
        singleton = isinstance(right, ast.Constant) and (right.value is None or isinstance(right.value, bool))
        if not relation or not is_literal(right) or (relation == "is" and not singleton):
            return None
        test, expected = left, ast.unparse(right)
    if not isinstance(test, ast.Call) or not (name := names.of(test.func)):
        return None
    if not all(map(is_literal, test.args)) or not all(word.arg and is_literal(word.value) for word in test.keywords):
        return None
    call = ast.unparse(ast.Call(ast.Name(name), test.args, test.keywords))
    return PlainAssertion(call, expected, line, relation) if len(call) + len(expected) <= LONGEST_CALL else None


def _names(tree: ast.Module, module: str) -> _Names:
    """What every name of the file stands for, wherever it is bound: a name with two meanings is not the program's."""
    program: dict[str, str] = {}
    others: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == module:
                    program[alias.asname or module] = module + "."
                else:
                    others.add((alias.asname or alias.name).partition(".")[0])
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if node.module == module and not node.level:
                    program[alias.asname or alias.name] = alias.name
                else:
                    others.add(alias.asname or alias.name)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            others.add(node.name)
        elif isinstance(node, ast.arg):
            others.add(node.arg)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            others.add(node.id)
    return _Names(program, others, module)


def _harmless(statement: ast.stmt) -> bool:
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.FunctionDef() | ast.Pass():
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.Assign(targets=targets, value=value):
            return is_literal(value) and all(isinstance(target, ast.Name) for target in targets)
        case ast.For(body=body, orelse=[]):
            return all(
                isinstance(inner, ast.Assert) or (isinstance(inner, ast.For) and _harmless(inner)) for inner in body
            )
        case _:
            return False


def _checked(statement: ast.stmt) -> ast.expr | None:
    """What a call of `check` is given."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id="check"), args=[given], keywords=[])):
            return given
    return None


def _arguments(function: ast.FunctionDef) -> list[str]:
    every = function.args
    named = [*every.posonlyargs, *every.args, *every.kwonlyargs]
    return [argument.arg for argument in [*named, *filter(None, (every.vararg, every.kwarg))]]


def ask_alone(
    executor: Executor, program: Program, plain: Sequence[PlainAssertion], environment: Environment, call_seconds: float
) -> str:
    """Why the program's tests are not to be believed; empty where all that they plainly assert holds.

    program: without its tests, which know the answers. Raises `ObservationError` when the sandbox fails.
    """
    calls, seconds = [f"{_MODULE}.{each.call}" for each in plain], max(2 * call_seconds, LEAST)
    (seen,) = observe(
        executor,
        (program,),
        calls,
        environment=environment,
        plain=_BARE,
        batch=len(calls),
        call_seconds=call_seconds,
        seconds=seconds,
    )
    return contradiction(plain, seen)


def contradiction(plain: Sequence[PlainAssertion], seen: Sequence[Observed]) -> str:
    """Of the first assertion that does not hold of what was seen of its call; empty without one."""
    for assertion, one in zip_longest(plain, seen[: len(plain)]):
        if one is None or one.ending is not Ending.RETURNED or not assertion.holds(value_of(one.value)):
            return f"asked alone, the program does not give what line {assertion.line} asserts"
    return ""


_KINDS: Mapping[str, Callable[..., object]] = {
    **{each.__name__: each for each in (float, complex, set, frozenset, bytearray, deque, Decimal, Fraction)},
    "iter": set,  # as the views of a mapping compare
}
_AROUND_DATA = (UserDict.__name__, UserList.__name__, UserString.__name__)


def value_of(text: str) -> object:
    """The value of a canonical text (`differential/canonical.py`); a bare `object`, which equals nothing, for no plain
    one. The program had a say in the text; never raises."""
    try:
        return _value(parse(text, mode="eval").body)
    except (*UNREADABLE, ArithmeticError):
        return object()


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Call(func=ast.Name(id=name), args=parts, keywords=[]) if name in _KINDS:
            return _KINDS[name](*map(_value, parts))
        case ast.Call(func=ast.Name(id=name), args=[], keywords=[ast.keyword("data", inner)]) if name in _AROUND_DATA:
            return _value(inner)
        case ast.List(elts=parts):
            return list(map(_value, parts))
        case ast.Tuple(elts=parts):
            return tuple(map(_value, parts))
        case ast.Set(elts=parts):
            return set(map(_value, parts))
        case ast.Dict(keys=keys, values=values):
            return {_value(key): _value(value) for key, value in zip(keys, values, strict=True) if key}
    return ast.literal_eval(node)
