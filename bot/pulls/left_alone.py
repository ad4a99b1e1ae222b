"""Which pull requests the policy leaves alone, as far as their authors cannot choose that. Pure.

Base branch, title and files are all chosen by whoever opens a pull request. So a title lets nobody through who counts
as a coding agent; files do only where all of them match, and none is a test, steers what judges, or asks for a person;
and a base branch lets nothing pass, since a pull request may be proposed to another one afterwards.
"""

from bot.changes.risks.testing import steers
from bot.changes.values import Change, FileChange, FileKind, FileStatus
from bot.globs import any_matches
from bot.policy import PullRules
from bot.pulls.agents import Authorship
from bot.pulls.facts import PullFacts
from bot.verdicts import Left

_JUDGES = (FileKind.TEST, FileKind.CI)  # they judge other changes


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
    """Where the whole change is known, and nothing in it is more than its paths say. facts: with its named risks, those
    too that hold only where tests end otherwise."""
    patterns = policy.skip.paths
    if not patterns or not change.files or change.problem or facts.unread or facts.risks or facts.conditional:
        return None
    return Left.PATHS if all(_is_left(file, patterns) for file in change.files) else None


def _is_left(file: FileChange, patterns: tuple[str, ...]) -> bool:
    if file.kind in _JUDGES or steers(file) or file.link or file.submodule or file.executable:
        return False
    return all(any_matches(patterns, path) for path in _paths(file))


def _paths(file: FileChange) -> tuple[str, ...]:
    """What is renamed is gone from where it was."""
    moved = file.old_path if file.status is FileStatus.RENAMED else None
    return (file.path, moved) if moved else (file.path,)
