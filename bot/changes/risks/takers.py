"""New files, and functions of the shell, that are loaded where something else was until now, under the same name. Pure.

Whoever loads them is left alone by the change: another file of the project, a dependency, a standard module or a
program of the machine had the name. Only what the tree says of itself counts: nobody has to know what else there is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from posixpath import dirname, splitext

from bot.changes.kinds import is_test
from bot.changes.mentions import Lines, Mentions
from bot.changes.readers import SENTENCES
from bot.changes.risks.lines import added, first, old_lines
from bot.changes.risks.shadows import NEW, ROOTS, import_name, is_package, is_there
from bot.changes.risks.values import Risk
from bot.changes.values import Change, FileChange, FileStatus, Whole

_DELETED = FileStatus.DELETED
_MOST = 300  # names of one change that are looked for
_SCRIPTS = (".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx")
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

    def is_asked_in(self, lines: Lines) -> bool:
        """Whether one of these lines asks for it, and no other file of the project has it."""
        asks, has = (re.compile(each.replace("{}", re.escape(self.name))) for each in (self.way.asks, self.way.has))
        near = [(where, line[:500]) for where, line in lines if self.name in line and self._is_theirs(where)]
        return any(asks.match(line) for _, line in near) and not any(has.match(line) for _, line in near)

    def _is_theirs(self, where: str) -> bool:
        return (
            splitext(where)[1] in (*self.way.endings, *self.way.others)
            and not (self.way is _PYTHON and is_test(where))  # which may be written before what they test
            and self.folder in (None, dirname(where))
        )


def takers(change: Change, whole: Whole, mentions: Mentions) -> Iterator[Risk]:
    """`tools_shadowed`. mentions: as `read_facts` takes them; where they cannot be had, a name may be anybody's."""
    names = list[_Name]()
    for file in change.files:
        if file.status in NEW and _stands_before_another(file, whole):
            yield _risk(file, first(file))
        else:
            names += _names(file, change, whole)
    texts = {f"{before}{each.name}" for each in names[:_MOST] for before in each.way.texts}
    found = mentions(tuple(sorted(texts))) if texts else ()
    changed = {path for file in change.files for path in file.places}
    lines = tuple((where, line) for where, line in found or () if where not in changed)
    yield from (_risk(each.file, each.line) for each in names if found is None or each.is_asked_in(lines))


def _risk(file: FileChange, line: int) -> Risk:
    return Risk("tools_shadowed", SENTENCES["taken"], file.path, line)


def _stands_before_another(file: FileChange, whole: Whole) -> bool:
    """Whether it is found before a file that the project has under the same name: a package before a module, and a
    script before a folder's index, or before data."""
    stem, ending = splitext(file.path)
    if file.path.endswith("/__init__.py"):
        return is_there(f"{dirname(file.path)}.py", whole)
    if ending not in _SCRIPTS:
        return False
    behind = [f"{stem}/index{each}" for each in (*_SCRIPTS, ".json")] + ([f"{stem}.json"] if ending == ".js" else [])
    return any(is_there(path, whole) for path in behind)


def _names(file: FileChange, change: Change, whole: Whole) -> Iterator[_Name]:
    """What others may ask for a file of the change by, unless the project had it."""
    stem, ending = splitext(file.path)
    if ending in _SHELL.endings and file.plain:
        before = set(map(_function, old_lines(*change.files)))
        new = ((number, _function(text)) for number, text in added(file))
        yield from (_Name(name, _SHELL, file, number) for number, name in new if name and name not in before)
    if file.status not in NEW:
        return
    left = [path for each in change.files for path in each.places if path != each.path or each.status is _DELETED]
    if ending == ".py":
        folder, name = import_name(file.path)
        outermost = folder in ROOTS
        if name and (outermost or not is_package(folder, change, whole)) and not _had(folder, name, whole, left):
            yield _Name(name, _PYTHON, file, first(file), None if outermost else folder)
    for way, at in product((_PERL, _RUBY, _JAVA), range(stem.count("/") + 1)):
        tail = "/".join(stem.split("/")[at:])
        if ending in way.endings and not any(f"/{path}".endswith(f"/{tail}{ending}") for path in left):
            yield _Name(way.between.join(tail.split("/")), way, file, first(file))


def _had(folder: str, name: str, whole: Whole, left: list[str]) -> bool:
    """Whether the project has a module of the name, or had one that the change takes away."""
    found = (f"{root}/{name}{end}".lstrip("/") for root in {folder, *ROOTS} for end in (".py", "/__init__.py"))
    return any(path in left or is_there(path, whole) for path in found)


def _function(text: str) -> str:
    """The function of the shell that begins with a line; empty where none does."""
    found = _FUNCTION.match(text)
    return next(filter(None, found.groups()), "") if found else ""
