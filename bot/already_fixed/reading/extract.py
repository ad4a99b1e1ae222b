"""A report's code blocks, sessions and commands as reproductions, without a model. Pure; never raises.

What an example shows is read from where it stands: a traceback or an output below it, the words that lead to it, its
own comments and assertions. An example of which the report does not say how it fails is no reproduction.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.already_fixed.project import UNKNOWN, Project
from bot.already_fixed.reading import classify, tracebacks
from bot.already_fixed.reading.blocks import LONGEST, pieces
from bot.already_fixed.reading.drafts import ANYTHING, BEYOND, DraftReading, ExampleContext, Kept
from bot.already_fixed.reading.expectations import may_fail, unasked
from bot.already_fixed.reading.expected_value import in_backticks
from bot.already_fixed.reading.from_commands import from_commands
from bot.already_fixed.reading.from_scripts import from_program, from_script
from bot.already_fixed.reading.from_sessions import from_prose, from_session
from bot.already_fixed.reading.page import ReportPage
from bot.already_fixed.reading.prompt_sessions import only_typed
from bot.already_fixed.reading.wording import pattern
from bot.already_fixed.values import Failure, Reproduction
from bot.child_process import TooLong, run_bounded

_MOST_READ = 200  # pieces of code; reports for people have a few
_GOES_WRONG = pattern("goes_wrong")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n\s*\n")


@dataclass(frozen=True, slots=True)
class Extracted:
    """reproductions: in the report's order. unread: what else shows a failure and cannot be run, as phrases.

    foreign: packages that its examples are about, none of them the project's.
    """

    reproductions: tuple[Reproduction, ...] = ()
    unread: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()


def extract(title: str, text: str, project: Project = UNKNOWN) -> Extracted:
    """The reproductions of a report, as its readers see it; none where finding them takes too long."""
    found = run_bounded(len(title) + len(text), read, title, text, project)
    return Extracted(unread=("a report that takes too long to read",)) if isinstance(found, TooLong) else found


def read(title: str, text: str, project: Project) -> Extracted:
    """`extract`, in this process and however long it takes."""
    page = ReportPage(title, pieces(text), project.names)
    kept, used = Kept(project), set[int]()
    unread: list[str] = []
    for seen, numbers in from_commands(page, project):
        for draft in seen.drafts:
            used |= numbers if kept.add(draft) else set()
        unread.append(seen.unread)
    before: list[str] = []  # what was defined in one example is known in the next
    left = [at for at, part in enumerate(page.parts) if part.code and at not in used]
    for at in left[:_MOST_READ]:
        seen = _read(page, at, ExampleContext(project, before))
        for draft in seen.drafts:
            kept.add(draft)
        before.append(seen.code)
        unread.append(seen.unread)
    for draft in from_prose(page, ExampleContext(project, before), kept.code):
        kept.add(draft)
    if kept.over or len(left) > _MOST_READ or len(text) > LONGEST:
        unread.append(BEYOND)
    shown = kept.reproductions()
    if kept:
        unread += _unowned(page, shown), _untried(page, shown), unasked(page, shown)
    foreign = () if kept else tuple(sorted(kept.foreign))
    shown = tuple(replace(one, may_fail=may_fail(page, one)) for one in shown)
    return Extracted(shown, tuple(dict.fromkeys(filter(None, unread))), foreign)


def _unowned(page: ReportPage, reproductions: Sequence[Reproduction]) -> str:
    """A phrase where tracebacks end with an exception that no reproduction is about."""
    expected = [one.expectation for one in reproductions]
    if any(one.failure is Failure.RAISES and not one.exception for one in expected):
        return ""  # whatever it raises
    known = {name for one in expected for name in (one.exception, one.right)}
    traces = (part for part in page.parts if part.code and tracebacks.is_trace(part.text))
    shown = (tracebacks.raised(part.text) for part in traces if not classify.is_expected(part))
    told = {one.name for one in shown if one and not one.name.endswith("Warning")}
    return "a traceback that ends with another exception" if told - known else ""


def _untried(page: ReportPage, reproductions: Sequence[Reproduction]) -> str:
    """A phrase where prose says how a call goes wrong of which no reproduction calls the function."""
    code = "\n".join(one.code for one in reproductions)
    wrong = (sentence for sentence in _SENTENCE_END.split(page.prose) if _GOES_WRONG.search(sentence))
    calls = (text.partition("(") for sentence in wrong for text in in_backticks(sentence) if text.endswith(")"))
    shown = ((name, given) for name, _, given in calls if name.replace(".", "_").isidentifier())
    called = (name.rpartition(".")[2] for name, given in shown if given != ")")  # `f()` names a function
    return "what it says of another call" if any(f"{name}(" not in code for name in called) else ""


def _read(page: ReportPage, at: int, context: ExampleContext) -> DraftReading:
    part = page.parts[at]
    if (program := from_program(page, at, context)).drafts:
        return program
    if classify.is_session(part):
        if not (typed := only_typed(part.text)):
            return from_session(page, at, context)
        seen = from_script(page, at, replace(part, text=typed, language="python"), context)  # what comes stands below
        return replace(seen, drafts=tuple(draft for draft in seen.drafts if draft.expectation != ANYTHING))
    return from_script(page, at, part, context) if part.language in classify.PYTHON else DraftReading()
