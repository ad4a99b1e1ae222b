"""How models reject code that was right: the twelve categories of the overcorrection paper, section 4.2, Table 1.

A name for a rejection that execution has refuted, and for nothing else. Before that nobody knows that it was false, so
a live rejection carries a neutral `bot.judges.claims.ClaimKind` instead.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.judges.protocol import NoJudgement
from bot.verdicts import Usage


class Rejection(StrEnum):
    """The main reason of a rejection that was wrong."""

    MISREAD_SPEC = "misread_spec"  # a requirement overlooked, or read as another one
    ADDED_REQUIREMENT = "added_requirement"  # one that nobody wrote
    OVERTHINK_EDGE = "overthink_edge"  # an extreme case nobody asked for
    ASSUMED_TYPE = "assumed_type"  # other or stricter types of input than were asked for
    IMAGINED_RUNTIME = "imagined_runtime"  # an error that does not happen
    PERFORMANCE_NITPICK = "performance_nitpick"  # speed, which nobody asked for
    READABILITY_NITPICK = "readability_nitpick"  # style
    PRECISION_ERROR = "precision_error"  # rounding, which nobody asked for
    BOUNDARY_ERROR = "boundary_error"  # off by one, where it is right
    LOGIC_ERROR = "logic_error"  # "the logic is wrong", mostly without an example
    VAGUE_DESCRIPTION = "vague_description"  # no concrete reason
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class NamedRejection:
    """A refuted rejection's category. judge: who named it."""

    rejection: Rejection
    judge: str
    usage: Usage = Usage()


class RejectionNamer(Protocol):
    """Names rejections that execution has refuted. Never raises."""

    @property
    def name(self) -> str: ...

    def named(self, issue: str, rationale: str) -> NamedRejection | NoJudgement: ...
