"""Whether a reproduction that passes shows what should come, or only that what went wrong is gone. Pure.

An exception that is gone says nothing of the value that comes instead: a change that swallows it stops it as well. So
does a program that ends now. It depends on the report alone, and never on what was seen when it was run.
"""

import ast

from bot.already_fixed.reading import python
from bot.already_fixed.values import Failure, Form, Reproduction


def tells_right(reproduction: Reproduction) -> bool:
    """Whether the report says what should come: a value, an exception, no warning, an assertion that it ends with."""
    expected = reproduction.expectation
    match expected.failure:
        case Failure.MISSES | Failure.WARNS:
            return True
        case Failure.RAISES if not expected.right:
            return _asserts(reproduction)
    return bool(expected.right)


def _asserts(reproduction: Reproduction) -> bool:
    """Whether its own assertions fail, or, where it fails before, come last: in passing they have held."""
    tree = python.tree_of(reproduction.code) if reproduction.form is not Form.COMMAND else None
    if tree is None:
        return False
    if reproduction.expectation.exception == "AssertionError":
        return any(map(_is_assertion, ast.walk(tree)))
    bodies = [tree.body]
    if reproduction.form is Form.TESTS:
        bodies = [node.body for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and _is_test(node)]
    return bool(bodies) and all(body and any(map(_is_assertion, ast.walk(body[-1]))) for body in bodies)


def _is_test(node: ast.FunctionDef) -> bool:
    return node.name.startswith("test")


def _is_assertion(node: ast.AST) -> bool:
    """`assert`, or a call like unittest's `self.assertEqual(…)`."""
    return isinstance(node, ast.Assert) or (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("assert")
    )
