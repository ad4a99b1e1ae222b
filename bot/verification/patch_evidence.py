"""What running the tests on a change showed, as values, and counted: a sentence for each sort of test."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any

from bot.verification.values import TestResult, TestRun, TestStatus


class Standing(StrEnum):
    """How a patch stands after the tests."""

    PLAUSIBLE = "plausible"  # nothing that ran speaks against it
    IMPLAUSIBLE = "implausible"  # something that ran does
    OPEN = "open"  # nothing can be concluded


class Red(StrEnum):
    """How a test of the change's own fails without the change."""

    ASSERTION = "assertion"  # its own assertion does not hold: it saw the old behaviour
    ERROR = "error"  # anything else: what it calls raises, or a name is not there yet


@dataclass(frozen=True, slots=True)
class Turned:
    """A test of the change's own that fails on the base and passes with the change.

    red: how it fails on the base; message: what it said there, a stranger's. counts: it is red for what the code does,
    or notices when what the change touches is broken, so it shows that the change does something that was not there.
    """

    test: str
    red: Red
    message: str = ""
    counts: bool = False


@dataclass(frozen=True, slots=True)
class AnswerBeside:
    """A call that no test makes, beside one of a test's: what it gave, and gives with the change; a stranger's."""

    call: str
    before: str
    after: str


class Fate(StrEnum):
    """What the change did to a test of the base's."""

    REWRITTEN = "rewritten"
    RENAMED = "renamed"
    REMOVED = "removed"


class Settled(StrEnum):
    """What the issue says about two tests that demand different things."""

    NEW = "new"  # it asks for what the new test demands
    OLD = "old"  # it asks for what the old one demands
    OPEN = "open"  # it does not say


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A test of the base's that the change rewrites, renames or removes, and that fails with the change.

    test: as the base names it; now: as the change does, empty where it is gone. old, new: what the two demand, as
    source; message: what the old one says of the change. All of it is a stranger's.
    """

    test: str
    fate: Fate
    now: str = ""
    old: str = ""
    new: str = ""
    message: str = ""
    settled: Settled = Settled.OPEN


class Proof(StrEnum):
    """Whether the suite showed, on this head, that it can still fail (the positive control)."""

    PROVED = "proved"  # every function that was broken turned a test red
    BLIND = "blind"  # one was broken that tests run, and none of them turned red
    PARTLY = "partly"  # of some files that it changes, and of others no test notices it
    UNPROVED = "unproved"  # no test notices that what it changes is broken, nor does on the base
    NOTHING = "nothing"  # it changes nothing that could be broken
    UNTRIED = "untried"  # no time was left, or the runs could not be made


@dataclass(frozen=True, slots=True)
class Control:
    """The positive control. broken: the functions that were broken, as `path:name`; unnoticed: those of them that no
    test noticed. Names are strangers'. why: for the last three, one plain sentence."""

    proof: Proof
    broken: tuple[str, ...] = ()
    unnoticed: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class LostKills:
    """A test whose new version notices fewer defects of the base than the old one did. lost: the first few of them, as
    `path:line: before → after`, a stranger's."""

    test: str
    killed: int
    killed_now: int
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExampleRuns:
    """What the examples of an issue showed on base and head, each as a phrase that begins with where it stands.

    still: what both get wrong, by the issue's own words. mended: what the base gets wrong and the head right.
    otherwise: what the base gets wrong, and the head gives in a way that nobody can call right or wrong. idle: what
    counts for nothing, with why. sources: the texts that were read. form: where none counted, an example to be copied,
    in a form that does. shown: the first that is still wrong, for people to run too. Names and texts are strangers'.
    """

    still: tuple[str, ...] = ()
    mended: tuple[str, ...] = ()
    otherwise: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    form: str = ""
    shown: str = ""

    @property
    def misses(self) -> bool:
        """Whether the head may miss an example: not where each that was read is mended."""
        return bool(self.sources) and not (self.mended and not (self.still or self.otherwise or self.idle))

    @property
    def base(self) -> TestRun | None:
        """Those that count, as a run of the base; `None` where none does."""
        return _as_run(dict.fromkeys((*self.still, *self.mended, *self.otherwise), TestStatus.FAILED))

    @property
    def head(self) -> TestRun | None:
        """The same of the head."""
        ended = {TestStatus.FAILED: self.still, TestStatus.PASSED: self.mended, TestStatus.SKIPPED: self.otherwise}
        return _as_run({each: status for status, those in ended.items() for each in those})


@dataclass(frozen=True, slots=True)
class Hole:
    """An example that an issue prints, that the change does not meet, and that a fix which somebody else offers does.
    All of it is strangers'.

    fix: whose it is, and url: where people read it. where: which example. call: what was run; given: what came of it
    with the change, wanted: with the fix, as the issue asks.
    """

    fix: str
    url: str
    where: str
    call: str
    given: str
    wanted: str


@dataclass(frozen=True, slots=True)
class OfferedRuns:
    """What fixes that others offer show. late: for some of them there was no time."""

    holes: tuple[Hole, ...] = ()
    late: bool = False


def _as_run(ended: Mapping[str, TestStatus]) -> TestRun | None:
    return TestRun(tuple(TestResult(name, status) for name, status in ended.items()), 0.0) if ended else None


@dataclass(frozen=True, slots=True)
class TestModules:
    """The modules of the base's tests. count: how many there are without the change. unread: those of which no test
    begins there; unread_with_it: with the change. They are paths or packages, names by strangers."""

    __test__ = False

    count: int = 0
    unread: tuple[str, ...] = ()
    unread_with_it: tuple[str, ...] = ()

    @classmethod
    def of(cls, base: TestRun, head: TestRun) -> "TestModules":
        """Those of two runs that have all their results."""
        return cls(len(_modules(base)), _unread(base), _unread(head))

    def beside(self, other: "TestModules") -> "TestModules":
        """Those of two suites."""
        unread, with_it = (*self.unread, *other.unread), (*self.unread_with_it, *other.unread_with_it)
        return TestModules(self.count + other.count, unread, with_it)

    @property
    def fewer(self) -> tuple[str, ...]:
        """Those that only the change keeps from running."""
        return tuple(each for each in self.unread_with_it if each not in self.unread)


def _modules(run: TestRun) -> dict[str, set[TestStatus]]:
    """How the tests of each module ended; one that could not be collected, or was skipped as a whole, ended as an
    error. What a runner or a command says of itself is no module."""
    found: dict[str, set[TestStatus]] = {}
    for result in run.results:
        module, _, test = result.name.partition("::")
        if test or ("." in module and " " not in module):
            whole = not test and result.status is TestStatus.SKIPPED
            found.setdefault(module, set()).add(TestStatus.ERROR if whole else result.status)
    return found


def _unread(run: TestRun) -> tuple[str, ...]:
    return tuple(sorted(module for module, ended in _modules(run).items() if ended == {TestStatus.ERROR}))


@dataclass(frozen=True, slots=True)
class UnrunSuite:
    """A suite that the change concerns and that says nothing of it. test: its command; why: a phrase; either may hold a
    stranger's words. by_change: the change brought it about."""

    test: str
    why: str
    by_change: bool = False


@dataclass(frozen=True, slots=True)
class PatchFacts:
    """The runs. base: the base's tests on the base. head: the base's tests on the head, steered by the base. own: the
    head's own tests on it, steered by the head.

    own_base: the head's own tests on the base's code; `None` where it brings none. as_pushed: the base's tests on the
    head, steered by the head; `None` where it steers nothing anew.
    """

    base: TestRun
    head: TestRun
    own: TestRun
    own_base: TestRun | None = None
    as_pushed: TestRun | None = None

    @property
    def unavailable(self) -> TestRun | None:
        """The first run that could not be made, whoever is to blame."""
        return next((run for run in (self.base, self.head, self.own) if run.unavailable), None)

    @property
    def ended(self) -> bool:
        """Whether the tests came to their end wherever they ran, and some of them pass without the change."""
        runs = (self.base, self.head, self.own, self.as_pushed)
        return bool(self.base.passing) and not any(run.problem or run.unavailable for run in runs if run)


@dataclass(frozen=True, slots=True)
class PatchEvidence:
    """What the tests say of a patch. `reasons` in Bouncer's own words, most important first; names come from strangers.

    regressions: tests that pass on the base and not on the head, though the patch left them as they are.
    repaired: tests that fail on the base and pass on the head.
    own_failing: tests that the change brings or changes, and that fail on its own head.
    turned: tests of its own that go from red to green. contradictions: tests of the base that it changed or took away,
    and that fail with it.
    gone: why this head cannot be judged though the base can, as a sentence; empty where it can.
    unlike: tests that end otherwise where the head's own configuration steers, or the base's helpers serve. written:
    what the head's code wrote to that judges (tests, bytecode, the environment), as paths. Names are strangers'.
    answers: calls of tests that alone are answered otherwise, or alone are not, and none beside them; a stranger's.
    unmet: examples that what was asked for shows, with their other answers. untested: calls beside those of tests.
    detours: those that a test no longer makes. let_pass: those whose other answers equal the base's with the change.
    not_made: changed functions, and files, of which no call could be made again.
    elsewhere: calls of tests that it answers otherwise outside of them, of their file or tool, on another day, in
    another folder, beside another module, or made often.
    lost_kills: tests whose new version notices less. unsteady: tests that failed at times with the change, and never
    without it. alike: tests of its own that fail as others do on the base, or that its run did not come to, so that
    nobody can say whose doing it is. only_tested: tests one of whose calls ends otherwise where no test makes it.
    unfinished: what there was no time for, each as a noun phrase; without: what tests ran without. modules: of the
    base's tests. unrun: suites that gave no result.
    """

    standing: Standing
    reasons: tuple[str, ...]
    facts: PatchFacts
    regressions: tuple[str, ...] = ()
    repaired: tuple[str, ...] = ()
    seconds: float = 0.0
    own_failing: tuple[str, ...] = ()
    turned: tuple[Turned, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    gone: str = ""
    unlike: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()
    detours: tuple[str, ...] = ()
    let_pass: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    untested: tuple[AnswerBeside, ...] = ()
    not_made: tuple[str, ...] = ()
    control: Control | None = None
    lost_kills: tuple[LostKills, ...] = ()
    unfinished: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    unsteady: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    only_tested: tuple[TestResult, ...] = ()
    modules: TestModules = TestModules()
    unrun: tuple[UnrunSuite, ...] = ()

    def to_keep(self) -> "PatchEvidence":
        """The same, without what serves the trial alone: which tests passed, and which functions each test entered.
        That is nearly all of its size.

        Where one of the base's runs did not come to its end, each test's time tells whose doing that is, and all stay.
        """
        facts, named = self.facts, {*self.regressions, *self.own_failing}
        cut = any(run.problem for run in (facts.base, facts.head, facts.as_pushed) if run)
        runs = ((each.name, getattr(facts, each.name)) for each in fields(facts))
        kept: dict[str, Any] = {
            name: run.to_keep(lambda test: cut or test in named) for name, run in runs if isinstance(run, TestRun)
        }
        if facts.own != facts.head and kept["own"] == kept["head"]:  # they stand for each other where they are equal
            del kept["own"]
        return replace(self, facts=replace(facts, **kept))
