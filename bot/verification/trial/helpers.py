"""Python files that serve tests where tests lie among the product's code. Nothing is run."""

import re
from collections.abc import Collection
from pathlib import PurePosixPath

from bot.verification.testing.sources import is_test_file, steers_the_runner
from bot.verification.trial.imports import Imports

_NAMED = re.compile(
    r"(?:^|_)(?:helpers?|fixtures?|factor(?:y|ies)|fakes?|mocks?|stubs?|asserts?|assertions?|testing|test_?utils?|testcases?)(?:_|$)"
)
_TOOLS = frozenset({"pytest", "unittest", "hypothesis", "nose", "mock"})


def helpers_among_code(tests: Collection[str], imports: Imports) -> frozenset[str]:
    """The files beside such tests that tests alone import, and that say by their name or by what they import that they
    are for testing. One that has a test of its own is product.

    tests: the test files that lie among code. imports: of the whole tree.
    """
    folders = {PurePosixPath(path).parent for path in tests}
    tested = {PurePosixPath(path).stem.removeprefix("test_").removesuffix("_test") for path in tests}
    beside = (path for path in imports.names if PurePosixPath(path).parent in folders and not _judges_by_name(path))
    found = {path for path in beside if PurePosixPath(path).stem not in tested and _says_so(path, imports)}
    product = {path for path in imports.names.keys() - found - set(tests) if not _judges_by_name(path)}
    while product:
        product = found & {each for path in product for each in imports.imported_by(path)}
        found -= product
    by_tests = {each for path in imports.names if path in tests or path in found for each in imports.imported_by(path)}
    return frozenset(found & by_tests)


def _says_so(path: str, imports: Imports) -> bool:
    return bool(_NAMED.search(PurePosixPath(path).stem)) or not _TOOLS.isdisjoint(imports.names[path])


def _judges_by_name(path: str) -> bool:
    return is_test_file(path) or steers_the_runner(path)
