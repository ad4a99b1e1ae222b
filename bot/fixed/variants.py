"""The same call with other inputs, so that a fix of the one input that a report happens to show does not pass for all.

What a variant should give follows from the report in two cases alone: the report names the call itself, or the failure
is one that no input deserves, since it comes out of the code's own confusion and not out of a check. And a variant
counts only where it was seen to fail like the original before the fix. Pure.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from bot.fixed import python
from bot.fixed.values import Expectation, Failure, Form, Reproduction

MOST = 3  # of one reproduction
_CONFUSED = frozenset(
    {"AttributeError", "IndexError", "NameError", "RecursionError", "UnboundLocalError", "ZeroDivisionError"}
    | {"StopIteration", "UnicodeDecodeError", "UnicodeEncodeError"}
)
# What the interpreter itself says of types; another `TypeError` may come out of a check.
_MIXED_UP = re.compile(
    r"NoneType|unsupported operand|not (?:iterable|subscriptable|callable)|positional argument|keyword argument"
    r"|has no len\(\)|must be \w+, not \w+$"
)
_CALL = re.compile(r"`([A-Za-z_][\w.]{0,80}\([^`\n]{0,200}\))`")
_EXCEPTION = re.compile(r"[A-Z]\w*(?:Error|Exception)")
_LONGEST_TEXT = 40


def variants(reproduction: Reproduction, text: str) -> tuple[Reproduction, ...]:
    """Up to `MOST` variants; none of what was written by a model or has no literal inputs. text: the report's."""
    if reproduction.form not in (Form.SCRIPT, Form.SESSION) or reproduction.judge:
        return ()
    statement = reproduction.steps[-1] if reproduction.form is Form.SESSION else reproduction.code
    tree = python.tree_of(statement)
    if tree is None or not tree.body:
        return ()
    last = tree.body[-1]
    before = statement.split("\n")[: last.lineno - 1]
    found: dict[str, Expectation] = {}
    for other in (*_named(last, text), *_exchanged(last, reproduction)):
        found.setdefault("\n".join((*before, other)), _elsewhere(reproduction.expectation))
    for other in _numbers(last, reproduction.expectation):
        found.setdefault("\n".join((*before, other)), Expectation(Failure.RAISES, "AssertionError"))
    others = [(code, expected) for code, expected in found.items() if code.strip() != statement.strip()]
    return tuple(_variant(reproduction, number, *one) for number, one in enumerate(others[:MOST], 1))


def _elsewhere(expected: Expectation) -> Expectation:
    """An exception that should come is right for other inputs as well; a value is not."""
    return expected if _EXCEPTION.fullmatch(expected.right) else replace(expected, right="")


def _variant(reproduction: Reproduction, number: int, statement: str, expectation: Expectation) -> Reproduction:
    steps = (*reproduction.steps[:-1], statement) if reproduction.form is Form.SESSION else ()
    return replace(
        reproduction,
        expectation=expectation,
        name=f"{reproduction.name}_variant_{number}",
        code="\n".join(steps) if steps else statement,
        steps=steps,
        where=f"variant {number} of {reproduction.where}",
        variant_of=reproduction.name,
    )


def _named(last: ast.stmt, text: str) -> Iterator[str]:
    """The last statement with another call of its function that the report names in its prose."""
    call = _call_of(last)
    if call is None:
        return
    for said in _CALL.findall(text)[:50]:
        tree = python.tree_of(said)
        other = _call_of(tree.body[0]) if tree and len(tree.body) == 1 else None
        if other is None or not _same_function(call.func, other.func) or not all(map(_is_literal, other.args)):
            continue
        if all(_is_literal(keyword.value) for keyword in other.keywords):
            made = ast.unparse(ast.Call(call.func, other.args, other.keywords))
            if made != ast.unparse(call):
                yield f"print({made})" if _prints(last) else made


def _same_function(one: ast.expr, other: ast.expr) -> bool:
    """People leave out the module in prose."""
    said, used = ast.unparse(other), ast.unparse(one)
    return used == said or used.endswith(f".{said}")


def _exchanged(last: ast.stmt, reproduction: Reproduction) -> Iterator[str]:
    """The last statement with one literal exchanged for another of its kind; numbers first."""
    if _is_confusion(reproduction.expectation) and isinstance(last, ast.Expr | ast.Assign):
        yield from _others(last)


def _numbers(last: ast.stmt, expected: Expectation) -> Iterator[str]:
    """Where the report shows what is not a number: that its call gives none for other literals either."""
    call = _call_of(last)
    if call and expected.failure is Failure.PRINTS and expected.right and expected.wrong[-1:] == ("nan",):
        yield from (f"assert str({other}) != 'nan'" for other in _others(call))


def _others(whole: ast.AST) -> Iterator[str]:
    """The whole with one literal exchanged for a neighbour; numbers first."""
    literals = [node for node in ast.walk(whole) if isinstance(node, ast.Constant)]
    for wanted in (int, float, str):
        for node in literals:
            if type(node.value) is wanted:
                yield from (_with(whole, node, other) for other in _neighbours(node.value))


def _is_confusion(expected: Expectation) -> bool:
    mixed_up = expected.exception == "TypeError" and any(map(_MIXED_UP.search, expected.message))
    return expected.failure is Failure.RAISES and (expected.exception in _CONFUSED or mixed_up)


def _neighbours(value: object) -> tuple[object, ...]:
    match value:
        case int() | float():
            return (value + 1, value - 1) if value else (value + 1,)
        case str() if 0 < len(value) <= _LONGEST_TEXT and value.isascii():
            return (value + value[-1],)
    return ()


def _call_of(statement: ast.stmt) -> ast.Call | None:
    """The call that a statement consists of, printed or assigned."""
    value = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
    if isinstance(value, ast.Call) and _prints(statement) and value.args:
        value = value.args[0]
    return value if isinstance(value, ast.Call) else None


def _prints(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "print"


def _with(whole: ast.AST, literal: ast.Constant, value: object) -> str:
    kept, literal.value = literal.value, value  # type: ignore[assignment]
    try:
        return ast.unparse(whole)
    finally:
        literal.value = kept


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True
