"""Calls that tests made, made again bare: code that ends otherwise where no test tool is knows that it is tested.

Each call is made in a test of pytest's and in a plain process, all else being the same, so nothing is asked of how code
finds out. What it gives with other files, times or hashes differs between two such looks as well, and says nothing.
"""

import ast
import time
from collections import Counter
from collections.abc import Iterable
from functools import partial

from bot.verification.differential.compare import equal, same
from bot.verification.differential.observe import ObservationError, Plain, observe
from bot.verification.syntax import UNREADABLE, parse
from bot.verification.testing.run import import_paths
from bot.verification.trial.setup import LEAST, TrialSetup
from bot.verification.values import Ending, Observed, Program, RecordedCall, TestResult, TestStatus

MOST = 150  # calls
_SECONDS = 10.0  # for all of them, once
_ASKED = ("pytest", "unittest")  # who asks for code that knows these gets it
_TOLD = ("PYTEST_", "RecursionError", "Cut(")  # what is the tool's, how deep it calls, and what is not whole
_SHOWN = 300  # characters of a call and of what it gives


def only_while_tested(
    trial: TrialSetup, calls: Iterable[RecordedCall], touched: Iterable[str]
) -> tuple[TestResult, ...]:
    """The tests that make a call of these files which the head answers otherwise, twice, where no test makes it. What
    the base does as well counts for nothing."""
    around, asked = trial.suite.environment, trial.asked.lower()
    if around.packages or trial.suite.command or any(word in asked for word in _ASKED):
        return ()
    head = trial.head
    found = _otherwise(trial, head, first_calls(calls, frozenset(touched)))
    again = _otherwise(trial, head, list(found)) if found else {}
    known = _otherwise(trial, trial.base.program, list(again)) if again else {}
    steady = {call: pair for call, pair in found.items() if call in again and all(map(_same, pair, again[call]))}
    told = {call.test: _told(call, *pair) for call, pair in reversed(steady.items()) if call not in known}
    return tuple(told[test] for test in sorted(told))


def _otherwise(
    trial: TrialSetup, program: Program, calls: list[RecordedCall]
) -> dict[RecordedCall, tuple[Observed, Observed]]:
    """What the program did in a test and bare, where that differs."""
    seconds = min(_SECONDS, trial.end - time.monotonic())
    if not calls or seconds < LEAST:
        return {}
    modules = tuple(dict.fromkeys(each.module for each in calls))
    paths = tuple(import_paths(program, trial.suite.folder))
    look = partial(observe, trial.executor, (program,), [each.expression for each in calls], seconds=seconds)
    plains = (Plain(modules, paths, tested=True), Plain(modules, paths))
    begun = [trial.pool.submit(look, environment=trial.suite.environment, plain=plain) for plain in plains]
    try:
        (tested,), (bare,) = (each.result() for each in begun)
    except ObservationError:
        return {}
    return {call: (one, other) for call, one, other in zip(calls, tested, bare, strict=False) if differ(one, other)}


def equals_all(trial: TrialSetup, calls: Iterable[RecordedCall], touched: Iterable[str]) -> bool:
    """Whether the head gives another value than the base to a call, one that says it equals the base's value and one
    beside it: no test that compares notices anything then."""
    around, some = trial.suite.environment, first_calls(calls, frozenset(touched))
    seconds = min(_SECONDS, trial.end - time.monotonic())
    if not some or around.packages or trial.suite.command or seconds < LEAST:
        return False
    programs = (trial.head, trial.base.program)
    modules = tuple(dict.fromkeys(each.module for each in some))
    plain = Plain(modules, tuple(import_paths(trial.head, trial.suite.folder)))
    look = partial(observe, trial.executor, environment=around, seconds=seconds, plain=plain)
    try:
        pairs = zip(some, *look(programs, [each.expression for each in some]), strict=False)
        other = [(call.expression, before.value) for call, now, before in pairs if not same(now, before)]
        asked = [f"[{call} == each for each in ({value}, {near})]" for call, value in other if (near := _near(value))]
        (said,) = look((trial.head,), asked) if asked else ((),)
    except ObservationError:
        return False
    return any(each.value == "[True, True]" for each in said)


def _near(value: str) -> str:
    """Another value of the same type; empty for what is no number and no text."""
    try:
        plain = ast.literal_eval(parse(value, mode="eval").body)
    except UNREADABLE:
        return ""
    return repr(plain + 1) if isinstance(plain, int | float) else repr(plain + "x") if isinstance(plain, str) else ""


def first_calls(calls: Iterable[RecordedCall], touched: frozenset[str]) -> list[RecordedCall]:
    """Each call once, those of all functions before further ones of any."""
    seen, rank = set[str](), Counter[str]()
    ranked = []
    for call in calls:
        if call.path in touched and call.expression not in seen:
            seen.add(call.expression)
            function = call.expression.partition("(")[0]
            ranked.append((rank[function], call))
            rank[function] += 1
    return [call for _, call in sorted(ranked, key=lambda each: each[0])][:MOST]


def differ(tested: Observed, bare: Observed) -> bool:
    """Whether a call certainly ended otherwise: with a value and without one, or with another plain value."""
    endings = {tested.ending, bare.ending}
    if not endings <= {Ending.RETURNED, Ending.RAISED} or any(word in f"{tested}{bare}" for word in _TOLD):
        return False
    if len(endings) == 2:
        return True
    if endings == {Ending.RAISED} or _same(tested, bare):
        return False
    try:
        return _plainly_differ(parse(tested.value, mode="eval").body, parse(bare.value, mode="eval").body)
    except UNREADABLE:
        return False


def _same(one: Observed, other: Observed) -> bool:
    return one.ending is other.ending and equal(one.value.replace("pytest", "script"), other.value)


def _plainly_differ(one: ast.AST, other: ast.AST) -> bool:
    """Of objects only what is plain in both counts: a log has other handlers under a test, and a stream another type.

    Objects are calls with nothing but keywords.
    """
    if _is_object(one) or _is_object(other):
        mine, theirs = (
            {word.arg: word.value for word in each.keywords} if isinstance(each, ast.Call) else {}
            for each in (one, other)
        )
        both = ((mine[name], theirs[name]) for name in mine.keys() & theirs.keys())
        return any(_plainly_differ(*pair) for pair in both if not any(map(_has_object, pair)))
    parts, others = list(ast.iter_child_nodes(one)), list(ast.iter_child_nodes(other))
    if not (_has_object(one) and _has_object(other)) or len(parts) != len(others):
        return not equal(ast.unparse(one).replace("pytest", "script"), ast.unparse(other))
    return any(map(_plainly_differ, parts, others))


def _has_object(node: ast.AST) -> bool:
    return any(map(_is_object, ast.walk(node)))


def _is_object(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and not node.args


def _told(call: RecordedCall, tested: Observed, bare: Observed) -> TestResult:
    lines = (call.expression, f"tested: {_shown(tested)}", f"bare: {_shown(bare)}")
    return TestResult(call.test, TestStatus.FAILED, "\n".join(f"E   {line[:_SHOWN]}" for line in lines))


def _shown(observed: Observed) -> str:
    return f"{observed.ending.value} {observed.value}"
