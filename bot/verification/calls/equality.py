"""Whether two observations, or the texts of two values, are the same as far as a caller can tell."""

import ast
from collections.abc import Collection
from typing import Any

from bot.verification.literals import same_value
from bot.verification.syntax import UNREADABLE, parse, plain_value
from bot.verification.values import Ending, Observed


def same(one: Observed, other: Observed, on_purpose: Collection[str] = ()) -> bool:
    """Whether two observations are the same behaviour as far as a caller can tell.

    Values are equal as Python's `==` has it, floats to within one part in a million. Which exception is raised does not
    count, but for those that a program raises on purpose; nor that arguments were changed where something is returned;
    an object that was asked shows what it became.
    """
    if one.ending is not other.ending or one.ending not in (Ending.RETURNED, Ending.RAISED):
        return one.ending is other.ending
    returned = one.ending is Ending.RETURNED
    if not returned and one.value != other.value and {one.value, other.value} & {*on_purpose}:
        return False
    if returned and not equal(one.value, other.value):
        return False
    of_object = all(each.mutated[:1].isalpha() for each in (one, other))
    return (returned and one.value != "None" and not of_object) or _same_state(one.mutated, other.mutated)


def _same_state(one: str, other: str) -> bool:
    """Of objects what both have: what one program keeps besides is its own."""
    own, others = attributes_of(one), attributes_of(other)
    if own is None or others is None:
        return equal(one, other)
    return all(equal(own[name], others[name]) for name in own.keys() & others.keys())


def attributes_of(state: str) -> dict[str, str] | None:
    """What the text of an object shows of it, by name; `None` where it is the text of something else."""
    try:
        node = parse(state, mode="eval").body
    except UNREADABLE:
        return None
    if not isinstance(node, ast.Call) or node.args:
        return None
    return {str(word.arg): ast.unparse(word.value) for word in node.keywords}


def equal(one: str, other: str) -> bool:
    """Whether two canonical values are equal, floats to within one part in a million."""
    if one == other:
        return True
    try:
        both = [_parts(parse(each, mode="eval").body) for each in (one, other)]
        return same_value(*both) or same_value(*both[::-1])
    except UNREADABLE:
        return False


def _parts(node: Any) -> Any:
    """A node as plain values: objects, which are written as calls, have no others."""
    if isinstance(node, ast.Constant | ast.UnaryOp):
        return plain_value(node)
    if isinstance(node, ast.AST):
        return (type(node), [_parts(getattr(node, name)) for name in node._fields])
    return [*map(_parts, node)] if isinstance(node, list) else node
