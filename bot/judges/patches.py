"""What every judge of patches looks like: an issue and a change in, a judgement or an honest `Unavailable` out."""

from dataclasses import dataclass
from typing import Protocol

from bot.changes.values import Change
from bot.judges.protocol import NoJudgement
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


@dataclass(frozen=True, slots=True)
class PatchJudgement:
    """A judge's answer, before the policy turns it into a decision.

    probability: calibrated probability that the patch does not do what its issue asks, i.e. that it is to be bounced.
    rationale: why, in the judge's words; a model's words are a stranger's.
    """

    label: PatchLabel
    probability: float
    judge: str
    rationale: str = ""
    usage: Usage = Usage()


class PatchJudge(Protocol):
    """Anything that labels patches. Never raises: whatever goes wrong is `Unavailable`."""

    @property
    def name(self) -> str: ...

    def judge(self, subject: PatchSubject) -> PatchJudgement | NoJudgement: ...
