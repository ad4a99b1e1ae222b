"""New files, and functions of the shell, that are loaded by themselves, or where something else was until now, under
the same name. Pure.

Whoever loads them is left alone by the change: a standard module, a test tool, a dependency, another file of the
project or a program of the machine had the name. Beside Python's own modules only what the tree says of itself counts:
nobody has to know what else there is. How languages find a file is `shadows.toml`.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.machinery import all_suffixes
from itertools import product
from posixpath import basename, dirname, join, splitext

from bot.changes.kinds import is_test_by_path
from bot.changes.mentions import Lines, Mentions
from bot.changes.readers import MANIFESTS, SENTENCES, TESTS, Rows, beside, globs
from bot.changes.risks.dependencies import About, parts
from bot.changes.risks.lines import added, first, old_lines
from bot.changes.risks.locks import plain_name
from bot.changes.risks.values import Risk
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Whole

_NEW = (FileStatus.ADDED, FileStatus.RENAMED, FileStatus.COPIED)
_BY_ITSELF = globs("{sitecustomize,usercustomize}.py", "*.pth", "*.egg-link")
RUNNER = frozenset(TESTS["runner"])
_ROOTS = ("", "src", "lib")  # where imports begin
# Folders from which names of modules begin.
_LOADED_FROM = frozenset(
    {"lib", "vendor", "src", "inc", "include", "local", "perl5", "java", "kotlin", "scala", "groovy"}
)
_MOST_ASKED = 100  # new files of one change beside which others are looked for
_MOST = 1_000  # names of one change that are looked for
_SCRIPTS = (".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx")
_MODULES = (".py", "/__init__.py")
_NOBODYS = "\x01"  # stands in no text
_READS, _APART = frozenset({".", "source"}), str.maketrans(";&|(", "    ")
_FUNCTION = re.compile(r"\s{0,80}(?:function\s{1,9}([\w.:-]{1,60})|([\w.:-]{1,60})\s{0,9}\(\s{0,9}\))")


class _Way(Rows):
    """A row of `shadows.toml`, which says what each part means."""

    endings: tuple[str, ...]
    others: tuple[str, ...] = ()
    between: str = ""
    asks: str
    texts: tuple[str, ...]
    has: str = "(?!)"


class _Table(Rows):
    ways: dict[str, _Way]


_WAYS = beside(__file__, _Table).ways
_PYTHON, _SHELL = _WAYS["python"], _WAYS["shell"]


@dataclass(frozen=True, slots=True)
class _Name:
    """A name under which a file of the change is loaded. folder: where alone; `None` for everywhere."""

    name: str
    way: _Way
    file: FileChange
    line: int
    folder: str | None = None

    def is_asked_in(self, lines: Lines, whole: Whole) -> bool:
        """Whether one of these lines asks for it, and no other file of the project has it."""
        asks, has = (re.compile(each.replace("{}", re.escape(self.name))) for each in (self.way.asks, self.way.has))
        near = [(where, line[:500]) for where, line in lines if self.name in line and self._is_theirs(where)]
        return not any(has.match(line) for _, line in near) and any(
            asks.match(line) and not self._means_another(where, line, whole) for where, line in near
        )

    def _means_another(self, where: str, line: str, whole: Whole) -> bool:
        """Whether a line of Python means a module beside its own file, or one of a folder that was imported without
        the new file in it."""
        if self.way is not _PYTHON:
            return False
        below = line.split()[1].split(".")[1:2] if self.file.path.endswith("/__init__.py") else []
        places = [f"{dirname(self.file.path)}/{each}" for each in below]
        places += [f"{dirname(where)}/{self.name}"] if dirname(where) else []
        return any(_is_there(f"{place}{end}", whole) for place in places for end in _MODULES)

    def _is_theirs(self, where: str) -> bool:
        return (
            splitext(where)[1] in (*self.way.endings, *self.way.others)
            and not (self.way is _PYTHON and is_test_by_path(where))  # which may be written before what they test
            and self.folder in (None, dirname(where))
        )


def shadows(change: Change, whole: Whole) -> Iterator[Risk]:
    """`tools_shadowed`, of files that Python or a test tool loads by themselves or instead of the real ones."""
    for file in change.files:
        if file.status in _NEW and (_BY_ITSELF(file.path.lower()) or _stands_before_known(file, change, whole)):
            yield Risk("tools_shadowed", SENTENCES["shadows"], file.path, first(file))


def takers(change: Change, whole: Whole, mentions: Mentions) -> Iterator[Risk]:
    """`tools_shadowed`, of files whose name others ask for. mentions: as `read_facts` takes them; where there are too
    many, a name may be anybody's."""
    new = [file for file in change.files if file.status in _NEW]
    left = [path for file in change.files for path in file.places if path != file.path or not _stays(file)]
    found_first = [file for file in new if file.path.endswith((*_SCRIPTS, "/__init__.py", "/package.json"))]
    asked = (file for file in found_first[:_MOST_ASKED] if _stands_before_another(file, whole))
    yield from (_risk(file, first(file)) for file in (*asked, *found_first[_MOST_ASKED:][:1]))  # so many: nobody looks
    changed = {path for file in change.files for path in file.places}
    for some in ([name for file in new for name in _names(file, left)], _of_the_shell(change, mentions)):
        yield from (_risk(each.file, each.line) for each in some[_MOST:][:1])
        texts = {f"{before}{each.name}" for each in some[:_MOST] for before in each.way.texts}
        found = mentions(tuple(sorted(texts))) if texts else ()
        if found is None and mentions((_NOBODYS,)) is None:
            return  # the tree cannot be read at all, which is said elsewhere
        lines = tuple((where, line) for where, line in found or () if where not in changed)
        for each in some[:_MOST]:
            if (found is None or each.is_asked_in(lines, whole)) and not _had(each, change, whole, left):
                yield _risk(each.file, each.line)


def _risk(file: FileChange, line: int) -> Risk:
    return Risk("tools_shadowed", SENTENCES["taken"], file.path, line)


def _stands_before_known(file: FileChange, change: Change, whole: Whole) -> bool:
    """Whether Python finds the file before what is called like it. A module of a package has the package's name too."""
    folder, name = import_name(file.path)
    if name in sys.stdlib_module_names:
        return folder in _ROOTS or not _is_package(folder, change, whole)
    return folder in _ROOTS and bool(name) and (name in RUNNER or plain_name(name) in _declared(whole))


def _stands_before_another(file: FileChange, whole: Whole) -> bool:
    """Whether it is found before a file that the project has under the same name: a package before a module, a
    script before a folder's index, data or another of a tool's settings, and a folder's manifest before its index."""
    stem, ending = splitext(file.path)
    folder, name = dirname(stem), basename(file.path)
    behind = [f"{stem}/index{each}" for each in (*_SCRIPTS, ".json")] + ([f"{stem}.json"] if ending == ".js" else [])
    behind += [f"{stem}{each}" for each in _SCRIPTS if each != ending and stem.endswith(".config")]
    if name == "__init__.py":
        behind = [f"{folder}.py"]
    elif name == "package.json":
        leads = any('"main"' in text or '"exports"' in text for _, text in added(file))
        behind = [f"{folder}/index{each}" for each in _SCRIPTS] if leads else []
    return any(_is_there(path, whole) for path in behind)


def import_name(path: str) -> tuple[str, str]:
    """Where an import looks for the file, and what it calls it; empty where nothing imports it."""
    if not path.endswith((*all_suffixes(), ".so", ".pyd")):
        return "", ""
    stem = join(dirname(path), basename(path).partition(".")[0])
    whole = dirname(stem) if basename(stem) == "__init__" else stem
    return dirname(whole), basename(whole)


def _names(file: FileChange, left: list[str]) -> Iterator[_Name]:
    """What others may ask for a new file by. left: paths that are no longer there."""
    stem, ending = splitext(file.path)
    folder, name = import_name(file.path)
    if ending == ".py" and name.isidentifier():
        yield _Name(name, _PYTHON, file, first(file), None if folder in _ROOTS else folder)
    parts = stem.split("/")
    for way, at in product(("perl", "ruby", "java", "c"), range(len(parts))):
        tail, row = "/".join(parts[at:]), _WAYS[way]
        begins = at == 0 or parts[at - 1] in _LOADED_FROM
        if ending in row.endings and begins and not any(f"/{path}".endswith(f"/{tail}{ending}") for path in left):
            yield _Name(f"{tail}{ending}" if way == "c" else row.between.join(parts[at:]), row, file, first(file))


def _of_the_shell(change: Change, mentions: Mentions) -> list[_Name]:
    """The new functions of files that others of the tree read into themselves, by name or with all of their folder."""
    files = [file for file in change.files if splitext(file.path)[1] in _SHELL.endings and file.plain]
    new = {file: [(number, name) for number, text in added(file) if (name := _function(text))] for file in files}
    ends = {file: (basename(file.path), f"{basename(dirname(file.path))}/*") for file, found in new.items() if found}
    lines = mentions(tuple(sorted({text for its in ends.values() for text in its}))) if ends else ()
    said = (line[:500] for _, line in lines or ())
    reads = [line for line in said if not _READS.isdisjoint(line.translate(_APART).split()[:-1])]
    before = set(map(_function, old_lines(*files)))
    return [
        _Name(name, _SHELL, file, number)
        for file, its in ends.items()
        if lines is None or any(text in line for line in reads for text in its)
        for number, name in new[file]
        if name not in before
    ]


def _function(text: str) -> str:
    """The function of the shell that begins with a line; empty where none does."""
    found = _FUNCTION.match(text)
    return found[found.lastindex or 0] if found else ""


def _had(name: _Name, change: Change, whole: Whole, left: list[str]) -> bool:
    """Whether the project has a module of Python by the name, or had one that the change takes away; or imports of the
    new one begin with its package."""
    if name.way is not _PYTHON:
        return False
    folder = name.folder or ""
    found = (f"{root}/{name.name}{end}".lstrip("/") for root in {folder, *_ROOTS} for end in _MODULES)
    return bool(folder and _is_package(folder, change, whole)) or any(
        path in left or (path != name.file.path and _is_there(path, whole)) for path in found
    )


def _is_package(folder: str, change: Change, whole: Whole) -> bool:
    """Whether imports of its files begin with its name, or with that of a folder above it."""
    path = f"{folder}/__init__.py"
    return any(file.path == path and _stays(file) for file in change.files) or _is_there(path, whole)


def _stays(file: FileChange) -> bool:
    return file.status is not FileStatus.DELETED


def _is_there(path: str, whole: Whole) -> bool:
    """Whether there is such a file of code, before and after."""
    return whole(FileChange(path, FileKind.CODE, FileStatus.MODIFIED)) is not None


def _declared(whole: Whole) -> frozenset[str]:
    """What the project depended on before the change."""
    files = (FileChange(name, FileKind.DEPENDENCIES, FileStatus.MODIFIED) for name in MANIFESTS["names"])
    found = (part for file in files if (both := whole(file)) for part in parts(file.path, both[0]))
    return frozenset(part.text for part in found if part.about is About.DEPENDENCY)
