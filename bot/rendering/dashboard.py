"""A repository's dashboard as values: tables of plain, bounded text. It is escaped where it is shown."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from bot.live.figures import Figures, Key
from bot.live.precision import PrecisionRow, Subject
from bot.plain_text import clean
from bot.policy_choices import Mode
from bot.rendering.escape import LINE, NAME, one_line
from bot.rendering.issue_page import verdict_word
from bot.rendering.precision import share_words, span_words
from bot.rendering.words import TESTED_REJECTIONS, decision_words
from bot.storage.judgements import ClaimTally
from bot.storage.ledger import Entry
from bot.verdicts import Decision, Topic

_MOST_RULES = 12
_SHADES = {Decision.ACCEPT: "good", Decision.BOUNCE: "bad", Decision.UNAVAILABLE: "open"}
DOORS = {Subject.ISSUE: "Issues", Subject.PULL: "Pull requests", Subject.REVIEW: "Review bots' rejections"}
DECISION_CHOICES = {
    Decision.ACCEPT: "Clear or plausible",
    Decision.BOUNCE: "Held or bounced",
    Decision.UNAVAILABLE: "Undecided",
}


Row = tuple[str, ...]
DOOR_COLUMNS = ("kind", "judged", "bounced", "right", "wrong", "precision", "missed", "observed", "answer", "money")
REASON_COLUMNS = ("reason", "of", "judged", "bounced", "right", "wrong", "precision")
FAILURE_COLUMNS = ("reason", "of", "times")
CLAIM_COLUMNS = ("bot", "about", "could be run", "held", "refuted", "no difference", "could not be run")
SPEND_COLUMNS = ("judge", "calls", "tokens", "money")


def verdict_head(entry: Entry) -> tuple[str, str]:
    """Its shade and word, as its comment or check has it."""
    verdict, shade = entry.verdict, _SHADES[entry.verdict.decision]
    match entry.subject:
        case Subject.PULL:
            said = decision_words(verdict.decision, verdict.cause, would=entry.mode is Mode.OBSERVE)
            return shade, said.capitalize()
        case Subject.REVIEW:
            return shade, TESTED_REJECTIONS[verdict.decision]
        case _:
            return verdict_word(verdict)


def label_search(labels: Sequence[str]) -> str:
    """What finds the open issues with one of these labels on GitHub; empty without labels, or where no search can quote
    a name."""
    if any('"' in name for name in labels):
        return ""
    quoted = ",".join(f'"{name}"' for name in labels)
    return f"is:issue is:open label:{quoted}" if labels else ""


def door_rows(figures: Figures, door: Subject | None) -> tuple[Row, ...]:
    """The sums of each kind of subject, in `DOOR_COLUMNS`."""
    sums = (row for row in figures.rows if row.rule == "all" and door in (None, row.subject))
    return tuple(
        (
            DOORS[Subject(row.subject)],
            *map(str, (row.judged, row.bounced, row.right, row.wrong)),
            share_words(row.precision),
            *map(str, (row.missed, row.observed)),
            span_words(row.answer),
            f"{row.money:.2f}" if row.money else "",
        )
        for row in sums
    )


def examples(figures: Figures, door: Subject | None) -> dict[Key, datetime]:
    """The verdicts whose sentences the tables below want to show, and when each was reached."""
    bounced = ((Subject(row.subject), row.rule, Decision.BOUNCE) for row in _rules(figures, door))
    undecided = ((*key, Decision.UNAVAILABLE) for key in figures.undecided if door in (None, key[0]))
    keys: tuple[Key, ...] = (*bounced, *undecided)
    return {key: figures.newest[key] for key in keys if key in figures.newest}


def reasons(figures: Figures, door: Subject | None, sentences: Mapping[Key, str]) -> tuple[Row, ...]:
    """The rules that bounce most, each by a sentence that it said, in `REASON_COLUMNS`."""
    return tuple(
        (
            _sentence(sentences, (Subject(row.subject), row.rule, Decision.BOUNCE)),
            row.subject,
            *map(str, (row.judged, row.bounced, row.right, row.wrong)),
            share_words(row.precision),
        )
        for row in _rules(figures, door)
    )


def failures(figures: Figures, door: Subject | None, sentences: Mapping[Key, str]) -> tuple[Row, ...]:
    """What could not be judged, the most frequent reason first, in `FAILURE_COLUMNS`."""
    found = sorted(figures.undecided.items(), key=lambda item: (-item[1], item[0]))
    return tuple(
        (_sentence(sentences, (subject, rule, Decision.UNAVAILABLE)), subject.value, str(times))
        for (subject, rule), times in found
        if door in (None, subject)
    )[:_MOST_RULES]


def bots_rows(tallies: Iterable[ClaimTally]) -> tuple[Row, ...]:
    """How the claims of review bots did, in `CLAIM_COLUMNS`."""
    return tuple(
        (
            one_line(row.reviewer, NAME),
            row.topic.value,
            *map(str, (row.ran, row.held, row.refuted, row.same, row.unrun)),
        )
        for row in tallies
    )


def claim_words(row: ClaimTally) -> str:
    """One of these as a sentence."""
    about = f" about {row.topic}" if row.topic is not Topic.UNSTATED else ""
    ran = f"of {row.ran} claims{about} that could be run {row.held} held, {row.refuted} were refuted"
    return f"{clean(row.reviewer)}: {ran}, {row.same} made no difference; {row.unrun} could not be run."


def spend_rows(figures: Figures) -> tuple[Row, ...]:
    """What cost most comes first, in `SPEND_COLUMNS`."""
    found = sorted(figures.spent.items(), key=lambda item: (-item[1].money, -item[1].calls))
    return tuple(
        (one_line(judge, NAME), f"{cost.calls:,}", f"{cost.tokens_in + cost.tokens_out:,}", f"{cost.money:.2f}")
        for judge, cost in found
    )


def _rules(figures: Figures, door: Subject | None) -> list[PrecisionRow]:
    rows = (row for row in figures.rows if row.rule != "all" and row.bounced and door in (None, row.subject))
    return sorted(rows, key=lambda row: -row.bounced)[:_MOST_RULES]


def _sentence(sentences: Mapping[Key, str], key: Key) -> str:
    """The newest one of a rule; the rule's name where its verdict is gone."""
    return one_line(sentences.get(key) or key[1] or "no reason was stored", LINE)
