"""A program's manifests as plain data. They come from strangers: whatever cannot be read is as good as absent.

`Detected` is what they say of how a program can be set up: the way that they mean first, and others for when that leads
nowhere.
"""

import configparser
import json
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bot.verification.programs import content
from bot.verification.values import Program

LARGEST = 256 * 1024  # bytes of one manifest
LARGEST_LOCK = 8 * 1024 * 1024
_MOST_DOTS = 500  # on one line: tomllib takes minutes for a name of sixty thousand parts


class Manifests:
    """Reads a program's manifests. `unreadable` names those that are there but too large, broken or too deep."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.unreadable: list[str] = []

    def has(self, path: str) -> bool:
        return content(self._program, path) is not None

    def text(self, path: str) -> str:
        """Empty when it is not there or cannot be read."""
        raw = content(self._program, path)
        if raw is None:
            return ""
        if len(raw) > LARGEST:
            return self._unread(path)
        try:
            return raw.decode("utf-8-sig")
        except UnicodeDecodeError:
            return self._unread(path)

    def lines(self, path: str) -> list[str]:
        """Of a lock file, which is larger than other manifests."""
        raw = content(self._program, path) or b""
        if len(raw) > LARGEST_LOCK:
            self._unread(path)
            return []
        return raw.decode("utf-8", "replace").splitlines()

    def toml(self, path: str) -> dict[str, Any]:
        text = self.text(path)
        try:
            if any(line.count(".") > _MOST_DOTS for line in text.splitlines()):
                raise ValueError
            return tomllib.loads(text)
        except (ValueError, RecursionError):
            self._unread(path)
            return {}

    def json(self, path: str) -> dict[str, Any]:
        text = self.text(path)
        try:
            found = json.loads(text) if text else {}
        except (ValueError, RecursionError):
            self._unread(path)
            return {}
        return found if isinstance(found, dict) else {}

    def ini(self, path: str) -> dict[str, dict[str, str]]:
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            parser.read_string(self.text(path))
        except configparser.Error:
            self._unread(path)
            return {}
        return {name: dict(parser[name]) for name in parser.sections()}

    def _unread(self, path: str) -> str:
        self.unreadable.append(path)
        return ""


def mapping(data: Any, *path: str) -> dict[str, Any]:
    """The mapping at this place of parsed data; empty where there is none."""
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def texts(data: Any) -> list[str]:
    """The texts of a list; empty where there is none."""
    return [item for item in data if isinstance(item, str)] if isinstance(data, list) else []


class Way(StrEnum):
    """LOCKED: with what the repository pins. LOOSE: without its pins. LESS: without what tests alone need as well."""

    LOCKED = "locked"
    LOOSE = "loose"
    LESS = "less"


@dataclass(frozen=True, slots=True)
class Detected:
    """setup: shell command lines, empty when nothing has to be installed. test: one, empty when nothing was found.

    why: one line for people, e.g. `pytest, detected from pyproject.toml`. python: whether it is a Python program.
    loose, less: the setup of those ways; empty where that is the same as the one before.
    pins: requirements from a lock file, for setup to find in `PINS`.
    """

    setup: tuple[str, ...]
    test: str
    why: str
    python: bool = False
    less: tuple[str, ...] = ()
    loose: tuple[str, ...] = ()
    pins: tuple[str, ...] = ()

    def set_up(self, way: Way) -> tuple[str, ...]:
        """The command lines of this way."""
        loose = self.loose or self.setup
        return {Way.LOCKED: self.setup, Way.LOOSE: loose, Way.LESS: self.less or loose}[way]

    @property
    def ways(self) -> tuple[Way, ...]:
        """Those that differ, the best first."""
        known = {self.set_up(way): way for way in reversed(Way)}
        return tuple(way for way in Way if way in known.values())


PINS = "/tmp/pins.txt"  # noqa: S108 - inside the sandbox, as setup_script.py has it
