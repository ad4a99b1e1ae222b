"""What should come by a report: whether a reproduction that passes shows it, or only that what went wrong is gone, and
whether the report asks for it where nothing that is run is held against it. Pure; linear.

An exception that is gone says nothing of the value that comes instead: a change that swallows it stops it as well. So
does a program that ends now. Where the report says more than that it should be gone, its absence alone is no proof.
Words that tell of no value to compare (*an empty list*, *the same as before*) count here as well: in doubt there is
one. So does another exception, or a better message.
"""

import ast
from collections.abc import Sequence
from dataclasses import replace

from bot.already_fixed.in_sandbox.ending import threw
from bot.already_fixed.reading import classify, expected_value, python, tracebacks
from bot.already_fixed.reading.blocks import ReportBlock
from bot.already_fixed.reading.drafts import ANYTHING, ASSERTED
from bot.already_fixed.reading.expected_value import ShownOutput, could_come, wanted
from bot.already_fixed.reading.page import ReportPage
from bot.already_fixed.reading.wording import pattern
from bot.already_fixed.values import Expectation, Failure, Form, Reproduction

_HANGS, _FAILS, _PASSES, SHOULD_RAISE = map(pattern, ("hangs", "fails", "passes", "should_raise"))
_COMMENT, _INSTEAD_RAISED = pattern("exception_in_remark"), pattern("another_exception")


def failing(page: ReportPage, at: int, code: str, rest: str, *, shows: bool | None = None) -> Expectation | None:
    """`None` where the report does not say. at: the number of the example. rest: what stands behind it in its block.
    shows: of what is no Python, whether it ends with something that it prints."""
    foreign = shows is not None
    shows = python.shows(code) if shows is None else shows
    outputs = [ReportBlock(True, rest, lead="output")] if rest.strip() else []
    outputs += page.following(at)
    ends = [(classify.is_expected(output), told) for output in outputs if (told := _exception(output, foreign))]
    wanted = next((told for expected, told in ends if expected), None)
    for expected, told in ends:
        if not expected:
            if wanted is None:
                return told.expected(_right(page, at, ShownOutput(code), outputs) if shows else "")
            # Which of two messages of one class comes is not compared: wordings differ between versions.
            return None if told.name == wanted.name else told.expected(wanted.name)
    if python.fails_always(code):
        return None
    for output in outputs:
        if warning := tracebacks.warned(output.text):
            return warning.expected(failure=Failure.WARNS)
    near = f"{page.parts[at].heading}\n{page.near(at)}"
    if _HANGS.search(f"{page.title}\n{near}"):
        return Expectation(Failure.HANGS)
    found = _COMMENT.search(code)
    if wanted:
        if found is None:
            return Expectation(Failure.MISSES, wanted.name)
        other = found["name"] != wanted.name
        return Expectation(Failure.RAISES, found["name"], right=wanted.name) if other else None
    if found:
        return Expectation(Failure.MISSES if found["right"] else Failure.RAISES, found["name"])
    return _printing(page, at, code, outputs) or _by_words(page, at, code, near, outputs, shows=shows, foreign=foreign)


def _exception(output: ReportBlock, foreign: bool) -> tracebacks.RaisedError | None:
    """The exception that an output ends with; a warning is none."""
    if foreign and (thrown := threw(output.text)):
        return tracebacks.RaisedError(thrown[0], thrown[1].strip("`")[:300])
    ends = tracebacks.is_trace(output.text) or output.text.strip().count("\n") < 3  # next to nothing but its last line
    told = tracebacks.raised(output.text) if ends else None
    return told if told and not told.name.endswith("Warning") else None


def _right(page: ReportPage, at: int, shown: ShownOutput, outputs: Sequence[ReportBlock]) -> str:
    """The value that should come: as a block shows it, else as prose or a comment says it."""
    return next(iter(_expected(outputs)), "") or _wished(page, at, shown)


def _expected(outputs: Sequence[ReportBlock]) -> list[str]:
    compared = (output for output in outputs if classify.is_output(output) and classify.is_expected(output))
    return [classify.without_remarks(output.text) for output in compared]


def _printing(page: ReportPage, at: int, code: str, outputs: Sequence[ReportBlock]) -> Expectation | None:
    """An output below that is led to as one."""
    compared = [output for output in outputs if classify.is_output(output)]
    wrong = [classify.without_remarks(output.text) for output in compared if not classify.is_expected(output)]
    if not wrong:
        return None
    if former := [output for output in outputs for other in outputs if classify.is_older(output, other)]:
        now = [output.text for output in compared if output not in former]
        return Expectation(Failure.PRINTS, wrong=tuple(now[:1]), right=former[0].text)
    right = _right(page, at, ShownOutput(code, wrong[0]), outputs)
    return Expectation(Failure.PRINTS, wrong=(wrong[0],), right=right)


def _by_words(
    page: ReportPage, at: int, code: str, near: str, outputs: Sequence[ReportBlock], *, shows: bool, foreign: bool
) -> Expectation | None:
    told = f"{page.title}\n{near}"
    comes = page.came(at, code) or (python.output_in_remarks(code) if foreign else "")
    if told_of := _exception(ReportBlock(True, comes), foreign):
        return told_of.expected(_wished(page, at, ShownOutput(code)) if shows else "")
    if comes and shows:
        return Expectation(Failure.PRINTS, wrong=(comes,), right=_right(page, at, ShownOutput(code, comes), outputs))
    if named := _named(page, near):
        return named
    remark = value_in_comment(code, ShownOutput(code, names=page.names))
    only = next(iter(_expected(outputs)), "") or remark or page.right_near(at, ShownOutput(code), alone=True)
    if only and shows and not _FAILS.search(told):
        return Expectation(Failure.PRINTS, right=only)
    if any(line.lstrip().startswith(("assert ", "assert(", "assert.")) for line in code.split("\n")):
        # What should not hold is shown by what passes.
        return None if _PASSES.search(f"{code}\n{near}") else ASSERTED
    return ANYTHING if _FAILS.search(near) or _FAILS.search(page.title) else None


def _wished(page: ReportPage, at: int, shown: ShownOutput) -> str:
    told = value_in_comment(shown.code, replace(shown, names=page.names))
    return told or page.right_near(at, shown) or page.right_formerly(at)


def value_in_comment(code: str, shown: ShownOutput) -> str:
    """The value that a comment says should come, where it can."""
    remark = expected_value.commented_right(code)
    return remark if could_come(remark, shown) else ""


def _named(page: ReportPage, near: str) -> Expectation | None:
    """An exception that is named once, as what happens: of several nobody can tell which is meant."""
    for text in (near, page.title, page.prose):
        wanted = SHOULD_RAISE.search(text)
        if found := _INSTEAD_RAISED.search(text):
            comes, right = (name.rpartition(".")[2] for name in found.groups())
            if wanted and wanted.start(1) == found.start(1):
                comes, right = right, comes
            return Expectation(Failure.RAISES, comes, right=right)
        if len(names := tracebacks.mentioned(text)) == 1:
            return Expectation(Failure.MISSES if wanted else Failure.RAISES, names[0])
    return None


UNASKED = "what the report says should come instead of an exception"
_ASKS, _BETTER, _ANOTHER = map(pattern, ("asks", "better_message", "should_be_exception"))


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
        return not (wished or _FAILS.search(f"{page.title}\n{shown}"))
    return bool(_BETTER.search(page.prose))
