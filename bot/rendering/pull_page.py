"""A verdict as its page's values: what is told in words of its own, bounded, without anything invisible. All else is
taken from the result where it is shown. Names, messages and outputs come from strangers: they are escaped there."""

from dataclasses import asdict, dataclass, replace

from bot.judges.reviews import PatchReview
from bot.judges.steps import Attempt, Repair
from bot.plain_text import ELLIPSIS, count_of
from bot.pulls.result import PullResult, restored
from bot.rendering import words
from bot.rendering.escape import NAME, bound_evidence, lines, one_line
from bot.rendering.pull_findings import FailingTest, contrary_tests, look_at
from bot.rendering.pull_reasons import evidence_of, example_form, not_covered, reasons
from bot.rendering.rejection_view import control_words, counts, share
from bot.verdicts import Decision, Evidence, Usage, Verdict
from bot.verification.evidence import Case, Verified
from bot.verification.fix_guided.questions import from_answer
from bot.verification.patch_evidence import Contradiction, PatchEvidence, Settled, Turned
from bot.verification.values import TestRun

_CODE, _MESSAGE = 2_000, 4_000  # characters
_FAILING, _NAMES, _EVIDENCE = 40, 40, 100
_ATTEMPTS, _CONTRADICTED, _HOLES = 5, 10, 5
_FIRST = (Settled.OPEN, Settled.OLD, Settled.NEW)


@dataclass(frozen=True, slots=True)
class Cell:
    """What one run came to, e.g. `3 passed, 1 failed`. good: `None` where that says nothing of the change."""

    text: str
    good: bool | None = None


# Runs side by side: the columns, and what was run with a cell for each of them; `None` where it was not run.
Table = tuple[tuple[str, ...], tuple[tuple[str, tuple[Cell | None, ...]], ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """reasons: the first says the verdict in one sentence. more_failing: tests beyond those listed. turned: tests of
    its own that go from red to green, each with what its red is worth. contradictions: tests of the base that the
    change rewrites, renames or takes away, and that fail with it. attempts: at a fix, and whether it was chosen.
    facts: the small print, a name and a value each. uncovered: what nothing that ran speaks for; form: an example to be
    copied into the issue. look_at: what a person should look at, a title and names each. holes: examples of the issue
    that fixes by others meet, and the change does not. removed: the page is so old that all but the decision and its
    first reason is gone."""

    result: PullResult
    reasons: tuple[str, ...]
    tables: tuple[Table, ...]
    failing: tuple[FailingTest, ...]
    more_failing: int
    turned: tuple[tuple[str, str], ...]
    contradictions: tuple[dict[str, str], ...]
    attempts: tuple[tuple[Attempt, bool], ...]
    evidence: tuple[Evidence, ...]
    facts: tuple[tuple[str, str], ...]
    uncovered: tuple[str, ...]
    form: str
    look_at: tuple[tuple[str, tuple[str, ...]], ...]
    holes: tuple[dict[str, str], ...]
    removed: bool = False


def pull_page(result: str, decision: Decision, sentence: str) -> Page:
    """The page of a stored judgement. result: as `bot.pulls.result` wrote it; empty once it was removed, and only the
    decision and its first reason are left."""
    if result:
        return page_of(restored(result))
    return replace(page_of(PullResult(Verdict(decision, None, None, "", None, (sentence,)), "")), removed=True)


def page_of(result: PullResult) -> Page:
    """All there is to tell about one judged commit."""
    failing, facts = contrary_tests(result), result.facts
    review = facts.review
    clashes = sorted(facts.patch.contradictions, key=lambda each: _FIRST.index(each.settled))
    return Page(
        result=result,
        reasons=tuple(one_line(reason) for reason in reasons(result)[:_NAMES]),
        tables=run_tables(result),
        failing=tuple(map(_failed, failing[:_FAILING])),
        more_failing=max(0, len(failing) - _FAILING),
        turned=tuple(_turned(each, facts.patch) for each in facts.patch.turned[:_NAMES]),
        contradictions=tuple(map(_contradicted, clashes[:_CONTRADICTED])),
        attempts=_attempts(facts.trial.repair) if facts.trial.repair else (),
        evidence=tuple(
            bound_evidence(each)
            for each in [*dict.fromkeys((*evidence_of(result), *(review.evidence if review else ())))][:_EVIDENCE]
        ),
        facts=_facts(result),
        uncovered=tuple(one_line(said) for said in not_covered(result)[:_NAMES]),
        form=lines(example_form(result), _MESSAGE),
        look_at=tuple((title, bound_names(names)) for title, names in look_at(facts.patch)),
        holes=tuple(
            {key: one_line(told, NAME) for key, told in asdict(each).items()} for each in facts.trial.holes[:_HOLES]
        ),
    )


def bound_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """The first of them, and how many more there are."""
    more = len(names) - _NAMES
    shown = tuple(one_line(name, NAME) for name in names[:_NAMES])
    return (*shown, f"{ELLIPSIS} and {more} more") if more > 0 else shown


def run_tables(result: PullResult) -> tuple[Table, ...]:
    """What ran of a change, and beside a fix for it."""
    facts, verified = result.facts.patch.facts, result.facts.trial.verified
    tables = _table(
        ("without the change", "with it"),
        ("the tests of the base", facts.base, facts.head),
        ("the same, with its own configuration", None, facts.as_pushed),
        ("its own tests", facts.own_base, facts.own if facts.own_base or facts.own != facts.head else None),
        ("the issue's examples", result.facts.trial.examples.base, result.facts.trial.examples.head),
        ("the reviewer's counterexample", None, result.facts.trial.claimed),
    )
    return (*tables, *rejection_tables(verified)) if verified else tuple(tables)


def rejection_tables(verified: Verified) -> tuple[Table, ...]:
    """What ran of a change and of a fix for it. What maintainers answered is no test of the repository."""
    original, fix = verified.original, verified.fix
    return tuple(
        _table(
            ("the change as it is", "with a fix for it"),
            ("the tests", _part(original, answers=False), _part(fix, answers=False)),
            ("tests from a maintainer's answer", _part(original, answers=True), _part(fix, answers=True)),
            ("tests written from the issue", verified.augmented_original, verified.augmented_fix),
        )
    )


def _part(run: TestRun | None, *, answers: bool) -> TestRun | None:
    """Of a run its own tests, or those that maintainers' answers added; `None` for none of these."""
    if run is None:
        return None
    results = tuple(result for result in run.results if from_answer(result.name) is answers)
    also_passed = 0 if answers else run.also_passed
    return replace(run, results=results, also_passed=also_passed) if results or not answers else None


def _table(columns: tuple[str, str], *rows: tuple[str, TestRun | None, TestRun | None]) -> list[Table]:
    """Without the rows of which nothing was run; none when that are all."""
    ran = ((what, tuple(_cell(run) for run in runs)) for what, *runs in rows)
    shown = tuple((what, cells) for what, cells in ran if any(cells))
    return [(columns, shown)] if shown else []


def _cell(run: TestRun | None) -> Cell | None:
    if run is None or not (run.results or (run.problem and not run.unavailable)):
        return None  # why nothing could be run is a reason
    bad = run.failing or (run.problem and not run.unavailable)
    good = True if run.passed else False if bad else None
    took = f", {run.seconds:.1f} s" if run.seconds >= 0.05 else ""
    return Cell(one_line(counts(run)) + took, good)


def _failed(found: FailingTest) -> FailingTest:
    name = found.origin[:1].upper() + found.origin[1:] or one_line(found.name, NAME)
    return replace(found, name=name, message=lines(found.message, _MESSAGE))


def _turned(found: Turned, patch: PatchEvidence) -> tuple[str, str]:
    """A test of the change's own, and what its red on the base is worth."""
    staged = any(each.name == found.test for each in patch.only_tested)
    worth = "" if found.counts else "; that counts for nothing"
    how = words.REDS[found.red]
    return one_line(found.test, NAME), how + worth + (": it passes only while it is tested" if staged else "")


def _contradicted(found: Contradiction) -> dict[str, str]:
    return {
        "test": one_line(found.test, NAME),
        "fate": words.FATES[found.fate],
        "settled": words.SETTLED[found.settled],
        "now": one_line(found.now, NAME),
        "old": lines(found.old, _CODE),
        "new": lines(found.new, _CODE),
        "message": lines(found.message, _MESSAGE),
    }


def _attempts(repair: Repair) -> tuple[tuple[Attempt, bool], ...]:
    """The first ones, and the one that was chosen whichever it is."""
    every = ((at, each, at == repair.chosen) for at, each in enumerate(repair.attempts))
    return tuple((each, chosen) for at, each, chosen in every if chosen or at < _ATTEMPTS)


def _facts(result: PullResult) -> tuple[tuple[str, str], ...]:
    """The small print."""
    verdict, facts = result.verdict, result.facts
    verified, patch, review = facts.trial.verified, facts.patch, facts.review
    limits = verified.limits_enforced if verified else patch.facts.head.limits_enforced
    seconds = (verified.seconds if verified else 0.0) + patch.seconds
    control = patch.control
    named = (
        ("Base commit", result.base[:40]),
        ("Broken on purpose", one_line(control_words(control)) if control else ""),
        ("Reviewed by", one_line(verdict.judge, NAME) if verdict.label else ""),
        ("The reviewer would", words.opinion_words(verdict.label) if verdict.label else ""),
        ("The reviewer was asked for", words.MODES[review.mode] if review else ""),
        ("Its reasons", _consistency(review) if review else ""),
        ("Compared", _compared(verified) if verified else ""),
        ("Small defects noticed", _noticed(verified) if verified else ""),
        ("Ran in", one_line(verified.executor, NAME) if verified else ""),
        ("Limits enforced", ", ".join(limits)),
        ("Running took", f"{seconds:.1f} s" if seconds else ""),
        ("The judge took", usage_words(review.usage) if review else ""),
    )
    return tuple((name, value) for name, value in named if value)


def _consistency(review: PatchReview) -> str:
    if review.consistency is None:
        return ""
    return "match its verdict" if review.consistent else f"contradict its verdict ({review.consistency.value})"


def _compared(verified: Verified) -> str:
    compared = verified.differential
    if verified.case is Case.UNSEEN and not (compared and compared.calls):
        return "nothing beyond the tests"
    return count_of(len(compared.calls), "input") if compared and compared.calls else ""


def _noticed(verified: Verified) -> str:
    noticed = share(verified.strength)
    return "" if noticed is None or not verified.strength else f"{noticed:.0%} of {verified.strength.mutants}"


def usage_words(usage: Usage) -> str:
    """What models were asked; empty where none was."""
    if not usage.calls:
        return ""
    money = f", {usage.money:.2f}" if usage.money else ""
    return f"{count_of(usage.calls, 'call')}, {usage.tokens_in + usage.tokens_out:,} tokens{money}"
