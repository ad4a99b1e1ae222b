"""Which file of a program loads which: JavaScript and TypeScript by a path, Go by a folder, Rust by a module's name.
Nothing is run."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from posixpath import normpath

from bot.verification.programs import content, source_files
from bot.verification.testing.select import LARGEST_FILE, MOST_FILES
from bot.verification.values import Program

SCRIPTS = (".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx")
_READ = (*SCRIPTS, ".go", ".rs")
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
        paths = sorted(path for path in files if path.endswith(_READ))[:MOST_FILES]
        return cls({path: there.loaded(path, content(program, path)) for path in paths}, files)

    def after(self, changed: Mapping[str, bytes | None]) -> "Loads":
        """The same with these files put in the others' place; `None` where one is gone."""
        gone = {path for path, text in changed.items() if text is None}
        there = _Files((self.files | changed.keys()) - gone)
        new = {path: there.loaded(path, text) for path, text in changed.items() if path.endswith(_READ)}
        return Loads({**self.by, **new}, there.files)

    def reached_from(self, paths: Iterable[str]) -> frozenset[str]:
        """What these files load, however many files lie between; themselves only where one of them is loaded."""
        found: set[str] = set()
        front = sorted(paths)
        while front:
            front = sorted({each for path in front for each in self.by.get(path, ())} - found)
            found.update(front)
        return frozenset(found)


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
