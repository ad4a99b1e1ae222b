"""The tests that matter for a change, found by reading a Python repository's imports. Nothing is run."""

import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bot.verification.files.loads import MOST_FILES, Loads, closure, imported_names
from bot.verification.programs import content, source_files
from bot.verification.testing.sources import is_test_file, steers_the_runner
from bot.verification.values import Program

READING_SECONDS = 10.0
WORTH_IT = 0.8  # of the test files; beyond this share the whole suite is as good

_NOT_SOURCE = frozenset({"__pycache__", "node_modules", "venv", "site-packages", "build", "dist"})


@dataclass(frozen=True, slots=True)
class Selection:
    """select: test files, for `Suite.select`; empty when whole. far: the other test files, which reach the change
    through files between."""

    select: tuple[str, ...] = ()
    whole: bool = True
    far: tuple[str, ...] = ()


def select_tests(tree: Path, changed: Collection[str], *, seconds: float = READING_SECONDS) -> Selection:
    """The test files that a change of these paths (relative to `tree`, as `/`-separated text) can concern.

    For each changed file: the tests that import it themselves or are named after it; where there are none, those that
    reach it through other files. The whole suite when a changed file steers every test or no test is known to reach it,
    when a `conftest.py` imports it, when no Python changed, when nearly every test is concerned, and when the
    repository cannot be read within `seconds`.
    """
    python = [path for path in sorted(changed) if path.endswith(".py")]
    if not python or any(map(steers_the_runner, changed)):
        return Selection()
    imports = _read(tree, seconds)
    if imports is None:
        return Selection()
    tests = {path for path in imports.names if is_test_file(path)}
    chosen, beyond = set[str](), set[str]()
    for path in python:
        # In a tightly knit package these are nearly all tests.
        far = tests & closure([path], lambda each: imports.importers.get(each, ()))
        beyond |= far
        found = _near(imports, tests, path) or far
        if not found or any(PurePosixPath(test).name == "conftest.py" for test in found):
            return Selection()
        chosen |= found
    if len(chosen) > WORTH_IT * len(tests) > 1:
        return Selection()
    return Selection(tuple(sorted(chosen)), whole=False, far=tuple(sorted(beyond - chosen)))


def _near(imports: Loads, tests: set[str], path: str) -> set[str]:
    """The file itself if it is a test, and the tests and `conftest.py` that import it by name or are named after it."""
    stem = PurePosixPath(path).stem.strip("_")
    named = (f"test_{stem}.py", f"{stem}_test.py")
    may = tests | {file for file in imports.names if PurePosixPath(file).name == "conftest.py"}
    importing = imports.importers.get(path, set[str]())
    return {test for test in may if test in importing or PurePosixPath(test).name in named} | (tests & {path})


def _read(tree: Path, seconds: float) -> Loads | None:
    """Those of the tree's own files; `None` where there are too many of them, or no time."""
    deadline, program = time.monotonic() + seconds, Program(tree, {})
    python = (path for path in source_files(tree) if path.endswith(".py") and not f"/{path}".count("/."))
    paths = [path for path in python if _NOT_SOURCE.isdisjoint(path.split("/")[:-1])]
    names: dict[str, frozenset[str]] = {}
    for path in paths if len(paths) <= MOST_FILES else ():
        if time.monotonic() > deadline:
            return None
        names[path] = imported_names(path, content(program, path))
    return Loads(frozenset(names), names, {}) if len(names) == len(paths) else None
