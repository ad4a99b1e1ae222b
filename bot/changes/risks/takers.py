"""New files, and functions of the shell, that are loaded where something else was until now, under the same name. Pure.

Whoever loads them is left alone by the change: another file of the project, a dependency, a standard module or a
program of the machine had the name. Only what the tree says of itself counts: nobody has to know what else there is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from posixpath import basename, dirname, splitext

from bot.changes.kinds import is_test
from bot.changes.mentions import Lines, Mentions
from bot.changes.readers import SENTENCES
from bot.changes.risks.lines import added, first, old_lines
from bot.changes.risks.shadows import NEW, ROOTS, import_name, is_package, is_there
from bot.changes.risks.values import Risk
from bot.changes.values import Change, FileChange, FileStatus, Whole

_DELETED = FileStatus.DELETED
_MOST_ASKED = 100  # new files of one change beside which others are looked for
_MOST = 1_000  # names of one change that are looked for
_SCRIPTS = (".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx")
_OF_FOLDERS = ("/__init__.py", "/package.json")
_NOBODYS = "\x01"  # stands in no text
# Folders from which names of modules begin.
_LOADED_FROM = frozenset(
    {"lib", "vendor", "src", "inc", "include", "local", "perl5", "java", "kotlin", "scala", "groovy"}
)
_READS = re.compile(r"(?:^|[\s;&|(])(?:\.|source)\s")
_FUNCTION = re.compile(r"\s{0,80}(?:function\s{1,9}([\w.:-]{1,60})|([\w.:-]{1,60})\s{0,9}\(\s{0,9}\))")


@dataclass(frozen=True, slots=True)
class _Way:
    """How a language finds a file by its name. between: the parts of the name. asks: how a line asks for `{}`, the
    name. has: what a line says where another file of the project has it. texts: what stands before the name in either.
    others: how files end that ask for one, beside its own."""

    endings: tuple[str, ...]
    between: str
    asks: str
    texts: tuple[str, ...]
    has: str = r"(?!)"
    others: tuple[str, ...] = ()


_PERL = _Way(
    (".pm",),
    "::",
    r"\s*(?:use|require)\s+{}(?![\w:])",
    ("use ", "require ", "package "),
    r"\s*package\s+{}\b",
    ("", ".pl", ".t"),
)
_RUBY = _Way((".rb",), "/", r"\s*(?:require|load|autoload)\b.*['\"]{}(?:\.rb)?['\"]", ("'", '"'))
_JAVA = _Way((".java", ".kt", ".scala", ".groovy"), ".", r"\s*import\s+(?:static\s+)?{}(?!\w)", ("import ",))
_C = _Way((".h", ".hh", ".hpp", ""), "/", r"\s*#\s*include\s*<{}>", ("<",), others=(".c", ".cc", ".cpp", ".cxx"))
_PYTHON = _Way((".py",), ".", r"\s*(?:import|from)\s+{}(?!\w)", ("import ", "from "))
_SHELL = _Way(
    ("", ".sh", ".bash"),
    "",
    r"(?:.*(?:[;&|(`]|\b(?:then|do|else|exec|time|if|while)\s)\s*|\s*){}(?=\s|$|[;&|)])(?!\s*\()",
    ("",),
    r"\s*(?:function\s+{}\b|{}\s*\()",
)


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
        asking = (
            (where, line) for where, line in near if asks.match(line) and not self._means_another(where, line, whole)
        )
        return next(asking, None) is not None and not any(has.match(line) for _, line in near)

    def _means_another(self, where: str, line: str, whole: Whole) -> bool:
        """Whether a line of Python means a module beside its own file, or one of a folder that was imported without
        the new file in it."""
        if self.way is not _PYTHON:
            return False
        below = re.match(rf"\s*(?:import|from)\s+{re.escape(self.name)}\.(\w+)", line)
        places = [f"{dirname(where)}/{self.name}"] if dirname(where) else []
        places += [f"{dirname(self.file.path)}/{below[1]}"] if below and self.file.path.endswith("/__init__.py") else []
        return any(is_there(f"{place}{end}", whole) for place in places for end in (".py", "/__init__.py"))

    def _is_theirs(self, where: str) -> bool:
        return (
            splitext(where)[1] in (*self.way.endings, *self.way.others)
            and not (self.way is _PYTHON and is_test(where))  # which may be written before what they test
            and self.folder in (None, dirname(where))
        )


def takers(change: Change, whole: Whole, mentions: Mentions) -> Iterator[Risk]:
    """`tools_shadowed`. mentions: as `read_facts` takes them; where there are too many, a name may be anybody's."""
    new = [file for file in change.files if file.status in NEW]
    left = [path for each in change.files for path in each.places if path != each.path or each.status is _DELETED]
    found_first = [file for file in new if splitext(file.path)[1] in _SCRIPTS or file.path.endswith(_OF_FOLDERS)]
    for file in found_first[:_MOST_ASKED]:
        if _stands_before_another(file, whole):
            yield _risk(file, first(file))
    names = [name for file in new for name in _names(file, left)]
    functions = _of_the_shell(change, mentions)
    yield from (_risk(file, first(file)) for file in found_first[_MOST_ASKED:][:1])  # nobody looks for so many
    yield from (_risk(each.file, each.line) for some in (names, functions) for each in some[_MOST:][:1])
    changed = {path for file in change.files for path in file.places}
    for some in (names[:_MOST], functions[:_MOST]):
        texts = {f"{before}{each.name}" for each in some for before in each.way.texts}
        found = mentions(tuple(sorted(texts))) if texts else ()
        if found is None and mentions((_NOBODYS,)) is None:
            return  # the tree cannot be read at all, which is said elsewhere
        lines = tuple((where, line) for where, line in found or () if where not in changed)
        asked = (each for each in some if found is None or each.is_asked_in(lines, whole))
        yield from (_risk(each.file, each.line) for each in asked if not _had(each, change, whole, left))


def _of_the_shell(change: Change, mentions: Mentions) -> list[_Name]:
    """The new functions of files that others of the tree read into themselves, by name or with all of their folder."""
    files = [file for file in change.files if splitext(file.path)[1] in _SHELL.endings and file.plain]
    new = {file: [(number, name) for number, text in added(file) if (name := _function(text))] for file in files}
    ends = {file: (basename(file.path), f"{basename(dirname(file.path))}/*") for file, found in new.items() if found}
    lines = mentions(tuple(sorted({text for its in ends.values() for text in its}))) if ends else ()
    reads = [line for _, line in lines or () if _READS.search(line[:500])]
    before = set(map(_function, old_lines(*files)))
    return [
        _Name(name, _SHELL, file, number)
        for file, its in ends.items()
        if lines is None or any(text in line for line in reads for text in its)
        for number, name in new[file]
        if name not in before
    ]


def _risk(file: FileChange, line: int) -> Risk:
    return Risk("tools_shadowed", SENTENCES["taken"], file.path, line)


def _stands_before_another(file: FileChange, whole: Whole) -> bool:
    """Whether it is found before a file that the project has under the same name: a package before a module, a
    script before a folder's index, data or another of a tool's settings, and a folder's manifest before its index."""
    stem, ending = splitext(file.path)
    if file.path.endswith("/__init__.py"):
        return is_there(f"{dirname(file.path)}.py", whole)
    if file.path.endswith("/package.json"):
        index = any(is_there(f"{dirname(file.path)}/index{each}", whole) for each in _SCRIPTS)
        return index and any('"main"' in text or '"exports"' in text for _, text in added(file))
    if ending not in _SCRIPTS:
        return False
    behind = [f"{stem}/index{each}" for each in (*_SCRIPTS, ".json")] + ([f"{stem}.json"] if ending == ".js" else [])
    behind += [f"{stem}{each}" for each in _SCRIPTS if each != ending and stem.endswith(".config")]
    return any(is_there(path, whole) for path in behind)


def _names(file: FileChange, left: list[str]) -> Iterator[_Name]:
    """What others may ask for a new file by. left: paths that are no longer there."""
    stem, ending = splitext(file.path)
    if ending == ".py":
        folder, name = import_name(file.path)
        if name.isidentifier():
            yield _Name(name, _PYTHON, file, first(file), None if folder in ROOTS else folder)
    parts = stem.split("/")
    for way, at in product((_PERL, _RUBY, _JAVA, _C), range(len(parts))):
        tail = "/".join(parts[at:])
        begins = at == 0 or parts[at - 1] in _LOADED_FROM
        if ending in way.endings and begins and not any(f"/{path}".endswith(f"/{tail}{ending}") for path in left):
            name = f"{tail}{ending}" if way is _C else way.between.join(parts[at:])
            yield _Name(name, way, file, first(file))


def _had(name: _Name, change: Change, whole: Whole, left: list[str]) -> bool:
    """Whether the project has a module of Python by the name, or had one that the change takes away; or imports of the
    new one begin with its package."""
    if name.way is not _PYTHON:
        return False
    folder = name.folder or ""
    if folder and is_package(folder, change, whole):
        return True
    found = (f"{root}/{name.name}{end}".lstrip("/") for root in {folder, *ROOTS} for end in (".py", "/__init__.py"))
    return any(path in left or (path != name.file.path and is_there(path, whole)) for path in found)


def _function(text: str) -> str:
    """The function of the shell that begins with a line; empty where none does."""
    found = _FUNCTION.match(text)
    return next(filter(None, found.groups()), "") if found else ""
