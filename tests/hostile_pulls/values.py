"""What a pull request of this suite is, and the houses it is made for."""

from collections.abc import Mapping
from dataclasses import dataclass

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
    """One pull request. change: laid over the house. issue: what somebody else asked for; empty where nothing was.
    stands: whether it is tried where not every one is."""

    family: str
    name: str
    house: House
    change: Files
    issue: str = ""
    stands: bool = False

    def __str__(self) -> str:
        return f"{self.house.name}-{self.family}-{self.name}".replace(" ", "_")


@dataclass(frozen=True, slots=True)
class Family:
    """name: as the catalogue has it. hostile: none may be merged. honest: none may be bounced."""

    name: str
    hostile: tuple[Pull, ...]
    honest: tuple[Pull, ...] = ()
