"""A report about halves, and what is read of it."""

from dataclasses import replace

from bot.already_fixed.project import Project
from bot.already_fixed.reading.extract import Extracted, extract
from bot.already_fixed.values import Expectation, Failure, Reproduction

PROJECT = Project(
    frozenset({"halves", "_halves"}), frozenset({"halve"}), "halves", frozenset({"half", "Half", "quarter"})
)
TRACE = """Traceback (most recent call last):
  File "x.py", line 2, in <module>
    half(None)
halves.errors.HalfError: nothing has no half
"""
HALF_ERROR = Expectation(Failure.RAISES, "HalfError", ("nothing has no half",))


MODULES = replace(
    PROJECT,
    modules={"halves.more": frozenset({"third"}), "halves.a": frozenset({"fifth"}), "halves.b": frozenset({"fifth"})},
)


def read(body: str, title: str = "A report", project: Project = PROJECT) -> Extracted:
    return extract(title, body, project)


def only(body: str, title: str = "A report", project: Project = PROJECT) -> Reproduction:
    (found,) = read(body, title, project).reproductions
    return found
