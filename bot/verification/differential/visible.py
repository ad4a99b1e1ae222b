"""The calls that tests make themselves and a change can concern, recorded while they ran, and those that their sources
and the specification show: they span the domain in which a difference counts."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

from bot.changes.kinds import is_test_by_path, steers_pytest
from bot.verification.differential.compare import VisibleCalls
from bot.verification.files.loads import full_name
from bot.verification.literals import SCRIPT
from bot.verification.programs import changed_files, content, functions_around_changes, source_files
from bot.verification.testing.run import import_paths
from bot.verification.trial.moved import callee, in_turn
from bot.verification.values import Ending, Generator, Order, Program, Suite, TestRun

MOST = 200  # calls
LONGEST = 1_000  # characters of one that is varied: whoever writes tests chooses how long that takes
MOST_TRACED = 3000  # files


def order_to_record(program: Program, suite: Suite) -> Order:
    """How a suite runs that tells of the calls which its tests make."""
    paths = sorted({*program.files, *source_files(program.tree)} - suite.files.keys())
    product = (path for path in paths if path.endswith(".py") and not (is_test_by_path(path) or steers_pytest(path)))
    return Order(trace=frozenset() if suite.command else frozenset(islice(product, MOST_TRACED)), by_tests=True)


def visible_calls(
    original: Program, fix: Program, run: TestRun | None, shown: Sequence[str], *, suite: Suite, module: str = ""
) -> VisibleCalls:
    """run: of the original, as `order_to_record` has it. shown: calls in sources and texts. module: whose names these
    use."""
    changed = changed_files(original, fix)
    around = {path: functions_around_changes(path, mine, other) for path, (mine, other) in changed.items()}
    named = {(path, each.name) for path, its in around.items() for each in its if each}
    anywhere = any(None in its for its in around.values()) or not named
    entered = run.entered if run else ()
    near = {test for test, its in entered if any((place.path, place.name) in named for place in its)}
    noted = run.calls if run else ()
    scripts = [each for each in noted if each.expression.startswith(f"{SCRIPT}(")]
    direct = [each for each in noted if each not in scripts and (anywhere or each.test in near)]
    recorded = [*direct, *(each for each in scripts if each.path in changed)]
    asked = {callee(each.expression) for each in recorded} | {name for _, name in named}
    told = (call for call in shown if anywhere or f"{module}.{callee(call)}" in asked or callee(call) in asked)
    calls: dict[str, Ending | None] = dict.fromkeys(told)
    for each in recorded:
        calls[each.expression] = each.answer.ending if each.answer else None
    ordered = in_turn(sorted(calls, key=len), lambda call: callee(call.rpartition(", o")[2]))
    small = [call for call in ordered if len(call) <= LONGEST or "unpickled(" in call] or ordered[:1]
    some = {call: calls[call] for call in small[:MOST]}
    known = VisibleCalls(some, module, tuple(import_paths(original, suite.folder)), suite.environment)
    if some:
        return known
    if by_types := _by_types(original, named):
        return replace(known, calls=by_types, generator=Generator.HYPOTHESIS)
    # What they enter in their own process is not seen.
    return replace(known, calls={each.expression: None for each in scripts[:MOST]})


def _by_types(program: Program, functions: Iterable[tuple[str, str]]) -> dict[str, None]:
    """Calls by the annotations of what changes: no test shows any."""
    # Hypothesis, which not every start has to wait for.
    from bot.verification.differential.strategies import calls_by_types

    found = dict[str, None]()
    for path, name in sorted(functions):
        prefix = full_name(path.removeprefix("lib/"))
        for call in calls_by_types(content(program, path) or b"", [name]):
            found[f"{prefix}.{call}"] = None
    return found
