"""What is asked about code: tests from a specification, what a specification demands, a review, and how to see whether
a report that shows nothing to run still holds. Values and ports.

Whoever implements a port never raises: what goes wrong is `NoJudgement`. A specification is what a reader sees of it;
hidden text was taken out before.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.judges.protocol import Answered, Named, NoJudgement
from bot.verdicts import Usage


@dataclass(frozen=True, slots=True)
class Interface:
    """How the code under test is called.

    module: the name tests import, e.g. `solution`.
    signatures: one for each function, without `def`, e.g. `intersperse(numbers: list[int], delimiter: int)`.
    examples: visible calls with their results, as lines of Python, e.g. `assert intersperse([], 4) == []`.
    """

    module: str
    signatures: tuple[str, ...]
    examples: tuple[str, ...] = ()

    def __str__(self) -> str:
        """For a prompt."""
        return "\n".join((f"module {self.module}", *(f"def {line}" for line in self.signatures), *self.examples))


@dataclass(frozen=True, slots=True)
class SpecTest:
    """One call and what a clause of the specification demands of it. Comes from a model: nothing here is checked yet.

    clause: said to be verbatim from the specification.
    call: a Python expression, e.g. `intersperse([1, 2], 4)`.
    expected: a Python literal, or `raises X`.
    """

    clause: str
    call: str
    expected: str


class Opinion(StrEnum):
    """Whether a program does what its specification asks."""

    YES = "yes"
    NO = "no"


@dataclass(frozen=True, slots=True)
class CodeReview:
    """A reviewer's opinion; only a rejection has the rest.

    fix: the whole program as the reviewer would have it: a hypothesis to execute, never a verdict. `None` without one.
    counterexample: a call that the reviewer says goes wrong, with the clause it violates.
    """

    opinion: Opinion
    judge: str
    fix: str | None = None
    counterexample: SpecTest | None = None
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class BlindAnswer:
    """What one blind judge said of one call.

    expected, clause: what the call must do, and the words of the specification that say so; both empty where the judge
    finds that none do, or names what cannot be used. problem: why there is no answer, as a sentence.
    """

    judge: str
    call: str
    expected: str = ""
    clause: str = ""
    problem: str = ""


class TestWriter(Named, Protocol):
    """Writes tests from the specification alone; it sees no program."""

    def write(self, specification: str, interface: Interface) -> Answered[tuple[SpecTest, ...]] | NoJudgement: ...


class BlindJudge(Named, Protocol):
    """Says what the specification demands of one call, if anything; sees no program and no outcome."""

    def demands(
        self, specification: str, interface: Interface, call: str
    ) -> Answered[SpecTest | None] | NoJudgement: ...


class Reviewer(Named, Protocol):
    """Says whether a program does what the specification asks, and shows what it means by a no.

    failed_tests: for each test the program failed, its name and what it said. Strangers' text.
    """

    def review(self, specification: str, source: str, failed_tests: tuple[str, ...]) -> CodeReview | NoJudgement: ...


class Shows(StrEnum):
    """What a script shows where the report holds."""

    RAISES = "raises"  # an exception that should not come
    ASSERTS = "asserts"  # an assertion of what should be does not hold
    WARNS = "warns"
    HANGS = "hangs"


@dataclass(frozen=True, slots=True)
class Sketch:
    """A script a model wrote from a report. Nothing here is checked yet.

    clause: said to be verbatim from the report. exception: the class of exception or warning, or empty.
    """

    clause: str
    code: str
    shows: Shows
    exception: str = ""


class ReproductionWriter(Named, Protocol):
    """Writes reproductions from a report alone; it sees no code of the project. Never raises."""

    def write(self, report: str, package: str) -> Answered[tuple[Sketch, ...]] | NoJudgement:
        """report: what its readers see. package: what the project is imported as; empty where that is not known."""
        ...
