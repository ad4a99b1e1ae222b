"""The rules that hold a report by themselves, where nothing needs weighing: it says nothing at all."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.reports import Report
from bot.verdicts import IssueKind

_NAMED, _NOTHING, _LITTLE = 2, 3, 6  # different words that could not stand in just any report
_EXACT = ("code_blocks", "runnable", "error", "trace", "concrete")  # features: what can be run, looked up or compared


@dataclass(frozen=True, slots=True)
class Rule:
    """says: what is wrong, as a sentence."""

    name: str
    says: str
    applies: Callable[[Report], bool]


def rule_of(report: Report) -> Rule | None:
    """The first rule that holds the report; `None` where none does."""
    return next((rule for rule in RULES if rule.applies(report)), None)


def _shown(report: Report) -> bool:
    """Whether there is anything to look at: code, an error, a name, a value, a picture, a link. A version says neither
    what happens nor how."""
    return any(report.features[name] for name in (*_EXACT, "images", "links", "attachments"))


def _emptied_form(report: Report) -> bool:
    found = report.features
    filled = found["filled_sections"] or found["opening_words"] or found["body_words"] >= _NOTHING
    return bool(found["empty_sections"]) and not filled and found["title_words"] < _NOTHING and not _shown(report)


def _nothing_said(report: Report) -> bool:
    """In another language a sentence has fewer words than in English (no articles, several words in one)."""
    found = report.features
    if report.kind is IssueKind.BUG:
        return found["specific_words"] < _NAMED and not _shown(report)
    little = _LITTLE if found["readable"] else _NOTHING
    nothing = found["specific_words"] < little and not found["title_words"]
    hollow = found["prose_words"] and found["readable"] and found["specific_words"] < _NOTHING  # the text adds nothing
    hollow = hollow and found["title_words"] < _NAMED and report.kind is IssueKind.FEATURE
    return bool(nothing or hollow) and not _shown(report)


def _picture_alone(report: Report) -> bool:
    found = report.features
    words = found["body_words"] < _NOTHING and found["title_words"] < _NOTHING
    return bool(found["images"] or found["links"]) and words and not any(found[name] for name in _EXACT[:-1])


NOTHING_SAID = Rule("nothing_said", "It says nothing that could not stand in any report.", _nothing_said)
RULES = (
    Rule("emptied_form", "The form was sent as it is: nothing is filled in.", _emptied_form),
    NOTHING_SAID,
    Rule("picture_alone", "A picture or a link is nearly all there is.", _picture_alone),
)
