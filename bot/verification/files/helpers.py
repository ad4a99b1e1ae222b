"""Which files serve tests: their folders, helpers and data among the product's code, by who loads and names them.
Nothing is run.

In a folder of tests all files are theirs. Where tests lie among the product's code, a file that is no code (what is
expected, cases, snapshots) may be either's; it is theirs who name it.
"""

import ast
import re
from collections.abc import Callable, Collection, Iterable
from functools import cache
from pathlib import PurePosixPath

from bot.changes.kinds import is_test_by_path, is_test_module, kind_of, steers_pytest
from bot.changes.readers import TESTS, globs
from bot.changes.values import FileKind
from bot.verification.files.loads import Loads, closure, full_name
from bot.verification.syntax import tree_of
from bot.verification.testing.sources import stem_of, subject_of

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
    named = (next((each for each in folders if is_test_by_path(f"{each}/a")), None) for folders in above)
    found = (name or next(filter(alone, folders), None) for name, folders in zip(named, above, strict=True))
    return frozenset(each for each in found if each)


def _serves_tests_alone(folder: str, tests: Collection[str], imports: Loads) -> bool:
    """Whether a folder of another name has tests and their helpers alone.

    Its tests are about code elsewhere, most of its files are tests, none of the others has a test of its name, and no
    code elsewhere imports any of it.
    """
    inside = frozenset(path for path in imports.names if path.startswith(f"{folder}/"))
    mine = frozenset(path for path in inside if path in tests or is_test_module(path))
    others = [path for path in inside - mine if not (path.endswith("/__init__.py") or steers_pytest(path))]
    outside = {path for path in imports.names.keys() - inside if not (is_test_module(path) or steers_pytest(path))}
    names, tested = {full_name(path) for path in inside} | {folder.replace("/", ".")}, set(map(subject_of, mine))
    few = len(others) <= len(mine) and tested.isdisjoint(map(stem_of, others))
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
    """Of the base's files, what tests alone load, themselves or through each other, and says so. What loads nothing of
    the program and nothing calls a helper is one where it looks like an instrument, beside product that the change
    touches. What a manifest names is started by it, and product; so is what has a test of its own. among: those that
    lie among the tests."""
    told = b"\n".join(map(read, ("pyproject.toml", "setup.cfg", "setup.py", "package.json")))
    steering = set(filter(steers_pytest, files))
    others = files - among - steering

    def is_started(path: str) -> bool:
        return (full_name(path) if path.endswith(".py") else path.rpartition(".")[0]).encode() in told

    def is_instrument(path: str) -> bool:
        """Whether it loads nothing and asserts, is loaded by what steers the tests, or reaches the program only now."""
        by_steering = any(path in base.by(each) for each in steering)
        return not base.by(path) and (by_steering or bool(head.by(path)) or _asserts(path, read(path)))

    says = {path for path in others if says_that_it_helps(path, base.names.get(path, ()))}
    may = says.union(filter(is_instrument, others.intersection(changed) - says))
    tested = set(map(subject_of, among | steering))
    found = {path for path in may if not is_started(path) and stem_of(path) not in tested}
    product = (path for path in others - found if not is_test_module(path))
    found -= closure(product, lambda path: found & {*base.by(path)})
    found &= {each for path in (*among, *steering, *found) for each in base.by(path)}
    return frozenset(found if others.intersection(changed) - found else found & says)


def says_that_it_helps(path: str, names: Collection[str]) -> bool:
    """Whether a file says that it is for testing, by its name or by what it imports. names: of that."""
    return is_test_module(path) or _CALLED_SO(stem_of(path)) or not _TOOLS.isdisjoint(names)


def _asserts(path: str, source: bytes) -> bool:
    """Whether a file asserts: one of Python's in a function that gives nothing back."""
    if not path.endswith(".py"):
        return not _ASSERTING.isdisjoint(_QUOTED.findall(source))
    functions = (list(ast.walk(node)) for node in ast.walk(tree_of(source)) if isinstance(node, ast.FunctionDef))
    return any(any(map(_checks, nodes)) and not any(map(_gives, nodes)) for nodes in functions)


def _checks(node: ast.AST) -> bool:
    return isinstance(node, ast.Assert) or (isinstance(node, ast.Name) and node.id == "AssertionError")


def _gives(node: ast.AST) -> bool:
    return isinstance(node, ast.Return) and node.value is not None
