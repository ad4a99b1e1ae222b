"""Answers of the change that its base's tests let pass with it and notice without it: what compares has become another.

The base's code is run with them: where its tests call a function that the change answers otherwise, they are given the
change's answer. Tests that stay green look at another part of it. Nothing is said where its own answer, written down in
the same way, does not pass either, nor where a test hands the answer on, or comes to more of what changes than these
functions: then only all of the change together may be right.
"""

import ast
import json
import secrets
import time
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress

from bot.verification.defects.runs import MOST_TESTS, TimedRuns, selected
from bot.verification.files.index import Changed
from bot.verification.programs import content, functions_around_changes
from bot.verification.syntax import UNREADABLE, parse
from bot.verification.testing.sources import function_of
from bot.verification.trial.moved import Both, argument_values, callee
from bot.verification.trial.recorded_calls import has_object
from bot.verification.trial.setup import LEAST, TrialSetup
from bot.verification.values import Ending, Observed, Program, RecordedCall, TestRun, Variant

_WRITTEN = ("Cut(", "Printed(", "Deep(", "iter(", "Unnamed(")  # for what no expression stands
# At the end of a module: its functions, which give these answers to these arguments and else their own.
_ANSWERS = """

def {0}():
    import functools
    import inspect
    import json

    def taken(*given, **words):
        return given, words

    def like(was, answers):
        form = inspect.signature(was)

        def bound(given, words):
            found = form.bind(*given, **words)
            found.apply_defaults()
            return found.arguments

        known = [(bound(*eval(arguments, {{"taken": taken}})), answer) for arguments, answer in answers]

        @functools.wraps(was)
        def other(*given, **words):
            try:
                mine = bound(given, words)
                return next(eval(answer, dict(globals())) for its, answer in known if repr(its) == repr(mine))
            except Exception:
                return was(*given, **words)

        return other

    for name, answers in json.loads({1!r}).items():
        globals()[name] = like(globals()[name], answers)


{0}()
"""


def let_pass(
    trial: TrialSetup,
    before: TestRun,
    touched: Changed,
    anew: Mapping[RecordedCall, Both],
    made: Iterable[RecordedCall],
) -> frozenset[RecordedCall]:
    """Those of the calls whose test notices the change's answers without it.

    before: the base's tests on the base. touched: of the product. anew: calls of tests that pass on either side, which
    the change answers otherwise each time. made: all calls that were made again.
    """
    answered = {_last(call) for call in made if not has_object(call.expression)}
    changed = {
        (path, each.name)
        for path, (old, new) in touched.items()
        if path.endswith(".py")
        for each in filter(None, functions_around_changes(path, old, new))
        if each.name.rpartition(".")[2] not in answered and not _compares(each.name)
    }
    fit = {call: pair for call, pair in anew.items() if _can_be_given(call, pair)}
    fit = {call: pair for call, pair in fit.items() if _stands_alone(call.test, before, changed, anew)}
    if not fit or trial.end - time.monotonic() < LEAST:
        return frozenset()
    select = selected(sorted({call.test for call in fit}), MOST_TESTS)
    answers = [{call: pair[side].value for call, pair in fit.items()} for side in (0, 1)]
    programs = [_with_answers(trial.base.program, its) for its in answers]
    runs = TimedRuns(trial.executor, trial.end)
    own, theirs = runs.each(trial.base.suite, [Variant(program, select) for program in programs])
    red = {each.name for each in theirs.failing} & own.passing.keys() if own and theirs else set[str]()
    return frozenset(call for call in fit if call.test in red)


def _can_be_given(call: RecordedCall, pair: Both) -> bool:
    """Whether it is a function of its module alone that is called, with plain values, and both answers can be written
    as an expression."""
    name = callee(call.expression).removeprefix(f"{call.module}.")
    return name.isidentifier() and not has_object(call.expression) and all(map(_is_expression, pair))


def _is_expression(seen: Observed) -> bool:
    with suppress(*UNREADABLE):
        parse(seen.value, mode="eval")
        return seen.ending is Ending.RETURNED and not any(each in seen.value for each in _WRITTEN)
    return False


def _stands_alone(
    test: str, before: TestRun, changed: Collection[tuple[str, str]], anew: Mapping[RecordedCall, Both]
) -> bool:
    """Whether a test enters none of these functions, and hands no answer on to another function."""
    name, values = function_of(test), list[tuple[str, object]]()
    for call, pair in anew.items():
        with suppress(*UNREADABLE):
            values += [(call.expression, ast.literal_eval(pair[0].value))] if call.test == test else []
    calls = (each for each in before.calls if function_of(each.test) == name and not _is_special(_last(each)))
    made = [(each.expression, argument_values(each.expression)) for each in calls]
    handed = any(one != other and value in its for one, value in values for other, its in made)
    asked = any(has_object(each) for each, _ in made if each not in {call.expression for call in anew})
    entered = {(each.path, each.name) for mine, its in before.entered if function_of(mine) == name for each in its}
    return not (handed or asked) and entered.isdisjoint(changed)


def _last(call: RecordedCall) -> str:
    return callee(call.expression).rpartition(".")[2]


def _is_special(name: str) -> bool:
    """Whether Python itself calls it."""
    return name.startswith("__") and name.endswith("__")


def _compares(name: str) -> bool:
    """Whether Python calls it to compare, to reckon or to show."""
    last = name.rpartition(".")[2]
    return _is_special(last) and last not in ("__init__", "__new__", "__call__")


def _with_answers(program: Program, answers: Mapping[RecordedCall, str]) -> Program:
    """The program whose functions answer these calls so."""
    files, paths = dict(program.files), {call.path for call in answers}
    for path in sorted(paths):
        its: dict[str, list[tuple[str, str]]] = {}
        for call, answer in answers.items():
            if call.path == path:
                name = callee(call.expression)
                arguments = call.expression.removeprefix(name)
                its.setdefault(name.rpartition(".")[2], []).append((f"taken{arguments}", answer))
        hidden = f"_{secrets.token_hex(4)}"
        files[path] = (content(program, path) or b"") + _ANSWERS.format(hidden, json.dumps(its)).encode()
    return Program(program.tree, files)
