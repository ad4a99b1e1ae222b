"""Whether two answers to one call certainly differ, and how that is told."""

import ast
import re
from dataclasses import replace

from bot.verification.calls.equality import equal
from bot.verification.syntax import UNREADABLE, parse
from bot.verification.trial.moved import Both
from bot.verification.values import Ending, Observed, RecordedCall, TestResult, TestStatus

_OF_TOOL = re.compile(r"'PYTEST_\w+': '[^']*'(?:, )?")  # of the environment, which only a test has
_OF_DEPTH = "RecursionError"  # a test is deeper in calls
_SHORT = 60  # characters of an answer
_SHOWN = 300  # characters of a call and of what it gives


def differ(tested: Observed, bare: Observed, *, deep: bool = False) -> bool:
    """Whether a call certainly ended otherwise: with a value and without one, or with another plain value. deep: so
    does what is plain in objects in objects, the sort of an exception, a long text, and what became of arguments."""
    tested = replace(tested, value=_OF_TOOL.sub("", tested.value))
    endings = {tested.ending, bare.ending}
    below = tested.ending is Ending.RAISED and tested.value.startswith(_OF_DEPTH)
    if below or not endings <= {Ending.RETURNED, Ending.RAISED}:
        return False
    if len(endings) == 2:
        return True
    if endings == {Ending.RAISED}:
        return deep and tested.value != bare.value
    if same_value(tested, bare):
        return deep and not equal(tested.mutated, bare.mutated)
    try:
        one, other = (parse(each.value, mode="eval").body for each in (tested, bare))
    except UNREADABLE:
        return False
    if tested.value == "None" and _is_of_harness(other):
        return False  # a log tells itself where nobody else listens
    return (deep or not (_is_of_harness(one) or _is_of_harness(other))) and _plainly_differ(one, other, deep)


def _is_of_harness(value: ast.AST) -> bool:
    """Whether it is what was printed, or the beginning of a long text: no object of a program is written with arguments
    of no name."""
    return isinstance(value, ast.Call) and ast.unparse(value.func) in ("Cut", "Printed") and bool(value.args)


def same_value(one: Observed, other: Observed) -> bool:
    """Whether both end alike, with the same value, but for how the process was called."""
    return one.ending is other.ending and equal(one.value.replace("pytest", "script"), other.value)


def _plainly_differ(one: ast.AST, other: ast.AST, deep: bool) -> bool:
    """Of objects only what is plain in both counts: a log has other handlers under a test, and a stream another type.

    Objects are calls with nothing but keywords.
    """
    if _is_object(one) or _is_object(other):
        mine, theirs = (
            {word.arg: word.value for word in each.keywords} if isinstance(each, ast.Call) else {}
            for each in (one, other)
        )
        both = ((mine[name], theirs[name]) for name in mine.keys() & theirs.keys())
        return any(_plainly_differ(*pair, deep) for pair in both if deep or not any(map(_has_object, pair)))
    parts, others = list(ast.iter_child_nodes(one)), list(ast.iter_child_nodes(other))
    if not (_has_object(one) and _has_object(other)) or len(parts) != len(others):
        return not equal(ast.unparse(one).replace("pytest", "script"), ast.unparse(other))
    return any(_plainly_differ(*pair, deep) for pair in zip(parts, others, strict=True))


def _has_object(node: ast.AST) -> bool:
    return any(map(_is_object, ast.walk(node)))


def _is_object(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and not node.args


def as_failure(call: RecordedCall, tested: Observed, bare: Observed) -> TestResult:
    """The test that makes the call, as failed, with both answers."""
    ways = (f"{way}: {seen.ending.value} {seen.value}" for way, seen in (("tested", tested), ("bare", bare)))
    lines = (readable(call.expression), *ways)
    return TestResult(call.test, TestStatus.FAILED, "\n".join(f"E   {line[:_SHOWN]}" for line in lines))


def readable(call: str) -> str:
    """With three points for each object that was copied."""
    return re.sub(r"unpickled\('[^']*'\)", "…", call)[:_SHOWN]


def is_plain(pair: Both | None) -> bool:
    """Whether the base's value can be written into a test, which sees nothing of what is printed."""
    try:
        ast.literal_eval(pair[0].value if pair else "")
    except UNREADABLE:
        return False
    return pair is not None and pair[0].ending is Ending.RETURNED and not pair[1].value.startswith("Printed(")


def both_ways(call: str, one: Observed, other: Observed) -> str:
    """A call with two answers."""
    return f"{readable(call)}: {plainly(one)} → {plainly(other)}"[:_SHOWN]


def alone_in(call: RecordedCall, bare: Observed) -> str:
    """A call with the answer that everybody but its test gets."""
    return f"{readable(call.expression)}: {plainly(bare)}, but not in {call.test}"[:_SHOWN]


def is_short(pair: Both) -> bool:
    """Whether both answers can be shown whole."""
    return all(len(each.value) <= _SHORT and "Cut(" not in each.value for each in pair)


def plainly(observed: Observed) -> str:
    """An answer as people read it."""
    return f"raises {observed.value}" if observed.ending is Ending.RAISED else observed.value
