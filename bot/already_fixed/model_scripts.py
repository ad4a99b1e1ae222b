"""Reproductions that a model wrote: which of them may be run. Pure.

What a model wrote counts, like a variant, only where it was seen to fail as the report says before the fix; so a script
that shows something else than the report decides nothing. What it asserts may be wrong: where that alone fails, before
and after, it counts as failing still only if the words that it quotes hold the values that it compares with.
"""

import ast
import re
from dataclasses import replace

from bot.already_fixed.project import Project
from bot.already_fixed.reading import python
from bot.already_fixed.values import Expectation, Failure, Form, Reproduction
from bot.judges.answer import quoted
from bot.judges.code import Shows, Sketch
from bot.judges.protocol import Answered
from bot.verification.syntax import is_literal

MOST = 3
_FAILURES = {Shows.RAISES: Failure.RAISES, Shows.WARNS: Failure.WARNS, Shows.HANGS: Failure.HANGS}


def accepted(sketched: Answered[tuple[Sketch, ...]], report: str, project: Project) -> tuple[Reproduction, ...]:
    """Those that quote the report, parse, use the project, and do not fail by their own hand."""
    found: list[Reproduction] = []
    for sketch in sketched.answer:
        code = python.readable(sketch.code)
        if len(found) < MOST and _may_run(sketch, code, report, project):
            number = len(found) + 1
            expectation = _expectation(sketch)
            name, where = f"written_{number}", f"script {number}, written by a model from the report,"
            claims = sketch.shows is Shows.ASSERTS
            one = Reproduction(name, Form.SCRIPT, code, expectation, where, may_fail=claims, judge=sketched.judge)
            found.append(replace(one, stated=claims and _is_stated(code, sketch.clause)))
    return tuple(found)


def _may_run(sketch: Sketch, code: str, report: str, project: Project) -> bool:
    tree = python.tree_of(code) if code else None
    if tree is None or not python.does_something(tree) or not quoted(sketch.clause, report):
        return False
    if python.FAILS_ALWAYS.search(code) or (project.packages and not python.imports(tree) & project.packages):
        return False
    asserts = any(isinstance(node, ast.Assert) for node in ast.walk(tree))
    return asserts or sketch.shows is not Shows.ASSERTS


def _is_stated(code: str, clause: str) -> bool:
    """Whether the quoted words hold every value that an assertion compares with, and there is one."""
    tree = python.tree_of(code)
    asserted = [node.test for node in ast.walk(tree) if isinstance(node, ast.Assert)] if tree else []
    compared = [_values(test) for test in asserted]
    return bool(compared) and all(values and all(_says(clause, value) for value in values) for values in compared)


def _values(test: ast.expr) -> list[str]:
    """The literals at either side of a comparison, as the script writes them."""
    sides = [test.left, *test.comparators] if isinstance(test, ast.Compare) else []
    return [ast.unparse(side) for side in sides if is_literal(side)]


def _says(clause: str, value: str) -> bool:
    bare = value.strip("'\"")
    return bool(bare) and re.search(rf"(?<![\w.]){re.escape(bare)}(?!\w|\.\d)", clause) is not None


def _expectation(sketch: Sketch) -> Expectation:
    if sketch.shows is Shows.ASSERTS:
        return Expectation(Failure.RAISES, "AssertionError")
    name = sketch.exception.rpartition(".")[2]
    return Expectation(_FAILURES[sketch.shows], name if name.isidentifier() else "")
