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
from bot.verification.syntax import is_literal, tree_of

MOST = 3


def accepted(sketched: Answered[tuple[Sketch, ...]], report: str, project: Project) -> tuple[Reproduction, ...]:
    """Those that quote the report, parse, use the project, and do not fail by their own hand."""
    found: list[Reproduction] = []
    for sketch in sketched.answer:
        code = python.readable(sketch.code)
        if len(found) < MOST and _may_run(sketch, code, report, project):
            number, claims = len(found) + 1, sketch.shows is Shows.ASSERTS
            name, where = f"written_{number}", f"script {number}, written by a model from the report,"
            raised = "AssertionError" if claims else sketch.exception.rpartition(".")[2]
            shown = Expectation(
                Failure.RAISES if claims else Failure(sketch.shows), raised if raised.isidentifier() else ""
            )
            one = Reproduction(name, Form.SCRIPT, code, shown, where, judge=sketched.judge)
            found.append(replace(one, may_fail=claims, stated=claims and _is_stated(code, sketch.clause)))
    return tuple(found)


def _may_run(sketch: Sketch, code: str, report: str, project: Project) -> bool:
    tree = python.tree_of(code) if code else None
    if tree is None or not python.does_something(tree) or not quoted(sketch.clause, report):
        return False
    if python.fails_always(code) or (project.packages and not python.imports(tree) & project.packages):
        return False
    return python.asserts(tree) or sketch.shows is not Shows.ASSERTS


def _is_stated(code: str, clause: str) -> bool:
    """Whether the quoted words hold every value that an assertion compares with, and there is one."""
    asserted = [node.test for node in ast.walk(tree_of(code)) if isinstance(node, ast.Assert)]
    sides = ([test.left, *test.comparators] if isinstance(test, ast.Compare) else [] for test in asserted)
    compared = [[ast.unparse(side).strip("'\"") for side in both if is_literal(side)] for both in sides]

    def says(value: str) -> bool:
        return bool(value) and re.search(rf"(?<![\w.]){re.escape(value)}(?!\w|\.\d)", clause) is not None

    return bool(compared) and all(values and all(map(says, values)) for values in compared)
