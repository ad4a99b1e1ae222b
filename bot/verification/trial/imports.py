"""Which file of a program imports which, read from their sources. Nothing is run."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from bot.verification.programs import content, source_files
from bot.verification.testing.select import LARGEST_FILE, MOST_FILES, imported_names, modules_of
from bot.verification.values import Program


@dataclass(frozen=True)
class Imports:
    """names: every Python file -> the dotted names that it imports, with the packages above them."""

    names: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, program: Program) -> "Imports":
        """Those of a program; of no more files than are read elsewhere for choosing tests."""
        paths = sorted(path for path in {*source_files(program.tree), *program.files} if path.endswith(".py"))
        return cls({path: _names(path, content(program, path)) for path in paths[:MOST_FILES]})

    def after(self, changed: Mapping[str, bytes | None]) -> "Imports":
        """The same with these files put in the others' place; `None` where one is gone."""
        python = {path: source for path, source in changed.items() if path.endswith(".py")}
        kept = {path: names for path, names in self.names.items() if path not in python}
        return Imports(kept | {path: _names(path, source) for path, source in python.items() if source is not None})

    @cached_property
    def modules(self) -> dict[str, str]:
        """Every dotted name under which a file may be imported -> the file."""
        return modules_of(list(self.names))

    def imported_by(self, path: str) -> frozenset[str]:
        """The files that a file imports itself."""
        found = (self.modules.get(name) for name in self.names.get(path, ()))
        return frozenset(each for each in found if each and each != path)

    def reached_from(self, paths: Iterable[str]) -> frozenset[str]:
        """These files and all that they import, however many files lie between."""
        seen: set[str] = set(paths)
        front = sorted(seen)
        while front:
            front = sorted({each for path in front for each in self.imported_by(path)} - seen)
            seen.update(front)
        return frozenset(seen)

    def foreign(self, paths: Iterable[str]) -> frozenset[str]:
        """The first parts of the names that these files import and that no file of the program stands for."""
        names = {name for path in paths for name in self.names.get(path, ()) if name not in self.modules}
        return frozenset(name.partition(".")[0] for name in names) - frozenset(self.modules)


def full_name(path: str) -> str:
    """The dotted name of a file from the root of the tree, or from `src` where it lies there."""
    return path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _names(path: str, source: bytes | None) -> frozenset[str]:
    return frozenset(imported_names(source, path)) if source and len(source) <= LARGEST_FILE else frozenset()
