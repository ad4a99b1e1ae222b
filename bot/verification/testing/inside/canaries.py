"""Tests of ours with random names among the suite's: who reports a failing one as passed is not believed."""

# mypy: ignore-errors

import ast
import linecache
import random
import types

import pytest
from _pytest.assertion.rewrite import rewrite_asserts
from _pytest.fixtures import FuncFixtureInfo

MARKS_OF_ALL = frozenset(("skip", "skipif", "xfail"))  # of a whole file

# Without the lines of unittest's file, which pytest would parse whole to show them; one canary that has them is enough.
ALONE = "\n except AssertionError as error: raise error.with_traceback(None)"
# What each must be reported as, and its body.
CANARIES = (
    ("passed", "assert left == left"),
    ("failed", "assert left == right"),
    ("failed", "assert not left"),
    ("failed", "raise ValueError(left)"),
    ("failed", "with pytest.raises(ValueError): pass"),
    ("failed", "assert left == pytest.approx(right)"),
    ("failed", "unittest.TestCase().assertEqual(left, right)"),
    ("failed", f"try: unittest.TestCase().assertTrue(right > left + 1){ALONE}"),
    ("error", ""),  # its set-up fails
)


def add_canaries(items, names, place_of):
    """One that must fail comes first, one last, the others anywhere between; as long as there are others, not among
    tests that are all skipped, or expected to fail."""
    kinds = list(zip(names, CANARIES, strict=True))
    parents = [item.getparent(pytest.Module) or item.parent for item in items]
    free = {parent: MARKS_OF_ALL.isdisjoint(mark.name for mark in parent.iter_markers()) for parent in set(parents)}
    places = [place for place, parent in enumerate(parents) if free[parent]] or range(len(items))
    middle = kinds[:1] + kinds[3:]
    spread = sorted((random.choice(places) for _ in middle), reverse=True)
    chosen = [(places[-1], 1, kinds[1]), *((place, 0, kind) for place, kind in zip(spread, middle, strict=True))]
    for place, behind, (name, (outcome, body)) in [*chosen, (places[0], 0, kinds[2])]:
        items.insert(place + behind, canary(parents[place], place_of(parents[place]), name, outcome, body))


def canary(parent, path, name, outcome, body):
    """Nothing is set on the item, which would tell it from others. The one that must break wants what nobody gives.

    Its lines lie behind the end of the file, where no source is read: pytest would parse the whole file for each.
    """
    module = getattr(parent, "obj", None)
    names = vars(module) if isinstance(module, types.ModuleType) else {}
    unknown = [name.partition("_")[2]] if outcome == "error" else []
    left = random.randrange(2, 1000)
    body = body.replace("left", str(left)).replace("right", str(left + 1))
    source = f"def {name}({''.join(unknown)}):\n import pytest, unittest\n {body}"
    tree = ast.parse(source, path)
    if "@pytest_ar" in names:
        rewrite_asserts(tree, source.encode(), path)
    ast.increment_lineno(tree, len(linecache.getlines(path)) + random.randrange(1, 20))
    codes = compile(tree, path, "exec", dont_inherit=True).co_consts
    function = types.FunctionType(next(code for code in codes if isinstance(code, types.CodeType)), names)
    info = FuncFixtureInfo(tuple(unknown), tuple(unknown), unknown, {})
    return pytest.Function.from_parent(parent, name=name, callobj=function, fixtureinfo=info)
