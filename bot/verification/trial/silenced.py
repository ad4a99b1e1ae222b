"""Tests that a change brings and keeps from running or from failing, made to do both: its skips are taken away, and
what steers the tests is the base's again."""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping

from bot.verification.programs import content
from bot.verification.syntax import Node, canonical_text, nodes_of, tree_of
from bot.verification.testing.sources import steers_the_runner
from bot.verification.trial.bodies import Bodies, function_of
from bot.verification.trial.failures import asserts, failure_of
from bot.verification.trial.judging_files import Changed, file_of
from bot.verification.trial.times import out_of_time
from bot.verification.values import Program, TestResult, TestRun, TestStatus

Run = Callable[[Mapping[str, bytes], bool], TestRun]  # with these files; whether in the opposite order

LONGEST = 2_000  # bytes of a line in which something is replaced

_MARKS = frozenset({"skip", "xfail", "expectedFailure"})
_CALLS = frozenset({"skip", "xfail", "skipTest"})
_Edit = tuple[ast.expr | ast.stmt, bytes]  # what stands there, and what shall


def silenced(
    own: TestRun,
    head: Program,
    changed: Changed,
    old: Bodies,
    files: Iterable[str],
    run: Run,
) -> tuple[TestResult, ...]:
    """Tests of these files that the base has not, that do not come to run or cannot fail as they were pushed, and that
    fail in what they assert, twice, once they run and can.

    own: their run; where its time was over, nobody can say why a test is missing. old: the tests of the base; one that
    it has is weighed against its new version elsewhere, and what it silences under that name anywhere stays so. A skip
    under a condition stays, for the condition may well be true here. A test that fails in any other way counts for
    nothing: it may want a network, or a fixture that the base has not.
    """
    if out_of_time(own):
        return ()
    there = {path: content(head, path) or b"" for path in files}
    before = [text for path, (text, _) in changed.items() if text and path.endswith(".py")]
    loud = {path: without_silence(source, before) for path, source in there.items()}
    quiet = frozenset(name for name in _quiet(own, there, loud) if not old.has(name))
    if not quiet:
        return ()
    ours = {path: before or b"" for path, (before, _) in changed.items() if steers_the_runner(path)}
    tests = {**ours, **{path: loud[path] for path in sorted({file_of(name) for name in quiet})}}
    product = frozenset(changed) - there.keys() - ours.keys()

    def failing(reverse: bool) -> dict[str, TestResult]:
        mine = (each for each in run(tests, reverse).failing if function_of(each.name) in quiet)
        said = ((each, failure_of(each, product.__contains__)) for each in mine)
        return {each.name: each for each, failure in said if asserts(failure, loud[file_of(each.name)])}

    first = failing(False)
    again = failing(True) if first else {}
    return tuple(first[name] for name in sorted(first.keys() & again.keys()))


def _quiet(own: TestRun, there: Mapping[str, bytes], loud: Mapping[str, bytes]) -> frozenset[str]:
    """The tests that do not run, or not all of which does, by their names without parameters."""
    run = {function_of(each.name) for each in own.results if each.status is not TestStatus.SKIPPED}
    quiet = set[str]()
    for path, source in there.items():
        before, after = _tests(source), _tests(loud[path])
        names = {name: f"{path}::{name.replace('.', '::')}" for name in before}
        quiet.update(full for name, full in names.items() if full not in run or after.get(name) != before[name])
    return frozenset(quiet)


def _tests(source: bytes) -> dict[str, str]:
    """The functions of tests, each with its text, layout apart; what stands in a function is none."""
    found = dict(nodes_of(tree_of(source)))
    tests = {name: node for name, node in found.items() if name.rpartition(".")[2].startswith("test")}
    return {name: canonical_text(node) for name, node in tests.items() if name.rpartition(".")[0] not in found}


def without_silence(source: bytes, before: Iterable[bytes] = ()) -> bytes:
    """A file of tests without what keeps them from running or from failing in every case: marks of `skip` and `xfail`
    that have no condition, a test that begins by ending itself, `or True` in what it asserts. Lines keep their
    numbers. before: files of the base; a function, a class or a file that is silenced in one of them stays so, for it
    may have been moved."""
    lines = source.splitlines(keepends=True)
    there = {where for text in before for where, _ in _edits(tree_of(text))}
    edits = [edit for where, edit in _edits(tree_of(source)) if where not in there]
    for node, instead in sorted(edits, key=lambda edit: (edit[0].lineno, edit[0].col_offset), reverse=True):
        _put(lines, node, instead)
    changed = b"".join(lines)
    return changed if tree_of(changed).body else source


def _edits(module: ast.Module) -> Iterator[tuple[str, _Edit]]:
    """Each with the dotted name of the function or class that it silences; empty for a file."""
    waiting: list[tuple[str, ast.Module | ast.ClassDef]] = [("", module)]
    while waiting:
        prefix, around = waiting.pop()
        for statement in around.body:
            if _marks_all(statement):
                yield prefix, (statement, b"pass")
            if not isinstance(statement, Node | ast.ClassDef):
                continue
            name = f"{prefix}.{statement.name}"
            yield from ((name, (mark, b"")) for mark in statement.decorator_list if _always(mark, _MARKS))
            if isinstance(statement, ast.ClassDef):
                waiting.append((name, statement))
            elif statement.name.startswith("test"):
                yield from ((name, (each, b"pass")) for each in _first_ends(statement))
                yield from ((name, (each, b"False")) for each in _truths(statement))


def _first_ends(test: Node) -> Iterator[ast.stmt]:
    """The statements by which a test ends before it has done anything."""
    for statement in test.body:
        value = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(statement, ast.Return) or (isinstance(value, ast.Call) and _always(value, _CALLS)):
            yield statement
        elif not isinstance(value, ast.Constant):
            return


def _truths(test: Node) -> Iterator[ast.expr]:
    """What makes an assertion hold whatever else it says."""
    for node in ast.walk(test):
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.Or):
            yield from (each for each in node.test.values if isinstance(each, ast.Constant) and each.value)


def _marks_all(statement: ast.stmt) -> bool:
    """Whether it is a `pytestmark` that skips a whole file or class."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return False
    value = statement.value
    marks = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
    return statement.targets[0].id == "pytestmark" and any(_always(each, _MARKS) for each in marks)


def _always(node: ast.expr, names: frozenset[str]) -> bool:
    """Whether it is `pytest.mark.skip`, `unittest.skip("…")` or the like, with no condition."""
    called = node.func if isinstance(node, ast.Call) else node
    name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    if name not in names or not isinstance(node, ast.Call):
        return name in names
    reasons = all(isinstance(each, ast.Constant | ast.JoinedStr) for each in node.args)
    return reasons and all(each.arg != "condition" for each in node.keywords)


def _put(lines: list[bytes], node: ast.expr | ast.stmt, instead: bytes) -> None:
    """Put something else where a node stands; nothing takes a decorator's `@` with it."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    begin = node.col_offset if instead else lines[first].rfind(b"@", 0, node.col_offset)
    if begin >= 0 and len(lines[first]) <= LONGEST:
        rest = lines[last][node.end_col_offset or 0 :]
        lines[first : last + 1] = [lines[first][:begin] + instead + rest, *[b"\n"] * (last - first)]
