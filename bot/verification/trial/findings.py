"""What the runs of a trial gave."""

from dataclasses import dataclass

from bot.verification.patch_evidence import Contradiction, PatchFacts, ProgramHunk, Turned
from bot.verification.trial.judges import Judges
from bot.verification.values import Program, Suite, TestResult


@dataclass(frozen=True, slots=True)
class Findings:
    """What the runs of a trial gave, before anybody says what they amount to.

    altered: tests of the base's that the change did not leave alone. written: what the head's code wrote to that
    judges. answers: where its code gives the base's tests their answer. unsteady: tests that failed at times with the
    change and never without it, its own among them. alike: tests of its own that fail as others do without it.
    silenced: tests that it brings and keeps from running or failing, and that fail once they can. only_tested: those
    that pass since its code sees that it is tested. unfinished: what there was no time for.
    """

    facts: PatchFacts
    altered: frozenset[str] = frozenset()
    own_failing: tuple[str, ...] = ()
    turned: tuple[Turned, ...] = ()
    hunks: tuple[ProgramHunk, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    written: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    unsteady: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    silenced: tuple[TestResult, ...] = ()
    only_tested: tuple[TestResult, ...] = ()
    unfinished: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TrialRun:
    """A trial that was held. judged: the program that the base's tests judged, by `suite`. own: the change's own tests,
    as a suite on its head; `None` where it brings none that ran."""

    findings: Findings
    judges: Judges
    judged: Program
    suite: Suite
    own: Suite | None = None
