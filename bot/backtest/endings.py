"""How an issue of the past ended, and what that says: was it clear enough as it was opened? Pure.

Nobody labelled these issues, so acts stand for labels. They are noisy: people who label the same issues agree
moderately (published kappa 0.44 to 0.62).
"""

from dataclasses import dataclass
from enum import StrEnum

from bot.backtest.asked_for_more import asks_for_more, says_waiting
from bot.backtest.values import INSIDE, PastAct, PastEvent, PastIssue
from bot.policy import Agents
from bot.pulls.agents import KNOWN, is_known_agent


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


def outcome(issue: PastIssue, agents: Agents = KNOWN) -> PastOutcome:
    """What became of the issue. Only acts of maintainers ask and close; bots', agents' and strangers' say nothing.

    agents: whom the policy counts as coding agents, besides those that Bouncer knows.
    """
    asked = next((each for each in issue.events if _asks(each, agents)), None)
    later = (each for each in issue.events if asked is not None and each.at > asked.at)
    answered = any(each.act is PastAct.COMMENTED and each.by == issue.author for each in later)
    return PastOutcome(_ending(issue, agents), asked is not None, answered)


def _asks(event: PastEvent, agents: Agents) -> bool:
    if not event.maintainer or is_known_agent(event.by, event.by_bot, agents):
        return False
    if event.act is PastAct.COMMENTED:
        return asks_for_more(event.text)
    return event.act is PastAct.LABELED and says_waiting(event.text)


def _ending(issue: PastIssue, agents: Agents) -> IssueEnding:
    if issue.is_open:
        return IssueEnding.OPEN
    closed = next((each for each in reversed(issue.events) if each.act is PastAct.CLOSED), None)
    if closed is None:
        return IssueEnding.BY_BOT  # whoever closed it is gone: nobody's word
    if closed.by_code and not _by_stranger_beside_a_merge(closed, issue):
        return IssueEnding.FIXED
    if closed.by_bot or is_known_agent(closed.by, closed.by_bot, agents):
        return IssueEnding.BY_BOT
    if closed.by == issue.author:
        return IssueEnding.BY_REPORTER
    return IssueEnding.NOT_PLANNED if closed.text in ("not_planned", "duplicate") else IssueEnding.DONE


def _by_stranger_beside_a_merge(closed: PastEvent, issue: PastIssue) -> bool:
    """Whoever merges closes the issue. A reporter who may not merge here closed it himself, perhaps just when a pull
    request of his own, anywhere, was merged that names it."""
    return closed.by == issue.author and not closed.commit and issue.association not in INSIDE
