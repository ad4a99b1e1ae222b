"""What should come by a report: whether a reproduction that passes shows it, or only that what went wrong is gone, and
whether the report asks for it where nothing that is run is held against it. Pure; linear.

An exception that is gone says nothing of the value that comes instead: a change that swallows it stops it as well. So
does a program that ends now. Where the report says more than that it should be gone, its absence alone is no proof.
Words that tell of no value to compare (*an empty list*, *the same as before*) count here as well: in doubt there is
one. So does another exception, or a better message.
"""

import ast
from collections.abc import Sequence

from bot.already_fixed.reading import classify, python
from bot.already_fixed.reading.expected_value import ShownOutput, wanted
from bot.already_fixed.reading.failing import FAILS
from bot.already_fixed.reading.page import ReportPage
from bot.already_fixed.reading.wording import pattern
from bot.already_fixed.values import Failure, Form, Reproduction

UNASKED = "what the report says should come instead of an exception"
_ASKS = pattern("asks")
_BETTER = pattern("better_message")
_ANOTHER = pattern("should_be_exception")


def tells_right(reproduction: Reproduction) -> bool:
    """Whether the report says what should come: a value, an exception, no warning, an assertion that it ends with. It
    depends on the report alone, and never on what was seen when it was run."""
    expected = reproduction.expectation
    match expected.failure:
        case Failure.MISSES | Failure.WARNS:
            return True
        case Failure.RAISES if not expected.right:
            return _asserts(reproduction)
    return bool(expected.right)


def _asserts(reproduction: Reproduction) -> bool:
    """Whether its own assertions fail, or, where it fails before, come last: in passing they have held."""
    tree = python.tree_of(reproduction.code) if reproduction.form not in (Form.COMMAND, Form.PROGRAM) else None
    if tree is None:
        return False
    if reproduction.expectation.exception == "AssertionError":
        return any(map(_is_assertion, ast.walk(tree)))
    bodies = [tree.body]
    if reproduction.form is Form.TESTS:
        bodies = [test.body for test in python.tests_in(tree)]
    return bool(bodies) and all(body and any(map(_is_assertion, ast.walk(body[-1]))) for body in bodies)


def _is_assertion(node: ast.AST) -> bool:
    """`assert`, or a call like unittest's `self.assertEqual(…)`."""
    return isinstance(node, ast.Assert) or (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("assert")
    )


def unasked(page: ReportPage, reproductions: Sequence[Reproduction]) -> str:
    """`UNASKED` where the report says so; empty where something that is run is held against it, or it does not say."""
    rights = {one.expectation.right for one in reproductions}
    gone = [one for one in reproductions if one.expectation.failure is Failure.RAISES and not tells_right(one)]
    if not gone:
        return ""
    last = (ShownOutput(one.code.rpartition("\n")[2], around=one.code, names=page.names) for one in gone)
    if any(right and right not in rights for right in (wanted(page.prose, shown) for shown in last)):
        return UNASKED
    shown = {one.expectation.exception for one in gone}
    others = any(found[1] not in shown for found in _ANOTHER.finditer(page.prose))
    more = others or _ASKS.search(page.prose) or _BETTER.search(page.prose)
    return UNASKED if rights == {""} and more else ""


def may_fail(page: ReportPage, reproduction: Reproduction) -> bool:
    """Whether failing may be right, too: the report asks for a better message, which may be much like the one it shows;
    or it asserts something and says neither that this fails nor that it should hold, so it may show what should not."""
    expected = reproduction.expectation
    if expected.failure is not Failure.RAISES or expected.right:
        return False
    if expected.exception == "AssertionError" and reproduction.form is Form.SCRIPT:
        shown = "\n".join(part.text for part in page.parts)
        own = (part for part in page.parts if part.code and part.text.strip() in reproduction.code)
        wished = any(map(classify.is_expected, own))
        return not (wished or FAILS.search(f"{page.title}\n{shown}"))
    return bool(_BETTER.search(page.prose))
