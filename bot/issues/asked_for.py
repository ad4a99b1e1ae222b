"""What a project's maintainers ask reporters for (`issues.ask_for`), and whether a report tells it. Pure.

A fact is seen by what a report shows to anybody (`ReportSign`), or by words that the policy names. Words are compared
as words, whatever stands between them: nothing that a policy says is run as a pattern.
"""

from collections.abc import Collection, Iterator

from bot.issues.clarify import item_of
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
# Words of an answer that says nothing.
_NOTHING = frozenset({"a", "idk", "n", "na", "no", "none", "response", "unknown"})


def fact_lines(
    report: Report, kind: IssueKind, policy: Policy, supplied: Collection[Item] = ()
) -> tuple[ChecklistItem, ...]:
    """A line for each fact that a report of this kind needs, in the policy's order; ticked where it is there.

    supplied: what a judge sees or a look before this one saw in it.
    """
    if not policy.issues.ask_for:
        return ()
    lines = words_of(report, policy)
    told = "\n".join(lines)
    return tuple(
        ChecklistItem(nearest_item(want), _is_there(want, report, lines, told, supplied), fact=want.fact)
        for want in policy.issues.ask_for
        if kind.value in {each.value for each in want.kinds} and (not want.when or _any_in(want.when, told))
    )


def question_for(line: ChecklistItem, policy: Policy) -> Question:
    """The maintainers' own question about the fact of a line."""
    asked = next(want.question for want in policy.issues.ask_for if want.fact == line.fact)
    return Question(line.item, text=asked, markdown=True)


def nearest_item(want: AskFor) -> Item:
    """What it comes nearest to of all that any reader needs."""
    return next(filter(None, map(_ITEMS.__getitem__, want.signs)), None) or item_of(want.fact) or Item.DETAILS


def shows_sign(sign: ReportSign, report: Report) -> bool:
    """Whether parsing saw it."""
    return any(found.check in _CHECKS[sign] and found.effect is not Effect.MISSING for found in report.evidence)


def _is_there(want: AskFor, report: Report, lines: tuple[str, ...], told: str, supplied: Collection[Item]) -> bool:
    if any(shows_sign(sign, report) or _ITEMS[sign] in supplied for sign in want.signs):
        return True
    names = {as_words(name) for name in (want.fact, *want.words)}
    return (
        _any_in(want.words, told)
        or any(as_words(heading) in names for heading in report.filled)
        or any(_answers(line, as_words(want.fact)) for line in lines)
    )


def _answers(line: str, name: str) -> bool:
    """Whether a line begins with the fact's name and goes on."""
    return line.startswith(name) and line != name


def _is_denied(line: str, name: str) -> bool:
    said = line.removeprefix(name).split()
    return line.startswith(name) and bool(said) and not set(said) - _NOTHING


def words_of(report: Report, policy: Policy) -> tuple[str, ...]:
    """The title and the reporter's lines as words, without those that answer nothing which the policy asks for."""
    return (as_words(report.visible_title), *_own_lines(report, policy))


def _own_lines(report: Report, policy: Policy) -> Iterator[str]:
    """The reporter's lines as words: a heading alone says nothing, nor does `debug log: none`, and a question that is
    quoted is no answer to it."""
    wants = policy.issues.ask_for
    asked = {as_words(want.question) for want in wants}
    facts = {as_words(want.fact) for want in wants}
    names = tuple(facts | {as_words(word) for want in wants for word in want.words})
    for line in report.visible_text.split("\n"):
        bare = line.strip()
        heading = bare.startswith("#") or (bare.startswith("**") and bare.rstrip(":").endswith("**"))
        quoted = bare.startswith(">") and not bare.startswith(">>>")
        words = as_words(bare)
        empty = words in facts or any(_is_denied(words, name) for name in names)
        if not heading and not quoted and not empty and not any(question in words for question in asked):
            yield words


def _any_in(words: Collection[str], told: str) -> bool:
    """Whether one of them is told. Where no spaces stand between words, any part of the text is one."""
    wanted = map(as_words, words)
    return any((word if word.isascii() else word.strip()) in told for word in wanted)
