"""A program's manifests as plain data. They come from strangers: whatever cannot be read is as good as absent.

`Detected` is what they say of how a program can be set up: the way that they mean first, and others for when that leads
nowhere.
"""

import configparser
import json
import posixpath
import shlex
import tomllib
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from bot.verification.programs import content, source_files
from bot.verification.values import Program

LARGEST = 256 * 1024  # bytes of one manifest
LARGEST_LOCK = 8 * 1024 * 1024
_MOST_DOTS = 500  # on one line: tomllib takes minutes for a name of sixty thousand parts


class Manifests:
    """Reads a program's manifests, all paths from `folder`. `unreadable` names those that are there but too large,
    broken or too deep. root: the same from the root."""

    def __init__(self, program: Program, folder: str = "", root: "Manifests | None" = None) -> None:
        self._program, self.folder = program, folder
        self.root = root or (Manifests(program) if folder else self)
        self.unreadable: list[str] = self.root.unreadable if folder else []

    def inside(self, folder: str) -> "Manifests":
        """The same from another folder, said from the root."""
        return Manifests(self._program, folder, self.root) if folder else self.root

    @cached_property
    def _folders(self) -> dict[str, set[str]]:
        """Of the root, what lies directly in each folder; no link leads into one."""
        laid = self._program.files
        found = defaultdict[str, set[str]](set)
        there = {*source_files(self._program.tree), *laid} - {path for path, text in laid.items() if text is None}
        for path in there:
            while path:
                folder, _, name = path.rpartition("/")
                found[folder].add(name)
                path = folder
        return found

    def names(self, folder: str) -> list[str]:
        """What lies directly in a folder."""
        inside = posixpath.normpath(posixpath.join(self.folder, folder))
        return sorted(self.root._folders.get("" if inside == "." else inside, ()))

    def folders_with(self, *names: str) -> list[str]:
        """The folders below this one that hold one of these, the nearest first."""
        start = f"{self.folder}/" if self.folder else ""
        found = (each for each, there in self.root._folders.items() if not there.isdisjoint(names))
        inside = (each.removeprefix(start) for each in found if each.startswith(start) and each != "")
        return sorted(inside, key=lambda each: (each.count("/"), each))

    def has(self, path: str) -> bool:
        return self._content(path) is not None

    def _content(self, path: str) -> bytes | None:
        whole = posixpath.normpath(posixpath.join(self.folder, path))
        return None if whole.startswith(("/", "..")) else content(self._program, whole)

    def text(self, path: str, most: int = LARGEST) -> str:
        """Empty when it is not there or cannot be read."""
        raw = self._content(path) or b""
        try:
            if len(raw) > most:
                raise ValueError
            return raw.decode("utf-8-sig")
        except ValueError:
            self._unread(path)
            return ""

    def toml(self, path: str) -> dict[str, Any]:
        return self._parsed(path, _toml)

    def json(self, path: str) -> dict[str, Any]:
        return self._parsed(path, json.loads)

    @property
    def scripts(self) -> dict[str, Any]:
        """Of `package.json`."""
        return mapping(self.json("package.json"), "scripts")

    def ini(self, path: str) -> dict[str, dict[str, str]]:
        return self._parsed(path, sections_of)

    def _parsed(self, path: str, parse: Callable[[str], Any]) -> dict[str, Any]:
        text = self.text(path)
        try:
            found = parse(text) if text else {}
        except (ValueError, RecursionError):
            found = None
        if found is None:
            self._unread(path)
        return found if isinstance(found, dict) else {}

    def _unread(self, path: str) -> None:
        self.unreadable.append(posixpath.join(self.folder, path))


def _toml(text: str) -> dict[str, Any]:
    if any(line.count(".") > _MOST_DOTS for line in text.splitlines()):
        raise ValueError
    return tomllib.loads(text)


def sections_of(text: str) -> dict[str, dict[str, str]] | None:
    """Of an INI file; `None` where it is none."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    return {name: dict(parser[name]) for name in parser.sections()}


def mapping(data: Any, *path: str) -> dict[str, Any]:
    """The mapping at this place of parsed data; empty where there is none."""
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def texts(data: Any) -> list[str]:
    """The texts of a list; empty where there is none."""
    return [item for item in data if isinstance(item, str)] if isinstance(data, list) else []


def cd(folder: str) -> str:
    """What a command line begins with that runs in a folder, from the root."""
    return f"cd {shlex.quote(folder)} && " if folder else ""


class Way(StrEnum):
    """CI: what the project's own CI installs. WHOLE: with whatever else it runs before its tests. BARE: nothing.

    The others go by manifests. LOCKED: with what the repository pins. LOOSE: without its pins.
    """

    CI = "ci"
    WHOLE = "whole"
    LOCKED = "locked"
    LOOSE = "loose"
    BARE = "bare"


_PINNING = (" -r ", " -c ", "==")  # in a line of `pip install` that may pin something


@dataclass(frozen=True, slots=True)
class Detected:
    """A suite. setup: shell command lines, empty when nothing has to be installed. test: one, empty when nothing was
    found; it runs in `folder`, from the root, with `variables`.

    why: one line for people, e.g. `pytest, detected from pyproject.toml`. language: of its tool.
    ci, whole: the setup of those ways, `None` where CI does not say. told: its tool tells of each test. inside: what
    lies elsewhere is no matter of its.
    """

    setup: tuple[str, ...]
    test: str
    why: str
    language: str = ""
    folder: str = ""
    variables: tuple[tuple[str, str], ...] = ()
    ci: tuple[str, ...] | None = None
    whole: tuple[str, ...] | None = None
    told: bool = True
    inside: bool = False

    @property
    def python(self) -> bool:
        return self.language == PYTHON

    @property
    def name(self) -> str:
        """For people: what runs, and where."""
        return f"{self.test} in {self.folder}" if self.folder else self.test

    def set_up(self, way: Way) -> tuple[str, ...]:
        """The command lines of this way."""
        said = {Way.WHOLE: self.whole, Way.LOCKED: self.setup, Way.BARE: ()}
        return self.setup if (lines := said.get(way, self.ci)) is None else lines

    @property
    def ways(self) -> tuple[Way, ...]:
        """Those that install and differ, the best first."""
        said = (Way.LOCKED,) if self.ci is None else (Way.CI, Way.WHOLE, Way.LOCKED)
        first = {self.set_up(way): way for way in reversed(said)}
        free = self.set_up(Way.LOOSE) if self.python else ()
        pinned = any(mark in line for line in free for mark in _PINNING)
        return (*(way for way in said if way in first.values()), *([Way.LOOSE] if pinned else []))


PYTHON, SCRIPT = "python", "script"  # languages, beside those that are named as their tools are
PERL, SHELL = BY_EXIT = ("perl", "shell")  # whose tests tell by their exit status
