"""The parts of Bouncer's one comment about a report that may be fixed already, and the brief for coding agents."""

from datetime import datetime

from bot.already_fixed.decide import going_wrong
from bot.already_fixed.finding import FixFinding
from bot.already_fixed.guess import LEAST, doubts, rank
from bot.already_fixed.script import shown
from bot.already_fixed.values import Fixed, Reproduction, Seen, Trial
from bot.history.values import Candidate
from bot.issues.instructions import without_instructions
from bot.rendering import words
from bot.rendering.comment import render
from bot.rendering.suggestions import pasteable
from bot.reports import Report
from bot.verdicts import FixStatus, Item

MOST_SHOWN = 3  # reproductions in full, candidates and places
_LONGEST = 4_000  # characters of one reproduction; GitHub takes 65,536 for the whole comment
_TOLD = (Item.GOAL, Item.OBSERVED, Item.EXPECTED, Item.ERROR, Item.STEPS, Item.DETAILS, Item.VERSION)


def fix_part(found: FixFinding, *, close_at: datetime | None = None, stays_open: bool = False) -> str:
    """What is said on the issue; empty where there is nothing to say. close_at: when it will be closed, in UTC.
    stays_open: it was going to be, and is not any more."""
    fixed = found.fixed
    if not found.speaks:
        return ""
    partly = fixed.status is FixStatus.PARTIALLY_FIXED
    mended = [trial for trial in fixed.trials if trial.proves and _passes(trial)]
    proof = list(going_wrong(fixed.trials, mended)) if partly else mended
    told = proof or list(fixed.trials[:1])
    best = fixed.fix
    named = [best] if best else []  # whoever wants to know of the others asks for them
    said = {*map(_sentence, told), *(why for each in named for why in each.why)}
    aside = [each for each in dict.fromkeys((*fixed.reasons, *map(_sentence, fixed.trials))) if each not in said]
    doubted = bool(proof) and fixed.status is FixStatus.POSSIBLY_FIXED and not found.regression
    left_open = [each for each in aside if each in fixed.reasons][:MOST_SHOWN] if doubted else []
    return render(
        "fixed",
        found=found,
        causal=_causal(fixed, best),
        ran=bool(proof),
        changed=any(trial.failed_before and not _passes(trial) for trial in fixed.trials),
        left_open=left_open,
        proof=told,
        close_on=close_at.date().isoformat() if close_at else "",
        stays_open=stays_open,
        reasons=[each for each in aside if each not in left_open],
        code_of=_code,
    )


def _passes(trial: Trial) -> bool:
    return trial.head is not None and trial.head.seen is Seen.PASSES


def _sentence(trial: Trial) -> str:
    where = trial.reproduction.where
    return f"{where[:1].upper()}{where[1:]}: {trial.says}"


def search_note(found: FixFinding, *, told: bool = False) -> str:
    """Answers somebody who asked for a look: what came of it, and what history ranks, each with its place and doubts;
    of what fails still, no fix. told: what came of it stands in the one comment."""
    fixed = found.fixed
    ranked = () if fixed.status is FixStatus.STILL_PRESENT else _ranked(fixed)
    return render("fixed_looked", found=found, told=told, ranked=ranked)


def _ranked(fixed: Fixed) -> tuple[tuple[int, Candidate, tuple[str, ...]], ...]:
    """The best that were not proved, each with its place and what speaks against it."""
    standing = ((rank(each, fixed.candidates), each) for each in fixed.candidates if each.commit != fixed.fixed_by)
    among = [(place, each) for place, each in standing if 0 < place <= MOST_SHOWN and each.score >= LEAST]
    return tuple((place, each, doubts(each, fixed.candidates, fixed.commits)) for place, each in among)


def brief(report: Report, found: FixFinding | None, given: tuple[Reproduction, ...] = ()) -> str:
    """What a coding agent needs before it begins. found: what came of looking for a fix, if anybody looked. given: what
    the report shows to run, where nothing was run yet. Orders to whoever reads a report are left out: an agent reads
    this."""
    quotes = [(words.ITEMS[item], _quiet(quote)) for item in _TOLD if (quote := report.items.get(item))]
    reproductions = (found.reproductions if found else ()) or given
    says = {trial.reproduction.name: trial.says for trial in found.fixed.trials} if found else {}
    kept = [each for each in reproductions[:MOST_SHOWN] if _code(each)]
    return render(
        "brief",
        title=_quiet(report.visible_title),
        asked=[(what, quote) for what, quote in quotes if quote],
        reproductions=kept,
        says=says,
        more=len(reproductions) - len(kept),
        found=found,
        code_of=_code,
    )


def _causal(fixed: Fixed, fix: Candidate | None) -> bool:
    """Whether a reproduction fails again without the commit."""
    return fix is not None and any(
        trial.without_fix and trial.without_fix.seen is Seen.AS_REPORTED and trial.fix == fix.commit
        for trial in fixed.trials
    )


def _code(reproduction: Reproduction) -> str:
    return pasteable(shown(reproduction), _LONGEST).strip("\n")


def _quiet(text: str) -> str:
    return without_instructions(text)[0].strip()
