"""Why a change is a candidate, in sentences of Bouncer's own: no text of a stranger's stands in them. Pure."""

from dataclasses import dataclass

from bot.history.git_trace import Traced
from bot.history.matching import Match
from bot.history.relations import Released
from bot.plain_text import count_of

_CLOSE = 0.4  # of what a subject could have of the title's words
_SAID = 3  # runs of three words
_SHORT = 10  # characters of a SHA that are shown


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of one candidate.

    match: how it fits. chance: the probability that it is the fix. head: its newest commit that was searched. commits:
    its numbers, the newest first. reverted: the commit that took it back, by its number. closes, names: it says so of
    the report's `number`. asked: how many rare names from code the report has. related: the number of a report with the
    same symptoms that it closes or names, 0 for none. traced: what git says of it. title: how close its subject comes
    to the report's title, 0 to 1. place: its place by its text alone, from 1. of: how many changes were searched.
    elsewhere: it is not in the searched head.
    """

    match: Match
    chance: float = 0.0
    head: int = 0
    commits: tuple[int, ...] = ()
    reverted: int | None = None
    number: int | None = None
    closes: bool = False
    names: bool = False
    asked: int = 0
    related: int = 0
    traced: Traced = Traced()
    title: float = 0.0
    place: int = 1
    of: int = 1
    reverted_by: str = ""
    applied_again: bool = False
    back_ports: tuple[str, ...] = ()
    released: Released = Released(None, ())
    elsewhere: bool = False


def sentences(facts: Facts) -> tuple[str, ...]:
    """The most telling first."""
    git, match, others = facts.traced, facts.match, ", ".join(sha[:_SHORT] for sha in facts.back_ports[:3])
    told = (
        (facts.closes, f"It says that it closes #{facts.number}."),
        (facts.names and not facts.closes, f"It names #{facts.number}."),
        (facts.related, f"It names #{facts.related}, a report of the same symptoms."),
        (facts.reverted_by, f"It was reverted by {facts.reverted_by[:_SHORT]}."),
        (facts.applied_again and not facts.reverted_by, "It was reverted once, and applied again."),
        (facts.elsewhere, "It is on another branch only."),
        (git.changed, "It changes a line at which the report's stack trace stopped."),
        (match.function, "It changes a function of the report's stack trace."),
        (match.files, f"It changes {count_of(len(match.files), 'file')} of the report's stack trace."),
        (facts.title >= _CLOSE, "Its subject is close to the report's title."),
        (match.held, f"It uses {match.held} of the report's {count_of(facts.asked, 'rare name')} from code."),
        (git.longer, "Its tests contain code from the report."),
        (git.entry or git.said >= _SAID, "Its message or its changelog says it in the report's own words."),
        (git.names, f"It adds or removes uses of {count_of(git.names, 'rare name')} of the report."),
        (facts.of > 1, f"Its text {_ranks(facts.place)} among {facts.of} changes."),
        (match.notes, "It adds a changelog entry."),
        (others, f"The same change is on other branches too: {others}."),
        (not facts.reverted_by, _released(facts.released)),
    )
    return tuple(sentence for holds, sentence in told if holds)


def _released(found: Released) -> str:
    others = ", ".join(found.others[:3])
    if found.upgrade:
        return f"First released in {found.upgrade}{f', on another branch in {others}' if others else ''}."
    return f"Released on another branch only, in {others}." if others else "No tag of a version has it yet."


def _ranks(place: int) -> str:
    ending = "th" if 10 <= place % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"ranks {place}{ending}" if place > 1 else "fits the report best"
