"""A verdict as JSON: the command line's document."""

from collections.abc import Iterable
from typing import Any

from bot.plain_text import clean
from bot.rendering.tongue import spoken
from bot.verdicts import Evidence, Verdict


def issue_json(verdict: Verdict) -> dict[str, Any]:
    """Exactly the keys the command line promises. Texts are one line each, without anything invisible."""
    return {
        "verdict": verdict.decision.value,
        "label": verdict.label.value if verdict.label else None,
        "probability": None if verdict.probability is None else round(verdict.probability, 4),
        "judge": clean(verdict.judge, 100),
        "kind": verdict.kind.value if verdict.kind else None,
        "missing": [clean(line.section) or line.item.value for line in verdict.checklist if not line.clear],
        "questions": [clean(spoken(question)) for question in verdict.questions],
        "reasoning": clean(verdict.reasoning, 4_000),
        "evidence": evidence_json(verdict.evidence),
    }


def evidence_json(evidence: Iterable[Evidence]) -> list[dict[str, str]]:
    """What was observed, one line each."""
    return [
        {
            "check": found.check,
            "effect": found.effect.value,
            "found": clean(found.found),
            "quote": clean(found.quote),
            "where": clean(found.where),
        }
        for found in evidence
    ]
