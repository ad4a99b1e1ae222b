"""How a program can be set up: the way its manifests mean first, and others for when that leads nowhere."""

from dataclasses import dataclass
from enum import StrEnum


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


PINS = "/tmp/pins.txt"  # noqa: S108 - inside the sandbox, as inside.py has it
