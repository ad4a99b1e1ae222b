"""How a repository's closed issues become candidates for a set of bugs with tests: the funnel of Passerine, sections
II-A to II-D.

Of its tables I to III, what can be told of any repository: one patch for each bug and one bug for each patch, under 150
lines of code, a source file and a test file among the changes, tests that fail before and pass after, none flaky.
A change is a pull request, or a commit that was pushed without one. A link is known by what closed the issue, or by a
closing keyword of a pull request that was merged.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from bot.backtest.pulls import PastPull
from bot.backtest.values import PastEvent, PastIssue, RepositoryPast
from bot.changes.kinds import kind_of
from bot.changes.read import LARGEST, read_change
from bot.changes.values import FileChange, FileKind, FileStatus
from bot.github import commits
from bot.github.errors import GitHubError
from bot.pulls.issue_links import GITHUB, links

MOST_LINES = 149  # changed lines of code; nine of ten fixes in the paper were shorter (section II-C)


class LeftOut(StrEnum):
    """Why an issue is not in the set, as people are told."""

    UNREAD = "what happened to it is not known yet"
    OPEN = "it is open"
    NO_FIX = "no merged change is known to fix it"
    SEVERAL = "several changes fix it"
    SHARED = "its change fixes other issues as well"
    ABSENT = "the commits of its change are not here"
    UNREADABLE = "its patch is no text, or too large to be read"
    LONG = f"more than {MOST_LINES} lines of code are changed"
    NO_CODE = "no code is changed"
    NO_TEST = "no test is changed"
    NOT_RUN = "its tests cannot be run"
    NONE_TURNS = "no test fails before the patch and passes after it"
    FAILS_AFTER = "a test passes before the patch and fails after it"
    FLAKY = "a test does not always end the same way"


_STAGES: tuple[tuple[str, tuple[LeftOut, ...]], ...] = (
    ("closed", (LeftOut.UNREAD, LeftOut.OPEN)),
    ("fixed by a merged change", (LeftOut.NO_FIX,)),
    ("one patch for one bug", (LeftOut.SEVERAL, LeftOut.SHARED, LeftOut.ABSENT)),
    (f"at most {MOST_LINES} lines of code", (LeftOut.UNREADABLE, LeftOut.LONG)),
    ("code and tests are changed", (LeftOut.NO_CODE, LeftOut.NO_TEST)),
    ("a test fails before and passes after", (LeftOut.NOT_RUN, LeftOut.NONE_TURNS, LeftOut.FAILS_AFTER)),
    ("no test is flaky", (LeftOut.FLAKY,)),
)


@dataclass(frozen=True, slots=True)
class FunnelStage:
    """left: the issues that came through. out: why others did not, with how many."""

    name: str
    left: int
    out: tuple[tuple[LeftOut, int], ...] = ()


def funnel(issues: int, left_out: Iterable[LeftOut]) -> tuple[FunnelStage, ...]:
    """All stages in order, from all issues to those that are kept. left_out: one of each issue that is not."""
    why = Counter(left_out)
    stages = [FunnelStage("issues", issues)]
    for name, reasons in _STAGES:
        out = tuple((reason, why[reason]) for reason in reasons if why[reason])
        stages.append(FunnelStage(name, stages[-1].left - sum(count for _, count in out), out))
    return tuple(stages)


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
    known, of_commit = dict[int, Fix](), dict[str, Fix]()
    for number, pull in merged.items():
        fix = Fix(number, pull.merged, tuple(commit.message for commit in pull.last.commits))
        known[number] = fix
        of_commit |= dict.fromkeys([pull.merged, *(commit.sha for commit in pull.last.commits)], fix)
    found: dict[Fix, set[int]] = defaultdict(set)
    for number, pull in merged.items():
        named = links(pull.last, past.name, (), web_url)
        found[known[number]].update(link.number for link in named if not (link.place or link.guess))
    for issue in past.issues:
        for event in issue.events:
            for fix in _closers(event, known, of_commit):
                found[fix].add(issue.number)
    whole = [replace(fix, issues=tuple(sorted(issues))) for fix, issues in found.items()]
    closed = [issue.number for issue in past.issues if not issue.is_open]
    return {number: tuple(fix for fix in whole if number in fix.issues) for number in closed}


def _closers(event: PastEvent, known: Mapping[int, Fix], of_commit: Mapping[str, Fix]) -> list[Fix]:
    """What closed an issue. A pull request that is known comes first: a merge that rebases makes other commits of it,
    and the closing names one of those."""
    if read := [known[number] for number in event.pulls if number in known]:
        return read
    if event.commit:
        return [of_commit.get(event.commit, Fix(0, event.commit))]
    return [Fix(number, "") for number in event.pulls]


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
