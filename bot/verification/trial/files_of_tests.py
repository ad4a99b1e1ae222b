"""Which files are tests or serve them: folders of tests, helpers and data among the product's code, and what is called
so by the custom of its language or by pytest's configuration. Nothing is run.

In a folder of tests all files are theirs. Where tests lie among the product's code, a file that is no code (what is
expected, cases, snapshots) may be either's; it is theirs who name it.
"""

import ast
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from bot.changes.kinds import kind_of
from bot.changes.values import FileKind
from bot.verification.loading import Imports, full_name
from bot.verification.syntax import tree_of
from bot.verification.testing.sources import is_test_file, steers_the_runner

_QUOTED = re.compile(rb"['\"]([^'\"\n]{1,200})['\"]")
_WORD = re.compile(rb"[\w.-]+")
_TELLING = 4  # characters of a name, below which it may mean anything
_MOST = 2_000  # files that are read for either side
_NEVER = frozenset({FileKind.CI, FileKind.DEPENDENCIES, FileKind.LOCK})
_BY_NAME, _BY_ENDING = 2, 1  # how surely a text means a file

Read = Callable[[str], bytes | None]


def words_of(paths: Iterable[str], read: Read) -> frozenset[bytes]:
    """The words in the quoted texts of so many files."""
    found: set[bytes] = set()
    for path in sorted(paths)[:_MOST]:
        for text in _QUOTED.findall(read(path) or b""):
            found.update(_WORD.findall(text))
    return frozenset(found)


def names_of(path: PurePosixPath, folders: Collection[str]) -> list[bytes]:
    """What a test may call a file: its name or its folder's. folders: of tests, whose names say nothing."""
    names = [path.name, path.stem, *([] if str(path.parent) in folders else [path.parent.name])]
    return [each.encode() for each in names if len(each) >= _TELLING]


@dataclass(frozen=True)
class DataOfTests:
    """Where tests lie among code. tests: those files of tests. code: every Python file."""

    tests: Collection[str]
    code: Collection[str]

    @cached_property
    def _folders(self) -> frozenset[str]:
        return frozenset(str(PurePosixPath(path).parent) for path in self.tests)

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(PurePosixPath(path).stem for path in self.tests)

    @cached_property
    def _with_code(self) -> frozenset[str]:
        return frozenset(str(above) for path in self.code for above in PurePosixPath(path).parents)

    def may_serve(self, path: str) -> bool:
        """Whether it is no code and lies in a folder of the tests, or below one in a folder without any code."""
        if path.endswith(".py") or kind_of(path) in _NEVER:
            return False
        above = [str(each) for each in PurePosixPath(path).parents]
        depth = next((at for at, folder in enumerate(above) if folder in self._folders), None)
        return depth is not None and (depth == 0 or above[depth - 1] not in self._with_code)

    def serves(self, path: str, tests: frozenset[bytes], product: frozenset[bytes]) -> bool:
        """Whether the tests name it, rather than the product: by the words that either quotes."""
        by_stem = PurePosixPath(path).stem in self._stems
        theirs = _BY_NAME if by_stem else self._meant(path, tests)
        others = self._meant(path, product)
        return theirs > others or theirs == others == _BY_ENDING

    def _meant(self, path: str, words: frozenset[bytes]) -> int:
        pure = PurePosixPath(path)
        if not words.isdisjoint(names_of(pure, self._folders)):
            return _BY_NAME
        prose = kind_of(path) is FileKind.DOCUMENTATION
        return _BY_ENDING if pure.suffix and not prose and pure.suffix.encode() in words else 0


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
    outside = frozenset(
        path for path in imports.names.keys() - inside if not (is_test_file(path) or steers_the_runner(path))
    )
    names = {full_name(path) for path in inside} | {folder.replace("/", ".")}
    if any(not names.isdisjoint(imports.names[path]) for path in outside):
        return False
    return any(not outside.isdisjoint(imports.imported_by(path)) for path in (*mine, *others))


_NAMED = re.compile(
    r"(?:^|_)(?:helpers?|fixtures?|fakes?|mocks?|stubs?|asserts?|assertions?|testing|test_?utils?|testcases?)(?:_|$)"
)
_TOOLS = frozenset({"pytest", "unittest", "hypothesis", "nose", "mock"})


@dataclass(frozen=True)
class ReachedFiles:
    """Which file of a program loads which. judging: its tests, and what steers them. others: all else that may load or
    be loaded. loads: what a file loads itself. names: the dotted names that a file imports."""

    judging: Collection[str]
    others: frozenset[str]
    loads: Callable[[str], Iterable[str]]
    names: Callable[[str], Collection[str]]

    def helpers(self) -> frozenset[str]:
        """Those that tests alone reach, and that say by their name or by what they import that they are for testing.
        One that has a test of its own is product."""
        return self._of_tests({path for path in self.others if self._says_so(path)})

    def apart(self) -> frozenset[str]:
        """Those that tests alone load, that load nothing of the program, and that have no test of their own: helpers
        for all that loading tells, or a part of the product that stands alone."""
        return self._of_tests({path for path in self.others if not set(self.loads(path))})

    def _of_tests(self, may: set[str]) -> frozenset[str]:
        tested = set(map(_subject, self.judging))
        found = {path for path in may if _stem(path) not in tested}
        product = {path for path in self.others if path not in found and not is_test_file(path)}
        while product:
            product = found & {each for path in product for each in self.loads(path)}
            found -= product
        return frozenset(found & {each for path in (*self.judging, *found) for each in self.loads(path)})

    def _says_so(self, path: str) -> bool:
        return is_test_file(path) or bool(_NAMED.search(_stem(path))) or not _TOOLS.isdisjoint(self.names(path))


def _stem(path: str) -> str:
    return PurePosixPath(path).stem.lower().replace("-", "_")


def _subject(test: str) -> str:
    """What a file of tests is about, by its name."""
    stem = _stem(test)
    for mark in ("test", "spec"):
        stem = stem.removeprefix(f"{mark}_").removesuffix(f"_{mark}").removesuffix(f".{mark}")
    return stem


def checks(source: bytes) -> bool:
    """Whether a Python file has a function that asserts something and gives nothing back."""
    functions = (node for node in ast.walk(tree_of(source)) if isinstance(node, ast.FunctionDef))
    return any(_checks(list(ast.walk(each))) for each in functions)


def _checks(nodes: list[ast.AST]) -> bool:
    gives = any(isinstance(node, ast.Return) and node.value is not None for node in nodes)
    return not gives and any(
        isinstance(node, ast.Assert) or (isinstance(node, ast.Name) and node.id == "AssertionError") for node in nodes
    )
