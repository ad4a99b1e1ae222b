"""Which file of a program loads which: Python by a dotted name, JavaScript and TypeScript by a path, Go by a folder,
Rust by a module's name. Nothing is run."""

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from posixpath import normpath

from bot.verification.programs import content, source_files
from bot.verification.syntax import tree_of
from bot.verification.values import Program

MOST_FILES = 20_000
LARGEST_FILE = 1_000_000  # bytes
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


@dataclass(frozen=True)
class Loads:
    """by: every such file -> the files of the program that it loads itself. files: all files of the program."""

    by: Mapping[str, frozenset[str]]
    files: frozenset[str]

    @classmethod
    def of(cls, program: Program) -> "Loads":
        """Those of a program; of no more files than are read elsewhere."""
        files = frozenset({*source_files(program.tree), *program.files})
        there = _Files(files)
        paths = sorted(path for path in files if path.endswith(READ))[:MOST_FILES]
        return cls({path: there.loaded(path, content(program, path)) for path in paths}, files)

    def after(self, changed: Mapping[str, bytes | None]) -> "Loads":
        """The same with these files put in the others' place; `None` where one is gone."""
        gone = {path for path, text in changed.items() if text is None}
        there = _Files((self.files | changed.keys()) - gone)
        new = {path: there.loaded(path, text) for path, text in changed.items() if path.endswith(READ)}
        return Loads({**self.by, **new}, there.files)


@dataclass(frozen=True)
class _Files:
    """All files of a program."""

    files: frozenset[str]

    @cached_property
    def go(self) -> Mapping[str, frozenset[str]]:
        """Each folder with Go's files in it -> these."""
        found = defaultdict[str, set[str]](set)
        for path in self.files:
            if path.endswith(".go"):
                found[str(PurePosixPath(path).parent)].add(path)
        return {folder: frozenset(inside) for folder, inside in found.items()}

    def loaded(self, path: str, source: bytes | None) -> frozenset[str]:
        if path.endswith(SCRIPTS):
            return loaded(path, source, self.files)
        text = _text(source)
        return frozenset(self._of_go(text) if path.endswith(".go") else self._of_rust(PurePosixPath(path), text))

    def _of_go(self, text: str) -> Iterator[str]:
        """The module's own name stands before a folder in what is imported, and is not looked up."""
        for name in _IMPORTED.findall(text):
            parts = name.split("/")
            ends = ("/".join(parts[at:]) for at in range(len(parts)))
            yield from next((self.go[folder] for folder in ends if folder in self.go), ())

    def _of_rust(self, path: PurePosixPath, text: str) -> Iterator[str]:
        """Except for modules of tests alone."""
        folder = path.parent if path.name in _OWN_FOLDER else path.with_suffix("")
        for found in _MODULE.finditer(text):
            above = _ATTRIBUTES.search(text, max(0, found.start() - _LONGEST), found.start())
            if not (above and "test" in above[0]):
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


@dataclass(frozen=True)
class Imports:
    """names: every Python file -> the dotted names that it imports, with the packages above them."""

    names: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, program: Program) -> "Imports":
        """Those of a program; of no more files than are read elsewhere for choosing tests."""
        paths = sorted(path for path in {*source_files(program.tree), *program.files} if path.endswith(".py"))
        return cls({path: imported_names(path, content(program, path)) for path in paths[:MOST_FILES]})

    def after(self, changed: Mapping[str, bytes | None]) -> "Imports":
        """The same with these files put in the others' place; `None` where one is gone."""
        python = {path: source for path, source in changed.items() if path.endswith(".py")}
        kept = {path: names for path, names in self.names.items() if path not in python}
        return Imports(
            kept | {path: imported_names(path, source) for path, source in python.items() if source is not None}
        )

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

    def imported_by(self, path: str) -> frozenset[str]:
        """The files that a file imports itself."""
        found = (self.modules.get(name) for name in self.names.get(path, ()))
        return frozenset(each for each in found if each and each != path)

    @cached_property
    def importers(self) -> Mapping[str, set[str]]:
        """Every file that is imported -> the files that do so themselves."""
        found = defaultdict[str, set[str]](set)
        for path in self.names:
            for imported in self.imported_by(path):
                found[imported].add(path)
        return found

    def reached_from(self, paths: Iterable[str]) -> frozenset[str]:
        """These files and all that they import, however many files lie between."""
        start = frozenset(paths)
        return start | closure(start, self.imported_by)

    def foreign(self, paths: Iterable[str]) -> frozenset[str]:
        """The first parts of the names that these files import and that no file of the program stands for."""
        names = {name for path in paths for name in self.names.get(path, ()) if name not in self.modules}
        return frozenset(name.partition(".")[0] for name in names) - frozenset(self.modules)


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
