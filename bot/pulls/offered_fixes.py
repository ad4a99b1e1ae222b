"""Fixes that others offer beside a pull request: what review bots suggest on its commit, and other open pull requests
for the same issue. Pure.

They show what a change misses, and never speak for it: a second account could offer a twin.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from bot.github.values import OpenPull, Pull, Remark
from bot.pulls.review_claims import claims_of
from bot.pulls.suggestions import Suggestion

MOST = 4  # fixes that run beside one commit


@dataclass(frozen=True, slots=True)
class OfferedFix:
    """author: who offers it, a login as REST writes it. url: where people read it.

    number: of the pull request that it is, 0 for none; head, base: its commit, and where it left its base branch.
    suggestions: else what a review suggests, all for the commit beside which it runs.
    """

    author: str
    url: str
    number: int = 0
    head: str = ""
    base: str = ""
    suggestions: tuple[Suggestion, ...] = ()

    @property
    def name(self) -> str:
        """For people; the login is a stranger's."""
        return f"pull request {self.number} by {self.author}" if self.number else f"a suggestion by {self.author}"


def find_rivals(pull: Pull, closing: Iterable[OpenPull]) -> tuple[OpenPull, ...]:
    """Other open pull requests for the same issues, into the same branch, the oldest first: at most `MOST`, and of
    each other author the newest, so that nobody crowds out the others. closing: all that would close one of these
    issues."""
    others = {each.number: each for each in closing if each.base_branch == pull.base_branch}
    there = (others[number] for number in sorted(others) if number != pull.number)
    apart = {each.author: each for each in there if each.head != pull.head and each.author != pull.author}
    return tuple(sorted(apart.values(), key=lambda each: each.number))[:MOST]


def find_suggestions(pull: Pull, remarks: Iterable[Remark], web_url: str) -> tuple[OfferedFix, ...]:
    """The changes that review bots suggest on the pull request's newest commit, the worst claim first, and by turns of
    the bots. remarks: line comments, none of Bouncer's."""
    own = [each for each in remarks if each.author_is_bot and not each.reply_to and each.commit == pull.head]
    authors = {each.id: each.author for each in own if each.author != pull.author}
    found, many = list[tuple[int, OfferedFix]](), Counter[str]()
    for claim in claims_of("", (each for each in own if each.id in authors)):
        author, url = authors[claim.remark], f"{web_url}/pull/{pull.number}#discussion_r{claim.remark}"
        for fix in claim.fixes:
            many[author] += 1
            found.append((many[author], OfferedFix(author, url, suggestions=fix)))
    return tuple(fix for _, fix in sorted(found, key=lambda each: each[0]))[:MOST]


def choose(*offers: Iterable[OfferedFix]) -> tuple[OfferedFix, ...]:
    """At most `MOST` of them, by turns of each kind."""
    rows = [list(each)[:MOST] for each in offers]
    turns = (row[at] for at in range(MOST) for row in rows if at < len(row))
    return tuple(turns)[:MOST]
