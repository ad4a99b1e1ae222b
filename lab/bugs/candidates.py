"""Bugs of a repository's past whose patch is known, and small enough to be worth running."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.backtest.values import PastIssue
from bot.changes.kinds import kind_of
from bot.changes.read import LARGEST, read_change
from bot.changes.values import FileChange, FileKind, FileStatus
from bot.github import commits
from bot.github.errors import GitHubError
from lab.bugs.fixes import Fix
from lab.bugs.funnel import MOST_LINES, LeftOut


@dataclass(frozen=True, slots=True)
class BugCandidate:
    """An issue and the change that fixed it. base, fixed: the commits before and after it, full SHAs. patch: what it
    changes beside the tests. test_patch: what it changes in them. tests: the paths of the latter; one that was moved is
    there twice."""

    issue: PastIssue
    base: str
    fixed: str
    patch: str
    test_patch: str
    tests: tuple[str, ...]


def candidate(directory: Path, issue: PastIssue, fixed_by: Sequence[Fix]) -> BugCandidate | LeftOut:
    """By the stages of the funnel that need no execution. directory: git's. fixed_by: all that fixed the issue."""
    if issue.is_open:
        return LeftOut.OPEN
    if not fixed_by:
        return LeftOut.NO_FIX
    if len(fixed_by) > 1:
        return LeftOut.SEVERAL
    (fix,) = fixed_by
    if len(fix.issues) > 1:
        return LeftOut.SHARED
    base = _before(directory, fix)
    if base is None:
        return LeftOut.ABSENT
    try:
        return _by_patch(directory, issue, base, fix.commit)
    except GitHubError:
        return LeftOut.UNREADABLE


def _by_patch(directory: Path, issue: PastIssue, base: str, fixed: str) -> BugCandidate | LeftOut:
    change = read_change(commits.diff(directory, base, fixed, LARGEST + 1))
    if change.problem:
        return LeftOut.UNREADABLE
    code = change.of(FileKind.CODE)
    if sum(file.added + file.removed for file in code) > MOST_LINES:
        return LeftOut.LONG
    if not code:
        return LeftOut.NO_CODE
    paths = dict.fromkeys(path for file in change.files for path in _places(file))
    tests = tuple(path for path in paths if kind_of(path) is FileKind.TEST)
    if not tests:
        return LeftOut.NO_TEST
    rest = tuple(path for path in paths if path not in tests)
    patch, test_patch = (_text(commits.patch(directory, base, fixed, each, LARGEST + 1)) for each in (rest, tests))
    if patch is None or test_patch is None:
        return LeftOut.UNREADABLE
    return BugCandidate(issue, base, fixed, patch, test_patch, tests)


def _places(file: FileChange) -> tuple[str, ...]:
    """Where it is, and where it was."""
    return (file.old_path, file.path) if file.status is FileStatus.RENAMED and file.old_path else (file.path,)


def _text(patch: bytes) -> str | None:
    """`None` for what is cut off or not UTF-8: nobody could apply it."""
    try:
        return patch.decode() if len(patch) <= LARGEST else None
    except UnicodeDecodeError:
        return None


def _before(directory: Path, fix: Fix) -> str | None:
    """The commit before the change; `None` where it is not here. A merge that rebased left a commit for each of the
    pull request's; any other left one."""
    above = commits.parents(directory, fix.commit) if fix.commit else ()
    if len(above) != 1:
        return above[0] if above else None
    sha = fix.commit
    for message in reversed(fix.messages):
        if len(above) == 1 and commits.message(directory, sha).strip() == message.strip():
            sha, above = above[0], commits.parents(directory, above[0])
    return sha if sha != fix.commit else above[0]
