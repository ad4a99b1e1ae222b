"""Which files serve tests: their folders, helpers and data among the product's code, by who loads and names them.
Nothing is run.

In a folder of tests all files are theirs. Where tests lie among the product's code, a file that is no code (what is
expected, cases, snapshots) may be either's; it is theirs who name it.
"""

import ast
import re
from collections.abc import Callable, Collection, Iterable
from functools import cache, partial
from pathlib import PurePosixPath

from bot.changes.kinds import is_test, kind_of
from bot.changes.readers import TESTS, globs
from bot.changes.values import FileKind
from bot.verification.files.loads import Loads, closure, full_name
from bot.verification.syntax import tree_of
from bot.verification.testing.sources import is_test_file, steers_the_runner

_QUOTED = re.compile(rb"['\"]([^'\"\n]{1,200})['\"]")
_WORD = re.compile(rb"[\w.-]+")
_TELLING = 4  # characters of a name, below which it may mean anything
_MOST = 2_000  # files that are read for either side
_BY_NAME, _BY_ENDING = 2, 1  # how surely a text means a file

Read = Callable[[str], bytes | None]


def words_of(paths: Iterable[str], read: Read) -> frozenset[bytes]:
    """The words in the quoted texts of so many files."""
    found: set[bytes] = set()
    for path in sorted(paths)[:_MOST]:
        for text in _QUOTED.findall(read(path) or b""):
            found.update(_WORD.findall(text))
    return frozenset(found)


def meant(path: str, words: Collection[bytes], folders: Collection[str]) -> int:
    """How surely a file is meant: by its name or its folder's, or by the ending of such files. folders: of tests, whose
    names say nothing."""
    file = PurePosixPath(path)
    names = (file.name, file.stem, "" if str(file.parent) in folders else file.parent.name)
    if any(each.encode() in words for each in names if len(each) >= _TELLING):
        return _BY_NAME
    prose = kind_of(path) is FileKind.DOCUMENTATION
    return _BY_ENDING if file.suffix and not prose and file.suffix.encode() in words else 0


def are_theirs(path: str, tests: Collection[bytes], product: Collection[bytes], folders: Collection[str]) -> bool:
    """Whether the tests name it, rather than the product: by the words that either quotes."""
    theirs, others = (meant(path, words, folders) for words in (tests, product))
    return theirs > others or theirs == others == _BY_ENDING


def folders_of_tests(tests: Collection[str], imports: Loads) -> frozenset[str]:
    """The topmost folders of tests: named as such, or with nothing else in them, as far as imports tell.

    tests: files in which tests were found. imports: of the whole tree.
    """

    @cache
    def alone(folder: str) -> bool:
        return _serves_tests_alone(folder, tests, imports)

    above = [[str(each) for each in PurePosixPath(path).parents][-2::-1] for path in tests]
    named = (next((each for each in folders if is_test(f"{each}/a")), None) for folders in above)
    found = (name or next(filter(alone, folders), None) for name, folders in zip(named, above, strict=True))
    return frozenset(each for each in found if each)


def _serves_tests_alone(folder: str, tests: Collection[str], imports: Loads) -> bool:
    """Whether a folder of another name has tests and their helpers alone.

    Its tests are about code elsewhere, most of its files are tests, none of the others has a test of its name, and no
    code elsewhere imports any of it.
    """
    inside = frozenset(path for path in imports.names if path.startswith(f"{folder}/"))
    mine = frozenset(path for path in inside if path in tests or is_test_file(path))
    others = [path for path in inside - mine if PurePosixPath(path).name not in ("__init__.py", "conftest.py")]
    outside = {path for path in imports.names.keys() - inside if not (is_test_file(path) or steers_the_runner(path))}
    names, tested = {full_name(path) for path in inside} | {folder.replace("/", ".")}, set(map(_subject, mine))
    few = len(others) <= len(mine) and tested.isdisjoint(map(_stem, others))
    used = any(not names.isdisjoint(imports.names[path]) for path in outside)
    return few and not used and any(not outside.isdisjoint(imports.by(path)) for path in (*mine, *others))


_CALLED_SO, _TOOLS = globs(*TESTS["helpers"]), frozenset(TESTS["tools"])
_ASSERTING = frozenset(name.encode() for name in TESTS["asserting"])


def helpers(
    files: frozenset[str],
    among: frozenset[str],
    base: Loads,
    head: Loads,
    changed: Collection[str],
    read: Callable[[str], bytes],
) -> frozenset[str]:
    """Of the base's files, what only tests reach, and says so. What loads nothing of the program and nothing calls a
    helper is one where it looks like an instrument, beside product that the change touches. What a manifest names is
    started by it, and product. among: those that lie among the tests."""
    told = b"\n".join(map(read, ("pyproject.toml", "setup.cfg", "setup.py", "package.json")))
    steering = set(filter(steers_the_runner, files))
    others = files - among - steering
    alone = partial(_of_tests_alone, judging=among | steering, others=others, loads=base.by)

    def is_started(path: str) -> bool:
        return (full_name(path) if path.endswith(".py") else path.rpartition(".")[0]).encode() in told

    def is_instrument(path: str) -> bool:
        """Whether it asserts, is loaded by what steers the tests, or reaches the program only now."""
        by_steering = any(path in base.by(each) for each in steering)
        return by_steering or asserts(path) or bool(head.by(path))

    def asserts(path: str) -> bool:
        text = read(path)
        return _asserts(text) if path.endswith(".py") else not _ASSERTING.isdisjoint(_QUOTED.findall(text))

    says = {path for path in others if _says_that_it_helps(path, base.names.get(path, ()))}
    found = {path for path in alone(says) if not is_started(path)}
    touched = others.intersection(changed) - found
    may = alone(path for path in others if not base.by(path)) & touched
    apart = {path for path in may if not is_started(path) and is_instrument(path)}
    return frozenset(found | apart if touched - apart else found)


def _says_that_it_helps(path: str, names: Collection[str]) -> bool:
    """Whether a file says that it is for testing, by its name or by what it imports. names: of that."""
    return is_test_file(path) or _CALLED_SO(_stem(path)) or not _TOOLS.isdisjoint(names)


def _of_tests_alone(
    may: Iterable[str], judging: Collection[str], others: Collection[str], loads: Callable[[str], Collection[str]]
) -> frozenset[str]:
    """Those of some files that tests alone load, themselves or through each other. One that has a test of its own is
    product. judging: tests, and what steers them. others: all else that may load or be loaded. loads: what a file loads
    itself."""
    tested = set(map(_subject, judging))
    found = {path for path in may if _stem(path) not in tested}
    product = {path for path in others if path not in found and not is_test_file(path)}
    found -= closure(product, lambda path: found & {*loads(path)})
    return frozenset(found & {each for path in (*judging, *found) for each in loads(path)})


def _stem(path: str) -> str:
    return PurePosixPath(path).stem.lower().replace("-", "_")


def _subject(test: str) -> str:
    """What a file of tests is about, by its name."""
    stem = _stem(test)
    for mark in ("test", "spec"):
        stem = stem.removeprefix(f"{mark}_").removesuffix(f"_{mark}").removesuffix(f".{mark}")
    return stem


def _asserts(source: bytes) -> bool:
    """Whether a Python file has a function that asserts something and gives nothing back."""
    functions = (node for node in ast.walk(tree_of(source)) if isinstance(node, ast.FunctionDef))
    return any(_checks(list(ast.walk(each))) for each in functions)


def _checks(nodes: list[ast.AST]) -> bool:
    gives = any(isinstance(node, ast.Return) and node.value is not None for node in nodes)
    return not gives and any(
        isinstance(node, ast.Assert) or (isinstance(node, ast.Name) and node.id == "AssertionError") for node in nodes
    )
