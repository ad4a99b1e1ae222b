"""Why a pull request's verdict is what it is, in sentences, and what else the reader should know. The sentences are in
`templates/pull_reasons.j2`, a macro each. Names in them are strangers': they are escaped where they are shown."""

from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

from bot.judges.code import BlindAnswer
from bot.pulls.decide import PullGround
from bot.pulls.facts import PullFacts
from bot.pulls.outcomes import refuted, settled, unproved
from bot.pulls.result import MERGED, PullResult
from bot.pulls.statements import CLAIMS
from bot.rendering import words
from bot.rendering.comment import template
from bot.rendering.pull_findings import gist
from bot.verdicts import Decision, Effect, Evidence, Verdict
from bot.verification.patch_evidence import Contradiction, PatchEvidence, Settled
from bot.verification.reasons import KEPT, count_sentences

BLIND = "blind_judge"  # evidence of what one said


def reasons(result: PullResult) -> tuple[str, ...]:
    """Plain sentences, the most important first; the first says what decided. A verdict on a review bot's rejection
    follows from no rule and brings them along."""
    if not result.verdict.ground:
        return result.verdict.reasons
    first = _say(PullGround(result.verdict.ground).name.lower(), result.facts)
    merged = _say("of_merged", result.facts) if result.verdict.judge == MERGED else ""
    return tuple(dict.fromkeys(each for each in (first, merged, *_beside(result, first)) if each))


def verdict_with_reasons(result: PullResult) -> Verdict:
    """The verdict with its sentences, for records that say what people were told then."""
    return replace(result.verdict, reasons=reasons(result), uncovered=not_covered(result))


def not_covered(result: PullResult) -> tuple[str, ...]:
    """What nothing that ran speaks for, as sentences."""
    verdict, facts = result.verdict, result.facts
    if not verdict.ground:
        return verdict.uncovered
    ran = _lines("not_covered", facts, verdict.ground)
    return (*_lines("unsaid", facts), *(ran if ran or not facts.trial.patch else _lines("unasked", facts)))


def evidence_of(result: PullResult) -> tuple[Evidence, ...]:
    """What was found, with what blind judges said of inputs, and with what sort of rejection execution refuted."""
    trial = result.facts.trial
    heard = Counter((*trial.heard, *(trial.verified.heard if trial.verified else ())))
    evidence = (*result.verdict.evidence, *(_blind(*each) for each in heard.items()))
    named = trial.named
    if named is None or not result.verdict.ground:
        return evidence
    sort = words.REJECTIONS[named.rejection]
    found = f"Running the code refuted the rejection. {named.judge} names its kind: {sort}."
    return (*evidence, Evidence("refuted_rejection", Effect.CLEAR, found))


def _blind(answer: BlindAnswer, times: int) -> Evidence:
    """What a judge said who saw the issue and an input alone. times: how often it was asked and said so."""
    demand = answer.expected if answer.expected.startswith("raises ") else f"gives {answer.expected}"
    said = f"{answer.call} {demand}: {answer.clause}" if answer.expected else answer.call
    return Evidence(BLIND, Effect.NEUTRAL, _say("blind", answer, times), said)


def example_form(result: PullResult) -> str:
    """An example to be copied, where nothing shows that the change answers its issue."""
    return "" if result.verdict.decision is Decision.ACCEPT else result.facts.trial.examples.form


def _beside(result: PullResult, first: str) -> tuple[str, ...]:
    """What else the reader should know, whatever decided. No numbers of tests: where they count, they are listed."""
    facts, verified = result.facts, result.facts.trial.verified
    ran = (*(verified.reasons if verified else ()), *facts.patch.reasons)
    listed = {*count_sentences(facts.patch).values(), KEPT if "Nothing broke" in first else ""}
    return (
        _say("lifted", facts),
        *facts.risks,
        _say("opinion", facts) if result.verdict.decision is Decision.ACCEPT else "",
        *(each for each in ran if each not in listed),
        _say("settled_for_it", facts),
        *(_say("mended", what) for what in facts.trial.examples.mended),
        *(_say("otherwise", what) for what in facts.trial.examples.otherwise),
        *facts.remarks,
    )


def _lines(sentences: str, *about: Any) -> tuple[str, ...]:
    return tuple(line.strip() for line in _say(sentences, *about).split("\n") if line)


def _say(sentence: str, *about: Any) -> str:
    """The sentence of this name; empty where it has nothing to say."""
    return str(getattr(_sentences(), sentence)(*about)).strip()


@cache
def _sentences() -> Any:
    asked = {"refuted": refuted, "is_unproved": unproved, "settled": _settled, "first_cause": _first_cause}
    return template("pull_reasons.j2", claimed=CLAIMS, **asked).module


def _settled(facts: PullFacts, by: str) -> tuple[Contradiction, ...]:
    return settled(facts, Settled(by))


def _first_cause(patch: PatchEvidence) -> str:
    """What the first of the base's test modules that do not run says at its end."""
    said = {each.name.partition("::")[0]: each.message for each in reversed(patch.facts.base.failing)}
    told = next((gist(said[each]).strip() for each in patch.modules.unread if said.get(each)), "").splitlines()
    return told[-1] if told else ""
