"""A verdict as its page's values. Everything is bounded and made visible here; it is escaped where it is shown."""

from dataclasses import replace

from bot.judges.agent.code_tools import CodeCall
from bot.judges.claims import Claim, ClaimKind
from bot.judges.reviews import PatchReview
from bot.judges.steps import Attempt, Repair
from bot.plain_text import ELLIPSIS, count_of
from bot.pulls.result import PullResult, restored
from bot.rendering import words
from bot.rendering.escape import LINE, NAME, bound_evidence, lines, one_line
from bot.rendering.page_values import (
    Cell,
    ContradictedTest,
    DistinguishingInput,
    Page,
    PageAttempt,
    Table,
)
from bot.rendering.pull_findings import FailingTest, contrary_tests, look_at
from bot.rendering.pull_reasons import evidence_of, example_form, not_covered, reasons
from bot.rendering.rejection_view import control_words, counts, outcome
from bot.verdicts import Decision, Evidence, Usage
from bot.verification.patch_evidence import Contradiction, PatchEvidence, Turned
from bot.verification.values import Difference, TestRun
from bot.verification.verified import Verified

# Together about a megabyte at the very most.
_CODE = 2_000  # characters
_MESSAGE = 4_000
_FILE = 20_000
_DIFF = 40_000
_FAILING, _NAMES, _CLAIMS, _LOOKUPS, _EVIDENCE = 40, 40, 20, 40, 100
_ATTEMPTS, _STEPS, _FILES, _CONTRADICTED = 5, 40, 10, 10

_KINDS = {
    ClaimKind.WRONG_OUTPUT: "wrong output",
    ClaimKind.CRASH: "crash",
    ClaimKind.MISSING_REQUIREMENT: "missing requirement",
    ClaimKind.BREAKS_BEHAVIOUR: "breaks what worked",
    ClaimKind.INCOMPLETE: "incomplete",
    ClaimKind.UNRELATED_CHANGE: "unrelated change",
    ClaimKind.RISK: "risk",
}


def pull_page(result: str, decision: Decision, sentence: str) -> Page:
    """The page of a stored judgement. result: as `bot.pulls.result` wrote it; empty once it was removed, and only the
    decision and its first reason are left."""
    return page_of(restored(result)) if result else Page(decision=decision, reasons=(sentence,), removed=True)


def page_of(result: PullResult) -> Page:
    """All there is to tell about one judged commit."""
    failing, verdict, facts = contrary_tests(result), result.verdict, result.facts
    patch, review, repair, verified = facts.patch, facts.review, facts.repair, facts.filtered
    strength = facts.strength or (verified.strength if verified else None)
    difference = verified.difference if verified else None
    return Page(
        decision=verdict.decision,
        cause=verdict.cause,
        reasons=tuple(one_line(reason, LINE) for reason in reasons(result)[:_NAMES]),
        agent=one_line(result.agent, LINE),
        asked=one_line(result.asked, LINE),
        symptom=one_line(review.symptom, LINE) if review else "",
        guess=one_line(review.guess, LINE) if review else "",
        rationale=lines(review.rationale, _MESSAGE) if review else "",
        tables=_tables(result),
        failing=tuple(_failed(result) for result in failing[:_FAILING]),
        more_failing=max(0, len(failing) - _FAILING),
        turned=tuple(_turned(each, patch) for each in patch.turned[:_NAMES]) if patch else (),
        hunks=tuple((one_line(each.where, NAME), each.bears) for each in patch.hunks[:_NAMES]) if patch else (),
        contradictions=tuple(map(_contradicted, patch.contradictions[:_CONTRADICTED])) if patch else (),
        repaired=_names(patch.repaired) if patch else (),
        rewritten=_names(patch.rewritten) if patch else (),
        difference=_distinguished(difference) if difference else None,
        claims=tuple(map(_claimed, review.claims[:_CLAIMS])) if review else (),
        lookups=tuple(map(_looked_up, review.calls[:_LOOKUPS])) if review else (),
        attempts=_attempts(repair) if repair else (),
        no_fix=one_line(repair.problem, LINE) if repair else "",
        strength=replace(strength, missed=_names(strength.missed)) if strength and strength.mutants else None,
        evidence=tuple(map(bound_evidence, _evidence(result)[:_EVIDENCE])),
        facts=_facts(result),
        uncovered=tuple(one_line(said, LINE) for said in not_covered(result)[:_NAMES]),
        form=lines(example_form(result), _MESSAGE),
        look_at=tuple((title, _names(names)) for title, names in look_at(patch)),
        diff=tuple((one_line(path, NAME), lines(text, _DIFF)) for path, text in result.diff[:_NAMES]),
    )


def _names(names: tuple[str, ...]) -> tuple[str, ...]:
    more = len(names) - _NAMES
    shown = tuple(one_line(name, NAME) for name in names[:_NAMES])
    return (*shown, f"{ELLIPSIS} and {more} more") if more > 0 else shown


def _tables(result: PullResult) -> tuple[Table, ...]:
    patch, verified = result.facts.patch, result.facts.filtered
    tables = []
    if patch:
        facts = patch.facts
        tables += _table(
            ("without the change", "with it"),
            ("the tests of the base", facts.base, facts.head),
            ("the same, with its own configuration", None, facts.as_pushed),
            ("its own tests", facts.own_base, facts.own if facts.own_base or facts.own != facts.head else None),
            ("the issue's examples", result.facts.reproduced.base, result.facts.reproduced.head),
            ("the reviewer's counterexample", None, result.facts.claimed),
        )
    if verified:
        tables += _table(
            ("the change as it is", "with a fix for it"),
            ("the tests", verified.original, verified.fix),
            ("tests written from the issue", verified.augmented_original, verified.augmented_fix),
        )
    return tuple(tables)


def _table(columns: tuple[str, str], *rows: tuple[str, TestRun | None, TestRun | None]) -> list[Table]:
    """Without the rows of which nothing was run; none when that are all."""
    ran = ((what, tuple(_cell(run) for run in runs)) for what, *runs in rows)
    shown = tuple((what, cells) for what, cells in ran if any(cells))
    return [Table(columns, shown)] if shown else []


def _cell(run: TestRun | None) -> Cell | None:
    if run is None or (not run.results and not run.problem):
        return None
    bad = run.failing or (run.problem and not run.unavailable)
    good = True if run.passed else False if bad else None
    took = f", {run.seconds:.1f} s" if run.seconds >= 0.05 else ""
    return Cell(one_line(counts(run), LINE) + took, good)


def _failed(found: FailingTest) -> FailingTest:
    name = found.origin[:1].upper() + found.origin[1:] or one_line(found.name, NAME)
    return replace(found, name=name, message=lines(found.message, _MESSAGE))


def _turned(found: Turned, patch: PatchEvidence) -> tuple[str, str]:
    """A test of the change's own, and what its red on the base is worth."""
    staged = any(each.name == found.test for each in patch.only_tested)
    worth = "" if found.counts else "; that counts for nothing"
    how = words.REDS[found.red]
    name = f" ({one_line(found.missing, NAME)})" if found.missing else ""
    return one_line(found.test, NAME), how + name + worth + (": it passes only while it is tested" if staged else "")


def _contradicted(found: Contradiction) -> ContradictedTest:
    return ContradictedTest(
        test=one_line(found.test, NAME),
        fate=words.FATES[found.fate],
        settled=words.SETTLED[found.settled],
        now=one_line(found.now, NAME),
        old=lines(found.old, _CODE),
        new=lines(found.new, _CODE),
        message=lines(found.message, _MESSAGE),
    )


def _distinguished(found: Difference) -> DistinguishingInput:
    sides = (
        ("the change as it is", lines(outcome(found.original), _CODE)),
        ("with a fix for it", lines(outcome(found.fix), _CODE)),
    )
    return DistinguishingInput(lines(found.call, _CODE), sides, one_line(found.why, LINE), one_line(found.quote, LINE))


def _claimed(claim: Claim) -> tuple[str, Claim]:
    example = claim.counterexample
    if example:
        example = replace(example, what=lines(example.what, _CODE), expected=lines(example.expected, _CODE))
    symptom, quote, guess = (one_line(text, LINE) for text in (claim.symptom, claim.quote, claim.guess))
    return _KINDS[claim.kind], replace(claim, symptom=symptom, quote=quote, guess=guess, counterexample=example)


def _looked_up(call: CodeCall) -> CodeCall:
    tool, arguments, refused = (one_line(text, NAME) for text in (call.tool, call.arguments, call.refused))
    return CodeCall(tool, arguments, lines(call.output, _CODE), refused)


def _attempts(repair: Repair) -> tuple[PageAttempt, ...]:
    """The first ones, and the one that was chosen whichever it is."""
    kept = [at for at in range(len(repair.attempts)) if at < _ATTEMPTS or at == repair.chosen]
    return tuple(_page_attempt(repair.attempts[at], chosen=at == repair.chosen) for at in kept)


def _page_attempt(attempt: Attempt, *, chosen: bool) -> PageAttempt:
    steps = tuple(
        replace(
            step,
            command=one_line(step.command, NAME),
            argument=one_line(step.argument, NAME),
            output=lines(step.output, _CODE),
        )
        for step in attempt.steps[:_STEPS]
    )
    files = list(attempt.files.items())[:_FILES] if chosen else []
    shown = tuple((one_line(path, NAME), lines(content, _FILE)) for path, content in files)
    return PageAttempt(replace(attempt, why=one_line(attempt.why, LINE), steps=steps, files={}), chosen, shown)


def _evidence(result: PullResult) -> tuple[Evidence, ...]:
    review = result.facts.review
    return tuple(dict.fromkeys((*evidence_of(result), *(review.evidence if review else ()))))


def _facts(result: PullResult) -> tuple[tuple[str, str], ...]:
    """The small print."""
    verdict, facts = result.verdict, result.facts
    verified, patch, review = facts.filtered, facts.patch, facts.review
    limits = verified.limits_enforced if verified else patch.facts.head.limits_enforced if patch else ()
    seconds = (verified.seconds if verified else 0.0) + (patch.seconds if patch else 0.0)
    control = patch.control if patch else None
    named = (
        ("Base commit", result.base[:40]),
        ("Broken on purpose", one_line(control_words(control), LINE) if control else ""),
        ("Reviewed by", one_line(verdict.judge, NAME) if verdict.label else ""),
        ("The reviewer would", words.opinion_words(verdict.label) if verdict.label else ""),
        ("The reviewer was asked for", words.MODES[review.mode] if review else ""),
        ("Its reasons", _consistency(review) if review else ""),
        ("Compared", _compared(verified) if verified else ""),
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
    return count_of(len(compared.calls), "input") if compared and compared.calls else ""


def usage_words(usage: Usage) -> str:
    """What models were asked; empty where none was."""
    if not usage.calls:
        return ""
    money = f", {usage.money:.2f}" if usage.money else ""
    return f"{count_of(usage.calls, 'call')}, {usage.tokens_in + usage.tokens_out:,} tokens{money}"
