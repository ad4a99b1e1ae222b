"""The tests that matter for a change, found by reading a Python repository's imports. Nothing is run."""

import ast
import os
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bot.verification.syntax import tree_of
from bot.verification.testing.sources import is_test_file, steers_the_runner

MOST_FILES = 20_000
LARGEST_FILE = 1_000_000  # bytes
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
    graph = _read(tree, seconds)
    return _select(graph, python) if graph else Selection()


@dataclass(frozen=True, slots=True)
class _Graph:
    """importers: file -> the files that import it. files: every Python file."""

    files: frozenset[str]
    importers: dict[str, set[str]]


def _select(graph: _Graph, changed: list[str]) -> Selection:
    tests = {path for path in graph.files if is_test_file(path)}
    chosen, beyond = set[str](), set[str]()
    for path in changed:
        far = tests & _reaching(graph, path)  # in a tightly knit package these are nearly all tests
        beyond |= far
        found = _near(graph, tests, path) or far
        if not found or any(PurePosixPath(test).name == "conftest.py" for test in found):
            return Selection()
        chosen |= found
    if len(chosen) > WORTH_IT * len(tests) > 1:
        return Selection()
    return Selection(tuple(sorted(chosen)), whole=False, far=tuple(sorted(beyond - chosen)))


def _near(graph: _Graph, tests: set[str], path: str) -> set[str]:
    """The file itself if it is a test, and the tests and `conftest.py` that import it by name or are named after it."""
    stem = PurePosixPath(path).stem.strip("_")
    named = (f"test_{stem}.py", f"{stem}_test.py")
    may = tests | {file for file in graph.files if PurePosixPath(file).name == "conftest.py"}
    importing = graph.importers.get(path, set())
    return {test for test in may if test in importing or PurePosixPath(test).name in named} | (tests & {path})


def _reaching(graph: _Graph, path: str) -> set[str]:
    """Every file that imports `path`, directly or not."""
    seen, front = set[str](), {path}
    while front:
        front = {importer for reached in front for importer in graph.importers.get(reached, ())} - seen - {path}
        seen |= front
    return seen


def _read(tree: Path, seconds: float) -> _Graph | None:
    deadline = time.monotonic() + seconds
    files: list[str] = []
    for folder, folders, names in os.walk(tree):
        folders[:] = sorted(name for name in folders if name not in _NOT_SOURCE and not name.startswith("."))
        here = Path(folder).relative_to(tree)
        files += [str(PurePosixPath(here / name)) for name in sorted(names) if name.endswith(".py")]
        if len(files) > MOST_FILES or time.monotonic() > deadline:
            return None
    modules = modules_of(files)
    importers: dict[str, set[str]] = {}
    for path in files:
        if time.monotonic() > deadline:
            return None
        for imported in _imported(tree / path, path, modules):
            if imported != path:
                importers.setdefault(imported, set()).add(path)
    return _Graph(frozenset(files), importers)


def modules_of(files: Collection[str]) -> dict[str, str]:
    """Every dotted name under which a file may be imported -> the file; the shortest path wins a shared name.

    A file counts under its path from the root, from `src`, and from any folder that is no package: pytest puts a test's
    own folder on the path.
    """
    packages = {str(PurePosixPath(path).parent) for path in files if path.endswith("__init__.py")}
    names: dict[str, str] = {}
    for path in sorted(files, key=lambda path: (path.count("/"), path)):
        pure = PurePosixPath(path)
        parts = list(pure.parent.parts if pure.name == "__init__.py" else pure.with_suffix("").parts)
        for start in range(len(parts)):
            above = str(PurePosixPath(*parts[:start])) if start else "."
            if start == 0 or above not in packages:
                names.setdefault(".".join(parts[start:]), path)
    return names


def _imported(file: Path, path: str, modules: dict[str, str]) -> set[str]:
    try:
        if file.is_symlink() or file.stat().st_size > LARGEST_FILE:
            return set()
        source = file.read_bytes()
    except OSError:
        return set()
    return {modules[name] for name in imported_names(source, path) if name in modules}


def imported_names(source: bytes, path: str) -> set[str]:
    """Every dotted name that a file may import, with the packages above it; nothing where it does not parse."""
    found: set[str] = set()
    package = PurePosixPath(path).parent.parts
    for node in ast.walk(tree_of(source)):
        if isinstance(node, ast.Import):
            found.update(name for alias in node.names for name in _prefixes(alias.name))
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*above, *([node.module] if node.module else [])])
            found.update(_prefixes(base))
            found.update(f"{base}.{alias.name}" if base else alias.name for alias in node.names)
    return found


def _prefixes(dotted: str) -> Iterator[str]:
    """`a.b.c` imports `a` and `a.b` as well."""
    parts = dotted.split(".")
    return (".".join(parts[:end]) for end in range(1, len(parts) + 1))
