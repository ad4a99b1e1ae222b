"""What a test demands: its own body, and the helpers of its file, class and fixtures that it uses. Nothing is run."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath

from bot.verification.files.code_of_tests import Expected, Placed, Snippet, Test, TestFile, read_tests
from bot.verification.files.loads import SCRIPTS, closure, imported_names, loaded
from bot.verification.testing.sources import file_of, function_of

Read = Callable[[str], bytes | None]  # a file of one version, by its path
_ENDS = (".py", "/__init__.py")


@dataclass(frozen=True)
class Bodies:
    """The tests of one version. read: its files; `None` for one that it does not have. paths: of its test files, for
    runners that name no file, and languages whose files name each other by paths."""

    read: Read
    paths: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """What many tests ask for is answered from memory."""
        for name in ("read", "texts", "_demands", "_file", "_used_by"):
            object.__setattr__(self, name, cache(getattr(self, name)))

    def has(self, name: str) -> bool:
        """Whether the test is written down here."""
        return self._test(name) is not None

    def place(self, name: str) -> str:
        """The file in which it stands; that of its name where it is written down nowhere."""
        found = self._test(name)
        return found[0] if found else file_of(name)

    def files(self, name: str) -> tuple[str, ...]:
        """The file in which it stands; all in which it may where it is not found, as what a macro writes."""
        return (self.place(name),) if self.has(name) else (file_of(name), *(path for path, _ in places(name)))

    def source(self, name: str) -> str:
        """The test's own source with its decorators; empty where it is not written down as a function."""
        found = self._test(name)
        return found[1].source if found else ""

    def expected(self, name: str) -> Expected:
        """The values that each assertion of the test expects."""
        found = self._test(name)
        return found[1].expected if found else ()

    def demands(self, name: str) -> frozenset[Snippet] | None:
        """Everything the test is made of, whatever its layout; `None` where it is not here."""
        return self._demands(function_of(name) if file_of(name).endswith(".py") else name)

    def texts(self, path: str) -> Mapping[str, bytes | None]:
        """The file and those of tests that it loads, however many lie between, with what they hold."""
        return {each: self.read(each) for each in {path, *closure([path], self._used_by)}}

    def _demands(self, name: str) -> frozenset[Snippet] | None:
        found = self._test(name)
        return self._file(found[0]).demands(found[1], found[0], self._defined) if found else None

    def _test(self, name: str) -> tuple[str, Test] | None:
        path, _, inner = name.partition("::")
        if path.endswith(".py"):
            inner = function_of(name).partition("::")[2]  # whose cases are all the same
        for where, called in self._places(path, inner):
            if found := self._file(where).tests.get(called.replace(" > ", " ").replace("::", " ")):
                return where, found
        return None

    def _places(self, path: str, inner: str) -> Iterator[tuple[str, str]]:
        """The files in which a test may stand, and its name there. Go names its packages instead of the files, and
        Rust a crate's root; packages of a workspace have theirs in folders."""
        if path.endswith(".rs"):
            for place, name in places(f"{path}::{inner}"):
                here = [place] if self.read(place) is not None else []
                yield from ((each, name) for each in here or sorted(self.paths) if f"/{each}".endswith(f"/{place}"))
        elif path.endswith((".py", *SCRIPTS)):
            yield path, inner
        else:
            folders = {
                each: str(PurePosixPath(each).parent) for each in sorted(self.paths) if each.endswith("_test.go")
            }
            for each, folder in sorted(folders.items(), key=lambda both: -len(both[1])):
                if folder == "." or f"/{path}".endswith(f"/{folder}"):
                    yield each, inner.partition("/")[0]

    def _file(self, path: str) -> TestFile:
        return read_tests(path, self.read(path) or b"")

    def _defined(self, path: str, name: str) -> Iterator[Placed]:
        """What gives a name its meaning in a file: it itself; else the files that it loads, or whose fixtures it has,
        by whatever name these are called there."""
        here = self._file(path).declared.get(name, ())
        yield from ((path, each) for each in here)
        if all(each.brings for each in here):
            for file in self._used_by(path):
                yield from ((file, each) for each in self._file(file).declared.get(name, ()))

    def _used_by(self, path: str) -> tuple[str, ...]:
        """Files of tests that one may load: by its imports, at the root or beside it, and those with its fixtures."""
        folder, *above = PurePosixPath(path).parents
        if path.endswith(".go"):
            return tuple(sorted(each for each in self.paths - {path} if PurePosixPath(each).parent == folder))
        if not path.endswith(".py"):
            return tuple(sorted(loaded(path, self.read(path), self.paths))) if path.endswith(SCRIPTS) else ()
        stems = [name.replace(".", "/") for name in sorted(imported_names(path, self.read(path))) if name]
        modules = [str(place / stem) for place in (PurePosixPath(), folder) for stem in stems]
        fixtures = [str(each / "conftest.py") for each in (folder, *above)]
        found = dict.fromkeys((*(f"{each}{end}" for each in modules for end in _ENDS), *fixtures))
        return tuple(each for each in found if each != path and self.read(each) is not None)


_ROOTS = ("lib.rs", "main.rs")


def is_another(old: Bodies, new: Bodies, name: str) -> bool:
    """Whether a test stands in both versions in other words, or in one of them alone."""
    path = file_of(name)
    known = path.endswith((".py", *SCRIPTS)) and old.texts(path) == new.texts(path)  # where most are: nothing is parsed
    return not known and old.demands(name) != new.demands(name)


def places(name: str) -> Iterator[tuple[str, str]]:
    """Files in which a test may stand, from its package's folder, and its name there, the innermost module first."""
    root, _, inner = name.partition("::")
    folder, _, file = root.rpartition("/")
    parts = inner.split("::")
    for depth in range(len(parts) - 1 if file in _ROOTS else 0, 0, -1):
        module, rest = "/".join([folder, *parts[:depth]]).lstrip("/"), "::".join(parts[depth:])
        yield f"{module}.rs", rest
        yield f"{module}/mod.rs", rest
    yield root, inner
