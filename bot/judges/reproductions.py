"""What is asked about a report that shows nothing to run: how to see whether it still holds. Values and the port."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.judges.protocol import NoJudgement
from bot.verdicts import Usage


class Shows(StrEnum):
    """What a script shows where the report holds."""

    RAISES = "raises"  # an exception that should not come
    ASSERTS = "asserts"  # an assertion of what should be does not hold
    WARNS = "warns"
    HANGS = "hangs"


@dataclass(frozen=True, slots=True)
class Sketch:
    """A script a model wrote from a report. Nothing here is checked yet.

    clause: said to be verbatim from the report. exception: the class of exception or warning, or empty.
    """

    clause: str
    code: str
    shows: Shows
    exception: str = ""


@dataclass(frozen=True, slots=True)
class Sketched:
    """What a model wrote. judge: who, with prompt and version."""

    sketches: tuple[Sketch, ...]
    judge: str
    usage: Usage = Usage()


class ReproductionWriter(Protocol):
    """Writes reproductions from a report alone; it sees no code of the project. Never raises."""

    @property
    def name(self) -> str: ...

    def write(self, report: str, package: str) -> Sketched | NoJudgement:
        """report: what its readers see. package: what the project is imported as; empty where that is not known."""
        ...
