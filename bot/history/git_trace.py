"""What git itself says of the best candidates: their lines, pickaxe and blame. Reads them, and little around them.

An index tells which words a change holds. Git tells more: whether they follow each other as in the report (a test that
was copied from it, a title that became a changelog's entry), whether the change adds or takes away an occurrence of a
name (pickaxe), and whether it changed the very line at which the report's stack trace stopped (blame in reverse, from
the reported revision on).
"""

import re
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import log
from pathlib import Path

from bot.github import git
from bot.github.errors import GitHubError
from bot.history.log import ATTRIBUTES, LARGE_FILE, Mask, changes, named
from bot.history.report import Frame, SearchQuery, in_trace

_NAMES = 4  # of the report that the pickaxe is asked for: the rarest
_COMMITS = 150  # of all changes that it is asked about
_PLACES = 4  # of the stack traces that blame is asked for: the last, where they stopped
_TOGETHER = 3  # questions that git is asked at once, beside those about its own reading
_RUNS = 30  # more of one sort count no more
_SHARED = 2  # candidates that may share a run
_FILE = 2_000_000  # bytes of a file that are read
_BLAME = 4_000_000  # bytes of an answer
_BLAMED = re.compile(rb"^([0-9a-f]{40,64}) \d+ \d+", re.M)  # of each line; all else begins with a word or a tab
_CODE = re.compile(r"[^\W\d]\w*|\d+(?:\.\d+)?|[^\s\w]")
_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"[\n.;:!?]")
_PROMPT = re.compile(r"\s{0,20}(?:>>>|\.\.\.|In \[\d{0,6}\]:)\s?")
_LINE = 500  # characters of a line of code that are read

Run = tuple[str, ...]  # words that a report and a change have one after the other: rather copied than alike


@dataclass(frozen=True, slots=True)
class TraceMade:
    """A change. commits: full SHAs. parents: theirs. files: of its paths those that stand in the stack traces."""

    commits: tuple[str, ...]
    parents: frozenset[str]
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Traced:
    """What git says of a change.

    code, longer: how many runs of the report's code stand in its tests, short and long ones. said, entered: runs of the
    report's words in its messages, and in its changelog or documentation; `entry` longer ones. title: runs of two words
    of the title in its messages. What several candidates share counts nowhere. names: of how many of the report's
    rarest names, of `asked`, it adds or takes away an occurrence. changed: it changed a line at which a stack trace
    stopped.
    """

    code: int = 0
    longer: int = 0
    said: int = 0
    title: int = 0
    entered: int = 0
    entry: int = 0
    names: int = 0
    asked: int = 1
    changed: bool = False

    @property
    def features(self) -> tuple[float, ...]:
        """In the order of `ranking.TRACED`."""
        runs = (self.code, self.longer, self.said, self.title, self.entered, self.entry)
        return (*(log(1 + min(count, _RUNS)) for count in runs), self.names / self.asked, self.changed)


@dataclass(slots=True)
class HistoryTracer:
    """Asks git about one report's changes between two revisions (full SHAs), until `end` of the monotonic clock.

    What git cannot tell counts as nothing. late: it lacked the time. mask: what every text passes through first.
    """

    _directory: Path
    _reported: str | None
    _head: str
    _end: float
    _mask: Mask = str
    late: bool = False

    def traced(self, made: Mapping[int, TraceMade], asked: SearchQuery, names: Sequence[str]) -> dict[int, Traced]:
        """By change. names: as code spells them, the rarest first."""
        names = names[:_NAMES]
        files = {file for one in made.values() for file in one.files}
        places = [(file, frame) for frame in asked.frames for file in files if in_trace(file, frozenset([frame.file]))]
        with ThreadPoolExecutor(_TOGETHER) as pool:
            # What may take longest first.
            last_with = [pool.submit(self._last_with, *place) for place in places[-_PLACES:]]
            picking = [pool.submit(self._picked, name, made) for name in names]
            runs = self._runs(made, asked)
        changed = {found for asking in last_with for found in asking.result()}
        picked = [asking.result() for asking in picking]
        return {
            unit: Traced(
                **{sort: len(found) for sort, found in runs.get(unit, {}).items()},
                names=sum(not found.isdisjoint(one.commits) for found in picked),
                asked=len(names) or 1,
                changed=any((file, sha) in changed for file in one.files for sha in one.parents),
            )
            for unit, one in made.items()
        }

    def _runs(self, made: Mapping[int, TraceMade], asked: SearchQuery) -> dict[int, dict[str, frozenset[Run]]]:
        """By change what its lines and messages have one after the other as the report has it; nothing without time."""
        commits = [sha for one in made.values() for sha in one.commits][:_COMMITS]
        try:
            said = named(self._directory, commits, seconds=self._left())
            messages = {one.sha: one.message for one in said}
            seen = dict(changes(self._directory, commits, self._mask, seconds=self._left()))
        except GitHubError:
            self._left()
            return {}
        prose, found = f"{asked.headline}\n{asked.prose}", {}
        report = _by_sort(asked.code.split("\n"), prose, asked.headline, prose)
        for unit, one in made.items():
            own = [change for sha in one.commits if (change := seen.get(sha))]
            tests = [line for change in own for line in change.tests]
            notes = "\n".join(line for change in own for line in change.notes or change.documentation)
            message = self._mask("\n".join(messages.get(sha, "") for sha in one.commits))
            told = _by_sort(tests, message, message, notes)
            found[unit] = {sort: report[sort] & told[sort] for sort in report}
        counted = Counter((sort, run) for runs in found.values() for sort in runs for run in runs[sort])
        return {
            unit: {sort: frozenset(run for run in runs[sort] if counted[sort, run] <= _SHARED) for sort in runs}
            for unit, runs in found.items()
        }

    def _picked(self, name: str, made: Mapping[int, TraceMade]) -> set[str]:
        """The commits that change how often the name stands in a file."""
        commits = [sha for one in made.values() for sha in one.commits][:_COMMITS]
        words = ("log", "--no-walk=unsorted", "--format=%H", "--no-show-signature", "--no-renames")
        plain = ("--no-ext-diff", "--no-textconv", f"-S{name}")
        return set(self._asked(*words, *plain, *commits).decode().split()) if commits else set()

    def _last_with(self, file: str, frame: Frame) -> list[tuple[str, str]]:
        """The file with the last commits in which the frame's line stands as it stood at the reported revision."""
        if not self._reported:
            return []
        text = self._asked("cat-file", "blob", f"{self._reported}:{file}", most=_FILE)
        line = _line(text.decode(errors="replace").splitlines(), frame)
        if not line:
            return []
        between = f"{self._reported}..{self._head}"
        told = self._asked("blame", "--reverse", "--porcelain", "-L", f"{line},{line}", between, "--", file)
        found = (match[1].decode() for match in _BLAMED.finditer(told))
        return [(file, sha) for sha in found if sha != self._head]

    def _asked(self, *words: str, most: int = _BLAME) -> bytes:
        """Nothing where git does not know, or the time is over."""
        if not self._left():
            return b""
        config = ("-c", LARGE_FILE, "-c", f"core.attributesFile={ATTRIBUTES}")
        try:
            return git.read(self._directory, *config, *words, most=most, timeout=self._left())
        except GitHubError:
            self._left()
            return b""

    def _left(self) -> float:
        """Seconds, 0 where the time is over."""
        left = self._end - time.monotonic()
        self.late |= left <= 0
        return max(left, 0.0)


def _by_sort(code: Sequence[str], said: str, title: str, notes: str) -> dict[str, frozenset[Run]]:
    """The runs of a report or a change, by the fields of `Traced`."""
    return {
        **{"code": in_code(code, 5), "longer": in_code(code, 7)},
        **{"said": in_prose(said, 3), "title": in_prose(title, 2)},
        **{"entered": in_prose(notes, 3), "entry": in_prose(notes, 4)},
    }


def _line(lines: Sequence[str], frame: Frame) -> int:
    """Where the frame's line stands, from 1: the nearest that reads like its code; 0 where none does."""
    if not frame.source:
        return frame.line if frame.line <= len(lines) else 0
    alike = [at for at, line in enumerate(lines, 1) if line.strip() == frame.source]
    return min(alike, key=lambda at: abs(at - frame.line), default=0)


def in_code(lines: Iterable[str], length: int) -> frozenset[Run]:
    """All runs of so many names, numbers and signs, each within one line; prompts are left out."""
    return _runs((_CODE.findall(_PROMPT.sub("", line[:_LINE], count=1).lower()) for line in lines), length)


def in_prose(text: str, length: int) -> frozenset[Run]:
    """All runs of so many words, each within one line of one sentence."""
    return _runs((_WORD.findall(sentence) for sentence in _SENTENCE.split(text.lower())), length)


def _runs(texts: Iterable[Sequence[str]], length: int) -> frozenset[Run]:
    return frozenset(tuple(words[at : at + length]) for words in texts for at in range(len(words) - length + 1))
