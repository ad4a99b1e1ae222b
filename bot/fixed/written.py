"""Reproductions that a model wrote: which of them may be run. Pure.

What a model wrote counts, like a variant, only where it was seen to fail as the report says before the fix; so a script
that shows something else than the report decides nothing. What it claims may be wrong: where only its own assertion
fails, before and after, that makes doubtful and no more.
"""

import ast

from bot.fixed import python
from bot.fixed.project import Project
from bot.fixed.values import Expectation, Failure, Form, Reproduction
from bot.judges.answer import quoted
from bot.judges.reproductions import Shows, Sketch, Sketched

MOST = 3
_FAILURES = {Shows.RAISES: Failure.RAISES, Shows.WARNS: Failure.WARNS, Shows.HANGS: Failure.HANGS}


def accepted(sketched: Sketched, report: str, project: Project) -> tuple[Reproduction, ...]:
    """Those that quote the report, parse, use the project, and do not fail by their own hand."""
    found: list[Reproduction] = []
    for sketch in sketched.sketches:
        code = python.readable(sketch.code)
        if len(found) < MOST and _may_run(sketch, code, report, project):
            number = len(found) + 1
            expectation = _expectation(sketch)
            name, where = f"written_{number}", f"script {number}, written by a model from the report,"
            claims = sketch.shows is Shows.ASSERTS
            found.append(
                Reproduction(name, Form.SCRIPT, code, expectation, where, may_fail=claims, judge=sketched.judge)
            )
    return tuple(found)


def _may_run(sketch: Sketch, code: str, report: str, project: Project) -> bool:
    tree = python.tree_of(code) if code else None
    if tree is None or not python.does_something(tree) or not quoted(sketch.clause, report):
        return False
    if python.FAILS_ALWAYS.search(code) or (project.packages and not python.imports(tree) & project.packages):
        return False
    asserts = any(isinstance(node, ast.Assert) for node in ast.walk(tree))
    return asserts or sketch.shows is not Shows.ASSERTS


def _expectation(sketch: Sketch) -> Expectation:
    if sketch.shows is Shows.ASSERTS:
        return Expectation(Failure.RAISES, "AssertionError")
    name = sketch.exception.rpartition(".")[2]
    return Expectation(_FAILURES[sketch.shows], name if name.isidentifier() else "")
