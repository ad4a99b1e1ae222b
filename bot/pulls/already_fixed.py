"""Whether a pull request answers issues of something that is fixed already, or leaves failing what they show. Pure.

Only what ran counts against it, at the commit its branch left: where a reproduction still fails there, something is to
be mended, whatever was found elsewhere, and the head has to mend it. FixedBench, section 2.5 and appendix A, says what
may change all the same: documentation, tests and comments.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from bot.already_fixed.decide import accuses, still_failing
from bot.already_fixed.finding import FixFinding
from bot.already_fixed.script import PROMPT, failure_of
from bot.already_fixed.values import Failure, Form, Reproduction, Run, Seen
from bot.changes.meaning import abstains
from bot.changes.values import Change
from bot.pulls.facts import NeedlessChange, ReproductionOutcome
from bot.pulls.reading import leaves_code
from bot.verdicts import Effect, Evidence, FixStatus
from bot.verification.syntax import parse

_LONGEST = 200  # characters of what came


@dataclass(frozen=True, slots=True)
class SearchedIssue:
    """An issue that a pull request answers, and what was found about its fix."""

    number: int
    found: FixFinding


def may_be_unneeded(looked: tuple[SearchedIssue, ...]) -> bool:
    """Whether running showed of each of the issues that it is fixed; none of them came back after a fix."""
    return bool(looked) and all(each.found.executed and each.found.says_fixed for each in looked)


def to_mend(found: FixFinding) -> tuple[Reproduction, ...]:
    """What still failed as reported when it was looked at, and is wrong by the report's own words; variants and what a
    model wrote count once they were seen to fail with the rest."""
    return tuple(trial.reproduction for trial in still_failing(found.fixed.trials))


def reproduced(looked: tuple[SearchedIssue, ...], runs: Mapping[int, Mapping[str, Run]]) -> ReproductionOutcome:
    """runs: at the head, by issue and by the reproduction's name, of what fails as reported where the branch left."""
    said: dict[Seen, list[str]] = {seen: [] for seen in Seen}
    shown = []
    for each in looked:
        for trial in still_failing(each.found.fixed.trials):
            one, run = trial.reproduction, runs.get(each.number, {}).get(trial.reproduction.name, Run(Seen.CANNOT_RUN))
            place = trial.head.place if trial.head else ""
            still = run.seen is Seen.AS_REPORTED and accuses(one, run, [place] if place else ())
            seen = Seen.OTHERWISE if run.seen is Seen.AS_REPORTED and not still else run.seen
            asked = still and one.expectation.right and "asks for" not in run.says
            but = ", and the report asks for something else" if asked else ""
            said[seen].append(f"issue {each.number}, {one.where}: {run.says}{but}")
            shown += [_pasted(one, f"Issue {each.number}, {one.where}. ", run.shown)] if still else []
    return ReproductionOutcome(
        still=tuple(said[Seen.AS_REPORTED]),
        mended=tuple(said[Seen.PASSES]),
        otherwise=tuple(said[Seen.OTHERWISE]),
        shown=next(iter(shown), ""),
    )


def unneeded(
    looked: tuple[SearchedIssue, ...], runs: Mapping[int, Mapping[str, Run]], change: Change, base: str
) -> NeedlessChange | None:
    """`None` unless each reproduction that proves the fix of one of the issues passes at the base, and nothing else
    that was found to run fails there as reported. runs: at the base, by issue and by the reproduction's name."""
    for each in looked:
        seen = {name: run.seen for name, run in runs.get(each.number, {}).items()}
        proving = [trial.reproduction.name for trial in each.found.fixed.trials if trial.proves]
        if not proving or any(seen.get(name) is not Seen.PASSES for name in proving):
            return None
        if Seen.AS_REPORTED in seen.values():
            return None
    first = looked[0].found
    best = first.fixed.fix
    proof = next(trial.reproduction for trial in first.fixed.trials if trial.proves)
    return NeedlessChange(
        issues=tuple(each.number for each in looked),
        base=base,
        commit=best.commit if best else "",
        released_in=first.fixed.released_in or "",
        shown=_pasted(proof),
        leaves_code=abstains(change) and leaves_code(change),  # what the paper ignores may still be code, or run it
    )


def evidence_of(found: NeedlessChange) -> tuple[Evidence, ...]:
    """What was run, and which commit did it."""
    ran = f"At the base, commit {found.base[:10]}, what {_names(found.issues)} shows was run, and it passes."
    by = f"Commit {found.commit[:10]} fixed it, as the search for the issue's fix showed." if found.commit else ""
    return tuple(Evidence("already_fixed", Effect.CLEAR, said) for said in (ran, by) if said)


def suspicion(looked: tuple[SearchedIssue, ...]) -> tuple[str, ...]:
    """What is worth knowing: issues that may be fixed, though nothing that ran says so."""
    return tuple(
        f"Issue {each.number} may be fixed already{_by(each.found)}: check whether a change is needed at all."
        for each in looked
        if each.found.fixed.status is FixStatus.POSSIBLY_FIXED and each.found.says_fixed
    )


def fixed_elsewhere(looked: tuple[SearchedIssue, ...], runs: Mapping[int, Mapping[str, Run]]) -> str:
    """What to look at where it is fixed at another commit than the base. runs: at the base, as for `unneeded`."""
    named = _names(tuple(each.number for each in looked))
    seen = {run.seen for each in looked for run in runs.get(each.number, {}).values()}
    if Seen.AS_REPORTED in seen:
        return f"What {named} reports still fails where this branch started. The default branch has a fix."
    head = looked[0].found.head[:10]
    return f"What {named} reports passes at commit {head}; where this branch started, it could not be shown to pass."


def _pasted(one: Reproduction, whose: str = "", came: str = "") -> str:
    """As a file, which shows what a prompt would, or as a line for a shell; below what the report says of it and what
    came."""
    echoed = one.form is Form.SESSION and one.expectation.failure is Failure.PRINTS
    lines = [_echoed(step) for step in one.steps] if echoed else [one.code]
    if one.form is Form.COMMAND:
        files = (line for name, text in one.files for line in (f"{name}:", *text.splitlines()))
        lines = [*(f"# {line}" for line in files), f"{PROMPT}{one.code}"]
    remarks = [f"# {whose}While the bug exists, it {failure_of(one)}."]
    remarks += [f"# At this head it gave: {came.strip()[:_LONGEST]!a}"] if came.strip() else []
    return "\n".join((*remarks, *(line.rstrip("\n") for line in lines))) + "\n"


def _echoed(statement: str) -> str:
    """A statement as a prompt runs it: of an expression its value is shown."""
    try:
        body = parse(statement).body
        value = ast.unparse(body[0]) if len(body) == 1 and isinstance(body[0], ast.Expr) else ""
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return statement
    return f"print(repr({value}))" if value and not value.startswith("print(") else statement


def _by(found: FixFinding) -> str:
    return f", by commit {found.fixed.fix.commit[:10]}" if found.fixed.fix else ""


def _names(issues: tuple[int, ...]) -> str:
    return f"issue {issues[0]}" if len(issues) == 1 else f"issues {', '.join(map(str, issues))}"
