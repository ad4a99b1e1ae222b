"""What a program gives where it knows no answer, held against what its tests plainly assert."""

import ast
from collections import UserDict, UserList, UserString, deque
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import zip_longest
from typing import Any

from bot.sandbox.protocol import Executor
from bot.verification.differential.observe import Plain, observe
from bot.verification.syntax import UNREADABLE, parse
from bot.verification.testing.assertions import PlainAssertion
from bot.verification.values import Ending, Environment, Observed, Program

LEAST = 15.0  # seconds for all calls
_MODULE = "solution"
_BARE = Plain((_MODULE,), ("/work",))


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
    """The value of a canonical text (`differential/harness.py`); a bare `object`, which equals nothing, for no plain
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
