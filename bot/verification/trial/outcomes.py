"""One table of what ran: a row a test, a column a run. What a row says is a pure function of it, with an example each;
`tests/verification/trial/test_outcomes.yaml` has the whole table.

What needs more than how tests end stands beside it: the text of failures (`own.turned`), of tests (`contradictions`),
and calls made again (`replay`)."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from bot.verification.patch_evidence import PatchEvidence, PatchFacts, TestModules
from bot.verification.reasons import PYTEST, weigh, why_unjudged
from bot.verification.values import BAD, TestRun, TestStatus

_PASSED = TestStatus.PASSED


@dataclass(frozen=True, slots=True)
class Row:
    """How one test ended in each run; `None` where the run has it not.

    base, head: of the base's tests, without and with the change. own, again: of the change's own tests on its head, and
    once more where it was red. as_pushed: of the base's tests, as the change has them.
    """

    base: TestStatus | None = None
    head: TestStatus | None = None
    own: TestStatus | None = None
    again: TestStatus | None = None
    as_pushed: TestStatus | None = None

    @property
    def disagrees(self) -> bool:
        """Whether one run of it disagrees with itself: then nothing follows. base: passed, head: flaky."""
        return TestStatus.FLAKY in (self.base, self.head, self.own)

    def lost(self, *, whole: bool = True) -> bool:
        """Whether it passed, and no longer does with the change. base: passed, head: failed. whole: both runs came to
        their end, so that one that is not there, or skipped, is lost as well."""
        gone = whole and self.head in (None, TestStatus.SKIPPED)
        return self.base is _PASSED and not self.disagrees and (self.head in BAD or gone)

    @property
    def repaired(self) -> bool:
        """Whether it failed, and passes with the change. base: failed, head: passed."""
        return self.base in BAD and self.head is _PASSED and not self.disagrees

    @property
    def unlike(self) -> bool:
        """Whether it ends otherwise where the change's own settings steer it. head: passed, as_pushed: skipped. What is
        red on the base and green as pushed held nobody back, by renewed data for one; and what passes under a name that
        no other run has is called otherwise each time, as by the time of day."""
        renewed = self.base in BAD and self.as_pushed is _PASSED
        named_anew = self.head is _PASSED and self.base is self.as_pushed is None
        if self.head is None or renewed or named_anew or self.disagrees:
            return False
        return self.head is not self.as_pushed and not (self.head in BAD and self.as_pushed in BAD)

    @property
    def own_failing(self) -> bool:
        """Whether one of its own fails, and does so again. own: failed, again: failed."""
        return self.own in BAD and self.again is not _PASSED

    @property
    def unsteady(self) -> bool:
        """Whether one of its own ends in both ways. own: failed, again: passed; or own: passed, as_pushed: failed."""
        return (self.own in BAD and self.again is _PASSED) or (self.own is _PASSED and self.as_pushed in BAD)


def table(**runs: TestRun | None) -> Mapping[str, Row]:
    """The rows, by their tests' names. runs: by the name of their column."""
    columns = {column: {each.name: each.status for each in run.results} for column, run in runs.items() if run}
    names = dict.fromkeys(name for ended in columns.values() for name in ended)
    return {name: Row(**{column: ended[name] for column, ended in columns.items() if name in ended}) for name in names}


def lost(before: TestRun, after: TestRun) -> set[str]:
    """Tests that passed and no longer do. Where a run broke off, only what really failed in it."""
    whole = not (before.problem or after.problem)
    return {name for name, row in table(base=before, head=after).items() if row.lost(whole=whole)}


def failures(before: TestRun, after: TestRun) -> list[str]:
    """Tests that passed and fail, in their order."""
    return [name for name, row in table(base=before, head=after).items() if row.lost(whole=False)]


def both(first: TestRun, second: TestRun) -> TestRun:
    """The first run, with what the second one disagrees on marked flaky. A problem of either is one of both."""
    again = {result.name: result.status for result in second.results}

    def same(one: TestStatus, other: TestStatus | None) -> bool:
        return one is other or (one in BAD and other in BAD)

    results = [
        result
        if second.problem or same(result.status, again.get(result.name))
        else replace(
            result,
            status=TestStatus.FLAKY,
            message=f"{result.status.value} first, then {again.get(result.name, 'not there')} in another order",
        )
        for result in first.results
    ]
    return replace(
        first,
        results=tuple(results),
        seconds=round(first.seconds + second.seconds, 3),
        problem=first.problem or second.problem,
        unavailable=first.unavailable or second.unavailable,
    )


def judge_patch(found: PatchEvidence, altered: Collection[str] = ()) -> PatchEvidence:
    """The same with how the change stands. altered: see `TrialRun`."""
    facts = found.facts
    rows = table(base=facts.base, head=facts.head, own=facts.own)
    whole = not (facts.base.problem or facts.head.problem)
    gone = set() if facts.unavailable else {name for name, row in rows.items() if row.lost(whole=whole)}
    contradicted = {each.test for each in found.contradictions} & gone
    other = unlike(facts, altered)
    unread = _unread(gone, other, facts.head)
    excused = (gone - contradicted) & (other | unread) & (facts.as_pushed.passing.keys() if facts.as_pushed else set())
    said = replace(
        found,
        regressions=tuple(sorted(gone - contradicted - excused)),
        repaired=tuple(sorted(name for name, row in rows.items() if row.repaired)),
        contradictions=tuple(each for each in found.contradictions if each.test in contradicted),
        gone=why_unjudged(facts),
        unlike=tuple(sorted(other.union(found.unlike) - contradicted)),  # of which more is said
        modules=TestModules.of(facts.base, facts.head),
    )
    return weigh(said)


def unlike(facts: PatchFacts, altered: Collection[str]) -> set[str]:
    """Tests that the change left alone, and that end otherwise where its own configuration steers them. What pytest
    said of itself is no test: it comes and goes with how often pytest had to begin again."""
    if facts.as_pushed is None or facts.as_pushed.problem or facts.head.problem:
        return set()
    rows = table(base=facts.base, head=facts.head, own=facts.own, as_pushed=facts.as_pushed)
    return {name for name, row in rows.items() if row.unlike}.difference(altered, facts.as_pushed.late, [PYTEST])


def _unread(gone: Iterable[str], other: set[str], head: TestRun) -> set[str]:
    """Those of the lost tests whose file cannot be read, or built, beside the base's own; cargo runs nothing then."""
    ran = {result.name for result in head.results}
    unbuilt = any(name.endswith(".rs") for name in other & ran)
    return {name for name in gone if name.partition("::")[0] in other or (unbuilt and name not in ran)}
