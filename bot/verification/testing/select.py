"""The tests that matter for a change, found by reading a Python repository's imports. Nothing is run."""

from collections.abc import Collection, Iterable

from bot.changes.kinds import is_test_module, steers_pytest
from bot.verification.files.loads import MOST_FILES, Loads, closure
from bot.verification.testing.sources import subject_of

WORTH_IT = 0.8  # of the test files; beyond this share the whole suite is as good

_NOT_SOURCE = frozenset({"venv", "site-packages", "build", "dist"})


def select_tests(sides: Iterable[Loads], changed: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The test files that a change of these paths can concern, and the others that reach it through files between; none
    where the whole suite is as good. sides: the imports of base and head, of which neither alone may say so.

    For each changed file: the tests that import it themselves or are named after it; where there are none, those that
    reach it through other files. The whole suite when a changed file steers every test or no test is known to reach it,
    when a `conftest.py` imports it, when no Python changed, when nearly every test is concerned, and when there are too
    many files to read them all.
    """
    python = [path for path in sorted(changed) if path.endswith(".py")]
    near, far = set[str](), set[str]()
    for imports in sides:
        if not python or any(map(steers_pytest, changed)) or len(imports.names) >= MOST_FILES:
            return (), ()
        tests = {path for path in imports.names if is_test_module(path) and not _is_left_out(path)}
        chosen = set[str]()
        for path in python:
            # In a tightly knit package these are nearly all tests.
            beyond = tests & closure([path], lambda each: imports.importers.get(each, ()))  # noqa: B023 (runs at once)
            found = _near(imports, tests, path) or beyond
            if not found or any(map(steers_pytest, found)):
                return (), ()
            chosen |= found
            far |= beyond
        if len(chosen) > WORTH_IT * len(tests) > 1:
            return (), ()
        near |= chosen
    return tuple(sorted(near)), tuple(sorted(far - near))


def _near(imports: Loads, tests: set[str], path: str) -> set[str]:
    """The file itself if it is a test, and the tests and `conftest.py` that import it by name or are named after it."""
    about, importing = subject_of(path).strip("_"), imports.importers.get(path, set[str]())
    found = importing & {*tests, *filter(steers_pytest, imports.names)}
    return found | {test for test in tests if test == path or subject_of(test) == about}


def _is_left_out(path: str) -> bool:
    """Whether pytest does not look there by itself."""
    return "/." in f"/{path}" or not _NOT_SOURCE.isdisjoint(path.split("/")[:-1])
