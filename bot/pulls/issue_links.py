"""Which issues a pull request answers, how that is known, and what they ask for. Pure.

Closing keywords and their syntax: GitHub's documentation, "Linking a pull request to an issue". GitHub's own list
stands beside them: it has what was linked by hand, but nothing while the base is not the default branch. The branch's
name is a guess, asked only where nothing else tells.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from bot.history.names import issues_in
from bot.markdown.visible import visible, visible_line
from bot.pulls.facts import Proposal

GITHUB = "https://github.com"
MOST = 20  # issues of one pull request; GitHub's own list is asked for as many
MOST_CLOSED = 3  # issues that a pull request's text says it closes
MOST_TEXT = 65_536  # characters of a description
MOST_MESSAGE = 10_000  # characters of a commit message


class LinkedNumbers(StrEnum):
    """How a link is known, from the surest on."""

    GITHUB = "github"  # GitHub's own list
    DESCRIPTION = "description"  # a closing keyword in the title or the description
    COMMIT = "commit"  # one in a commit message
    BRANCH = "branch"  # a number in the branch's name


@dataclass(frozen=True, slots=True)
class ClosingLink:
    """One issue. repository is `owner/name`; elsewhere: it is another one than the pull request's. found: all ways it
    is known, surest first."""

    repository: str
    number: int
    found: tuple[LinkedNumbers, ...]
    elsewhere: bool = False

    @property
    def weak(self) -> bool:
        """A guess: see first that there is such an issue, and that it is none of old."""
        return self.found == (LinkedNumbers.BRANCH,)


_KEYWORD = r"(?<![A-Za-z0-9])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)"
_REPOSITORY = r"[a-z0-9][a-z0-9-]{0,38}/[a-z0-9._-]{1,100}"
_NUMBER = r"[1-9][0-9]{0,9}(?![a-z0-9])"
_CLOSES = re.compile(
    rf"{_KEYWORD}:?[ \t]{{1,10}}(?:"
    rf"(?P<repository>{_REPOSITORY})?#(?P<number>{_NUMBER})"
    rf"|gh-(?P<short>{_NUMBER})"
    rf"|(?P<host>https?://[a-z0-9.:-]{{1,100}})/(?P<place>{_REPOSITORY})/issues/(?P<issue>{_NUMBER}))",
    re.ASCII | re.IGNORECASE,
)
# What GitHub does not show, what is code, and what is quoted: none of it is said by the author.
_UNSAID = re.compile(
    r"<!--.*?(?:-->|\Z)|```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`|^[ ]{0,3}>[^\n]*", re.DOTALL | re.MULTILINE
)


def links(
    proposal: Proposal, repository: str, github_links: Iterable[tuple[str, int]], web_url: str = GITHUB
) -> tuple[ClosingLink, ...]:
    """Every issue once, surest first, at most `MOST`.

    repository: the pull request's, as `owner/name`. github_links: repository and number, as GitHub lists them. web_url:
    where this GitHub's pages lie.
    """
    known: dict[tuple[str, int], ClosingLink] = {}

    def add(found: LinkedNumbers, named: Iterable[tuple[str, int]]) -> None:
        for place, number in named:
            here = place.lower() in ("", repository.lower())
            key = ("" if here else place.lower(), number)
            if here and number == proposal.number:
                continue
            old = known.get(key)
            ways = old.found if old else ()
            if found not in ways:
                known[key] = ClosingLink(
                    old.repository if old else repository if here else place, number, (*ways, found), not here
                )

    add(LinkedNumbers.GITHUB, github_links)
    add(LinkedNumbers.DESCRIPTION, closing(proposal.title, web_url))
    add(LinkedNumbers.DESCRIPTION, closing(proposal.body[:MOST_TEXT], web_url))
    for commit in proposal.commits:
        add(LinkedNumbers.COMMIT, closing(commit.message[:MOST_MESSAGE], web_url))
    if not known:
        # One: a second number is more often something else.
        add(LinkedNumbers.BRANCH, [("", number) for number in issues_in(proposal.branch, proposal.number)[:1]])
    return tuple(known.values())[:MOST]


def closing(text: str, web_url: str = GITHUB) -> Iterator[tuple[str, int]]:
    """The issues that closing keywords name, in order: repository (empty for the text's own) and number."""
    for match in _CLOSES.finditer(_UNSAID.sub(" ", text)):
        if match["issue"] is None:
            yield match["repository"] or "", int(match["number"] or match["short"])
        elif match["host"].lower() == web_url.lower().rstrip("/"):
            yield match["place"], int(match["issue"])


def closes(title: str, body: str) -> tuple[int, ...]:
    """Numbers of the issues of its own repository a pull request closes, in the order they are named, at most
    `MOST_CLOSED`."""
    named = (*closing(title), *closing(body))
    return tuple(dict.fromkeys(number for repository, number in named if not repository))[:MOST_CLOSED]


def specification(title: str, body: str) -> str:
    """The text of an issue that says what is wanted, without what a reader would not see."""
    return f"{visible_line(title).text}\n\n{visible(body).text.strip()}\n"
