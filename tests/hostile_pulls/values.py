"""What a pull request of this suite is, and the houses it is made for."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Files = Mapping[str, str | None]  # path -> text, `None` takes the file away


@dataclass(frozen=True, slots=True)
class House:
    """A repository at its base. broken: what breaks one of its tests, and is bounced without a trick; mended: an honest
    change of the same file. needs: a program that has to be on the machine."""

    name: str
    files: Mapping[str, str]
    broken: Mapping[str, str]
    mended: Mapping[str, str]
    needs: str = ""


@dataclass(frozen=True, slots=True)
class Pull:
    """One pull request. change: laid over the house. issue: what somebody else asked for; empty where nothing was."""

    family: str
    name: str
    house: House
    change: Files
    issue: str = ""

    def __str__(self) -> str:
        return f"{self.house.name}-{self.family}-{self.name}".replace(" ", "_")


def tricks(family: str, house: House, ways: Mapping[str, Files], issue: str = "") -> tuple[Pull, ...]:
    """Each way on top of what breaks a test of the house; a way that changes the broken file itself holds it whole."""
    return tuple(Pull(family, name, house, {**house.broken, **change}, issue) for name, change in ways.items())


def twins(family: str, house: House, ways: Mapping[str, Files], issue: str = "") -> tuple[Pull, ...]:
    """Each way on top of an honest change."""
    return tuple(Pull(family, name, house, {**house.mended, **change}, issue) for name, change in ways.items())


@dataclass(frozen=True, slots=True)
class Family:
    """name: as the catalogue has it. hostile: none may be merged. honest: none may be bounced."""

    name: str
    hostile: tuple[Pull, ...]
    honest: tuple[Pull, ...] = field(default=())
