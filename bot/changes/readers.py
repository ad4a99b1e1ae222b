"""The files of a repository by who reads them: the rows of `readers.toml`, read and checked at start. Pure."""

import json
import re
import tomllib
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath
from posixpath import basename
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from bot.changes.values import FileKind

LONGEST = 4096  # characters of a path, as on Linux

Table = TypeVar("Table", bound=BaseModel)
_GLOBS = {r"\*\*/": "(?:.*/)?", r"\*": "[^/]*", r"\{": "(?:", ",": "|", r"\}": ")", r"\[": "[", r"\-": "-", r"\]": "]"}


class Rows(BaseModel):
    """A table of values, read and checked at start."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class FileReader(Rows):
    """Whoever reads some files; `readers.toml` says what each part means."""

    reader: str
    paths: tuple[str, ...]
    kind: FileKind | None = None
    check: str = ""
    says: str = ""
    counts: Literal["all", "effect", "orders"] = "effect"
    keys: tuple[str, ...] = ()
    holds: frozenset[str] = frozenset()
    asked: tuple[str, ...] = ()
    steers: bool = False
    tested: bool = False
    pages: bool = False

    @cached_property
    def _meant(self) -> Callable[[str], bool]:
        return globs(*self.paths)

    @cached_property
    def _named(self) -> Callable[[str], bool]:
        return globs(*(path for path in self.paths if "/" not in path and not path.startswith("*")))

    def reads(self, path: str) -> bool:
        """Whether it may be one of its files."""
        return self._meant(path.lower())

    def names(self, path: str) -> tuple[str, ...]:
        """What an issue calls the file: its whole path, what such files are called, and its last part where that is
        what it is known by. Any other last part may be chosen after any file or word of an issue."""
        known = self._named(path.lower())
        whole = (path,) if "/" in path or known else ()
        return (*whole, *([basename(path)] if known else ()), *self.asked)


class _Table(Rows):
    runs: dict[str, tuple[str, ...]]
    commands: dict[str, tuple[str, ...]]
    manifests: dict[str, tuple[str, ...]]
    locks: dict[str, tuple[str, ...]]
    risks: dict[str, str]
    sentences: dict[str, str]
    tests: dict[str, tuple[str, ...]]
    prose: dict[str, tuple[str, ...]]
    words: dict[str, tuple[str, ...]]
    endings: dict[str, str]
    newer: dict[str, tuple[str, ...]]
    file: tuple[FileReader, ...]


def globs(*patterns: str) -> Callable[[str], bool]:
    """Whether a path is as any of these say, as `readers.toml` explains them."""
    names = _any(pattern for pattern in patterns if "/" not in pattern)
    folders = _any(pattern[:-1] for pattern in patterns if pattern.find("/") == len(pattern) - 1)
    places = _any(pattern for pattern in patterns if "/" in pattern[:-1])
    return lambda path: bool(names(basename(path)) or any(map(folders, path.split("/")[:-1])) or places(path))


def _any(patterns: Iterable[str]) -> Callable[[str], re.Match[str] | None]:
    return re.compile("|".join(map(_glob, patterns)) or "(?!)", re.S).fullmatch


def _glob(pattern: str) -> str:
    text = re.escape(pattern.lstrip("/"))
    for glob, meant in _GLOBS.items():
        text = text.replace(glob, meant)
    return text + (".*" if pattern.endswith("/") else "")


def beside(module: str, kind: type[Table]) -> Table:
    """The table that stands in the file of TOML beside a module."""
    text = Path(module).with_suffix(".toml").read_text(encoding="utf-8")
    return kind.model_validate_json(json.dumps(tomllib.loads(text)))


_ALL = beside(__file__, _Table)


def _spelt(row: FileReader) -> FileReader:
    words = (_ALL.words[word[1:]] if word.startswith("@") else (word,) for word in row.asked)
    says = _ALL.sentences[row.says] if row.says else ""
    return row.model_copy(update={"asked": tuple(word for each in words for word in each), "says": says})


NAMED_RISKS = {name: " ".join(said.split()) for name, said in _ALL.risks.items()}
READERS = tuple(map(_spelt, _ALL.file))
SENTENCES, WORDS, NEWER = _ALL.sentences, _ALL.words, _ALL.newer["keys"]
MANIFESTS, LOCKS, RUNS, COMMANDS = _ALL.manifests, _ALL.locks, _ALL.runs, _ALL.commands
TESTS, PROSE = _ALL.tests, _ALL.prose
_ANY = globs(*(path for row in READERS for path in row.paths))
CODE, CONFIGURATION, DOCUMENTATION = (
    frozenset(_ALL.endings[kind].split()) for kind in ("code", "configuration", "documentation")
)


def suffix(path: str) -> str:
    """How the name ends, in small letters and with its point."""
    return PurePosixPath(path[-64:].lower()).suffix


@lru_cache(maxsize=4096)
def readers_of(path: str) -> tuple[FileReader, ...]:
    """Whoever may read the file, in the table's order."""
    if len(path) > LONGEST or not _ANY(path.lower()):
        return ()
    found = (row for row in READERS if row.reads(path))
    return tuple(row for row in found if not (row.pages and _is_page(path)))


def _is_page(path: str) -> bool:
    """A page of documentation on agents or Gemini. Who is told something looks for the name in capitals."""
    *folders, name = path.split("/")
    shown = not {"doc", "docs", "documentation"}.isdisjoint(folder.lower() for folder in folders)
    return shown and not name.partition(".")[0].isupper()
