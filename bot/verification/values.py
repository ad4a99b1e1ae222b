"""The values of verification: programs, tests and their outcomes, differences, strength, cases. Frozen, no effects."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import Field

from bot.sandbox.protocol import Mount
from bot.verification.syntax import Function


@dataclass(frozen=True, slots=True)
class Program:
    """One version of the code: a directory that is never written to, with some files replaced.

    tree: the directory, or `None` when `files` is all there is.
    files: path in the tree -> content, `None` for a deleted file. A single Python file is `{"solution.py": …}`.
    """

    tree: Path | None
    files: Mapping[str, bytes | None]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a program comes from. owner: whose environments and runs it may share, such as a repository's id.

    shared: its branch is the default one, or a protected one: what was built from it serves others of the owner. What
    an agent's own branch builds serves nobody else. made: when the commit was made. tags: asks for the names of the
    tags before it, the nearest last; asked only where something is built. without: what is not in its tree though it
    belongs there, as noun phrases; names in them are strangers'.
    """

    owner: str
    shared: bool = True
    made: datetime | None = None
    tags: Callable[[], tuple[str, ...]] = tuple
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Environment:
    """What a program needs around it: mounted directories, variables, an interpreter, an image.

    python: argv of the interpreter inside that has the program's dependencies; empty: the executor's own.
    packages: another virtual environment inside, a stranger's: what is installed there is found first by whatever is
        imported once pytest and its plugins stand; nothing of it runs the tests.
    """

    mounts: tuple[Mount, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    python: tuple[str, ...] = ()
    image: str | None = None
    packages: str = ""


@dataclass(frozen=True, slots=True)
class Suite:
    """The tests that judge a program.

    files: laid over the program, so that a program cannot bring its own version of them.
    select: pytest node ids or files; empty means all that pytest finds.
    first: files whose tests run before all others, by pytest. Where time ends behind them, the run counts as far as it
        came, see `TestRun.late`; with none, a run that did not come to its end does not count.
    command: a test command whose exit status decides, instead of pytest.
    test_seconds: the most one test may take; a timeout is a failed test.
    until: names of tests; the run ends with the first of them that fails: who asks needs to know no more.
    ignore: names of tests that count for nobody, since they fail without the change as well.
    folder: from the root, in which pytest runs. What `select` and results name is from the root all the same.
    detached: the files are no part of the repository's tests: no `conftest.py`, plugin or configuration is for them.
    watched: files of the program or the suite that judge, as paths; what is done to them while the tests run is told in
        `TestRun.written`, and so is what is put beside them that could judge instead.
    locked: those of them that nothing may write while the tests run; see `lockable`. They are watched too.
    Both are for a program with a tree: a single file is asked for its values instead.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    select: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    command: tuple[str, ...] | None = None
    environment: Environment = Environment()
    test_seconds: float = 10.0
    until: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()
    folder: str = ""
    detached: bool = False
    watched: frozenset[str] = frozenset()
    locked: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Order:
    """In which order pytest runs a suite, and what it notes.

    reverse: the tests in the opposite order, with other hash seeds. seed: of Python's hashes, and of an order of the
    tests drawn with it; the same seed, the same order. trace: Python files of the program; the run says which of their
    functions each test entered. by_tests: of calls of these record all that files make which judge, instead of some.
    anew: some of each test, whatever others called before it.
    """

    reverse: bool = False
    seed: int | None = None
    trace: frozenset[str] = frozenset()
    by_tests: bool = False
    anew: bool = False


@dataclass(frozen=True, slots=True)
class Experiment:
    """A run that is to be made: a program, the tests that judge it in their environment, and their order.

    broken: files that the program has otherwise on purpose, so that tests may turn red. once: of a test with several
    cases no further one runs once one is red. repeats: it is to tell whether an equal one ends so again.
    """

    program: Program
    suite: Suite
    order: Order = Order()
    broken: Mapping[str, bytes | None] = field(default_factory=dict)
    once: bool = False
    repeats: bool = False

    @property
    def judged(self) -> Program:
        """The program as it runs."""
        return replace(self.program, files={**self.program.files, **self.broken}) if self.broken else self.program


class Keeper:
    """Knows how experiments ended that others made before, where they are the base's alone. This one knows of none."""

    def find(self, experiment: Experiment) -> "TestRun | None":
        """How it ended; `None` where that is not known."""

    def keep(self, experiment: Experiment, run: "TestRun") -> None:
        """How it ended now."""


@dataclass(frozen=True, slots=True)
class Base:
    """What a change started from: the program, and all its tests as they were there, with the environment for them.

    first: the files of those that the change concerns most, by what is imported; see `Suite`.
    """

    program: Program
    suite: Suite
    keeper: Keeper = field(default_factory=Keeper, repr=False, compare=False)
    first: tuple[str, ...] = ()


class TestStatus(StrEnum):
    """What became of one test."""

    __test__ = False  # for pytest, which would collect it by its name

    PASSED = "passed"
    FAILED = "failed"  # an assertion did not hold
    ERROR = "error"  # it broke before or around the assertion: import, fixture, collection
    SKIPPED = "skipped"
    FLAKY = "flaky"  # disagrees with itself on a second run or in another order
    TIMEOUT = "timeout"  # took longer than it may; counts as failed


BAD = frozenset({TestStatus.FAILED, TestStatus.ERROR, TestStatus.TIMEOUT})  # they speak against the program


@dataclass(frozen=True, slots=True)
class TestResult:
    """One test. `name` is the pytest node id or the command; `message` is bounded and comes from strangers."""

    __test__ = False

    name: str
    status: TestStatus
    message: str = ""
    seconds: float = 0.0


_MOST_COUNTED = 1_000_000_000  # tests of one run; a stranger may have written the number


class Ending(StrEnum):
    """How one call ended."""

    RETURNED = "returned"
    RAISED = "raised"
    TIMEOUT = "timeout"
    DIED = "died"  # the process ended: a crash, `os._exit`, too much memory


@dataclass(frozen=True, slots=True)
class Observed:
    """What one program did on one call.

    value: the returned value in canonical form (equal values have equal texts), or the exception's type name.
    mutated: canonical form of the arguments afterwards, when the call changed them.
    """

    ending: Ending
    value: str = ""
    mutated: str = ""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call that a test made, so that it can be made again. path: where the function stands. expression: Python, a
    stranger's, that is never evaluated outside the sandbox; it names the module by its dotted name. answer: what it
    gave there, long texts cut, and nothing of what became of its arguments; `None` where it is not known."""

    test: str
    path: str
    module: str
    expression: str
    answer: Observed | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class TestRun:
    """What a suite said of a program.

    problem: why the run cannot be trusted or never happened (nothing collected, ended early, forged report, no
        sandbox); holds no text from the program. With a problem, `passed` is false.
    unavailable: the problem is Bouncer's or the machine's, not the program's: nothing may be concluded.
    entered: of each test the functions that it entered, its fixtures' among them, where that was asked for. What was
        told in a process that also held a stranger's code is that stranger's word.
    calls: of the functions that were asked for, as far as they could be recorded, some of each; as `entered` is.
    written: what judges and was written to while the tests ran, and what was put beside it that could judge instead
        (modules, configuration, caches of bytecode), as paths; bounded, names come from strangers.
    replaced: what code of the tree had put into what runs the tests (functions of the runner or the interpreter, hooks,
        tracers, tests' bodies), as noun phrases with names in them. Some suites do: see `check_replaced`.
    late: tests that there was no time for, none of them of the suite's first files, or all of files that are slow.
    opened: the files of the program that were opened, as the sandbox saw it; `None` where it could not.
    left: what else a command left among the results of its job, by name; a stranger's.
    also_passed: how many more tests passed than `results` has, of a run that was kept; see `to_keep`.
    """

    __test__ = False

    results: tuple[TestResult, ...]
    seconds: float
    problem: str = ""
    unavailable: bool = False
    limits_enforced: tuple[str, ...] = ()
    entered: tuple[tuple[str, tuple[Function, ...]], ...] = field(default=(), repr=False, compare=False)
    calls: tuple[RecordedCall, ...] = field(default=(), repr=False, compare=False)
    written: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    late: tuple[str, ...] = ()
    opened: frozenset[str] | None = field(default=None, repr=False, compare=False)
    left: Mapping[str, bytes] = field(default_factory=dict, repr=False, compare=False)
    also_passed: Annotated[int, Field(ge=0, le=_MOST_COUNTED)] = 0

    @property
    def numbers(self) -> Counter[TestStatus]:
        """How many tests ended how."""
        found = Counter(result.status for result in self.results)
        found[TestStatus.PASSED] += self.also_passed
        return found

    def to_keep(self, named: Callable[[str], bool]) -> "TestRun":
        """The same, with a number in the place of the tests that passed, except for the first of them and those that
        somebody will look for by name. Without what each test entered, and what was opened.

        The first stays, so that whoever asks whether any passed sees one.
        """
        passed = TestStatus.PASSED
        alike = [at for at, each in enumerate(self.results) if each.status is passed and not named(each.name)]
        counted = set(alike[1:])
        results = tuple(each for at, each in enumerate(self.results) if at not in counted)
        number = self.also_passed + len(counted)
        return replace(self, results=results, also_passed=number, entered=(), calls=(), opened=None, left={})

    @property
    def failing(self) -> tuple[TestResult, ...]:
        """Tests that speak against the program."""
        return tuple(result for result in self.results if result.status in BAD)

    @property
    def passing(self) -> dict[str, float]:
        """The names of the tests that pass, and how long each took."""
        return {result.name: result.seconds for result in self.results if result.status is TestStatus.PASSED}

    @property
    def passed(self) -> bool:
        """At least one test passed, none failed, and the run can be trusted."""
        return not self.problem and not self.failing and bool(self.passing)


class Side(StrEnum):
    """Whose behaviour is meant."""

    ORIGINAL = "original"
    FIX = "fix"


class Augmentation(StrEnum):
    """By what more than the tests show two programs are compared (overcorrection paper, 8.2)."""

    PROPERTIES = "properties"  # inputs that Hypothesis draws
    SYMBOLS = "symbols"  # inputs that CrossHair finds
    RELATIONS = "relations"  # what answers have to do with each other


class Generator(StrEnum):
    """By what an input was found."""

    EXAMPLE = "the calls in the tests"
    MUTATION = "inputs near those of the tests"
    HYPOTHESIS = "Hypothesis"
    REVIEW = "the reviewer's own example"
    MODEL = "a model's test"
    SYMBOLIC = "a symbolic search"
    RELATION = "a relation between answers"


@dataclass(frozen=True, slots=True)
class Difference:
    """An input on which original and fix differ.

    call: a Python expression that can be pasted and run, e.g. `intersperse([1, 2], 4)`.
    favours: who is right, where anything says so; `why` says what (Bouncer's own words).
    quote: the requirement's clause that decides it, verbatim from the specification; empty when none does.
    """

    call: str
    original: Observed
    fix: Observed
    generator: Generator
    favours: Side | None = None
    why: str = ""
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Differential:
    """Original against fix on many inputs of the domain that the visible calls span.

    calls: the inputs compared, as expressions. outside: inputs that differ but lie outside the domain: no evidence.
    problem: why nothing could be compared. doubt: why agreement on these inputs says little, as one sentence; empty
    when it counts.
    """

    calls: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    outside: int = 0
    problem: str = ""
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Strength:
    """How much the tests would notice: of `mutants` of the changed lines that were tried, how many were `killed`.

    complete: every mutant that was to be tried was tried within the time, or the rest could not change what follows.
    tool: name and version of the mutation tool. around: the changed lines hold nothing to mutate, so the functions
    around them were mutated.
    """

    mutants: int
    killed: int
    complete: bool
    tool: str
    around: bool = False

    @property
    def share(self) -> float | None:
        """From 0 to 1; `None` when there was nothing to mutate."""
        return self.killed / self.mutants if self.mutants else None
