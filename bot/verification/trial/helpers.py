"""Python files that serve tests where tests lie among the product's code. Nothing is run."""

import re
from collections.abc import Collection
from pathlib import PurePosixPath

from bot.verification.testing.sources import is_test_file, steers_the_runner
from bot.verification.trial.imports import Imports

_NAMED = re.compile(
    r"(?:^|_)(?:helpers?|fixtures?|fakes?|mocks?|stubs?|asserts?|assertions?|testing|test_?utils?|testcases?)(?:_|$)"
)
_TOOLS = frozenset({"pytest", "unittest", "hypothesis", "nose", "mock"})


def helpers_among_code(tests: Collection[str], imports: Imports) -> frozenset[str]:
    """The files beside such tests that tests alone import, and that say by their name or by what they import that they
    are for testing. One that has a test of its own is product.

    tests: the files among code in which tests were found. imports: of the whole tree.
    """
    holding = frozenset(tests)
    folders = {PurePosixPath(path).parent for path in holding}
    tested = {PurePosixPath(path).stem.removeprefix("test_").removesuffix("_test") for path in holding}
    others = [path for path in imports.names if path not in holding and not steers_the_runner(path)]
    beside = (path for path in others if PurePosixPath(path).parent in folders)
    found = {path for path in beside if PurePosixPath(path).stem not in tested and _says_so(path, imports)}
    product = {path for path in others if path not in found and not is_test_file(path)}
    while product:
        product = found & {each for path in product for each in imports.imported_by(path)}
        found -= product
    return frozenset(found & {each for path in holding | found for each in imports.imported_by(path)})


def _says_so(path: str, imports: Imports) -> bool:
    if is_test_file(path) or _NAMED.search(PurePosixPath(path).stem):
        return True
    return not _TOOLS.isdisjoint(imports.names[path])
