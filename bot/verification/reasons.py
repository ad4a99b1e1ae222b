"""What speaks against a change, what keeps it open and what speaks for it, as plain sentences, and how it stands by
them. Pure."""

from collections.abc import Mapping
from dataclasses import replace

from bot.verification.patch_evidence import PatchEvidence, PatchFacts, Standing
from bot.verification.testing.witnesses import LEFT_OUT
from bot.verification.trial.times import out_of_time, spent_by_base
from bot.verification.values import TestRun

PYTEST = "pytest"  # the name under which a run has what pytest said when it gave up
KEPT = "Every test that passes without the change passes with it."
_GIST = 200  # characters of what pytest said
_TOO_SLOW = "The base's tests take longer than allowed: raise the policy's `verify.timeout`."


def weigh(said: PatchEvidence) -> PatchEvidence:
    """The same, with its standing and reasons by all the rest of it."""
    against, open_, for_ = _reasons(said)
    late = _picked(count_sentences(said), "only_tested")
    standing = Standing.IMPLAUSIBLE if against else Standing.OPEN if open_ else Standing.PLAUSIBLE
    return replace(said, standing=standing, reasons=(*against, *open_, *late, *for_))


def count_sentences(said: PatchEvidence) -> dict[str, str]:
    """The sentence of each field of the evidence that names tests, by the field's name."""
    counts = {
        "regressions": (said.regressions, "{} {pass} without the change and no longer with it."),
        "own_failing": (said.own_failing, "{} that the change adds or edits {fail} with it."),
        "contradictions": (
            said.contradictions,
            "{} that the change edits or removes no longer {pass} in the old version.",
        ),
        "alike": (said.alike, "{} that the change adds or edits {fail} as others do without it."),
        "unsteady": (said.unsteady, "{} sometimes {fail} with the change, and never without it."),
        "unlike": (said.unlike, "{} {end} differently with the change's own settings or helpers."),
        "only_tested": (said.only_tested, "{} {pass} only while it is tested."),
        "repaired": (said.repaired, "{} {fail} without the change and {pass} with it."),
        "turned": ([each for each in said.turned if each.counts], "{} of its own {go} from red to green."),
    }
    verbs = {"pass": "passes", "fail": "fails", "end": "ends", "go": "goes"}
    many = {verb: verb for verb in verbs}
    return {
        field: says.format("1 test", **verbs) if len(found) == 1 else says.format(f"{len(found)} tests", **many)
        for field, (found, says) in counts.items()
        if found
    }


def why_unjudged(facts: PatchFacts) -> str:
    """Why this head cannot be judged though its base can; empty where it can."""
    base_can = not facts.base.problem and bool(facts.base.passing)
    if not base_can or facts.unavailable or spent_by_base(facts):
        return ""
    if facts.head.problem:
        return _cut_short("With the change, the base's tests", facts.head)
    if not facts.head.results:
        return "With the change, none of the base's tests is found any more."
    if facts.own.problem:
        return _cut_short("On its own head, its own tests", facts.own)
    if facts.as_pushed and facts.as_pushed.problem and not facts.as_pushed.unavailable:
        return _cut_short("With its own configuration, the tests", facts.as_pushed)
    return ""


def _cut_short(which: str, run: TestRun) -> str:
    if run.problem.startswith(LEFT_OUT):
        return f"{which} are not all run: {run.problem}."
    return f"{which} do not finish: {_broke_off(run)}."


def _broke_off(run: TestRun) -> str:
    """Why the tests did not come to their end, with what pytest itself said of it, a stranger's words, as one line."""
    said = next((result.message for result in run.results if result.name == PYTEST), "")
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    raised = [line.removeprefix("E").strip() for line in lines if line.startswith("E  ")]
    line = next(reversed(raised), "") or next((line for line in lines if "rror" in line), "")
    shown = " ".join("".join(each if each.isprintable() else " " for each in line).split())
    return f"{run.problem}: {shown[:_GIST].rstrip('.')}" if shown else run.problem


def _reasons(said: PatchEvidence) -> tuple[list[str], list[str], list[str]]:
    """What speaks against the change, what keeps it open, and what speaks for it."""
    facts, sentences = said.facts, count_sentences(said)
    if unavailable := facts.unavailable:
        return [], [unavailable.problem or "The tests could not be run."], []
    against, open_, for_ = _picked(sentences, "regressions", "own_failing"), [], []
    if said.gone:
        open_.append(said.gone)
    elif facts.base.problem or facts.head.problem:
        late = out_of_time(facts.base) or not facts.base.problem
        ended = f"The base's tests do not finish, without the change either: {_broke_off(facts.base)}."
        open_.append(_TOO_SLOW if late else ended)
    elif not facts.base.passing:
        open_.append("No test passes without the change, so none can show what it breaks.")
    elif not (said.regressions or said.contradictions or said.unlike or said.unsteady):
        for_.append(KEPT)
    open_ += _picked(sentences, "contradictions", "alike", "unsteady", "unlike")
    return against, open_, [*for_, *_picked(sentences, "repaired", "turned")]


def _picked(sentences: Mapping[str, str], *fields: str) -> list[str]:
    return [sentences[field] for field in fields if field in sentences]
