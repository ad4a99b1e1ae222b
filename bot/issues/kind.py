"""What sort of issue it is: its type, a label or its title says so, else its words do. Pure.

What is said by whoever runs the repository comes before what is guessed. Nothing depends on the kind but what a report
has to hold, so a wrong guess may let an issue through and never holds one that says enough. `kind.toml` has the words,
by language.
"""

import re
from collections.abc import Iterable
from itertools import islice

from bot.changes.readers import Rows, beside
from bot.issues import wording
from bot.issues.language import specific_words
from bot.issues.security import is_vulnerability
from bot.issues.wording import pattern, spoken, words
from bot.markdown.visible import visible, visible_line
from bot.reports import GitHubFields
from bot.verdicts import IssueKind


class _Kinds(Rows):
    named: dict[IssueKind, str]
    title: dict[str, str]
    label: dict[str, str]
    asks_first: dict[str, str]
    asks: dict[str, str]
    wishes_first: dict[str, str]
    wishes: dict[str, str]
    breaks: dict[str, str]
    form: dict[str, str]


_TABLE = beside(__file__, _Kinds)
# What is read in a repository beside its program.
_READ = (
    r"(?:docs?|documentation|guide|wiki|manual|doc ?strings?|(?:doc|documentation|code) comments?|java ?docs?|js ?docs?"
    r"|rust ?docs?|comments?(?=\W*$|[.:,;)]|\W{1,3}(?:about|above|below|for|in|of|on|says?|to)\b))"
)
_NAMED = [(kind, pattern(rf"(?:{expression})\Z")) for kind, expression in _TABLE.named.items()]
_TITLE = {name: pattern(expression.replace("READ", _READ)) for name, expression in _TABLE.title.items()}
_LABEL = {name: pattern(rf"(?<![a-z])(?:{expression})(?![a-z])") for name, expression in _TABLE.label.items()}
ASKS, _WISHES, _BREAKS = spoken(_TABLE.asks), spoken(_TABLE.wishes), spoken(_TABLE.breaks)
_ASKS_FIRST, _WISHES_FIRST = spoken(_TABLE.asks_first, first=True), spoken(_TABLE.wishes_first, first=True)
_OF_A_FORM = pattern(words(_TABLE.form["en"]))

# Of a label: a mark or an emoji, then what says that a kind follows ("type: bug", "kind/bug", "C-bug").
_OF_LABEL = pattern(
    r"\W*(?:(?:issue[ -]?)?(?:type|kind|category)\s?[:/=-]\s?|[tc]-)?(?::\w+:)?\W*([^\n:/]+?)(?:\s:\w+:)?\W*\Z"
)
# Of a title: a word before a colon or in brackets; a ticket's number says nothing.
_PREFIX = pattern(
    r"\W{0,9}?(?:#\d{1,9}:?|[\[【(]\s{0,3}([^\]】)\n]{1,40}?)\s{0,3}[\]】)]"
    r"|([^\W\d_][\w -]{1,30}?)\s{0,3}(?:\([^()]{1,40}\))?!?\s{0,3}[:：])"
)
_MOST_PREFIXES = 3
_SHORT, _MIDDLING = 30, 60  # words of a text
_BOX = re.compile(r"^[^\S\n]{0,12}(?:[-*+]|\d{1,3}[.)])[^\S\n]{1,4}\[[ xX]\][^\S\n]{1,4}(\S.{0,200})", re.M)
_FEWEST_BOXES = 3
_LONGEST_LABEL = 100  # characters; GitHub takes 50
_ENDS_WITH_QUESTION = re.compile(r"[?？]\W*\Z")
_MOST, _MOST_TITLE = 20_000, 300  # characters of a report and of its title that are read for what it asks for
_QUIET = (IssueKind.RELEASE, IssueKind.DISCUSSION, IssueKind.TASK)


def kind_of(title: str, prose: str, broken: bool, body: str, told: GitHubFields) -> IssueKind:
    """prose: what the reporter wrote, without what forms want ticked. broken: the report shows an error or a stack
    trace. body: all that a reader sees."""
    if is_vulnerability(title, prose):
        return IssueKind.VULNERABILITY
    if told.by_bot or _TITLE["notice"].search(f"{title}\n{prose[:1000]}"):
        return IssueKind.NOTICE
    kind = named_kind((told.named, *told.labels)) or _by_title(title) or _by_form(title, body)
    return kind or _by_words(title, prose, broken)


def named_kind(names: Iterable[str]) -> IssueKind | None:
    """The kind that an issue type or a label names as a whole: `needs-release` and `area/tests` name none."""
    said = [found[1] for name in names if (found := _OF_LABEL.match(name[:_LONGEST_LABEL]))]
    return next((kind for kind, named in _NAMED if any(named.match(word) for word in said)), None)


def _by_title(title: str) -> IssueKind | None:
    """A kind that is never held is not guessed where something breaks, or nothing follows its name."""
    kind, rest = _prefixed(title)
    if kind is IssueKind.TRACKING or _TITLE["tracking"].search(title):
        return IssueKind.TRACKING
    if kind is None:
        guesses = (each for each in (IssueKind.RELEASE, IssueKind.DISCUSSION) if _TITLE[each].search(title))
        kind = next(guesses, None)
    empty = sum(map(str.isalnum, rest)) < 2
    return None if kind in _QUIET and (_BREAKS.search(rest) or empty) else kind


def _prefixed(title: str) -> tuple[IssueKind | None, str]:
    """What the title's prefixes name, and what follows them. One that names no kind, as a ticket's number, is passed
    over."""
    at = 0
    for _ in range(_MOST_PREFIXES):
        found = _PREFIX.match(title, at)
        if found is None:
            break
        word = (found[1] or found[2] or "").strip()
        kind = next((kind for kind, named in _NAMED if named.match(word)), None)
        if kind or (found[2] and not found[2].isupper()):
            return kind, title[found.end() :]
        at = found.end()
    return None, title[at:]


def _by_form(title: str, body: str) -> IssueKind | None:
    """A list of boxes to tick that is the content."""
    boxes = [match[1] for match in islice(_BOX.finditer(body), 50)]
    own = [box for box in boxes if not _OF_A_FORM.search(box) and specific_words(box)]
    return IssueKind.TRACKING if len(own) >= _FEWEST_BOXES and not _BREAKS.search(title) else None


def _by_words(title: str, prose: str, broken: bool) -> IssueKind:
    if not broken and (_TITLE["typo"].search(title) or asks_for_documentation(title, ())):
        return IssueKind.DOCUMENTATION
    kind = asked_as(title, prose, broken)
    if kind is IssueKind.QUESTION or broken or _BREAKS.search(title):
        return kind
    return IssueKind.TASK if _TITLE["task"].search(title) else kind


def asked_as(title: str, prose: str, broken: bool) -> IssueKind:
    """By its words alone: a question, a feature, or else a bug."""
    kind, rest = _prefixed(title)
    if kind in (IssueKind.QUESTION, IssueKind.FEATURE) and not broken:
        return kind
    line, text = title if kind else rest, prose.strip()
    asked = _asked_in(text[:_MOST])
    asks = 3 * bool(_ASKS_FIRST.search(line)) + bool(ASKS.search(line)) + asked
    asks += bool(_ASKS_FIRST.search(text[:300])) + bool(_ENDS_WITH_QUESTION.search(line))
    wishes = 3 * bool(_WISHES_FIRST.search(line)) + 2 * len(list(islice(_WISHES.finditer(f"{line}\n{text}"), 2)))
    if asked > 1 and not _WISHES.search(text):
        wishes = 0  # it asks how to do what its title wishes for
    told = set(map(str.lower, _BREAKS.findall(line)))
    breaks = 2 * len(told) + _different(text, 4) + 3 * broken
    breaks += 2 * bool(wording.BREAKS.search(line))
    if asks > wishes and asks > breaks + bool(told):
        return IssueKind.QUESTION
    return IssueKind.FEATURE if wishes > breaks else IssueKind.BUG


def _asked_in(text: str) -> int:
    """How much a text's own words make of it a question: one sentence that asks is much of a short text, and little of
    a long one."""
    if not ASKS.search(text):
        return 0
    words = len(text.split())
    return 4 if words <= _SHORT else 2 if words <= _MIDDLING else 1


def _different(prose: str, most: int) -> int:
    """How many different words of breakage there are, counted up to `most`."""
    found: set[str] = set()
    for match in _BREAKS.finditer(prose):
        found.add(match[0].lower())
        if len(found) == most:
            break
    return len(found)


def asks_for_documentation(title: str, labels: tuple[str, ...]) -> bool:
    """Whether a change of comments, docstrings or layout alone may be all that was asked for.

    A label says so, or the title does. The body alone does not: it speaks of documentation for many reasons. Nor does
    asking: "could it be faster?" wants a program that is.
    """
    if any(_LABEL["documentation"].search(label) for label in labels):
        return True
    return bool(_TITLE["documentation"].search(visible_line(title).text[:_MOST_TITLE]))


def asks_for_behaviour(title: str, body: str, labels: tuple[str, ...]) -> bool:
    """Whether it is a bug or a wish for something a program does, and no work on documentation, tests or upkeep."""
    line = visible_line(title).text[:_MOST_TITLE]
    if asks_for_documentation(title, labels):
        return False
    prose = visible(body[:_MOST]).text
    broken = "Traceback (most recent call last)" in prose
    if broken or any(_LABEL["behaviour"].search(label) for label in labels):
        return True
    if any(_LABEL["upkeep"].search(label) for label in labels) or _TITLE["upkeep"].search(line):
        return False
    return is_vulnerability(line, prose) or asked_as(line, prose, broken) is not IssueKind.QUESTION
