"""What every judge of patches looks like: an issue and a change in, a judgement or an honest `NoJudgement` out.

`Rejection` names how models reject code that was right: the twelve categories of the overcorrection paper, section 4.2,
Table 1. It is for a rejection that execution has refuted, and for nothing else: before that nobody knows that it was
false, so a live rejection carries a neutral `bot.judges.claims.ClaimKind` instead.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.changes.values import Change
from bot.judges.protocol import Named, NoJudgement
from bot.verdicts import PatchLabel, Usage


@dataclass(frozen=True, slots=True)
class PatchSubject:
    """What a judge of patches is shown. All text in it comes from strangers.

    issue: the text of what was asked. change: the patch. context: code of the repository around it; may be empty.
    asked: whether the text is somebody else's; else it is what the change's author says of it.
    """

    issue: str
    change: Change
    context: str = ""
    asked: bool = True


# No answers of models to patches are published beside what tests said of each patch, only rates for five models
# (BouncerBench, Table III): how many wrong patches each bounces, and how many right ones, in percent.
# claude-3.7-sonnet, gpt-4.1, gemma3 27b, o4-mini, qwen3 32b.
_CAUGHT = (7.9, 8.6, 3.2, 46.2, 15.3)
_FALSE_BOUNCES = (2.5, 1.7, 1.7, 13.1, 6.3)
_WRONG = 405 / 642  # of the patches there

# Labels that are a bounce (BouncerBench, section III-A2).
BOUNCED = frozenset({PatchLabel.BROAD_MISSING_KEY_ASPECTS, PatchLabel.INCORRECT})


def probability_of_wrong(label: PatchLabel) -> float:
    """That a patch with this label is wrong, as far as published rates tell: a prior, not a calibration.

    It is for the average of the five. The labels of one half cannot be told apart by the rates, which are of another
    prompt than ours.
    """
    caught, false = sum(_CAUGHT) / len(_CAUGHT) / 100, sum(_FALSE_BOUNCES) / len(_FALSE_BOUNCES) / 100
    if label not in BOUNCED:
        caught, false = 1 - caught, 1 - false
    return round(caught * _WRONG / (caught * _WRONG + false * (1 - _WRONG)), 2)


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


class RejectionNamer(Named, Protocol):
    """Names rejections that execution has refuted. Never raises."""

    def named(self, issue: str, rationale: str) -> NamedRejection | NoJudgement: ...
