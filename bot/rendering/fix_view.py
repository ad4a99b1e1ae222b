"""Whether a report is fixed already, for the terminal and as JSON. What strangers wrote is cleaned here."""

from collections.abc import Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from bot.already_fixed.guess import LEAST, doubts, rank
from bot.already_fixed.script import shown
from bot.already_fixed.values import Fixed, Run, Seen, Trial
from bot.history.values import Candidate, Searched
from bot.plain_text import clean
from bot.rendering.escape import fields_json
from bot.rendering.issue_view import panel, runs_table
from bot.rendering.words import SEEN_WORDS, STATUS_WORDS
from bot.verdicts import FixStatus

_STYLES = {
    FixStatus.STILL_PRESENT: "red",
    FixStatus.PARTIALLY_FIXED: "yellow",
    FixStatus.ALREADY_FIXED: "green",
    FixStatus.POSSIBLY_FIXED: "cyan",
    FixStatus.UNKNOWN: "magenta",
}
_SEEN_STYLES = {
    Seen.AS_REPORTED: "red",
    Seen.PASSES: "green",
    Seen.OTHERWISE: "yellow",
    Seen.CANNOT_RUN: "dim",
    Seen.FLAKY: "magenta",
}
_MOST = 3  # candidates that are shown
_LINES = 25  # of a reproduction


def fix_json(
    fixed: Fixed,
    searched: Searched,
    *,
    head: str = "",
    reported: str | None = None,
    executed: bool = False,
    lacking: str = "",
) -> dict[str, Any]:
    """The document of `bouncer fixed --json`; the first five keys are promised, in this order.

    head, reported: full SHAs. executed: whether anything was to be run. lacking: the branch of the version that the
    report is about, where the fix is not on it.
    """
    return {
        "status": fixed.status.value,
        "confidence": round(fixed.confidence, 4),
        "candidates": _candidates_json(fixed.candidates),
        "reproductions": [_trial_json(trial) for trial in fixed.trials],
        "released_in": clean(fixed.released_in, 200) if fixed.released_in else None,
        "reasons": [clean(reason) for reason in fixed.reasons],
        "searched": {
            "head": head or None,
            "reported": reported,
            "commits": searched.commits,
            "problem": clean(searched.problem) or None,
            "elsewhere": _candidates_json(searched.elsewhere),
            "reverted": _candidates_json(searched.reverted),
            "lacking": clean(lacking, 80) or None,
            "doubts": {each.commit: list(doubts(each, fixed.candidates, fixed.commits)) for each in fixed.candidates},
            "executed": executed,
        },
    }


def fix_view(fixed: Fixed, searched: Searched, *, title: str, took: str = "", lacking: str = "") -> RenderableType:
    """title: the report's, untrusted. took: how long. lacking: as for `fixed_json`."""
    style = _STYLES[fixed.status]
    sure = f"  ({fixed.confidence:.0%})" if fixed.confidence else ""
    parts: list[RenderableType] = [
        Text.assemble((fixed.status.value, f"bold {style}"), f"  {STATUS_WORDS[fixed.status]}", (sure, "dim")),
        *(Text(clean(reason)) for reason in fixed.reasons),
    ]
    if fixed.status is not FixStatus.STILL_PRESENT:
        parts += _fix(fixed)
    if lacking and fixed.status not in (FixStatus.STILL_PRESENT, FixStatus.UNKNOWN):
        parts.append(Text(clean(f"It is not on {lacking}, the branch of the version that the report is about.")))
    if fixed.trials:
        parts += [Text(), _seen(fixed.trials)]
    if telling := next(iter(sorted(fixed.trials, key=_weight)), None):
        parts += _to_run(telling)
    aside = [
        *(f"{each.commit[:10]} was reverted: {each.subject}" for each in searched.reverted),
        *(f"{each.commit[:10]}, on another branch only: {each.subject}" for each in searched.elsewhere),
    ]
    small = [*aside, f"{searched.commits} {'commit' if searched.commits == 1 else 'commits'} searched.", took]
    parts += [Text(), *(Text(clean(line), "dim") for line in small if line)]
    return panel(parts, title, style)


def _fix(fixed: Fixed) -> list[RenderableType]:
    """The commit, and what to upgrade to; the next likely ones where nothing was proved."""
    fix = fixed.fix
    others = () if fix and fixed.status is FixStatus.ALREADY_FIXED else fixed.candidates[:_MOST]
    best = (*((fix,) if fix else ()), *(each for each in others if each != fix and each.score >= LEAST))
    lines: list[RenderableType] = [Text()] if best else []
    for candidate in best:
        against = doubts(candidate, fixed.candidates, fixed.commits) if candidate != fix else ()
        why = " ".join((*candidate.why[:2], *against))
        place = rank(candidate, fixed.candidates)
        of = f" · number {place} of {fixed.commits}" if place and fixed.commits else ""
        lines.append(Text.assemble((candidate.commit, "bold"), f"  {clean(candidate.subject, 120)}"))
        lines.append(Text(f"    {candidate.at[:10]} · {candidate.score:.0%}{of} · {clean(why, 300)}", "dim"))
    if fix:
        released = f"Upgrade to {clean(fix.released_in, 80)}." if fix.released_in else "No tag of a version has it yet."
        lines.append(Text(released))
    return lines


def _seen(trials: Sequence[Trial]) -> RenderableType:
    earlier = any(trial.before for trial in trials)
    columns = ("where reported", "at the head", "without the fix", *(("before a candidate",) if earlier else ()))
    rows = [
        (trial, (trial.reported, trial.head, trial.without_fix, *((trial.before,) if earlier else ())))
        for trial in trials
    ]
    return runs_table(columns, ((Text(clean(trial.reproduction.where, 60)), *map(_cell, runs)) for trial, runs in rows))


def _cell(run: Run | None) -> Text:
    return Text(SEEN_WORDS[run.seen], _SEEN_STYLES[run.seen]) if run else Text("")


def _weight(trial: Trial) -> int:
    """What still fails is told before what proves that it does not, and that before the rest."""
    still = trial.head is not None and trial.head.seen is Seen.AS_REPORTED
    return 0 if still else 1 if trial.proves else 2


def _to_run(trial: Trial) -> list[RenderableType]:
    lines = shown(trial.reproduction).rstrip("\n").split("\n")
    more = [f"… and {len(lines) - _LINES} more lines"] if len(lines) > _LINES else []
    told = f"To run it: {trial.reproduction.where}. {trial.says}"
    return [Text(), Text(clean(told)), *(Text(f"    {_line(line)}") for line in [*lines[:_LINES], *more])]


def _line(line: str) -> str:
    """With its indent, which means something in Python."""
    indent = len(line) - len(line.lstrip(" "))
    return " " * min(indent, 80) + clean(line, 200)


def _candidates_json(candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
    return [fields_json(each, "commit score why") for each in candidates]


def _trial_json(trial: Trial) -> dict[str, Any]:
    one = trial.reproduction
    return {
        **fields_json(one, "name where form", 100),
        "code": one.code,
        "variant_of": one.variant_of or None,
        "judge": clean(one.judge, 100) or None,
        **fields_json(trial, "proves says"),
        "reported": _run_json(trial.reported),
        "head": _run_json(trial.head),
        "without_fix": _run_json(trial.without_fix),
        "fix": trial.fix or None,
        "before": _run_json(trial.before),
        "followed_by": trial.followed_by or None,
    }


def _run_json(run: Run | None) -> dict[str, Any] | None:
    return fields_json(run, "seen says shown", 600) if run else None
