"""What Bouncer says on an issue, as values: which message, and what it is about. Frozen.

`bot.rendering.issue_messages` has the words, in each language.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bot.already_fixed.finding import FixFinding
from bot.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Asks:
    """The comment that asks. label: the one that holds the issue; empty where nothing does. again: questions were asked
    before. above, below: the maintainers' own Markdown. page: the address of the issue's page."""

    verdict: Verdict
    label: str
    again: bool
    above: str = ""
    below: str = ""
    page: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """What a template says. template: its name in `rendering/templates/`. about: what it asks for, by the names that
    this has there: of what could not be judged, say, the `verdict`."""

    template: str
    about: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LookedForFix:
    """What came of a look for the fix that somebody asked for. told: it stands in the one comment."""

    found: FixFinding
    told: bool = False


@dataclass(frozen=True, slots=True)
class FixPart:
    """What is said of a fix, below the head of the one comment. close_at: when the issue will be closed."""

    found: FixFinding
    close_at: datetime | None = None


Message = Asks | Note | LookedForFix | FixPart
