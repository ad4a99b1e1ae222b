"""A verdict page as values: all that it shows, as plain, bounded text without anything invisible.

Names, messages, quotes, symptoms and outputs come from strangers: escape them where they are shown.
"""

from dataclasses import dataclass

from bot.judges.agent.code_tools import CodeCall
from bot.judges.claims import Claim
from bot.judges.steps import Attempt
from bot.rendering.pull_findings import FailingTest
from bot.verdicts import Cause, Decision, Evidence
from bot.verification.values import Strength


@dataclass(frozen=True, slots=True)
class Cell:
    """What one run came to, e.g. `3 passed, 1 failed`. good: `None` where that says nothing of the change."""

    text: str
    good: bool | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Runs side by side. rows: what was run, with a cell for each of the columns; `None` where it was not run."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell | None, ...]], ...]


@dataclass(frozen=True, slots=True)
class ContradictedTest:
    """A test of the base's that the change rewrites, renames or takes away, and that fails with it. fate, settled: in
    words. now: its name in the change. old, new: what the two demand, as source; message: what the old one says."""

    test: str
    fate: str
    settled: str
    now: str = ""
    old: str = ""
    new: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class DistinguishingInput:
    """An input on which two programs differ. sides: whose, and what it does. why: who is right, if anything says so."""

    call: str
    sides: tuple[tuple[str, str], ...]
    why: str = ""
    quote: str = ""


@dataclass(frozen=True, slots=True)
class PageAttempt:
    """An attempt at a fix. files: path and text of each, of the chosen one alone; two paths may look alike."""

    attempt: Attempt
    chosen: bool
    files: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """reasons: the verdict's; the first says it in one sentence. cause: of one that is open. agent: whose pull request
    it is, in words. asked: what it was held against. symptom, guess, rationale: the judge's. more_failing: tests beyond
    those listed.

    turned: tests of its own that go from red to green, each with what its red is worth; hunks: pieces of the change,
    and whether one of them turns red without it. repaired, rewritten: tests that fail without the change and pass with
    it, and those of which it brings a version of its own that passes. claims: what a reviewer says is wrong, each with
    its kind in words. attempts: at a fix. no_fix: why none came to one.
    diff: path and hunks of each file. facts: the small print, a name and a value each. uncovered: what nothing that
    ran speaks for, as sentences; form: an example to be copied into the issue. look_at: what a person should look at, a
    title and names each. removed: the page is so old that all but the decision and its first reason is gone.
    """

    decision: Decision
    reasons: tuple[str, ...]
    cause: Cause | None = None
    agent: str = ""
    asked: str = ""
    symptom: str = ""
    guess: str = ""
    rationale: str = ""
    tables: tuple[Table, ...] = ()
    failing: tuple[FailingTest, ...] = ()
    more_failing: int = 0
    turned: tuple[tuple[str, str], ...] = ()
    hunks: tuple[tuple[str, bool], ...] = ()
    contradictions: tuple[ContradictedTest, ...] = ()
    repaired: tuple[str, ...] = ()
    rewritten: tuple[str, ...] = ()
    difference: DistinguishingInput | None = None
    claims: tuple[tuple[str, Claim], ...] = ()
    lookups: tuple[CodeCall, ...] = ()
    attempts: tuple[PageAttempt, ...] = ()
    no_fix: str = ""
    strength: Strength | None = None
    evidence: tuple[Evidence, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    uncovered: tuple[str, ...] = ()
    form: str = ""
    look_at: tuple[tuple[str, tuple[str, ...]], ...] = ()
    diff: tuple[tuple[str, str], ...] = ()
    removed: bool = False
