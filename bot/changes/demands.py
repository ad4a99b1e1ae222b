"""What a change makes its tests demand: tests that come and go, are skipped, check less or check less strictly. Pure.

Read from the lines of the diff, in any language whose tests look like tests. What tests notice less is measured where
they run (`bot.verification.defects.lost`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from posixpath import basename

from bot.changes.kinds import kind_of
from bot.changes.readers import Patterns, beside
from bot.changes.risks.lines import ANY_REMARK
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Hunk

_LONGEST = 500  # characters of a line that are looked at


LINES = beside(__file__, Patterns)
_TEST, _MARK, _SKIP, _CHECK, _STRICT, _TAKES_ANYTHING, _EMPTY = map(
    LINES.pattern, ("test", "mark", "skip", "check", "strict", "takes_anything", "empty")
)


@dataclass(frozen=True, slots=True)
class _Side:
    """What the added or the removed lines of some hunks hold."""

    tests: frozenset[str]
    skips: int
    checks: int
    strict: int
    empty: int

    def is_looser(self, before: "_Side") -> bool:
        return self.empty > before.empty or self.strict < before.strict


def demands(change: Change) -> dict[str, tuple[str, ...]]:
    """The tests before and after, as far as the diff shows them: by check, the paths of which it is true, each once, in
    the order of the diff.

    `tests_added`, `tests_removed`: files with tests that are new, or gone and not found elsewhere in the change.
    `tests_renamed`: no test any more by their name, which runners go by. `tests_skipped`: with more marks that skip
    than new tests that may bear them. `checks_removed`: with fewer checks, where the change as a whole has fewer.
    `checks_loosened`: where an exact check gave way to one that more satisfies, or that always holds.
    """
    files = [file for file in change.of(FileKind.TEST) if file.plain]
    sides = [(file, _side(file.hunks, "-"), _side(file.hunks, "+")) for file in files]
    edits = [(file, _side([hunk], "-"), _side([hunk], "+")) for file in files for hunk in file.hunks]
    everywhere = {name for _, _, new in sides for name in new.tests}
    before = {name for _, old, _ in sides for name in old.tests}
    lost = {file.path for file, old, _ in sides if old.tests - everywhere}
    lost |= {file.path for file, old, new in sides if file.status is FileStatus.DELETED and not old.tests <= everywhere}
    fewer = sum(old.checks for _, old, _ in sides) > sum(new.checks for _, _, new in sides)
    found = {
        "tests_added": (file for file, _, new in sides if new.tests - before),
        "tests_removed": (file for file, _, _ in sides if file.path in lost),
        "tests_renamed": (file for file in change.files if _is_hidden(file)),
        "tests_skipped": (file for file, old, new in edits if new.skips - old.skips > len(new.tests - old.tests)),
        "checks_removed": (
            file for file, old, new in sides if fewer and old.checks > new.checks and file.path not in lost
        ),
        "checks_loosened": (file for file, old, new in edits if 0 < old.checks <= new.checks and new.is_looser(old)),
    }
    paths = {check: tuple(dict.fromkeys(file.path for file in files)) for check, files in found.items()}
    return {check: each for check, each in paths.items() if each}


def tests_in(text: str) -> int:
    """How many tests a text holds, as far as its lines tell."""
    lines = (line.strip()[:_LONGEST] for line in text.split("\n"))
    return sum(bool(_TEST.match(line) or _MARK.match(line)) for line in lines)


def _is_hidden(file: FileChange) -> bool:
    """By its whole path, or by its last part alone where it stays in a folder of tests."""
    if file.status is not FileStatus.RENAMED or not file.old_path:
        return False
    names = ((file.old_path, file.path), (basename(file.old_path), basename(file.path)))
    return any(kind_of(old) is FileKind.TEST is not kind_of(new) for old, new in names)


def _side(hunks: Iterable[Hunk], mark: str) -> _Side:
    lines = [line[1 : _LONGEST + 1].strip() for hunk in hunks for line in hunk.lines if line[0] == mark]
    lines = [line for line in lines if line.startswith("#[") or not line.startswith(ANY_REMARK)]
    checks = [line for line in lines if _CHECK.search(line)]
    tests = filter(None, map(_TEST.match, lines))
    return _Side(
        tests=frozenset(test["snake"] or test["camel"] or test["said"] or test["other"] for test in tests),
        skips=sum(1 for line in lines if _SKIP.search(line)),
        checks=len(checks),
        strict=sum(1 for line in checks if _STRICT.search(line) and not _TAKES_ANYTHING.search(line)),
        empty=sum(1 for line in checks if _EMPTY.search(line)),
    )
