"""What Bouncer says on an issue, as values: which message, and what it is about. Frozen.

`bot.rendering.issue_messages` has the words, in each language.
"""

from dataclasses import dataclass
from datetime import datetime

from bot.already_fixed.finding import FixFinding
from bot.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Asks:
    """The comment of a bounce. label: the one that holds the issue. again: questions were asked before. above, below:
    the maintainers' own Markdown. page: the address of the issue's page."""

    verdict: Verdict
    label: str
    again: bool
    above: str = ""
    below: str = ""
    page: str = ""


@dataclass(frozen=True, slots=True)
class Clear:
    """It is clear now; the ticks stay."""

    verdict: Verdict


@dataclass(frozen=True, slots=True)
class PrivatePlease:
    """It reads like a vulnerability: how to tell of it in private. policy: the address of the file that says so; empty
    where there is none, or where nobody asked."""

    policy: str = ""


@dataclass(frozen=True, slots=True)
class TakenAsItIs:
    """A maintainer ended the asking."""


@dataclass(frozen=True, slots=True)
class NotHeldByPolicy:
    """The policy has it not held. reason: why, as a phrase."""

    reason: str


@dataclass(frozen=True, slots=True)
class NotHeld:
    """What somebody asked for, of an issue that is never held. reason: why not, as a phrase."""

    verdict: Verdict
    reason: str


@dataclass(frozen=True, slots=True)
class Reminder:
    """The one reminder of a hold. close_in_days: when closing follows; `None` for never."""

    close_in_days: int | None


@dataclass(frozen=True, slots=True)
class ClosedUnanswered:
    """It was closed after so many silent days."""

    days: int


@dataclass(frozen=True, slots=True)
class ClosedAsFixed:
    """It was closed so many days after it was said to be fixed."""

    days: int


@dataclass(frozen=True, slots=True)
class LatestNotJudged:
    """The latest text could not be judged; what stands there still stands."""

    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Note:
    """An answer that is the same for everybody. template: what has its words, by its name in `rendering/templates/`."""

    template: str


@dataclass(frozen=True, slots=True)
class Help:
    """The commands of issues. unknown: a word somebody tried; elsewhere: it is one for pull requests; meant: the one
    that is near; misplaced: it stands where none counts. left_alone: why Bouncer holds nothing against this issue, as a
    phrase. page: the address of the issue's page."""

    unknown: str = ""
    elsewhere: bool = False
    meant: str = ""
    misplaced: bool = False
    left_alone: str = ""
    page: str = ""


@dataclass(frozen=True, slots=True)
class NotAllowed:
    """Who may use the command. why: what is wrong with this word whoever may, as a sentence."""

    word: str
    who: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class LookedForFix:
    """What came of a look for the fix that somebody asked for. told: it stands in the one comment."""

    found: FixFinding
    told: bool = False


@dataclass(frozen=True, slots=True)
class FixPart:
    """What is said of a fix, below the head of the one comment. close_at: when the issue will be closed. stays_open: it
    was going to be, and is not any more."""

    found: FixFinding
    close_at: datetime | None = None
    stays_open: bool = False


@dataclass(frozen=True, slots=True)
class NoLongerFixed:
    """In place of that, once nothing shows it any more."""


Message = (
    Asks
    | Clear
    | PrivatePlease
    | TakenAsItIs
    | NotHeldByPolicy
    | NotHeld
    | Reminder
    | ClosedUnanswered
    | ClosedAsFixed
    | LatestNotJudged
    | Note
    | Help
    | NotAllowed
    | LookedForFix
    | FixPart
    | NoLongerFixed
)
