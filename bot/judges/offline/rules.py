"""The embedded judge: no key, no network, milliseconds. What speaks against a report is a named rule, something
that a maintainer could point at.

The rules read form and counts. Where they read wording it is English, and they hold nothing that is written in another
language for what they cannot read there. No probability is said, for none was found to rank real reports right.
"""

from collections.abc import Callable
from dataclasses import dataclass

from bot.judges.protocol import Judgement
from bot.policy_choices import Strictness
from bot.reports import Report
from bot.settings import Settings
from bot.verdicts import IssueKind, Item, SpecificationLabel

NAME = "offline/2"

_ORDER = tuple(Strictness)  # from the fewest rules to the most
_LABELS = {
    Strictness.LENIENT: SpecificationLabel.IMPOSSIBLE_TO_SOLVE,
    Strictness.BALANCED: SpecificationLabel.VAGUE,
    Strictness.STRICT: SpecificationLabel.REASONABLY_SPECIFIED,
}


_Applies = Callable[[Report], bool]


@dataclass(frozen=True, slots=True)
class Rule:
    """says: what is wrong, as a sentence. holds_from: the least strictness at which it holds a report."""

    name: str
    says: str
    holds_from: Strictness
    applies: _Applies


def rule_of(report: Report) -> Rule | None:
    """The first rule that speaks against the report; `None` where none does."""
    return next((rule for rule in RULES if rule.applies(report)), None)


RULES: list[Rule] = []  # in the order in which they are asked


def _rule(says: str, holds_from: Strictness) -> Callable[[_Applies], _Applies]:
    """A rule by its function's name."""

    def register(applies: _Applies) -> _Applies:
        RULES.append(Rule(applies.__name__.removeprefix("_"), says, holds_from, applies))
        return applies

    return register


# Different words that could not stand in just any report.
_NAMED, _NOTHING, _LITTLE = 2, 3, 6
_FEW = 12  # the same, that a report may have which says that something does not work and nothing else
_SHORT = 30  # the same, below which a report that shows no way to make it happen may want one


def _little(report: Report) -> int:
    """Words below which little is said. In another language a sentence has fewer than in English (no articles, several
    words in one), and what is left of it is no measure of what it says: nobody is held there for being short."""
    return _LITTLE if report.features["readable"] else _NOTHING


def _exact(report: Report) -> bool:
    """Whether it shows anything that can be run, looked up or compared: code, an error, a name, a value. A version
    says neither what happens nor how."""
    found = report.features
    return bool(found["code_blocks"] or found["runnable"] or found["error"] or found["trace"] or found["concrete"])


def _shown(report: Report) -> bool:
    return bool(_exact(report) or report.features["images"] or report.features["links"])


@_rule("The form was sent as it is: nothing is filled in.", Strictness.LENIENT)
def _emptied_form(report: Report) -> bool:
    found = report.features
    filled = found["filled_sections"] or found["opening_words"] or found["body_words"] >= _NOTHING
    told = filled or found["title_words"] >= _NOTHING
    return bool(found["empty_sections"]) and not told and not _shown(report)


@_rule("It names nothing from this project.", Strictness.LENIENT)
def _nothing_said(report: Report) -> bool:
    found = report.features
    if report.kind is IssueKind.BUG:
        return found["specific_words"] < _NAMED and not _shown(report)
    return found["specific_words"] < _little(report) and not found["title_words"] and not _shown(report)


@_rule("Its few words do not show what is meant.", Strictness.BALANCED)
def _left_to_guess(report: Report) -> bool:
    return bool(report.guesses) and report.features["specific_words"] < _little(report) and not _exact(report)


@_rule("There is a picture or a link, but no word about it.", Strictness.BALANCED)
def _picture_alone(report: Report) -> bool:
    found = report.features
    pointing = found["images"] or found["links"]
    few = found["body_words"] < _NOTHING and found["title_words"] < _NOTHING
    return bool(pointing) and few and not found["code_blocks"] and not found["runnable"] and not found["error"]


@_rule("It says too little about what happens and how to reproduce it.", Strictness.BALANCED)
def _neither_what_nor_how(report: Report) -> bool:
    """The title counts: what two words name there, beside those that any report has, somebody can look for."""
    found = report.features
    told = found["steps"] or found["numbered"] >= _NAMED or found["title_words"] >= _NAMED
    few = found["specific_words"] < _little(report)
    return report.kind is IssueKind.BUG and few and not told and not _shown(report)


@_rule(
    "It says that something goes wrong, but gives no details: no step, message, version or picture.",
    Strictness.BALANCED,
)
def _nothing_to_go_on(report: Report) -> bool:
    found = report.features
    told = found["when"] or found["version"] or found["concrete"] or found["images"]
    return bool(_what_without_how(report) and found["breaks"] and not told and found["specific_words"] < _FEW)


@_rule("It says what happens, but gives no steps to reproduce.", Strictness.STRICT)
def _what_without_how(report: Report) -> bool:
    found = report.features
    how = found["steps"] or found["numbered"] >= 2 or found["code_blocks"] or found["error"] or found["links"]
    return (
        report.kind is IssueKind.BUG
        and not how
        and found["concrete"] + found["version"] < 2
        and found["body_words"] < _SHORT
    )


_NO_TEXT = "It has no text, and its title alone says too little."


class RulesJudge:
    """Stateless; safe to share."""

    name = NAME

    def judge(self, report: Report) -> Judgement:
        rule = rule_of(report)
        items = {item: quote is not None for item, quote in report.items.items()}
        if rule is None:
            whole = all(items.values())
            label = SpecificationLabel.WELL_SPECIFIED if whole else SpecificationLabel.REASONABLY_SPECIFIED
            return Judgement(label, None, report.kind, NAME, items)
        items.update((item, False) for item in _wanted(report))
        if report.features["ends"] and Item.OBSERVED in items:
            items[Item.OBSERVED] = True
        if report.features["breaks"] and not items.get(Item.EXPECTED):
            items.pop(Item.EXPECTED, None)  # what does not work should work: not worth asking, nor a tick for saying it
        says = rule.says if report.visible_text.strip() or rule.applies is not _nothing_said else _NO_TEXT
        return Judgement(_LABELS[rule.holds_from], None, report.kind, NAME, items, rule=rule.name, reason=says)


def holds(judgement: Judgement, strictness: Strictness) -> bool:
    """Whether the rule that spoke holds a report at this strictness."""
    return rule_holds(judgement.rule, strictness)


def held_label(strictness: Strictness) -> SpecificationLabel:
    """The label of the mildest rule that holds a report at this strictness."""
    return _LABELS[strictness]


def labelled_issues() -> int:
    """None: rules give no probability and promise no share."""
    return 0


def rule_holds(rule: str, strictness: Strictness) -> bool:
    """The same of a rule by its name; an unknown one holds nothing."""
    from_ = next((each.holds_from for each in RULES if each.name == rule), None)
    return from_ is not None and _ORDER.index(from_) <= _ORDER.index(strictness)


def _wanted(report: Report) -> tuple[Item, ...]:
    """What has to be asked for, whatever its few words seem to hold; a command is told, however few they are."""
    match report.kind:
        case IssueKind.FEATURE:
            return (Item.GOAL,)
        case IssueKind.QUESTION | IssueKind.DOCUMENTATION:
            return (Item.SUBJECT,)
        case _:
            if report.features["command"]:
                return (Item.OBSERVED,)
            return (Item.STEPS,) if report.features["ends"] else (Item.OBSERVED, Item.STEPS)


def from_settings(settings: Settings, spend: object) -> RulesJudge:
    """It needs no setting, and costs nothing."""
    return RulesJudge()
