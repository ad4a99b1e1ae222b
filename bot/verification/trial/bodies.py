"""What a test demands, as source: its own body, and the helpers of its file, class and fixtures that it uses."""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import PurePosixPath

from bot.changes.rust_tests import ENDINGS
from bot.verification.files.code_of_tests import Test, expected_values, places, tests_of
from bot.verification.syntax import canonical_text, source_of, text_cache, tree_of
from bot.verification.testing.sources import file_of, function_of

Read = Callable[[str], bytes | None]  # a file of one version, by its path
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_ALWAYS = ("pytestmark", "setup_module", "setup_function", "setUpModule", "teardown_module", "tearDownModule")
_MOST = 500  # statements that belong to one test
_MOST_USED = 500  # names that one of them uses
_DEEPEST = 6  # names of a dotted one
_KEPT = 4_000_000  # bytes of files, whose trees take many times that


@dataclass(frozen=True)
class Bodies:
    """The tests of one version. read: its files; `None` for one that it does not have. paths: of its test files, for
    runners that name no file."""

    read: Read
    paths: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """What many tests ask for is answered from memory."""
        for name in ("source", "_demands", "_told_of", "_others", "_names"):
            object.__setattr__(self, name, cache(getattr(self, name)))

    def source(self, name: str) -> str:
        """The test's own source with its decorators; empty where it is not written down as a function."""
        if foreign := self._foreign(name):
            return foreign.source
        found = self._at(name)
        if not found:
            return ""
        if text := source_of(found[-1]):
            return text
        lines = (self.read(file_of(name)) or b"").decode(errors="replace").splitlines()
        return "\n".join(lines[found[-1].lineno - 1 : found[-1].end_lineno])

    def has(self, name: str) -> bool:
        """Whether the test is written down here."""
        return bool(self._foreign(name) or self._at(name))

    def expected(self, name: str) -> Sequence[frozenset[str]]:
        """The values that each assertion of the test expects."""
        foreign = self._foreign(name)
        return foreign.expected if foreign else expected_values(self.source(name))

    def demands(self, name: str) -> frozenset[str] | None:
        """Everything the test is made of, as texts that do not depend on layout; `None` where it is not here."""
        if foreign := self._foreign(name):
            return foreign.demands
        return self._demands(function_of(name))  # whose cases all demand the same

    def _demands(self, name: str) -> frozenset[str] | None:
        found = self._at(name)
        if not found:
            return None
        own, classes = found[-1], [each for each in found if isinstance(each, ast.ClassDef)]
        texts, todo = set[str](), [(file_of(name), each) for each in [own, *_parts(classes)]]
        texts.update(canonical_text(part) for each in classes for part in (*each.bases, *each.keywords))
        seen: set[tuple[str, str]] = set()
        names = [(file_of(name), each) for each in _ALWAYS]
        while (todo or names) and len(texts) < _MOST:
            for path, node in todo:
                text, used = self._told_of(node)
                texts.add(text)
                names += [(path, each) for each in used]
            names += [(file_of(name), base.id) for each in classes for base in each.bases if isinstance(base, ast.Name)]
            todo = [found for each in dict.fromkeys(names) if each not in seen for found in self._defined(*each)]
            seen.update(names)
            names = []
        return frozenset(texts)

    def _told_of(self, node: ast.AST) -> tuple[str, tuple[str, ...]]:
        """Its text and the names that it uses."""
        return canonical_text(node), tuple(islice(dict.fromkeys(_used(node)), _MOST_USED))

    def _foreign(self, name: str) -> Test | None:
        """The test, where it is no Python."""
        path, _, inner = name.partition("::")
        if path.endswith(".py") or not inner:
            return None
        if path.endswith(".rs"):
            return self._rust(name)
        if path.endswith(ENDINGS):
            return self._others(path).get(inner.replace(" > ", " ").replace("::", " "))
        folders = {each: str(PurePosixPath(each).parent) for each in sorted(self.paths) if each.endswith("_test.go")}
        for each, folder in sorted(folders.items(), key=lambda both: -len(both[1])):
            if folder == "." or f"/{path}".endswith(f"/{folder}"):
                found = self._others(each).get(inner.partition("/")[0])
                if found:
                    return found
        return None

    def _rust(self, name: str) -> Test | None:
        """The test, in one of the files in which it may stand: packages of a workspace have theirs in folders."""
        for place, inner in places(name):
            here = [place] if self.read(place) is not None else []
            for path in here or sorted(each for each in self.paths if each.endswith(f"/{place}")):
                if found := self._others(path).get(inner.replace("::", " ")):
                    return found
        return None

    def _others(self, path: str) -> Mapping[str, Test]:
        return tests_of(path, self.read(path) or b"")

    def _at(self, name: str) -> tuple[ast.ClassDef | _Function, ...]:
        """The classes around a test and its function."""
        path, *inner = function_of(name).split("::")
        names = self._names(path)
        found: list[ast.ClassDef | _Function] = []
        for part in inner:
            last = [each for each in names.get(part, ()) if isinstance(each, ast.ClassDef | _Function)]
            if not last:
                return ()
            found.append(last[-1])  # a second definition of the same name hides the first
            names = _by_name(last[-1].body)
        return tuple(found) if found and isinstance(found[-1], _Function) else ()

    def _names(self, path: str) -> Mapping[str, list[ast.stmt]]:
        return _names_of(self.read(path) or b"")

    def _defined(self, path: str, name: str) -> Iterator[tuple[str, ast.stmt]]:
        """The statements that give a name its meaning in a file: its own, a helper module's, or a fixture's. name: also
        a dotted one, of what a helper module has."""
        module, _, attribute = name.rpartition(".")
        if module:
            for statement in self._names(path).get(module.partition(".")[0], ()):
                yield from self._in(_modules(path, statement, module), attribute)
            return
        here = self._names(path).get(name, [])
        for statement in here:
            yield path, _alone(statement, name)
            if isinstance(statement, ast.ImportFrom):
                asked = next((each.name for each in statement.names if each.asname == name), name)
                yield from self._in(_beside(path, statement), asked)
        if not here:
            for statement in self._names(path).get("*", ()):
                if isinstance(statement, ast.ImportFrom):
                    yield from self._in(_beside(path, statement), name)
            yield from self._in((str(folder / "conftest.py") for folder in PurePosixPath(path).parents), name)

    def _in(self, files: Iterable[str], name: str) -> Iterator[tuple[str, ast.stmt]]:
        for file in files:
            yield from ((file, each) for each in self._names(file).get(name, ()))


@text_cache(_KEPT)
def _names_of(source: bytes) -> Mapping[str, list[ast.stmt]]:
    """The statements of a file by the names that they bind; none where it does not parse."""
    return _by_name(tree_of(source).body) if source else {}


def _by_name(body: list[ast.stmt]) -> Mapping[str, list[ast.stmt]]:
    found: dict[str, list[ast.stmt]] = {}
    for statement in _flat(body):
        for name in _bound(statement):
            found.setdefault(name, []).append(statement)
    return found


def _alone(statement: ast.stmt, name: str) -> ast.stmt:
    """An import of this name alone: what else stands on its line says nothing of who uses the name."""
    match statement:
        case ast.Import(names=names):
            return ast.copy_location(ast.Import(_binding(names, name)), statement)
        case ast.ImportFrom(module=module, names=names, level=level):
            return ast.copy_location(ast.ImportFrom(module, _binding(names, name), level), statement)
    return statement


def _binding(names: list[ast.alias], name: str) -> list[ast.alias]:
    return [each for each in names if (each.asname or each.name.partition(".")[0]) == name]


def _flat(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements, with those below `if` and `try`, in no depth of the interpreter's stack."""
    waiting = body[::-1]
    while waiting:
        each = waiting.pop()
        yield each
        if isinstance(each, ast.If | ast.Try | ast.With):
            inner = [each.body, getattr(each, "orelse", []), getattr(each, "finalbody", [])]
            waiting += [deep for block in inner for deep in block][::-1]


def _parts(classes: list[ast.ClassDef]) -> Iterator[ast.stmt]:
    """What a class has besides its tests: attributes, set-up, helpers."""
    for each in classes:
        yield from (part for part in each.body if not (isinstance(part, _Function) and part.name.startswith("test")))


def _bound(statement: ast.stmt) -> set[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return {(alias.asname or alias.name).partition(".")[0] for alias in names}
        case ast.Assign(targets=targets):
            return {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.AugAssign(target=ast.Name(id=name)):
            return {name}
    return set()


def _used(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        match part:
            case ast.Name(id=name) | ast.arg(arg=name):
                yield name
            case ast.Attribute():
                yield from _dotted(part)
            case ast.Constant(value=str() as name) if name.isidentifier():  # `usefixtures("…")`
                yield name


def _dotted(node: ast.Attribute) -> Iterator[str]:
    """`tests.helping.same`, where all of it is names."""
    parts, value = [node.attr], node.value
    while isinstance(value, ast.Attribute) and len(parts) < _DEEPEST:
        parts.append(value.attr)
        value = value.value
    if isinstance(value, ast.Name):
        yield ".".join([value.id, *reversed(parts)])


def _modules(path: str, statement: ast.stmt, called: str) -> Iterator[str]:
    """The files that an import may mean by a module's name."""
    if isinstance(statement, ast.ImportFrom):
        if any((each.asname or each.name) == called for each in statement.names):
            yield from _beside(path, statement)
    elif isinstance(statement, ast.Import):
        for alias in statement.names:
            if (alias.asname or alias.name) == called:
                yield from _beside(path, ast.ImportFrom(alias.name, [], 0))


def _beside(path: str, statement: ast.ImportFrom) -> Iterator[str]:
    """The files that an import may mean: relative ones, and those that lie beside the test or at the root."""
    parts = (statement.module or "").replace(".", "/")
    folder = PurePosixPath(path).parent
    if statement.level:
        places = [PurePosixPath(path).parents[min(statement.level, len(PurePosixPath(path).parents)) - 1]]
    else:
        places = [PurePosixPath(), folder]
    for place in places:
        if parts:
            yield str(place / f"{parts}.py")
            yield str(place / parts / "__init__.py")
        yield from (str(place / parts / f"{alias.name}.py") for alias in statement.names)
