"""Which file of a program loads which: Python by a dotted name, JavaScript and TypeScript by a path, Go by a folder,
Rust by a module's name; and which new file would be found in the place of another. Nothing is run."""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from posixpath import normpath

from bot.changes.kinds import is_named_as_test
from bot.changes.risks.shadows import RUNNER, import_name
from bot.verification.files.rust_tests import only_tests
from bot.verification.programs import content, source_files
from bot.verification.syntax import text_cache, tree_of
from bot.verification.values import Program, TestRun

MOST_FILES = 20_000
LARGEST_FILE = 1_000_000  # bytes
_KEPT = 16_000_000  # bytes of files
SCRIPTS = (".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx")
READ = (*SCRIPTS, ".go", ".rs")
_REQUIRED = re.compile(
    r"\b(?:require|import)\s{0,9}\(?\s{0,9}['\"](\.[^'\"\n]{0,200})['\"]|\bfrom\s{0,9}['\"](\.[^'\"\n]{0,200})['\"]"
)
_ENDINGS = ("", *SCRIPTS, *(f"/index{each}" for each in SCRIPTS))
_IMPORTED = re.compile(r'^[ \t]{0,9}(?:import[ \t]{1,9})?(?:[\w.]{1,60}[ \t]{1,9})?"([\w./~-]{1,300})"', re.M)
_MODULE = re.compile(r"^[ \t]{0,40}(?:pub(?:\([^)\n]{1,60}\))?[ \t]{1,9})?mod[ \t]{1,9}(\w{1,100})[ \t]{0,9};", re.M)
_ATTRIBUTES = re.compile(r"(?:#\[[^\n]{0,200}\]\s{0,40})+$")
_LONGEST = 1_000  # characters of the attributes of a module
_OWN_FOLDER = frozenset({"lib.rs", "main.rs", "mod.rs"})  # whose modules lie beside them
_NO_MODULE = re.compile(r"^E? {0,7}ModuleNotFoundError: No module named '([\w.]{1,100})'", re.M)


@dataclass(frozen=True)
class Loads:
    """files: all files of the program. names: every Python file -> the dotted names that it imports, with the packages
    above them. others: every file of another language -> the files that it loads itself, where they were read."""

    files: frozenset[str]
    names: Mapping[str, frozenset[str]]
    others: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, program: Program, *, others: bool = True) -> "Loads":
        """Those of a program; of no more files than are read elsewhere for choosing tests."""
        files = frozenset({*source_files(program.tree), *program.files})
        read = [sorted(path for path in files if path.endswith(ends)) for ends in (".py", READ if others else ())]
        paths = (path for some in read for path in some[:MOST_FILES])
        return cls(files, {}, {})._with((path, content(program, path)) for path in paths)

    def after(self, changed: Mapping[str, bytes | None]) -> "Loads":
        """The same with these files put in the others' place; `None` where one is gone."""
        gone = {path for path, text in changed.items() if text is None}
        names, others = (
            {path: found for path, found in known.items() if path not in gone} for known in (self.names, self.others)
        )
        there = ((path, text) for path, text in changed.items() if text is not None)
        return Loads((self.files | changed.keys()) - gone, names, others)._with(there)

    def _with(self, texts: Iterable[tuple[str, bytes | None]]) -> "Loads":
        names, others = dict(self.names), dict(self.others)
        for path, text in texts:
            if path.endswith(".py"):
                names[path] = imported_names(path, text)
            elif path.endswith(READ):
                others[path] = self._loaded(path, text)
        return Loads(self.files, names, others)

    def _loaded(self, path: str, source: bytes | None) -> frozenset[str]:
        if path.endswith(SCRIPTS):
            return loaded(path, source, self.files)
        text = _text(source)
        return frozenset(self._of_go(text) if path.endswith(".go") else self._of_rust(PurePosixPath(path), text))

    @cached_property
    def modules(self) -> dict[str, str]:
        """Every dotted name under which a file may be imported -> the file; the shortest path wins a shared name.

        A file counts under its path from the root, from `src`, and from any folder that is no package: pytest puts a
        test's own folder on the path.
        """
        packages = {str(PurePosixPath(path).parent) for path in self.names if path.endswith("__init__.py")}
        found: dict[str, str] = {}
        for path in sorted(self.names, key=lambda path: (path.count("/"), path)):
            pure = PurePosixPath(path)
            parts = list(pure.parent.parts if pure.name == "__init__.py" else pure.with_suffix("").parts)
            for start in range(len(parts)):
                above = str(PurePosixPath(*parts[:start])) if start else "."
                if start == 0 or above not in packages:
                    found.setdefault(".".join(parts[start:]), path)
        return found

    def by(self, path: str) -> frozenset[str]:
        """The files that a file loads itself."""
        if path not in self.names:
            return self.others.get(path, frozenset())
        found = (self.modules.get(name) for name in self.names[path])
        return frozenset(each for each in found if each and each != path)

    @cached_property
    def importers(self) -> Mapping[str, set[str]]:
        """Every Python file that is imported -> the files that do so themselves."""
        found = defaultdict[str, set[str]](set)
        for path in self.names:
            for imported in self.by(path):
                found[imported].add(path)
        return found

    def reached_from(self, paths: Iterable[str]) -> frozenset[str]:
        """These files and all that they load, however many files lie between."""
        start = frozenset(paths)
        return start | closure(start, self.by)

    def foreign(self, paths: Iterable[str]) -> frozenset[str]:
        """The first parts of the names that these files import and that no file of the program stands for."""
        names = {name for path in paths for name in self.names.get(path, ()) if name not in self.modules}
        return frozenset(name.partition(".")[0] for name in names) - frozenset(self.modules)

    @cached_property
    def _go(self) -> Mapping[str, frozenset[str]]:
        """Each folder with Go's files in it -> these, without tests: nobody imports them with their package."""
        found = defaultdict[str, set[str]](set)
        for path in self.files:
            if path.endswith(".go") and not is_named_as_test(path):
                found[str(PurePosixPath(path).parent)].add(path)
        return {folder: frozenset(inside) for folder, inside in found.items()}

    def _of_go(self, text: str) -> Iterator[str]:
        """The module's own name stands before a folder in what is imported, and is not looked up."""
        for name in _IMPORTED.findall(text):
            parts = name.split("/")
            ends = ("/".join(parts[at:]) for at in range(len(parts)))
            yield from next((self._go[folder] for folder in ends if folder in self._go), ())

    def _of_rust(self, path: PurePosixPath, text: str) -> Iterator[str]:
        """Except for modules of tests alone."""
        folder = path.parent if path.name in _OWN_FOLDER else path.with_suffix("")
        for found in _MODULE.finditer(text):
            above = _ATTRIBUTES.search(text, max(0, found.start() - _LONGEST), found.start())
            if not (above and only_tests(f"{above[0]}{found[0]}".encode())):
                tried = (f"{folder}/{found[1]}{end}" for end in (".rs", "/mod.rs"))
                yield from (each for each in tried if each in self.files)


def loaded(path: str, source: bytes | None, files: Collection[str]) -> frozenset[str]:
    """The files that one loads by a path that starts with a dot. TypeScript may write `.js` for a file in `.ts`."""
    named = (next(filter(None, each)) for each in _REQUIRED.findall(_text(source)))
    paths = {normpath(f"{PurePosixPath(path).parent}/{name}") for name in named}
    paths |= {each[: each.rindex(".")] for each in paths if each.endswith(SCRIPTS) and each not in files}
    tried = ((each + end).removeprefix("./") for each in paths for end in _ENDINGS)
    return frozenset(each for each in tried if each in files)


def _text(source: bytes | None) -> str:
    return source.decode(errors="replace") if source and len(source) <= LARGEST_FILE else ""


def full_name(path: str) -> str:
    """The dotted name of a file from the root of the tree, or from `src` where it lies there."""
    return path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def closure(paths: Iterable[str], of: Callable[[str], Iterable[str]]) -> frozenset[str]:
    """All that they lead to, however many files lie between; themselves only where one of them leads there."""
    found, front = set[str](), set(paths)
    while front:
        front = {each for path in front for each in of(path)} - found
        found |= front
    return frozenset(found)


@text_cache(_KEPT)
def imported_names(path: str, source: bytes | None) -> frozenset[str]:
    """Every dotted name that a file may import, with the packages above it; nothing where it does not parse."""
    found: set[str] = set()
    package = PurePosixPath(path).parent.parts
    for node in ast.walk(tree_of(source)) if source and len(source) <= LARGEST_FILE else ():
        if isinstance(node, ast.Import):
            found.update(name for alias in node.names for name in _prefixes(alias.name))
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*above, *([node.module] if node.module else [])])
            found.update(_prefixes(base))
            found.update(f"{base}.{alias.name}" if base else alias.name for alias in node.names)
        elif isinstance(node, ast.Assign) and any(getattr(each, "id", "") == "pytest_plugins" for each in node.targets):
            texts = (each.value for each in ast.walk(node.value) if isinstance(each, ast.Constant))
            found.update(name for text in texts if isinstance(text, str) for name in _prefixes(text))
    return frozenset(found)


def _prefixes(dotted: str) -> Iterator[str]:
    """`a.b.c` imports `a` and `a.b` as well."""
    parts = dotted.split(".")
    return (".".join(parts[:end]) for end in range(1, len(parts) + 1))


@dataclass(frozen=True)
class Shadows:
    """base, head: what their files load. tests: the base's, and what steers them. wanted: what its tests of JavaScript
    load among the files of the head. wanting: modules that its tests import and nobody has."""

    base: Loads
    head: Loads
    tests: frozenset[str]
    wanted: frozenset[str]
    wanting: Collection[str]

    def hides(self, path: str) -> bool:
        """Whether a new file stands before a module that tests, pytest or Python itself import, or before one of the
        product's own that lies at the root or in `src` still."""
        folder, name = import_name(path)
        if not name:
            return False
        if "src/__init__.py" not in self.base.names:
            inside = path.startswith("src/")
            if full_name(f"{folder}/{name}".lstrip("/")) in self._names[not inside]:
                return True
        known = name in sys.stdlib_module_names or name in RUNNER or name in self._foreign
        return known and (folder or ".") in self._roots

    def displaces(self, path: str) -> bool:
        """Whether the base's tests would find a new file in the place of one of theirs."""
        pure = PurePosixPath(path)
        module = f"{pure.parent}.py" if pure.name == "__init__.py" else f"{pure.with_suffix('')}/__init__.py"
        return path in self.wanted or (path.endswith(".py") and module in self.base.names)

    @cached_property
    def _names(self) -> tuple[frozenset[str], frozenset[str]]:
        """The full names of the head's modules: of those outside `src`, and of those in it."""
        inside = frozenset(path for path in self.head.names if path.startswith("src/"))
        return frozenset(map(full_name, self.head.names.keys() - inside)), frozenset(map(full_name, inside))

    @cached_property
    def _foreign(self) -> frozenset[str]:
        return self.base.foreign(self.tests).difference(self.wanting)

    @cached_property
    def _roots(self) -> frozenset[str]:
        """Folders that may stand on `sys.path`: the root, `src`, and those into which pytest looks for a test."""
        packages = {str(PurePosixPath(path).parent) for path in self.base.names if path.endswith("__init__.py")}
        roots = {".", "src"}
        for path in self.tests:
            folder = PurePosixPath(path).parent
            while str(folder) in packages:
                folder = folder.parent
            roots.add(str(folder))
        return frozenset(roots)


def wanting(run: TestRun) -> frozenset[str]:
    """The modules for want of which tests fail: tests may be written before what they test."""
    said = (name for result in run.failing for name in _NO_MODULE.findall(result.message))
    return frozenset(name.partition(".")[0] for name in said)
