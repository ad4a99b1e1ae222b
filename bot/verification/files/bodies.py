"""What a test demands: its own body, and the helpers of its file, class and fixtures that it uses; and what of a file
is tests, where Rust's stand in one of the product, as `#[cfg(test)]` items. Nothing is run."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath

from bot.changes.syntax import tree
from bot.child_process import TooLong, run_in_child
from bot.verification.files.code_of_tests import Expected, Placed, Snippet, Test, TestFile, read_tests
from bot.verification.files.loads import SCRIPTS, closure, imported_names, loaded
from bot.verification.files.rust_tests import ABOVE, marks_test
from bot.verification.syntax import text_cache
from bot.verification.testing.sources import file_of, function_of

Read = Callable[[str], bytes | None]  # a file of one version, by its path
_ENDS = (".py", "/__init__.py")
_FEW = 2_000  # bytes that are read in this process
_KEPT = 8_000_000  # bytes of files


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


Spans = tuple[tuple[int, int], ...]
_ROOTS = ("lib.rs", "main.rs")


def only_tests(source: bytes) -> bytes:
    """The items of the file that only its tests have, one after the other; empty where it has none."""
    return b"\n".join(source[start:end] for start, end in _spans(source))


def with_tests_of(base: bytes, head: bytes) -> bytes:
    """The head's product with the base's tests: where its own stand, else at the end. What stands before them keeps its
    lines."""
    tests, spans = only_tests(base), _spans(head)
    found, at = b"", 0
    for number, (start, end) in enumerate(spans):
        found += head[at:start] + (b"" if number else tests)
        at = end
    return found + head[at:] + (b"" if spans or not tests else b"\n" + tests + b"\n")


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


def _spans(source: bytes) -> Spans:
    return _known_spans(source) if b"test" in source else ()


@text_cache(_KEPT)
def _known_spans(source: bytes) -> Spans:
    found = _read_spans(source) if len(source) <= _FEW else run_in_child(_read_spans, source)
    return () if isinstance(found, TooLong) else found


def _read_spans(source: bytes) -> Spans:
    root = tree("a.rs", source)
    if root is None:
        return ()
    found, begins, marked = list[tuple[int, int]](), -1, False
    for node in root.named_children:
        if node.type in ABOVE:
            if node.type == "attribute_item" and begins < 0:
                begins = node.start_byte
            marked = marked or marks_test(node)
            continue
        if marked:
            found.append((begins, node.end_byte))
        begins, marked = -1, False
    return tuple(found)
