"""The tests that speak against a change, one list for the check, the page, the terminal and what stands beside lines.
Pure. Names and messages are strangers'."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.pulls.result import PullResult
from bot.rendering import words
from bot.verdicts import Decision
from bot.verification.evidence import Verified
from bot.verification.fix_guided.cases import claimant_of
from bot.verification.patch_evidence import Contradiction, Fate, LostKills, PatchEvidence, Settled
from bot.verification.values import TestResult, TestRun, TestStatus

_LINES, _CHARACTERS = 12, 800  # of what one test said
_GONE = "It passes on the base. With the change it does not run: it is not collected, or it is left out."
_STILL = "still fails, as reported"
_TOLD = "failed when its code could not see that it is tested"
_SKIPPED = "It passes on the base and is skipped with the change."


@dataclass(frozen=True, slots=True)
class FailingTest:
    """One test. status: how it ended, in a few words; message: what it said. as_pushed: whoever runs it at this head
    sees the same."""

    name: str
    status: str
    message: str = ""
    as_pushed: bool = True

    @property
    def origin(self) -> str:
        """What it is, where Bouncer wrote it."""
        return origin_of(self.name)


def contrary_tests(
    result: PullResult,
) -> tuple[FailingTest, ...]:
    """Those that it breaks, those of its own that it fails, those of the issue, of the reviewer and of a fix beside
    it; the most important first, each once."""
    patch, verified, claimed = result.facts.patch, result.facts.trial.verified, result.facts.trial.claimed
    decision = result.verdict.decision
    found = list(_of_patch(patch))
    if decision is not Decision.ACCEPT and not found:
        found += (FailingTest(each.name, _TOLD, each.message, as_pushed=False) for each in patch.only_tested)
    if decision is Decision.BOUNCE and not found:
        beside = (verified.original, verified.augmented_original) if verified else ()
        found += [_of(result) for run in beside if run for result in run.failing]
    if decision is not Decision.ACCEPT:
        found += [_of(result) for result in (claimed.failing if claimed else ())]
    found += [FailingTest(what, _STILL, as_pushed=False) for what in result.facts.trial.examples.still]
    return tuple(dict.fromkeys(found))


def _of_patch(patch: PatchEvidence) -> Iterator[FailingTest]:
    ran = patch.facts
    yield from (_broken(name, ran.head) for name in patch.regressions)
    own = {result.name: result for result in ran.own.results}
    yield from (_of(own[name]) if name in own else FailingTest(name, "failed") for name in patch.own_failing)
    yield from (_contradicted(each) for each in patch.contradictions if each.settled is Settled.OLD)


def _broken(name: str, head: TestRun) -> FailingTest:
    """A test of the base's that the change breaks: how it ends, or that it does not even begin, with the real cause."""
    result = next((each for each in head.results if each.name == name), None)
    if result is not None and result.status is TestStatus.SKIPPED:
        return FailingTest(name, "skipped", result.message or _SKIPPED)
    if result is not None:
        return _of(result)
    path = name.partition("::")[0]
    failed = next((each for each in head.failing if each.name.partition("::")[0] == path), None)
    whole = failed is not None and failed.status is TestStatus.ERROR and "::" not in failed.name
    return FailingTest(name, "deselected", failed.message if failed and whole else head.problem or _GONE)


def _contradicted(found: Contradiction) -> FailingTest:
    return FailingTest(found.test, "removed" if found.fate is Fate.REMOVED else "failed", found.message)


def _of(result: TestResult) -> FailingTest:
    return FailingTest(result.name, result.status.value, result.message)


def tests_apart(verified: Verified) -> Iterator[tuple[str, FailingTest]]:
    """Those that tell a change from a fix for it: which of the two fails each, and what its error is."""
    for original, fix in ((verified.original, verified.fix), (verified.augmented_original, verified.augmented_fix)):
        for side, run, other in (("as it is", original, fix), ("with the fix", fix, original)):
            elsewhere = {result.name for result in other.failing} if other else set()
            failing = (result for result in run.failing if result.name not in elsewhere) if run else ()
            yield from ((side, _of(replace(result, message=gist(result.message)))) for result in failing)


def origin_of(test: str) -> str:
    """What a test is that Bouncer made of somebody's words; empty for one of the repository."""
    return words.WRITTEN_TESTS.get(claimant_of(test), "")


def gist(message: str) -> str:
    """What pytest marks as the error in its report, else the report's end."""
    marked = [line[1:].removeprefix("   ") for line in message.splitlines() if line.startswith("E ")]
    return "\n".join(marked[:_LINES]) or message[-_CHARACTERS:]


def look_at(patch: PatchEvidence) -> list[tuple[str, tuple[str, ...]]]:
    """Each with a title; those of which there is none are left out."""
    apart = {
        "lost_kills": tuple(map(_lost, patch.lost_kills)),
        "unnoticed": patch.control.unnoticed if patch.control else (),
    }
    found = [(title, apart[sort] if sort in apart else getattr(patch, sort)) for sort, title in words.LOOK_AT.items()]
    return [(title, names) for title, names in found if names]


def _lost(found: LostKills) -> str:
    such = f", such as {found.lost[0]}" if found.lost else ""
    return f"{found.test}: {found.killed_now} instead of {found.killed}{such}"
