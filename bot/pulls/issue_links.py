"""Which issues a pull request answers, and what they ask for. Pure.

Closing keywords and their syntax: GitHub's documentation, "Linking a pull request to an issue". GitHub's own list
stands beside them: it has what was linked by hand, but nothing while the base is not the default branch. The branch's
name is a guess, asked only where nothing else tells.
"""

import re
from collections.abc import Iterable, Iterator

from bot.github.values import LinkedIssue, Pull
from bot.history.names import issues_in
from bot.markdown.tree import blank_unsaid
from bot.markdown.visible import visible, visible_line

GITHUB = "https://github.com"
MOST = 20  # issues of one pull request; GitHub's own list is asked for as many
MOST_CLOSED = 3  # issues that a pull request's text says it closes
MOST_TEXT = 65_536  # characters of a description
MOST_MESSAGE = 10_000  # characters of a commit message


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


def links(
    pull: Pull, repository: str, github_links: Iterable[tuple[str, int]], web_url: str = GITHUB
) -> tuple[LinkedIssue, ...]:
    """Every issue once, by its place and number, surest first, at most `MOST`. See first that there is such an issue,
    and of one that is guessed, that it is none of old.

    repository: the pull request's, as `owner/name`. github_links: repository and number, as GitHub lists them. web_url:
    where this GitHub's pages lie.
    """
    texts = (pull.title, pull.body[:MOST_TEXT], *(each.message[:MOST_MESSAGE] for each in pull.commits))
    named = [*github_links, *(link for text in texts for link in closing(text, web_url))]
    known: dict[tuple[str, int], LinkedIssue] = {}
    for place, number in named:
        here = place.lower() in ("", repository.lower())
        if not here or number != pull.number:
            link = LinkedIssue(number, place="" if here else place)
            known.setdefault((link.place.lower(), number), link)
    if known:
        return tuple(known.values())[:MOST]
    # One: a second number is more often something else.
    guessed = issues_in(pull.head_branch, pull.number)[:1]
    return tuple(LinkedIssue(number, guess=True) for number in guessed if number != pull.number)


def closing(text: str, web_url: str = GITHUB) -> Iterator[tuple[str, int]]:
    """The issues that closing keywords name, in order: repository (empty for the text's own) and number. What GitHub
    does not show, what is code, and what is quoted is not said by the author."""
    for match in _CLOSES.finditer(blank_unsaid(visible(text).text)):
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
