"""A report as values: what the reporter wrote, and what parsing observed in it. Judges read these, nothing else."""

import re
from dataclasses import dataclass, field, replace

from bot.markdown.tree import fenced_lines
from bot.verdicts import Evidence, IssueKind, Item

MOST_FILLED = 100

_QUOTE = re.compile(r" {0,3}>(?!>>(?:\s|$)) ?")  # `>>>` is Python's prompt


@dataclass(frozen=True, slots=True)
class Reply:
    """One comment on the issue that may supply what was asked: its author's own words, without what mail adds. Comments
    by bots are never replies."""

    author: str
    by_reporter: bool
    body: str


@dataclass(frozen=True, slots=True)
class GitHubFields:
    """What GitHub says of an issue. named: its issue type. by_bot: its author is one, and no coding agent."""

    labels: tuple[str, ...] = ()
    named: str = ""
    by_bot: bool = False


@dataclass(frozen=True, slots=True)
class IssueText:
    """Everything the reporter and repliers wrote, as GitHub gave it (untrusted), and what it says of it."""

    title: str
    body: str
    replies: tuple[Reply, ...] = ()
    told: GitHubFields = GitHubFields()

    @property
    def reporters(self) -> "IssueText":
        """What its reporter wrote alone: what others add below, or are quoted with, is no part of what is reported."""
        own = (replace(reply, body=_apart(reply.body)[0]) for reply in self.replies if reply.by_reporter)
        return replace(self, replies=tuple(own))

    @property
    def others(self) -> tuple[str, ...]:
        """What anybody else wrote below, as it stands there or as the reporter quotes it."""
        return tuple(_apart(reply.body)[1] if reply.by_reporter else reply.body for reply in self.replies)


@dataclass(frozen=True, slots=True)
class Report:
    """What parsing observed in an issue.

    visible_title, visible_text: the text a human reader sees on GitHub: HTML comments, hidden and bidirectional control
        characters removed (each removal is a piece of HIDDEN evidence); `visible_text` includes the replies, and
        nothing that the repository's templates say.
    kind: the offline guess of what sort of issue this is.
    items: for every item that matters for `kind`: the quote that supplies it, or `None` when it is missing.
    features: the numbers the offline judge's rules read, by stable name.
    unread: why only its beginning was read, as a sentence; else empty.
    words: how often each word stands in the title and the prose, in lower case; code and orders to a judge left out.
    language: ISO 639-1 code, or `und` when it cannot be told.
    filled: the headings that have an answer below them, the first `MOST_FILLED`.
    asked_for: what the project's policy asks for in such reports, and whether parsing found it.
    """

    text: IssueText
    visible_title: str
    visible_text: str
    kind: IssueKind
    items: dict[Item, str | None]
    language: str
    evidence: tuple[Evidence, ...]
    features: dict[str, float] = field(default_factory=dict)
    words: dict[str, int] = field(default_factory=dict)
    unread: str = ""
    filled: tuple[str, ...] = ()
    asked_for: tuple[tuple[str, bool], ...] = ()


ORDERS = frozenset({"instructions_to_judge", "hidden_instructions"})  # checks: sentences that speak to a judge


def gives_orders(report: Report) -> bool:
    """Whether parsing found a sentence that tells whoever judges the report what to say."""
    return any(each.check in ORDERS for each in report.evidence)


def _apart(text: str) -> tuple[str, str]:
    """A reply's own lines, and those that it quotes outside code, without their marks."""
    own, quoted, plain = [], [], text.replace("\r\n", "\n")
    for line, code in zip(plain.split("\n"), fenced_lines(plain), strict=True):
        mark = None if code else _QUOTE.match(line)
        if mark:
            quoted.append(line[mark.end() :])
        else:
            own.append(line)
    return "\n".join(own), "\n".join(quoted)
