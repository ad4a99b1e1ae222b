"""The project's own tests beside a fix: a change that breaks them mends no report.

FixedBench (section 3) takes a change for the fix only where, besides the tests that come with the fix, those that
passed before pass with it. What came with the fix nobody knows here; what was there before is in the repository.
"""

import re
import time
from collections import Counter
from collections.abc import Mapping
from itertools import islice
from pathlib import PurePosixPath

from bot.already_fixed.trial import TrialPlace
from bot.changes.kinds import is_test_module
from bot.sandbox.protocol import Executor
from bot.verification.files.code_of_tests import read_tests
from bot.verification.programs import content, source_files
from bot.verification.testing.run import run_suite
from bot.verification.testing.sources import subject_of
from bot.verification.trial.outcomes import both, failures
from bot.verification.values import Order, Program, Suite, TestRun

SECONDS = 180.0  # at most, for all of them
MOST = 6  # test files
_LEAST = 5.0  # seconds without which no file is begun
_MOST_NAMES = 50  # of what changed
_MOST_READ = 5_000  # test files that are read for names
_WORD = re.compile(rb"\w+")
_SAID = re.compile(r"[\w./-]{1,120}\.py::[\w:.]{1,120}", re.ASCII)


def beside(
    executor: Executor, place: TrialPlace, without_fix: Mapping[str, bytes | None], *, seconds: float
) -> tuple[int, str]:
    """Run the tests of what a fix changed, until one is broken or the time is over: how many pass with the fix, and one
    that passes without it and fails with it, or empty. Never raises.

    place: the head. without_fix: the files that the fix changed as they are at the head without it. What fails is run
    without the fix, and once more with it: a test that disagrees with itself says nothing.
    """
    deadline = time.monotonic() + seconds
    former = Program(place.program.tree, {**place.program.files, **without_fix})

    def run(program: Program, suite: Suite, *, reverse: bool = False) -> TestRun:
        left = max(_LEAST, deadline - time.monotonic())
        return run_suite(executor, program, suite, seconds=left, order=Order(reverse))

    passed = 0
    for path, text in _tests(place.program, without_fix).items():
        if deadline - time.monotonic() < _LEAST:
            break
        suite = Suite({path: text}, (path,), environment=place.environment)
        now = run(place.program, suite)
        if now.problem:
            continue
        passed += len(now.passing)
        if now.failing:
            then = run(former, suite)
            if not failures(then, now):
                continue
            again = run(place.program, suite, reverse=True)
            if broken := failures(then, both(now, again)):
                return passed, _named(broken[0])
    return passed, ""


def _tests(program: Program, without_fix: Mapping[str, bytes | None]) -> dict[str, bytes]:
    """Test files by how much they are about what changed, the closest first, with their text.

    First those that are named after a changed file, or lie in a folder that is, then those in which most of the
    mentions stand of the functions and classes that differ.
    """
    if program.tree is None:
        return {}
    changed = {path: (content(program, path), text) for path, text in without_fix.items() if path.endswith(".py")}
    stems = {subject_of(path).strip("_") for path in changed}
    names = sorted(set().union(*(changed_names(now or b"", then or b"") for now, then in changed.values())))
    files = islice(filter(is_test_module, source_files(program.tree)), _MOST_READ)
    texts = {path: text for path in files if (text := content(program, path)) is not None}
    shares = _shares(texts, names[:_MOST_NAMES])
    apart = {path: stems.isdisjoint(map(subject_of, PurePosixPath(path).parts)) for path in texts}
    about = sorted((path for path in texts if shares[path] or not apart[path]), key=lambda p: (apart[p], -shares[p], p))
    return {path: texts[path] for path in about[:MOST]}


def changed_names(now: bytes, then: bytes) -> frozenset[str]:
    """The functions and methods that differ, and the classes around them, without those that every class has, such as
    `__init__`."""
    after, before = (
        {name: its.parts[:1] for name, its in read_tests("a.py", text).tests.items()} for text in (now, then)
    )
    differ = {name for name in {*after, *before} if after.get(name) != before.get(name)}
    return frozenset(part for name in differ for part in name.split() if not part.startswith("__"))


def _shares(texts: Mapping[str, bytes], names: list[str]) -> dict[str, float]:
    """By file: the sum, over the names, of the part of all their mentions that stands in it."""
    wanted = {name.encode() for name in names}
    counts = {path: Counter(word for word in _WORD.findall(text) if word in wanted) for path, text in texts.items()}
    whole = sum(counts.values(), Counter[bytes]())
    return {path: sum(count / whole[word] for word, count in own.items()) for path, own in counts.items()}


def _named(test: str) -> str:
    """A test's name as it may be told: it may be any text."""
    told = test.partition("[")[0]
    return told if _SAID.fullmatch(told) else "one"
