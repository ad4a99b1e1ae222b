"""Which merged change fixed which issue of a repository's past. Pure.

A change is a pull request, or a commit that was pushed without one. A link is known by what closed the issue, or by a
closing keyword of a pull request that was merged.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.backtest.pulls import PastPull
from bot.backtest.values import PastEvent, RepositoryPast
from bot.pulls.issue_links import GITHUB, links


@dataclass(frozen=True, slots=True)
class Fix:
    """One merged change. pull: its number, 0 for a commit without one. commit: the merge's SHA, or that commit's; `""`
    for a pull request that was not read. messages: of a pull request's commits, oldest first. issues: all that it
    fixes, in order."""

    pull: int
    commit: str
    messages: tuple[str, ...] = ()
    issues: tuple[int, ...] = ()


def fixes(past: RepositoryPast, pulls: Sequence[PastPull], web_url: str = GITHUB) -> dict[int, tuple[Fix, ...]]:
    """The changes that fixed each closed issue, perhaps none."""
    merged = {pull.last.number: pull for pull in pulls if pull.merged}
    known = {number: Fix(number, pull.merged, _messages(pull)) for number, pull in merged.items()}
    of_commit = {sha: fix for number, fix in known.items() for sha in _shas(merged[number])}
    found: dict[Fix, set[int]] = defaultdict(set)
    for number, pull in merged.items():
        named = links(pull.last, past.name, (), web_url)
        found[known[number]].update(link.number for link in named if not (link.elsewhere or link.weak))
    for issue in past.issues:
        for event in issue.events:
            for fix in _closers(event, known, of_commit):
                found[fix].add(issue.number)
    return {issue.number: _of(issue.number, found) for issue in past.issues if not issue.is_open}


def _of(issue: int, found: Mapping[Fix, Iterable[int]]) -> tuple[Fix, ...]:
    return tuple(
        Fix(fix.pull, fix.commit, fix.messages, tuple(sorted(issues)))
        for fix, issues in found.items()
        if issue in issues
    )


def _closers(event: PastEvent, known: Mapping[int, Fix], of_commit: Mapping[str, Fix]) -> list[Fix]:
    """What closed an issue. A pull request that is known comes first: a merge that rebases makes other commits of it,
    and the closing names one of those."""
    if read := [known[number] for number in event.pulls if number in known]:
        return read
    if event.commit:
        return [of_commit.get(event.commit, Fix(0, event.commit))]
    return [Fix(number, "") for number in event.pulls]


def _messages(pull: PastPull) -> tuple[str, ...]:
    return tuple(commit.message for commit in pull.last.commits)


def _shas(pull: PastPull) -> list[str]:
    return [pull.merged, *(commit.sha for commit in pull.last.commits)]
