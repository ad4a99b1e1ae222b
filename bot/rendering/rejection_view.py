"""What the filter found, for the terminal, as JSON and as Markdown. What programs wrote is escaped here."""

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from bot.plain_text import clean, count_of
from bot.rendering import words
from bot.rendering.escape import fields_json
from bot.rendering.issue_view import STYLES, panel
from bot.rendering.pull_findings import gist
from bot.verification.evidence import Verified
from bot.verification.patch_evidence import Control
from bot.verification.questions import VerificationQuestion
from bot.verification.values import Difference, Ending, Observed, Strength, TestRun, TestStatus

MOST, LINES = 5, 8  # failing tests that are shown of one run, and lines of each


def rejection_json(verified: Verified, question: VerificationQuestion | None = None) -> dict[str, Any]:
    """The document of `bouncer verify --json`; the first eight keys are promised, in this order."""
    found, strength = verified.difference, verified.strength
    return {
        "case": verified.case.value if verified.case else None,
        "verdict": verified.decision.value,
        "distinguishing_input": clean(found.call, 2000) if found else None,
        "tests": {
            "original": run_json(verified.original),
            "fix": run_json(verified.fix),
            "augmented_original": run_json(verified.augmented_original),
            "augmented_fix": run_json(verified.augmented_fix),
        },
        "strength": share(strength),
        "executor": verified.executor or None,
        "limits_enforced": list(verified.limits_enforced),
        "seconds": round(verified.seconds, 3),
        "reasons": list(verified.reasons),
        "difference": _difference_json(found) if found else None,
        "compared": _compared_json(verified),
        "mutants": {"tried": strength.mutants, **fields_json(strength, "killed complete tool")} if strength else None,
        "rounds": verified.rounds,
        "remarks": [],  # promised, though nothing is remarked on any more
        "question": {
            "id": question.id,
            "program": clean(question.program, 2000),
            "a": clean(outcome(question.a), 2000),
            "b": clean(outcome(question.b), 2000),
        }
        if question
        else None,
    }


def rejection_view(
    verified: Verified, *, notes: tuple[str, ...] = (), question: VerificationQuestion | None = None
) -> RenderableType:
    """For the terminal. notes: more lines in Bouncer's own words, such as what environment was detected."""
    style, ended = STYLES[verified.decision], words.OUTCOMES[verified.decision]
    case = words.CASES[verified.case] if verified.case else "nothing could be run"
    lines = [
        Text.assemble((verified.decision.value, f"bold {style}"), f"  {ended}: {case}"),
        *(Text(clean(reason)) for reason in verified.reasons),
    ]
    runs = _runs(verified)
    if runs:
        lines.append(Text())
    for name, run in runs:
        lines += _run_lines(name, run)
    if verified.difference:
        lines += [Text(), *_difference_lines(verified.difference)]
    if question:
        lines += [Text(), Text("Which is right? The answer becomes a test; add to the tests:"), *_tests(question)]
    lines += [Text(), Text(" · ".join(_facts(verified)), "dim"), *(Text(clean(note), "dim") for note in notes)]
    return panel(lines, "", style)


def counts(run: TestRun) -> str:
    """`3 passed, 1 failed`, or the problem."""
    if run.problem:
        return run.problem.rstrip(".")
    number = run.numbers
    return ", ".join(f"{number[status]} {status}" for status in TestStatus if number[status]) or "no tests"


def control_words(control: Control) -> str:
    """What the positive control came to, in a few words."""
    count = len(control.broken)
    proof = words.PROOFS[control.proof]
    return f"{count_of(count, 'function')}, {proof}" if count else proof


def control_json(control: Control | None) -> dict[str, Any] | None:
    """The positive control: what was broken on purpose, and what of it no test noticed."""
    return fields_json(control, "proof broken unnoticed why", 300) if control else None


def outcome(seen: Observed) -> str:
    """What a program did on one call, in words around the strangers' text."""
    what = words.ENDINGS[seen.ending].format(seen.value)
    return f"{what}, and leaves its arguments as {seen.mutated}" if seen.mutated else what


def _runs(verified: Verified) -> list[tuple[str, TestRun]]:
    named = (
        ("change", verified.original),
        ("fix", verified.fix),
        ("change, on the specification's tests", verified.augmented_original),
        ("fix, on the specification's tests", verified.augmented_fix),
    )
    # What never ran has nothing to show but its reason, which is said already.
    return [(name, run) for name, run in named if run and (run.results or not run.unavailable)]


def _run_lines(name: str, run: TestRun) -> list[Text]:
    mark = ("✓ ", "green") if run.passed else ("✗ ", "red") if run.failing or run.problem else ("○ ", "yellow")
    lines = [Text.assemble(mark, f"{name}: {counts(run)}")]
    for result in run.failing[:MOST]:
        # What setup printed is told by its end, a test's message by its error.
        told = result.message[-600:] if run.unavailable else gist(result.message)
        said = [line for line in told.splitlines() if line.strip()][:LINES]
        lines.append(Text(f"    {clean(result.name, 120)} {result.status}", "dim"))
        lines += [Text(f"        {clean(line, 200)}", "dim") for line in said]
    if len(run.failing) > MOST:
        lines.append(Text(f"    and {len(run.failing) - MOST} more", "dim"))
    return lines


def _difference_lines(found: Difference) -> list[Text]:
    lines = [Text.assemble(("≠ ", "magenta"), clean(found.call, 300))]
    for side, seen in (("change", found.original), ("fix", found.fix)):
        lines.append(Text(f"    {side} {clean(outcome(seen), 300)}"))
    if found.quote:
        lines.append(Text(f"    The specification says: “{clean(found.quote, 300)}”"))
    return lines


def _tests(question: VerificationQuestion) -> list[Text]:
    """What to add to the tests, one line for each outcome that can be right."""
    lines = []
    for seen in (question.a, question.b):
        if seen.ending is Ending.RETURNED:
            lines.append(f"assert {question.call} == {seen.value}")
        elif seen.ending is Ending.RAISED:
            lines.append(f"with pytest.raises({seen.value}): {question.call}")
    return [Text(f"    {clean(line, 300)}") for line in lines]


def _facts(verified: Verified) -> list[str]:
    """The small print."""
    facts = [f"{verified.seconds:.1f} s"]
    if verified.executor:
        facts.append(f"run by {verified.executor}")
    if verified.differential and verified.differential.calls:
        facts.append(f"{count_of(len(verified.differential.calls), 'input')} compared")
    noticed = share(verified.strength)
    if noticed is not None and verified.strength:
        facts.append(f"strength {noticed:.0%} of {count_of(verified.strength.mutants, 'mutant')}")
    if verified.limits_enforced:
        facts.append(f"enforced: {', '.join(verified.limits_enforced)}")
    return facts


def share(strength: Strength | None) -> float | None:
    """How much of the small defects was noticed, 0 to 1; `None` where that was not measured."""
    return None if strength is None or strength.share is None else round(strength.share, 3)


def run_json(run: TestRun | None) -> dict[str, Any] | None:
    """How many tests ended how, and those that failed."""
    if run is None:
        return None
    number = run.numbers
    return {
        **{status.value: number[status] for status in TestStatus},
        "problem": run.problem or None,
        "seconds": round(run.seconds, 3),
        "failing": [fields_json(result, "name status message", 1000) for result in run.failing[:50]],
    }


def _difference_json(found: Difference) -> dict[str, Any]:
    return {
        "original": clean(outcome(found.original), 2000),
        "fix": clean(outcome(found.fix), 2000),
        **fields_json(found, "generator favours why quote"),
    }


def _compared_json(verified: Verified) -> dict[str, Any] | None:
    compared = verified.differential
    if compared is None:
        return None
    return {
        "inputs": len(compared.calls),
        "differences": len(compared.differences),
        **fields_json(compared, "outside agreed"),
        "problem": compared.problem or None,
    }
