"""What a project's maintainers ask reporters for (`issues.ask_for`), and whether a report tells it. Pure.

A fact is seen by what a report shows to anybody (`ReportSign`), or by words that the policy names. Words are compared
as words, whatever stands between them: nothing that a policy says is run as a pattern.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from bot.issues.answers import says_nothing
from bot.issues.clarify import item_of
from bot.markdown.tree import fenced_lines
from bot.plain_text import as_words
from bot.policy import AskFor, Policy
from bot.policy_choices import ReportSign
from bot.reports import Report
from bot.verdicts import ChecklistItem, Effect, IssueKind, Item, Question

_ITEMS = {
    ReportSign.CODE: None,
    ReportSign.ERROR: Item.ERROR,
    ReportSign.EXAMPLE: Item.STEPS,
    ReportSign.LINK: None,
    ReportSign.PICTURE: None,
    ReportSign.STEPS: Item.STEPS,
    ReportSign.VERSION: Item.VERSION,
}  # what any reader needs of it
_CHECKS = {
    ReportSign.CODE: ("code_blocks",),
    ReportSign.ERROR: ("error_text", "stack_trace"),
    ReportSign.EXAMPLE: ("runnable_example",),
    ReportSign.LINK: ("links",),
    ReportSign.PICTURE: ("images",),
    ReportSign.STEPS: ("steps",),
    ReportSign.VERSION: ("version",),
}  # the evidence that shows it


@dataclass(frozen=True, slots=True)
class ToldFacts:
    """What a report shows of whatever a policy may ask for. lines: its title and the reporter's lines as words, without
    those that answer nothing. headings: as words, those with an answer. signs: what anybody sees in it."""

    lines: tuple[str, ...]
    headings: frozenset[str]
    signs: frozenset[ReportSign]

    def has_word(self, words: Collection[str]) -> bool:
        """Whether one of them is told. Where no spaces stand between words, any part of the text is one."""
        told = "\n".join(self.lines)
        return any((word if word.isascii() else word.strip()) in told for word in map(as_words, words))


def facts_told(report: Report, policy: Policy) -> ToldFacts:
    """What there is to see of facts in a report."""
    return ToldFacts(
        (as_words(report.visible_title), *_own_lines(report, policy)),
        frozenset(map(as_words, report.filled)),
        frozenset(sign for sign in ReportSign if _shows(sign, report)),
    )


def fact_lines(
    report: Report, kind: IssueKind, policy: Policy, supplied: Collection[Item] = ()
) -> tuple[ChecklistItem, ...]:
    """A line for each fact that a report of this kind needs, in the policy's order; ticked where it is there.

    supplied: what a judge sees or a look before this one saw in it.
    """
    if not policy.issues.ask_for:
        return ()
    told = facts_told(report, policy)
    return tuple(
        ChecklistItem(
            nearest_item(want),
            is_there(want, told) or any(_ITEMS[sign] in supplied for sign in want.signs),
            fact=want.fact,
        )
        for want in policy.issues.ask_for
        if is_needed(want, kind, told)
    )


def is_needed(want: AskFor, kind: IssueKind, told: ToldFacts) -> bool:
    """Whether a report of this kind needs the fact."""
    return kind.value in {each.value for each in want.kinds} and (not want.when or told.has_word(want.when))


def is_there(want: AskFor, told: ToldFacts) -> bool:
    """Whether a report tells it: by a sign, a word, a heading with an answer, or a line that begins with its name."""
    name = as_words(want.fact)
    return (
        not told.signs.isdisjoint(want.signs)
        or told.has_word(want.words)
        or not told.headings.isdisjoint({name, *map(as_words, want.words)})
        or any(line.startswith(name) and line != name for line in told.lines)
    )


def question_for(line: ChecklistItem, policy: Policy) -> Question:
    """The maintainers' own question about the fact of a line."""
    asked = next(want.question for want in policy.issues.ask_for if want.fact == line.fact)
    return Question(line.item, text=asked, markdown=True)


def nearest_item(want: AskFor) -> Item:
    """What it comes nearest to of all that any reader needs."""
    return next(filter(None, map(_ITEMS.__getitem__, want.signs)), None) or item_of(want.fact) or Item.DETAILS


def _shows(sign: ReportSign, report: Report) -> bool:
    return any(found.check in _CHECKS[sign] and found.effect is not Effect.MISSING for found in report.evidence)


def _own_lines(report: Report, policy: Policy) -> Iterator[str]:
    """The reporter's lines as words: a heading alone says nothing, nor does `debug log: none`, and a question that is
    quoted is no answer to it."""
    wants = policy.issues.ask_for
    asked = {as_words(want.question) for want in wants}
    facts = {as_words(want.fact) for want in wants}
    names = tuple(facts | {as_words(word) for want in wants for word in want.words})
    for line, code in zip(report.visible_text.split("\n"), fenced_lines(report.visible_text), strict=True):
        bare = line.strip()
        heading = bare.startswith("#") or (bare.startswith("**") and bare.rstrip(":").endswith("**"))
        quoted = bare.startswith(">") and not bare.startswith(">>>")
        markup = not code and (heading or quoted)
        words = as_words(bare)
        empty = words in facts or any(_is_denied(words, name) for name in names)
        if not markup and not empty and not any(question in words for question in asked):
            yield words


def _is_denied(line: str, name: str) -> bool:
    rest = line.removeprefix(name).strip()
    return line.startswith(name) and bool(rest) and says_nothing(rest)
