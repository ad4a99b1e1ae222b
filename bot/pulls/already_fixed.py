"""Whether a pull request answers issues of something that is fixed already. Pure.

Only what ran counts against it, at the commit its branch left. FixedBench, section 2.5 and appendix A, says what may
change all the same: documentation, tests and comments.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.already_fixed.finding import FixFinding
from bot.already_fixed.script import script_to_paste
from bot.already_fixed.values import Run, Seen
from bot.pulls.facts import NeedlessChange
from bot.verdicts import Effect, Evidence, FixStatus


@dataclass(frozen=True, slots=True)
class SearchedIssue:
    """An issue that a pull request answers, and what was found about its fix."""

    number: int
    found: FixFinding


def may_be_unneeded(looked: tuple[SearchedIssue, ...]) -> bool:
    """Whether running showed of each of the issues that it is fixed; none of them came back after a fix."""
    return bool(looked) and all(each.found.executed and each.found.says_fixed for each in looked)


def unneeded(
    looked: tuple[SearchedIssue, ...], runs: Mapping[int, Mapping[str, Run]], base: str, *, leaves_code: bool
) -> NeedlessChange | None:
    """`None` unless each reproduction that proves the fix of one of the issues passes at the base, and nothing else
    that was found to run fails there as reported. runs: at the base, by issue and by the reproduction's name.
    leaves_code: as `bot.pulls.reading` has it."""
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
        shown=script_to_paste(proof),
        leaves_code=leaves_code,
    )


def evidence_of(found: NeedlessChange) -> tuple[Evidence, ...]:
    """What was run, and which commit did it."""
    ran = f"At the base, commit {found.base[:10]}, what {_names(found.issues)} shows was run, and it passes."
    by = f"Commit {found.commit[:10]} fixed it, as the search for the issue's fix showed." if found.commit else ""
    return tuple(Evidence("already_fixed", Effect.CLEAR, said) for said in (ran, by) if said)


def suspicion(looked: tuple[SearchedIssue, ...]) -> tuple[str, ...]:
    """What is worth knowing: issues that may be fixed, though nothing that ran says so."""
    return tuple(
        f"Issue {each.number} may be fixed already{f', by commit {fix.commit[:10]}' if fix else ''}: check whether a "
        "change is needed at all."
        for each in looked
        for fix in [each.found.fixed.fix]
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


def _names(issues: tuple[int, ...]) -> str:
    return f"issue {issues[0]}" if len(issues) == 1 else f"issues {', '.join(map(str, issues))}"
