"""The same call with other inputs, so that a fix of the one input that a report happens to show does not pass for all.

What a variant should give follows from the report in two cases alone: the report says of the call itself that it fails
too, or the failure is one that no input deserves, since the interpreter tells of the code's own confusion in it. Any
other variant may fail rightly: an index may be out of range, a divisor zero. It can make doubtful and no more. And each
counts only where it was seen to fail like the original before the fix. Pure.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from bot.already_fixed.in_sandbox.ending import SLIPS
from bot.already_fixed.reading import python
from bot.already_fixed.reading.wording import pattern
from bot.already_fixed.values import Expectation, Failure, Form, Reproduction, words
from bot.verification.syntax import is_literal

MOST, MOST_OF_ALL = 3, 6  # of one reproduction, and of those of one report
_ERRORS = frozenset(words("exceptions")["undeserved"])
# What the interpreter itself says when code takes one thing for another. Inputs of the same types deserve none of it.
_CONFUSED = re.compile(
    r"unsupported operand|not (?:iterable|subscriptable|callable)|positional argument|keyword argument"
    rf"|has no len\(\)|must be \w+, not \w+$|{SLIPS.pattern}"
)
_TOO, _RIGHTLY = pattern("fails_too"), pattern("fails_rightly")
_SENTENCE = re.compile(r"[.!?:](?:\s|$)|\n\s*\n|\n\s*[-*] ")
_NEAR = 200  # characters of a sentence on each side of a call
_CALL = re.compile(r"`([A-Za-z_][\w.]{0,80}\([^`\n]{0,200}\))`")
_EXCEPTION = re.compile(r"[A-Z]\w*(?:Error|Exception)")
_LONGEST_TEXT = 40


def with_variants(shown: Sequence[Reproduction], text: str) -> tuple[Reproduction, ...]:
    """What a report shows, and up to `MOST_OF_ALL` variants of it. text: the report's."""
    others = (variant for one in shown for variant in variants(one, text))
    return (*shown, *islice(others, MOST_OF_ALL))


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
    shown = reproduction.expectation
    # An exception that should come is right for other inputs as well; a value is not.
    expected = shown if _EXCEPTION.fullmatch(shown.right) else replace(shown, right="")
    given = [
        *((other, expected, not fails_too) for other, fails_too in _named(last, text)),
        *((other, replace(wanted, right=expected.right), True) for other, wanted in _exchanged(last, shown)),
    ]
    found: dict[str, Reproduction] = {}
    for other, expectation, may_fail in given:
        code = "\n".join((*before, other))
        if code.strip() != statement.strip() and code not in found and len(found) < MOST:
            number, steps = len(found) + 1, (*reproduction.steps[:-1], code) if reproduction.steps else ()
            found[code] = replace(
                reproduction,
                expectation=expectation,
                name=f"{reproduction.name}_variant_{number}",
                code="\n".join(steps) or code,
                steps=steps,
                where=f"variant {number} of {reproduction.where}",
                variant_of=reproduction.name,
                may_fail=may_fail,
            )
    return tuple(found.values())


def is_confusion(raised: str) -> bool:
    """Whether the line of an exception is the interpreter's own, of code that takes one thing for another."""
    return bool(_CONFUSED.search(raised))


def _named(last: ast.stmt, text: str) -> Iterator[tuple[str, bool]]:
    """The last statement with another call of its function that the report names in its prose; whether the report says
    that this fails, too."""
    call = _call_of(last)
    if call is None:
        return
    for said in islice(_CALL.finditer(text), 50):
        value = python.expression(said[1])
        other = _call_of(ast.Expr(value)) if value else None
        if other is None or not f".{ast.unparse(call.func)}".endswith(f".{ast.unparse(other.func)}"):
            continue  # people leave out the module in prose
        if all(map(is_literal, (*other.args, *(keyword.value for keyword in other.keywords)))):
            made = ast.unparse(ast.Call(call.func, other.args, other.keywords))
            prints = isinstance(last, ast.Expr) and last.value is not call
            if made != ast.unparse(call):
                yield f"print({made})" if prints else made, _fails_too(text, said)


def _fails_too(text: str, said: re.Match[str]) -> bool:
    """Whether the sentence around a call says so, and nothing else of it."""
    above = _SENTENCE.split(text[max(0, said.start() - _NEAR) : said.start()])[-1]
    below = _SENTENCE.split(text[said.end() : said.end() + _NEAR])[0]
    sentence = f"{above} {below}"
    return bool(_TOO.search(sentence)) and not _RIGHTLY.search(sentence)


def _exchanged(last: ast.stmt, expected: Expectation) -> Iterator[tuple[str, Expectation]]:
    """The last statement with one literal exchanged for another of its kind, numbers first. Where the report shows what
    is not a number, that its call gives none for these either."""
    mixed_up = expected.exception == "TypeError" and any(map(is_confusion, expected.message))
    call = _call_of(last)
    if expected.failure is Failure.RAISES and (mixed_up or expected.exception in _ERRORS):
        yield from ((other, expected) for other in (_others(last) if isinstance(last, ast.Expr | ast.Assign) else ()))
    elif call and expected.failure is Failure.PRINTS and expected.right and expected.wrong[-1:] == ("nan",):
        no_nan = Expectation(Failure.RAISES, "AssertionError")
        yield from ((f"assert str({other}) != 'nan'", no_nan) for other in _others(call))


def _others(whole: ast.AST) -> Iterator[str]:
    """The whole with one literal exchanged for a neighbour; numbers first."""
    literals = [node for node in ast.walk(whole) if isinstance(node, ast.Constant)]
    for kind in (int, float, str):
        for node in (node for node in literals if type(node.value) is kind):
            match node.value:
                case int(value) | float(value):
                    yield from (_with(whole, node, other) for other in (value + 1, *((value - 1,) if value else ())))
                case str(value) if 0 < len(value) <= _LONGEST_TEXT and value.isascii():
                    yield _with(whole, node, value + value[-1])


def _call_of(statement: ast.stmt) -> ast.Call | None:
    """The call that a statement consists of, printed or assigned."""
    value = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
    if isinstance(value, ast.Call) and python.is_print(value.func) and value.args:
        value = value.args[0]
    return value if isinstance(value, ast.Call) else None


def _with(whole: ast.AST, literal: ast.Constant, value: object) -> str:
    kept, literal.value = literal.value, value  # type: ignore[assignment]
    try:
        return ast.unparse(whole)
    finally:
        literal.value = kept
