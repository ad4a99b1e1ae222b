"""The past of a repository as values."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

INSIDE = frozenset({"owner", "member", "collaborator"})  # associations of maintainers, in lower case


class PastAct(StrEnum):
    """What happened to an issue."""

    COMMENTED = "commented"
    LABELED = "labeled"
    RENAMED = "renamed"
    CLOSED = "closed"
    REOPENED = "reopened"


@dataclass(frozen=True, slots=True)
class PastEvent:
    """One act on an issue.

    by: a login. by_bot: an App or a bot's account. maintainer: whoever did it may do so only with triage rights, or is
    a member (for comments). text: the comment, the label's name, the title before, or the reason of a closing.
    by_code: a commit or a merged pull request closed it. commit: that commit's SHA, where GitHub names one. pulls: the
    repository's pull requests that name the issue and were merged when it was closed.
    """

    at: datetime
    act: PastAct
    by: str
    by_bot: bool = False
    maintainer: bool = False
    text: str = ""
    by_code: bool = False
    commit: str = ""
    pulls: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PastIssue:
    """An issue as it was opened, and what happened to it, oldest first.

    title, body, labels: of its opening. text_known: whether the text of its opening is known; else `body` is the
    newest one, which somebody edited. association: its author's, as GitHub says today, in lower case.
    through_app: an App wrote it for its author.
    """

    number: int
    at: datetime
    author: str
    author_is_bot: bool
    association: str
    title: str
    body: str
    labels: tuple[str, ...]
    text_known: bool
    events: tuple[PastEvent, ...]
    is_open: bool
    url: str = ""
    through_app: bool = False


@dataclass(frozen=True, slots=True)
class RepositoryPast:
    """What is known of a repository. issues: newest first. unread: issues whose acts are not known (yet). private:
    whether it is, as far as anybody said. edits_known: whether GitHub was asked which texts were edited."""

    name: str
    issues: tuple[PastIssue, ...]
    unread: int = 0
    private: bool = False
    edits_known: bool = True
