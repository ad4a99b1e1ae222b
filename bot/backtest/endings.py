"""How an issue of the past ended, and what that says: was it clear enough as it was opened? Pure.

Nobody labelled these issues, so acts stand for labels. They are noisy: people who label the same issues agree
moderately (published kappa 0.44 to 0.62).
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from bot.backtest.values import INSIDE, PastAct, PastEvent, PastIssue
from bot.policy import Agents
from bot.pulls.agents import KNOWN, is_known_agent

_SENTENCE_ENDS = (". ", ".\n", "? ", "?\n", "! ", "!\n", "\n")
_LONGEST = 10_000  # characters of a comment that are read
_NOT_THEIRS = re.compile(
    r"^ {0,3}(?:```|~~~)[\s\S]*?(?:^ {0,3}(?:```|~~~)|\Z)|^ {0,3}>.*$|<!--[\s\S]*?-->|`[^`\n]*`", re.M
)
_THING = (
    r"(?:info(?:rmation)?|details?|context|logs?|log files?|stack ?traces?|traceback|backtrace|output|error messages?"
    r"|screenshots?|steps|versions?|config(?:uration)?|code|snippets?|examples?|sample|repro(?:duction|ducer|ducible)?"
    r"|mcve|mwe|test ?case|data|files?|environment|video|use ?cases?)"
)
_GIVING = (
    r"(?:provid|shar|post|past|includ|giv|show|attach|add|upload|send|describ|explain|see|have|get|know|creat|produc"
    r"|suppl|submi|writ|list)\w*"
)
_ADDRESSED = (
    r"(?:(?:can|could|would|will|might|may|do|did) (?:you|we|someone)|please|pls|kindly"
    r"|you(?:'ll| will)? (?:need|have) to|we(?:'d| would|'ll| will)? need|needs?|it would (?:be|help)|would (?:be|help)"
    r"|helpful|lacks?|missing|without)"
)
_WAYS = (
    # "could you share the full log", "it would be helpful to have a small example"
    rf"\b{_ADDRESSED}\b[^.?!\n]{{0,60}}?\b{_GIVING}\b[^.?!\n]{{0,40}}?\b{_THING}\b",
    # "can you share it", whatever it is
    r"\b(?:(?:can|could|would|will) you|please|pls|kindly) (?:\w+ ){0,3}?"
    r"(?:share|post|paste|provide|attach|upload|send)\b[^.?!\n]{0,80}",
    # "are you able to open it?", "did you change the settings?"
    r"\b(?:are|do|did|have|were) you (?!\w* ?(?:still|want|willing|interested|like|mind|planning))[^.!\n]{0,120}\?",
    # "does it happen with a new profile?"
    r"\b(?:does|did|do) (?:it|this|that|anything|the [\w-]+) [^.!\n]{0,100}\?",
    r"\bwhat (?:is|are) the [^.!\n]{0,80}\?",
    # "do you have an example", "a reproduction is needed", "without a reproducer"
    r"\b(?:do|did) you have (?:an?|any|some) [^.!\n]{0,30}\b(?:example|repro\w*|snippet|logs?|stack ?trace|steps)\b",
    rf"\b(?:need|needs|without|missing|lacks?) (?:an?|the|any|your|some|more)? ?[^.?!\n]{{0,20}}\b{_THING}\b",
    # "can you clarify", "please elaborate"
    r"\b(?:can|could|would) you [^.?!\n]{0,20}\b(?:clarify|elaborate|be more specific|expand on|specify)\b",
    r"\b(?:can|could|would) you [^.?!\n]{0,20}\b(?:explain|describe|tell us|tell me) (?:more|what|which|how|why)\b",
    r"\bplease [^.?!\n]{0,20}\b(?:clarify|elaborate|be more specific|specify|tell us|describe what|explain what)\b",
    r"\bplease [^.?!\n]{0,20}\b(?:fill (?:in|out)|follow|use|complete) (?:the|our|this) (?:\w+ ){0,2}template\b",
    # "which version", "what is your setup", "how did you install it"
    r"\b(?:what|which) (?:[\w-]+ ){0,3}(?:versions?|os|operating system|platform|browser|device|release)\b"
    r"[^.!\n]{0,80}\?",
    r"\bwhat(?:'s| is| are) (?:the|your) (?:[\w-]+ ){0,2}(?:version|error|output|use ?case|problem|issue|question|steps"
    r"|setup|environment|configuration|config|stack ?trace)\b[^.!\n]{0,80}\?",
    r"\b(?:what|how|which)(?: \w+)? (?:do|did|are|were) you [^.!\n]{0,80}\?",
    r"\b(?:how|steps) (?:can|could|do|to) (?:(?:i|we) )?reproduce\b[^.!\n]{0,60}\?",
    # "I cannot reproduce this, could you"
    r"\b(?:can(?:no|')t|cannot|could(?:n't| not)|unable to|not able to) (?:\w+ )?reproduce\b"
    r"[^\n]{0,300}(?:\?|\bplease\b)",
    # "it is unclear what", "I don't understand how"
    r"\b(?:not (?:\w+ )?(?:sure|clear)|unclear|don't (?:\w+ )?(?:understand|follow)) (?:to me )?(?:what|which|how)"
    r" (?:you|the|is|exactly|this)\b",
    # "you have not described", "there is no description of"
    r"\byou (?:have ?n[o']t|did ?n[o']t) (?:\w+ )?(?:includ|provid|describ|explain|giv|said|say|fill|show|post)\w*",
)
_ASKING = tuple(re.compile(way, re.I) for way in _WAYS)
# What somebody is asked to contribute, or whether it lasts, is nothing that the report lacks.
_CONTRIBUTING = re.compile(
    r"\b(?:pr|prs|pull requests?|merge requests?|patch|contribut\w+|unit tests?|fix|still)\b", re.I
)
_WAITING = re.compile(
    r"(?:need|want|wait|await|requir|miss|lack|more|pending|feedback)\w*[^a-z]*"
    r"(?:(?:for|on|more|further)[^a-z]*){0,3}"
    r"(?:info|detail|repro|clarif|response|reply|feedback|author|reporter|user|op\b|example|mcve|test.?case|customer)"
    r"|(?:more|additional)[^a-z]*info|feedback[^a-z]*requir|(?:cannot|can.?t|un).?reproduc|unclear",
    re.I,
)


class IssueEnding(StrEnum):
    """How it ended."""

    FIXED = "fixed by code"
    DONE = "closed as done by a maintainer"
    NOT_PLANNED = "closed as not planned by a maintainer"
    BY_REPORTER = "closed by its reporter"
    BY_BOT = "closed by a bot"
    OPEN = "still open"


class Signal(StrEnum):
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
    def signal(self) -> Signal:
        """Asked for more: unclear. Fixed by code, or closed as done by a maintainer, without: clear. Else no word: an
        issue that is open, that its reporter or a timer closed, or that is not planned may be clear or not."""
        if self.asked:
            return Signal.UNCLEAR
        return Signal.CLEAR if self.ending in (IssueEnding.FIXED, IssueEnding.DONE) else Signal.NOTHING


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


def asks_for_more(comment: str) -> bool:
    """Whether a comment asks for what a report lacks; what it quotes, and code, is not its own."""
    return bool(questions_in(comment))


def questions_in(comment: str) -> tuple[str, ...]:
    """The sentences of a comment that do, in its order."""
    own = _NOT_THEIRS.sub(" ", comment[:_LONGEST])
    found = (match for way in _ASKING for match in way.finditer(own) if not _CONTRIBUTING.search(match[0]))
    spans = {(_sentence_start(own, match.start()), _sentence_end(own, match.end())) for match in found}
    return tuple(dict.fromkeys(" ".join(own[start:end].split()) for start, end in sorted(spans)))


def _sentence_start(text: str, at: int) -> int:
    return max((text.rfind(end, 0, at) + len(end) for end in _SENTENCE_ENDS if end in text[:at]), default=0)


def _sentence_end(text: str, at: int) -> int:
    """After its last mark, where it has one."""
    if text[at - 1 : at] == "?":
        return at
    ends = (text.find(end, at) + 1 for end in _SENTENCE_ENDS if text.find(end, at) >= 0)
    return min(ends, default=len(text))


def says_waiting(label: str) -> bool:
    """Whether a label of this name says that the reporter must add something."""
    return bool(_WAITING.search(label))
