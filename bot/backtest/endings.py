"""How an issue of the past ended, and what that says: was it clear enough as it was opened? Pure.

Nobody labelled these issues, so acts stand for labels. They are noisy: people who label the same issues agree
moderately (published kappa 0.44 to 0.62).
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from bot.backtest.values import INSIDE, PastAct, PastEvent, PastIssue
from bot.markdown.tree import blank_unsaid
from bot.markdown.visible import visible
from bot.policy import Agents
from bot.pulls.agents import KNOWN, is_known_agent

_SENTENCE_ENDS = (". ", ".\n", "? ", "?\n", "! ", "!\n", "\n")
_LONGEST = 10_000  # characters of a comment that are read
_FIRST = 3  # answers of maintainers: later ones speak of what came out since
MENTION = re.compile(r"(?<![\w`/])@([A-Za-z\d][A-Za-z\d-]{0,38})")
_MARK = re.compile(r"(?:[-*+]|\d{1,2}[.)])\s+")
_THING = (
    r"(?:info(?:rmation)?|details?|context|logs?|log files?|stack ?traces?|traceback|backtrace|output|error messages?"
    r"|screenshots?|steps|versions?|config(?:uration)?|code|snippets?|examples?|sample|repro(?:duction|ducer|ducible)?"
    r"|mcve|mwe|test ?case|data|files?|environment|video|use ?cases?)"
)
GIVING = (
    r"(?:provid|shar|post|past|includ|giv|show|attach|add|upload|send|describ|explain|see|have|get|know|creat|produc"
    r"|suppl|submi|writ|list)\w*"
)
_KIND_OF = r"(?:(?!(?:of|to|for|in|on)\b)[\w-]+ ){0,2}"
_ADDRESSED = (
    r"(?:(?:can|could|would|will|might|may|do|did) (?:you|we|someone)|please|pls|kindly"
    r"|you(?:'ll| will)? (?:need|have) to|we(?:'d| would|'ll| will)? need|(?:would|will) (?:\w+ )?help|helpful"
    r"|would be (?:\w+ )?(?:good|great|nice|useful|ideal|best|appreciated))"
)
_WAYS = (
    # "could you share the full log", "it would be helpful to have a small example"
    rf"\b{_ADDRESSED}\b[^.?!\n]{{0,60}}?\b{GIVING}\b[^.?!\n]{{0,40}}?\b{_THING}\b",
    # "can you share it", whatever it is
    r"\b(?:(?:can|could|would|will) you|please|pls|kindly) (?:\w+ ){0,3}?"
    r"(?:share|post|paste|provide|attach|upload|send)\b[^.?!\n]{0,80}",
    # "are you able to open it?", "did you change the settings?"
    r"\b(?:are|do|did|have|were) you (?!\w* ?(?:still|want|willing|interested|like|mind|planning))[^.?!\n]{0,120}\?",
    # "does it happen with a new profile?"
    r"\b(?:does|did|do) (?:it|this|that|anything|the [\w-]+) [^.?!\n]{0,100}\?",
    r"\bwhat (?:is|are) the [^.?!\n]{0,80}\?",
    # "do you have an example", "a reproduction is needed", "without a reproducer"
    r"\b(?:do|did) you have (?:an?|any|some) [^.?!\n]{0,30}\b(?:example|repro\w*|snippet|logs?|stack ?trace|steps)\b",
    rf"\b(?:need|needs|missing|lacks?) (?:(?:an?|the|any|your|some|more) )?{_KIND_OF}{_THING}\b",
    rf"\bwithout (?:an?|any|more|some|further) {_KIND_OF}{_THING}\b",
    # "can you clarify", "please elaborate"
    r"\b(?:can|could|would) you [^.?!\n]{0,20}\b(?:clarify|elaborate|be more specific|expand on|specify)\b",
    r"\b(?:can|could|would) you [^.?!\n]{0,20}\b(?:explain|describe|tell us|tell me) (?:more|what|which|how|why)\b",
    r"\bplease [^.?!\n]{0,20}\b(?:clarify|elaborate|be more specific|specify|tell us|describe what|explain what)\b",
    r"\bplease [^.?!\n]{0,20}\b(?:fill (?:in|out)|follow|use|complete) (?:the|our|this) (?:\w+ ){0,2}template\b",
    # "which version", "what is your setup", "how did you install it"
    r"\b(?:what|which) (?:[\w-]+ ){0,3}(?:versions?|os|operating system|platform|browser|device|release)\b"
    r"[^.?!\n]{0,80}\?",
    r"\bwhat(?:'s| is| are) (?:the|your) (?:[\w-]+ ){0,2}(?:version|error|output|use ?case|problem|issue|question|steps"
    r"|setup|environment|configuration|config|stack ?trace)\b[^.?!\n]{0,80}\?",
    r"\b(?:what|how|which)(?: \w+)? (?:do|did|are|were) you [^.?!\n]{0,80}\?",
    r"\b(?:how|steps) (?:can|could|do|to) (?:(?:i|we) )?reproduce\b[^.?!\n]{0,60}\?",
    # "I cannot reproduce this, could you"
    r"\b(?:can(?:no|')t|cannot|could(?:n't| not)|unable to|not able to) (?:\w+ )?reproduce\b"
    r"[^\n]{0,300}(?:\?|\bplease\b)",
    # "it is unclear what", "I don't understand how"
    r"\b(?:not (?:\w+ )?(?:sure|clear)|unclear|don't (?:\w+ )?(?:understand|follow)) (?:to me )?(?:what|which|how)"
    r" (?:you\b|exactly\b|is (?:wrong|the|your)\b|(?:the|this|your) (?:bug|issue|problem|question|report|request)\b)",
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
    UNSAID = "closed by a maintainer without a word"
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
    """asked: a maintainer asked for more, in one of the first answers or by a label. answered: the reporter wrote again
    after that."""

    ending: IssueEnding
    asked: bool
    answered: bool

    @property
    def signal(self) -> Signal:
        """Asked for more: unclear. Fixed by code, or answered and closed as done by a maintainer, without: clear. Else
        no word: an issue that is open, that its reporter or a timer closed, or that is not planned may be clear or not,
        and spam is closed without a word."""
        if self.asked:
            return Signal.UNCLEAR
        return Signal.CLEAR if self.ending in (IssueEnding.FIXED, IssueEnding.DONE) else Signal.NOTHING


def outcome(issue: PastIssue, agents: Agents = KNOWN) -> PastOutcome:
    """What became of the issue. Only acts of maintainers ask and close; bots', agents' and strangers' say nothing.

    agents: whom the policy counts as coding agents, besides those that Bouncer knows.
    """
    first = first_answers(issue, agents)
    asked = next((each for each in issue.events if _asks(each, issue.author, agents, first)), None)
    later = (each for each in issue.events if asked is not None and each.at > asked.at)
    answered = any(each.act is PastAct.COMMENTED and each.by == issue.author for each in later)
    return PastOutcome(_ending(issue, agents, told=bool(first or asked)), asked is not None, answered)


def first_answers(issue: PastIssue, agents: Agents) -> tuple[PastEvent, ...]:
    """The maintainers' first comments."""
    found = (each for each in issue.events if each.act is PastAct.COMMENTED and _is_of_maintainer(each, agents))
    return tuple(islice(found, _FIRST))


def _asks(event: PastEvent, reporter: str, agents: Agents, first: Collection[PastEvent]) -> bool:
    if event.act is PastAct.COMMENTED:
        return event in first and asks_for_more(event.text, reporter)
    return event.act is PastAct.LABELED and _is_of_maintainer(event, agents) and says_waiting(event.text)


def _is_of_maintainer(event: PastEvent, agents: Agents) -> bool:
    return event.maintainer and not is_known_agent(event.by, event.by_bot, agents)


def _ending(issue: PastIssue, agents: Agents, *, told: bool) -> IssueEnding:
    """told: a maintainer wrote something, or asked by a label."""
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
    if closed.text in ("not_planned", "duplicate"):
        return IssueEnding.NOT_PLANNED
    return IssueEnding.DONE if told else IssueEnding.UNSAID


def _by_stranger_beside_a_merge(closed: PastEvent, issue: PastIssue) -> bool:
    """Whoever merges closes the issue. A reporter who may not merge here closed it himself, perhaps just when a pull
    request of his own, anywhere, was merged that names it."""
    return closed.by == issue.author and not closed.commit and issue.association not in INSIDE


def asks_for_more(comment: str, reporter: str = "") -> bool:
    """Whether a comment asks for what a report lacks; what it quotes, and code, is not its own."""
    return bool(questions_in(comment, reporter))


def questions_in(comment: str, reporter: str = "") -> tuple[str, ...]:
    """The sentences of a comment that do, in its order. reporter: whom it may ask; what names somebody else, or follows
    somebody else's name at its beginning, asks him and not the reporter. Empty where that is not known."""
    shown = visible(comment[:_LONGEST]).text
    own = blank_unsaid(shown)
    if own.lstrip().startswith("@") and _names_others(own, reporter):
        return ()
    found = (match for way in _ASKING for match in way.finditer(own) if not _CONTRIBUTING.search(match[0]))
    spans = {(_sentence_start(own, match.start()), _sentence_end(own, match.end())) for match in found}
    to_reporter = (span for span in sorted(spans) if not _names_others(own[slice(*span)], reporter))
    return tuple(dict.fromkeys(_MARK.sub("", " ".join(shown[slice(*span)].split()), 1) for span in to_reporter))


def _names_others(text: str, reporter: str) -> bool:
    """Whether it mentions people, and the reporter is known and none of them."""
    named = {name.lower() for name in MENTION.findall(text)}
    return bool(reporter and named) and reporter.lower() not in named


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
