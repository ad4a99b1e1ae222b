"""How an issue of the past ended, and what that says: was it clear enough as it was opened? Pure.

Nobody labelled these issues, so acts stand for labels. They are noisy: people who label the same issues agree
moderately (published kappa 0.44 to 0.62).
"""

from dataclasses import dataclass
from enum import StrEnum

from bot.backtest.asked_for_more import asks_for_more, says_waiting
from bot.backtest.values import PastAct, PastEvent, PastIssue


class IssueEnding(StrEnum):
    """How it ended."""

    FIXED = "fixed by code"
    DONE = "closed as done by a maintainer"
    NOT_PLANNED = "closed as not planned by a maintainer"
    BY_REPORTER = "closed by its reporter"
    BY_BOT = "closed by a bot"
    OPEN = "still open"


class Said(StrEnum):
    """What people's acts say of the issue as it was opened."""

    UNCLEAR = "a maintainer asked for more"
    CLEAR = "nobody asked for more"
    NOTHING = "no word"


@dataclass(frozen=True, slots=True)
class PastOutcome:
    """answered: after a maintainer asked, the reporter wrote again."""

    ending: IssueEnding
    asked: bool
    answered: bool

    @property
    def said(self) -> Said:
        """Asked for more: unclear. Fixed by code, or closed as done by a maintainer, without: clear. Else no word: an
        issue that is open, that its reporter or a timer closed, or that is not planned may be clear or not."""
        if self.asked:
            return Said.UNCLEAR
        return Said.CLEAR if self.ending in (IssueEnding.FIXED, IssueEnding.DONE) else Said.NOTHING


def outcome(issue: PastIssue) -> PastOutcome:
    """What became of the issue. Only acts of maintainers ask and close; bots' and strangers' say nothing."""
    asked = next((each for each in issue.events if _asks(each)), None)
    later = (each for each in issue.events if asked is not None and each.at > asked.at)
    answered = any(each.act is PastAct.COMMENTED and each.by == issue.author for each in later)
    return PastOutcome(_ending(issue), asked is not None, answered)


def _asks(event: PastEvent) -> bool:
    if not event.maintainer:
        return False
    if event.act is PastAct.COMMENTED:
        return asks_for_more(event.text)
    return event.act is PastAct.LABELED and says_waiting(event.text)


def _ending(issue: PastIssue) -> IssueEnding:
    if issue.is_open:
        return IssueEnding.OPEN
    closed = next((each for each in reversed(issue.events) if each.act is PastAct.CLOSED), None)
    if closed is None:
        return IssueEnding.BY_BOT  # whoever closed it is gone: nobody's word
    if closed.by_code:
        return IssueEnding.FIXED
    if closed.by_bot:
        return IssueEnding.BY_BOT
    if closed.by == issue.author:
        return IssueEnding.BY_REPORTER
    return IssueEnding.NOT_PLANNED if closed.text in ("not_planned", "duplicate") else IssueEnding.DONE
