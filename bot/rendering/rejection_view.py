"""What the filter found, as JSON and in words. What programs wrote is escaped here."""

from typing import Any

from bot.plain_text import clean, count_of
from bot.rendering import words
from bot.rendering.escape import fields_json
from bot.verification.evidence import Verified
from bot.verification.fix_guided.questions import VerificationQuestion
from bot.verification.patch_evidence import Control
from bot.verification.values import Difference, Observed, Strength, TestRun, TestStatus


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
        "heard": [fields_json(each, "judge call expected clause problem", 2000) for each in verified.heard],
        "question": {
            "id": question.id,
            "program": clean(question.program, 2000),
            "a": clean(outcome(question.a), 2000),
            "b": clean(outcome(question.b), 2000),
        }
        if question
        else None,
    }


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
    return what + words.after_call(seen.mutated).format(seen.mutated)


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
        "outside": compared.outside,
        "problem": compared.problem or None,
    }
