"""Which pull requests are judged: none that the policy leaves alone, as far as their authors cannot choose that, and
none for which nothing is left of the day's budget. Pure.

Base branch, title and files are all chosen by whoever opens a pull request. So a title lets nobody through who counts
as a coding agent; files do only where all of them match, and none is a test, steers what judges, or asks for a person;
and a base branch lets nothing pass, since a pull request may be proposed to another one afterwards.

A check that says "nobody can say" may let a change be merged, so nobody may bring that about by pushing: what somebody
spent alone keeps back what they push next, and takes nothing from the others.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.changes.risks.testing import steers
from bot.changes.values import Change, FileChange, FileKind
from bot.globs import any_matches
from bot.plain_text import count_of
from bot.policy import Budgets, PullRules
from bot.pulls.agents import Authorship
from bot.pulls.facts import PullFacts
from bot.verdicts import Cause, Left

_JUDGES = (FileKind.TEST, FileKind.CI, FileKind.DEPENDENCIES)  # they judge other changes, or may
_AGAIN = "After midnight UTC, Re-check judges it."


def left_by_name(base_branch: str, title: str, whose: Authorship, policy: PullRules) -> Left | None:
    """What is known before the change is read."""
    only = policy.only.base_branches
    if only and not any_matches(only, base_branch):
        return Left.BASE
    titles = [pattern.lower().replace("*", "**") for pattern in policy.skip.titles]
    if not whose.agent and any_matches(titles, " ".join(title.lower().split())):
        return Left.TITLE
    return None


def left_by_paths(change: Change, facts: PullFacts, policy: PullRules) -> Left | None:
    """Where the whole change is known, and nothing in it is more than its paths say. facts: with its named risks."""
    patterns = policy.skip.paths
    if not patterns or not change.files or change.problem or facts.unread or facts.risks:
        return None
    return Left.PATHS if all(_is_left(file, patterns) for file in change.files) else None


def _is_left(file: FileChange, patterns: tuple[str, ...]) -> bool:
    if file.kind in _JUDGES or steers(file) or file.link or file.submodule or file.executable:
        return False
    return all(any_matches(patterns, path) for path in file.places)


@dataclass(frozen=True, slots=True)
class SpentBudget:
    """why: a sentence. blame: whose doing it is."""

    why: str
    blame: Cause


def spent_budget(budgets: Budgets, looks: Mapping[str, int], own: int) -> SpentBudget | None:
    """`None` where another judgement may be made.

    looks: judgements of today in the repository, for each author. own: those among them for whoever pushed this commit
    and for this pull request. What somebody has beyond their share was not judged, and takes nothing from others.
    """
    share = share_of(budgets)
    if own >= share:
        why = (
            f"Whoever pushed it has had {count_of(own, 'judgement')} today, and one author's share is {share}, half of"
            f" `budgets.per_repository`. {_AGAIN}"
        )
        return SpentBudget(why, Cause.CHANGE)
    if sum(min(each, share) for each in looks.values()) >= budgets.per_repository:
        why = f"The repository's budget of judgements for today is spent (`budgets.per_repository`). {_AGAIN}"
        return SpentBudget(why, Cause.OUTSIDE)
    return None


def share_of(budgets: Budgets) -> int:
    """The most judgements a day of one author's pull requests."""
    return max(1, budgets.per_repository // 2)
