"""Which folders hold tests and what serves them, and no code of the product's. Nothing is run."""

from collections.abc import Collection
from pathlib import PurePosixPath

from bot.verification.testing.sources import is_test_file, steers_the_runner
from bot.verification.trial.imports import Imports, full_name

_NAMES = frozenset({"test", "tests", "unittests", "unit_tests"})
_AT_THE_ROOT = frozenset({"testing", "t", "spec", "specs"})  # deeper down these are often product


def folders_of_tests(tests: Collection[str], imports: Imports) -> frozenset[str]:
    """The topmost folders of tests: named as such, or with nothing else in them, as far as imports tell.

    tests: files in which tests were found. imports: of the whole tree.
    """
    by_use: dict[str, bool] = {}
    found = set()
    for path in tests:
        parts = PurePosixPath(path).parent.parts
        above = ["/".join(parts[: depth + 1]) for depth in range(len(parts))]
        named = next((folder for folder, part in zip(above, parts, strict=True) if part in _NAMES), None)
        if parts and parts[0] in _AT_THE_ROOT:
            named = parts[0]
        for folder in above if named is None else ():
            if folder not in by_use:
                by_use[folder] = _serves_tests_alone(folder, tests, imports)
        found.update([named] if named else [folder for folder in above if by_use[folder]][:1])
    return frozenset(found)


def _serves_tests_alone(folder: str, tests: Collection[str], imports: Imports) -> bool:
    """Whether a folder of another name has tests and their helpers alone.

    Its tests are about code elsewhere, most of its files are tests, none of the others has a test of its name, and no
    code elsewhere imports any of it.
    """
    inside = frozenset(path for path in imports.names if path.startswith(f"{folder}/"))
    mine = frozenset(path for path in inside if path in tests or is_test_file(path))
    others = [path for path in inside - mine if PurePosixPath(path).name not in ("__init__.py", "conftest.py")]
    tested = {PurePosixPath(path).stem.removeprefix("test_").removesuffix("_test") for path in mine}
    if len(others) > len(mine) or any(PurePosixPath(path).stem in tested for path in others):
        return False
    outside = frozenset(path for path in imports.names.keys() - inside if not _judges_by_name(path))
    names = {full_name(path) for path in inside} | {folder.replace("/", ".")}
    if any(not names.isdisjoint(imports.names[path]) for path in outside):
        return False
    return any(not outside.isdisjoint(imports.imported_by(path)) for path in (*mine, *others))


def _judges_by_name(path: str) -> bool:
    return is_test_file(path) or steers_the_runner(path)
