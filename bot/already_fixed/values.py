"""What is known of whether a report still holds: its reproductions, what they showed where, the answer. Frozen.

Code, output and messages come from strangers. `says`, `reasons`, `notes` and `problem` are in Bouncer's own words, but
for names of classes and numbers.
"""

import tomllib
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from bot.already_fixed.guess import guess
from bot.history.values import Candidate
from bot.verdicts import FixStatus, Usage


@cache
def words(table: str) -> dict[str, Any]:
    """One table of `words.toml`."""
    found: dict[str, Any] = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))[table]
    return found


class Form(StrEnum):
    """How a reproduction is run."""

    SCRIPT = "script"  # a Python file, started by itself
    SESSION = "session"  # statements as typed at a prompt, each shown with what it gives
    TESTS = "tests"  # a file for pytest
    COMMAND = "command"  # a command line of the project
    PROGRAM = (
        "program"  # a command line where the repository's files lie: of one of them, or of a program that is shown
    )


class Failure(StrEnum):
    """What the report says goes wrong."""

    RAISES = "raises"
    MISSES = "misses"  # it should raise an exception, and does not
    PRINTS = "prints"  # something wrong
    WARNS = "warns"
    HANGS = "hangs"


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a reproduction shows where the report holds, as far as the report says it.

    exception: the class name without its module, of an exception or a warning; empty for any exception.
    message: pieces of its message that are the same in every run.
    wrong: what is printed, as far as it is known; of a session, for each statement what it gave, "" where nothing is
        said of it; of a command, lines. Where none is known, everything but what is right.
    right: what should be printed, or which exception should be raised, instead, by the report's own words; empty where
        it does not say.
    """

    failure: Failure
    exception: str = ""
    message: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    right: str = ""


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What a report shows, as something to run.

    name: stable, for people and files. code: as it is shown and run; of a session, its statements joined by newlines.
    steps: of a session, the statements one by one, of a command or a program its words. where: of the report, e.g.
        `the first example`.
    files: names and texts of what it finds where it is started.
    variant_of: the name of the reproduction whose inputs were exchanged. may_fail: that failing may be right: a
        variant's inputs may deserve it, a model's claim be wrong, a report ask for other words. judge: the model that
        wrote it, or empty; stated: the report's words hold the values that its script asserts. leaves_open: it shows
        an output of which the report does not say that it is wrong.
    """

    name: str
    form: Form
    code: str
    expectation: Expectation
    where: str
    steps: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    variant_of: str = ""
    may_fail: bool = False
    judge: str = ""
    stated: bool = False
    leaves_open: bool = False


class Seen(StrEnum):
    """What one reproduction showed at one revision."""

    AS_REPORTED = "as_reported"
    PASSES = "passes"
    OTHERWISE = "fails_otherwise"  # neither what the report says nor what should be
    CANNOT_RUN = "cannot_run"
    FLAKY = "flaky"


@dataclass(frozen=True, slots=True)
class Run:
    """says: what was seen, as a plain phrase. shown: the exception or the output, bounded; from strangers.

    missing: the top-level module without which it cannot be run; may be any name. lacks: whether another environment
        may have what it needs and this one does not.
    place: the same for the same line of the program that raised, at whatever revision; empty where none is known.
    unclear: what came is not what was reported, and nobody can tell from the report whether it is right.
    """

    seen: Seen
    says: str = ""
    shown: str = ""
    missing: str = ""
    place: str = ""
    lacks: bool = False
    unclear: bool = False


@dataclass(frozen=True, slots=True)
class Trial:
    """One reproduction at up to four places; `None` where it was not tried.

    reported: at the revision the report is about. head: at the head. without_fix: at the head with `fix`, a commit's
    full SHA, taken out again. before: at the commit before `followed_by`, a candidate's full SHA.
    """

    reproduction: Reproduction
    reported: Run | None = None
    head: Run | None = None
    without_fix: Run | None = None
    fix: str = ""
    before: Run | None = None
    followed_by: str = ""

    @property
    def earlier(self) -> tuple[Run, ...]:
        """What it showed anywhere but at the head."""
        return tuple(run for run in (self.without_fix, self.reported, self.before) if run is not None)

    @property
    def failed_before(self) -> bool:
        """Whether it was seen to fail as reported anywhere but at the head."""
        return any(run.seen is Seen.AS_REPORTED for run in self.earlier)

    @property
    def flaky(self) -> bool:
        """Whether it disagreed with itself anywhere."""
        return any(run is not None and run.seen is Seen.FLAKY for run in (self.head, *self.earlier))

    @property
    def fails_now(self) -> bool:
        """Whether it ran at the head and went wrong there, as reported or in another way. A variant may rightly."""
        if self.head is None or self.flaky or self.reproduction.variant_of:
            return False
        return self.head.seen is Seen.AS_REPORTED or (self.head.seen is Seen.OTHERWISE and not self.head.unclear)

    @property
    def proves(self) -> bool:
        """Whether anything follows from it: it still fails as reported, or was seen to fail and does not any more."""
        if self.head is None:
            return False
        return self.head.seen is Seen.AS_REPORTED or (self.head.seen is Seen.PASSES and self.failed_before)

    @property
    def says(self) -> str:
        """What it shows, as one sentence."""
        head = self.head
        if head is None:
            return "It was not run at the head."
        if self.flaky:
            return "It gives different results at the same revision, so it proves nothing."
        if head.seen is Seen.CANNOT_RUN:
            return f"It cannot be run: {head.says}."
        if head.seen is Seen.AS_REPORTED:
            return f"At the head it still fails as reported: {head.says}."
        if head.seen is Seen.OTHERWISE:
            return f"At the head it fails in another way than reported: {head.says}."
        if self.without_fix and self.without_fix.seen is Seen.AS_REPORTED:
            return f"It passes at the head, and fails as reported without {self.fix[:10]}."
        if self.reported and self.reported.seen is Seen.AS_REPORTED:
            return "It fails as reported at the revision the report is about, and passes at the head."
        if self.failed_before:
            return f"It fails as reported at the commit before {self.followed_by[:10]}, and passes at the head."
        if any(run.seen is Seen.PASSES for run in self.earlier):
            return "It passes at the head, and also where it should fail, so it proves nothing."
        earlier = next((run for run in self.earlier if run.seen is Seen.OTHERWISE), None)
        if earlier:
            before = f"before, it failed differently: {earlier.says}"
            return f"It passes at the head, but never failed as reported; {before}."
        if self.earlier:
            return f"It passes at the head, but could not be run where it should fail: {self.earlier[0].says}."
        return "It passes at the head, but never failed as reported, so it proves nothing."


@dataclass(frozen=True, slots=True)
class Place:
    """Where to look: a path of the repository, and what is said of it. Both come from strangers."""

    path: str
    what: str = ""


@dataclass(frozen=True, slots=True)
class FixedFacts:
    """All the decision may know.

    candidates: from history, best first. commits: how many were ranked; by both `guess` decides whether history alone
        makes a report possibly fixed. fixed_by: the commit that running showed to be the fix; `None` where none did.
        proven: that one, where it is none of the candidates.
    regression: the report says that it came back after a fix.
    unread: what else the report shows that nothing runs, each as a phrase. broken: a test of the project that passes
        without the fix and fails with it, by its name or as `one`; empty where none was seen.
    problem: why nothing, or not all, was run, as a sentence. notes: further sentences for people. usage: what a model
        cost.
    """

    trials: tuple[Trial, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    fixed_by: str | None = None
    proven: Candidate | None = None
    regression: bool = False
    unread: tuple[str, ...] = ()
    broken: str = ""
    problem: str = ""
    notes: tuple[str, ...] = ()
    commits: int = 0
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Fixed:
    """The answer. confidence: from 0 to 1, how much stands behind the status; see `decide`.

    candidates: best first; what running proved leads. fixed_by: the commit that running showed to be the fix, which
    history may not have named; `None` where none did. released_in: the release that first has the fix; `None`: not
    released, not known, or there is no fix. reasons: plain sentences, most important first. commits: that were ranked.
    """

    status: FixStatus
    confidence: float
    candidates: tuple[Candidate, ...] = ()
    trials: tuple[Trial, ...] = ()
    released_in: str | None = None
    reasons: tuple[str, ...] = ()
    fixed_by: str | None = None
    commits: int = 0

    @property
    def fix(self) -> Candidate | None:
        """The change that fixed it, as far as that can be told: the one that running proved, else the one of which
        history alone says enough."""
        if self.fixed_by is not None:
            return next((each for each in self.candidates if each.commit == self.fixed_by), None)
        return guess(self.candidates, self.commits)
