"""How much the tests would notice: the share of slips in the changed lines that they notice.

Slips are tried inside the sandbox only. Where the tests are plain functions or bare assertions, one process calls them
for all; else each slip needs a run of its own. Of a change to a repository only so many are tried as settle whether
the tests look at it at all, each with the tests that enter its function and no others: which these are was told by runs
that were made anyway.

The share is no proof: some slips change nothing that can be seen, and a program that looks at its own code can make
each of them be noticed.
"""

import ast
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib.metadata import version
from itertools import zip_longest
from math import ceil
from pathlib import Path

from bot.sandbox.protocol import Executor, Job, Limits, MiB, Status
from bot.verification.defects import driver
from bot.verification.defects.defect import Defect
from bot.verification.defects.runs import AT_ONCE, MOST_TESTS, Known, TimedRuns, selected
from bot.verification.defects.slips import slips
from bot.verification.differential import harness
from bot.verification.programs import SOLUTION, around, content
from bot.verification.syntax import UNREADABLE, parse
from bot.verification.testing import sources
from bot.verification.testing.run import run_suite
from bot.verification.testing.witnesses import TIME_OUT
from bot.verification.values import HARDLY, Environment, Program, Strength, Suite, TestRun, Variant

MOST = 60  # slips of one program
MOST_TRIED = 12  # of those that a run each is needed for, spread over the functions
_MOST_MISSED = 10  # of them are named
_LARGEST = 1 * MiB  # of the source
_SLACK = 5.0  # seconds the sandbox may take beyond the time for the slips
_INSIDE = ".strength"
_ENOUGH = Fraction(1, 2)  # noticed: the tests look at the change, whatever becomes of the rest
_SECONDS_OF_TESTS = 5.0  # beyond which no further test is taken
TOOL = f"tree-sitter {version('tree-sitter')}"


@dataclass(frozen=True, slots=True)
class _Slips:
    """Those of some lines. whole: these are all. around: the lines hold none, so they are of the functions around."""

    texts: Mapping[str, str]
    found: tuple[Defect, ...] = ()
    whole: bool = True
    around: bool = False

    def strength(self, tried: int, killed: int, *, whole: bool, missed: Iterable[str] = ()) -> Strength:
        """What came of trying them."""
        return Strength(tried, killed, whole, TOOL, self.around, tuple(missed)[:_MOST_MISSED])


def measure(
    executor: Executor,
    program: Program,
    changed: Mapping[str, Iterable[int]],
    suite: Suite,
    calls: Iterable[str] = (),
    *,
    seconds: float = 10.0,
    before: TestRun | None = None,
) -> Strength:
    """The share of slips in the `changed` lines of `program` that the tests or the compared inputs notice.

    changed: path -> line numbers, see `changed_lines`.
    calls: expressions whose values were compared, each of which ends on the program; they count where the program is a
        single file.
    seconds: for trying slips; starting the sandbox comes on top.
    before: the suite's run on the program as it is, where one is at hand.
    A test that does not pass on the program itself notices nothing. Where the lines hold no place for a slip, the
    functions around them count. Never raises.
    """
    end, made = time.monotonic() + seconds, _made(program, changed)
    if not made.found:
        return made.strength(0, 0, whole=made.whole)
    if program.tree is None and is_plain(suite):
        counted = _driven(executor, program, made, suite, tuple(calls), seconds)
        tried, killed = counted or (0, 0)
        return made.strength(tried, killed, whole=made.whole and tried == len(made.found))
    first = before or run_suite(executor, program, suite, seconds=max(seconds, 1.0))
    asked = [(each, ()) for each in made.found]
    return _tried(TimedRuns(executor, end, 0.0), program, suite, made, asked, {(): first}, len(asked))


def measure_sample(
    executor: Executor,
    program: Program,
    changed: Mapping[str, Iterable[int]],
    suite: Suite,
    known: Known,
    *,
    seconds: float,
) -> Strength:
    """The share of slips in the `changed` lines that the tests notice, as far as it matters. Never raises.

    suite: all the program's tests; they are asked where none is known to enter what is changed. A test that does not
    pass on the program, asked in the same way, notices nothing. seconds: for all of it.
    """
    runs, made = TimedRuns(executor, time.monotonic() + seconds, 1.0), _made(program, changed)
    asked = [(each, _select(each, suite, known)) for each in spread(made.found)]
    selections = list(dict.fromkeys(select for _, select in asked))
    ran = runs.each(suite, [Variant(program, select) for select in selections])
    there = {select: run for select, run in zip(selections, ran, strict=True) if run and TIME_OUT not in run.problem}
    step = AT_ONCE if suite.command else max(AT_ONCE, ceil(len(asked) * _ENOUGH))
    made = replace(made, whole=made.whole or bool(asked))
    found = _tried(runs, program, suite, made, asked, there, step)
    return replace(found, there=len(made.found) if len(made.found) > found.mutants else 0)


def _tried(
    runs: TimedRuns,
    program: Program,
    suite: Suite,
    made: _Slips,
    asked: Sequence[tuple[Defect, tuple[str, ...]]],
    there: Mapping[tuple[str, ...], TestRun],
    step: int,
) -> Strength:
    """What came of trying some, so many at once, until that is settled. asked: with the tests that are to notice each;
    there: how these end on the program as it is. Where none passes anyway, none notices."""
    killed, missed, whole = 0, list[str](), made.whole
    for start in range(0, len(asked), step):
        row = asked[start : start + step]
        variants = [(there.get(select), Variant(slip.into(program), select)) for slip, select in row]
        for (slip, _), answer in zip(row, runs.notice_each(suite, variants), strict=True):
            killed += answer is True
            missed += [slip.told] if answer is False else []
            whole = whole and answer is not None
        if not whole or settled(killed, len(missed), len(asked)):
            break
    return made.strength(killed + len(missed), killed, whole=whole, missed=missed)


def settled(killed: int, missed: int, planned: int) -> bool:
    """Whether trying the rest of the planned slips can change nothing that matters."""
    return killed >= _ENOUGH * planned or planned - missed <= HARDLY * planned


def spread(found: Iterable[Defect]) -> list[Defect]:
    """At most `MOST_TRIED` of the slips: as many of each function as can be, and those far from each other."""
    groups: dict[object, list[Defect]] = {}
    for each in sorted(found, key=lambda one: (one.path, one.span)):
        groups.setdefault(each.of if each.of.name else each.path, []).append(each)
    quota = dict.fromkeys(groups, 0)
    for _ in range(min(MOST_TRIED, sum(map(len, groups.values())))):
        open_ = [group for group, its in groups.items() if quota[group] < len(its)]
        quota[min(open_, key=lambda group: quota[group])] += 1
    rows = [[its[at * len(its) // quota[group]] for at in range(quota[group])] for group, its in groups.items()]
    return [each for row in zip_longest(*rows) for each in row if each]


def is_plain(suite: Suite) -> bool:
    """Whether calling its test functions is all it takes to run the suite: no fixtures, classes, marks or plugins."""
    whole = suite.command is None and suite.environment == Environment() and set(suite.select) <= suite.files.keys()
    steered = any(map(sources.steers_the_runner, suite.files))
    return whole and not steered and all(_is_plain_file(suite.files[path]) for path in _test_files(suite))


def _test_files(suite: Suite) -> tuple[str, ...]:
    return suite.select or sources.test_files(suite.files)


def _is_plain_file(source: bytes) -> bool:
    try:
        tree = parse(source)
    except UNREADABLE:
        return False
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name, args=arguments, decorator_list=marks) if name.startswith("test"):
                if marks or ast.unparse(arguments):
                    return False
            case ast.ClassDef() | ast.AsyncFunctionDef() | ast.FunctionDef(decorator_list=[_, *_]):
                return False
            case _:
                pass
    return not any(isinstance(node, ast.Name) and node.id == "pytestmark" for node in ast.walk(tree))


def _made(program: Program, changed: Mapping[str, Iterable[int]]) -> _Slips:
    """The slips of these lines; where they hold none, of the functions around them."""
    texts: dict[str, str] = {}
    for path in changed:
        raw = content(program, path)
        try:
            text = (raw or b"").decode()
        except UnicodeDecodeError:
            continue
        if text and sum(map(len, texts.values())) + len(text) <= _LARGEST:
            texts[path] = text
    encoded = {path: text.encode() for path, text in texts.items()}
    wider = {path: around(text, frozenset(changed[path])) for path, text in texts.items()}
    for lines, widened in ((changed, False), (wider, True)):
        found = slips(encoded, lines, MOST)
        if found is None or found[0]:
            return _Slips(texts, *(found or ((), False)), widened)
    return _Slips(texts)


def _select(slip: Defect, suite: Suite, known: Known) -> tuple[str, ...]:
    if suite.command is not None:
        return suite.select
    tests, left = list[str](), _SECONDS_OF_TESTS
    for test in known.tests(slip.path, slip.of.name)[:MOST_TESTS]:
        if left > 0:
            tests.append(test)
            left -= known.seconds[test]
    return selected(tests, MOST_TESTS) or suite.select


def _driven(
    executor: Executor, program: Program, made: _Slips, suite: Suite, calls: tuple[str, ...], seconds: float
) -> tuple[int, int] | None:
    """How many slips the driver tried, and how many of them were noticed; `None` where it does not say."""
    limits = Limits(wall=seconds + _SLACK, cpu=seconds + _SLACK, output=16 * MiB)
    tests = {path: suite.files[path] for path in _test_files(suite)}
    order = {
        "sources": made.texts,
        "edits": [(each.path, *each.span, each.replacement.decode()) for each in made.found],
        "module": SOLUTION.removesuffix(".py"),
        "tests": {path: source.decode(errors="replace") for path, source in tests.items()},
        "scripts": [path for path, source in tests.items() if sources.is_script(source)],
        "calls": calls,
        "seconds": seconds,
        "memory": limits.memory // 2,
    }
    own = {
        f"{_INSIDE}/{Path(str(module.__file__)).name}": Path(str(module.__file__)).read_bytes()
        for module in (driver, harness)
    }
    files = {**program.files, **suite.files, **own}
    argv = (*executor.probe().python, "-I", f"{_INSIDE}/driver.py")
    stdin = json.dumps(order).encode()
    outcome = executor.run(Job(argv, files=files, stdin=stdin, environment={"PYTHONHASHSEED": "0"}, limits=limits))
    if outcome.status is not Status.EXITED:
        return None
    try:
        match json.loads(outcome.stdout):  # which a program in its sandbox may have tampered with
            case {"tried": int(tried), "killed": int(killed)} if type(tried) is type(killed) is int:
                return (tried, killed) if 0 <= killed <= tried <= len(made.found) else None
    except (ValueError, RecursionError):
        pass
    return None
