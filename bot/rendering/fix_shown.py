"""What was run to tell whether a report's bug is fixed, as the issue's page shows it: bounded, plain text. It is
escaped where it is shown."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.already_fixed.finding import FixFinding
from bot.already_fixed.script import shown
from bot.already_fixed.values import Run, Trial
from bot.rendering.bounded import LINE, NAME, lines, one_line
from bot.rendering.fixed_words import SEEN_WORDS, STATUS_WORDS

_MOST = 10  # reproductions and reasons
_CODE, _OUTPUT = 4_000, 2_000  # characters
_CAME_BACK = "The report says that it came back after a fix, so that settles nothing."
_OBJECTED = "Somebody disagreed, so nothing follows from it."


@dataclass(frozen=True, slots=True)
class TrialShown:
    """A reproduction. runs: the place, what was seen there, and what came out."""

    where: str
    says: str
    code: str
    runs: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class FixShown:
    """status: as a sentence. head: where it was run. commit: the fix, as far as it is known; link: to its page, and
    subject: its first line. released: the release that has it."""

    status: str
    head: str
    reasons: tuple[str, ...]
    trials: tuple[TrialShown, ...]
    more: int = 0
    commit: str = ""
    link: str = ""
    subject: str = ""
    released: str = ""


def fix_shown(found: FixFinding, *, quotes: bool, objected: bool = False) -> FixShown:
    """quotes: what the reporter wrote is repeated. objected: somebody disagreed with it."""
    fixed, fix = found.fixed, found.fixed.fix
    beside = ((_CAME_BACK,) if found.regression else ()) + ((_OBJECTED,) if objected else ())
    return FixShown(
        status=f"{_capital(STATUS_WORDS[fixed.status])}.",
        head=found.head[:40],
        reasons=(*beside, *(one_line(reason, LINE) for reason in fixed.reasons[:_MOST])),
        trials=tuple(_shown(trial, quotes) for trial in fixed.trials[:_MOST]),
        more=max(0, len(fixed.trials) - _MOST),
        commit=fix.commit[:40] if fix else "",
        link=f"{found.commits}{fix.commit}" if fix and found.commits else "",
        subject=one_line(fix.subject, NAME) if fix else "",
        released=one_line(fix.released_in or "", NAME) if fix else "",
    )


def _shown(trial: Trial, quotes: bool) -> TrialShown:
    code = lines(shown(trial.reproduction).strip("\n"), _CODE) if quotes else ""
    where = one_line(trial.reproduction.where, NAME)
    return TrialShown(_capital(where), one_line(trial.says, LINE), code, tuple(_runs(trial, quotes)))


def _capital(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def _runs(trial: Trial, quotes: bool) -> Iterator[tuple[str, str, str]]:
    places: tuple[tuple[str, Run | None], ...] = (
        ("at the head", trial.head),
        (f"at the head without {trial.fix[:10]}", trial.without_fix),
        ("where it was reported", trial.reported),
        (f"before {trial.followed_by[:10]}", trial.before),
    )
    for place, run in places:
        if run is not None:
            yield place, SEEN_WORDS[run.seen], lines(run.shown.strip("\n"), _OUTPUT) if quotes else ""
