"""What was typed at a prompt: each statement that raises is one of its own, else what comes is compared."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from bot.already_fixed.in_sandbox.comparing import looks
from bot.already_fixed.reading import classify, drafts, expected_value, python, tracebacks
from bot.already_fixed.reading.drafts import DraftReading, ExampleContext, at_prompt
from bot.already_fixed.reading.expectations import SHOULD_RAISE, value_in_comment
from bot.already_fixed.reading.expected_value import ShownOutput, wanted
from bot.already_fixed.reading.page import ReportPage, calls_wrong
from bot.already_fixed.reading.prompt_sessions import PromptStep, steps
from bot.already_fixed.reading.wording import paragraphs, pattern
from bot.already_fixed.values import Expectation, Failure, Reproduction

_TRACE = "Traceback (most recent call last)"
_MOST_SAID = 30  # outputs of one session that prose may speak of one by one
_OTHER_TRUTH = {"True": "False", "False": "True"}


def from_session(page: ReportPage, at: int, context: ExampleContext) -> DraftReading:
    """at: the number of a piece with a prompt in it."""
    part, typed = page.parts[at], steps(page.parts[at].text)
    marked = any(step.wrong for step in typed)
    raising = [step for step in typed if tracebacks.is_trace(step.gave) and tracebacks.raised(step.gave)]
    done = [step for step in typed if step not in raising]
    code = _sources(done)
    torn = sum(step.gave.count(_TRACE) for step in typed) < part.text.count(_TRACE)
    if page.is_fine(at) and not (torn or marked):
        return DraftReading((), code, drafts.RIGHT if raising else "")
    unread = "what was typed after a line that cannot be read" if torn else ""
    found, left_out = _raising(page, at, context, typed, raising) if raising else ([], "")
    printed: list[Reproduction] = []
    other, later = "", (number for number in page.sessions if classify.is_older(part, page.parts[number]))
    sources = {step.source for number in later for step in page.sessions[number]}
    former = any(step.gave and step.source in sources for step in typed)  # another one shows how it is now
    if raising and not marked:  # what other statements give is only on the way
        known = {draft.expectation.right for draft in found}
        wrongs = (*_told(page, at, done), *_said(page, at, done))
        other = "another output that the report calls wrong" if any(right not in known for _, right in wrongs) else ""
    elif not (classify.is_aside(part) or classify.is_expected(part) or former):
        printed, other = _printed(page, at, context, done, marked=marked)
    elif classify.is_aside(part):
        wrong = calls_wrong(page.beside(at)) and any(step.gave for step in done)
        other = drafts.AROUND if wrong or _told(page, at, done) else ""
    elif classify.is_expected(part) and any(step.gave for step in done) and not page.is_asked(at):
        last = max(number for number, step in enumerate(done) if step.gave)
        right = Expectation(Failure.PRINTS, right=done[last].gave)
        draft = _draft(context, done[: last + 1], right) if page.is_alone(at) else None
        printed, other = ([draft], "") if draft else ([], drafts.EXPECTED)
    return DraftReading((*found, *printed), code, unread or left_out or other)


def _raising(
    page: ReportPage, at: int, context: ExampleContext, typed: Sequence[PromptStep], raising: Sequence[PromptStep]
) -> tuple[list[Reproduction], str]:
    """Each statement that raises, after those before it that do not; and what of them is left out."""
    marked = any(step.wrong for step in typed)
    if classify.should_fail(page.parts[at]) and not marked:
        return [], "an exception that should come"
    found: list[Reproduction] = []
    unread = ""
    for number, step in enumerate(typed):
        raised = tracebacks.raised(step.gave)
        if step in raising and raised and (step.wrong or not marked):
            before = [each for each in typed[:number] if each not in raising]
            right = page.right_near(at, ShownOutput(step.source, around=_sources(before))) or page.right_after(at)
            right = right if len(raising) == 1 and step == typed[-1] and python.shows(step.source) else ""
            draft = _draft(context, [*before, step], raised.expected(right))
            found += [draft] if draft else []
            unread = unread if draft else drafts.UNDEFINED
    return found, unread


def _printed(
    page: ReportPage, at: int, context: ExampleContext, done: Sequence[PromptStep], *, marked: bool
) -> tuple[list[Reproduction], str]:
    """What is printed, and what of it is left out though the report says that it is wrong."""
    printing = list(_printing(page, at, done))
    found = [draft for shown, expectation in printing if (draft := _draft(context, shown, expectation))]
    unread = drafts.UNDEFINED if not found and any(expectation.right for _, expectation in printing) else ""
    found = [replace(each, leaves_open=not marked and page.leaves_open(at, each.expectation)) for each in found]
    return found, unread


def _draft(context: ExampleContext, done: Sequence[PromptStep], expectation: Expectation) -> Reproduction | None:
    """What was typed, unless something in it stays undefined."""
    before = context.of(_sources(done), going_on=True)
    return None if before is None else at_prompt(before, [step.source for step in done], expectation)


def _sources(typed: Iterable[PromptStep]) -> str:
    return "\n".join(step.source for step in typed)


def _printing(
    page: ReportPage, at: int, done: Sequence[PromptStep]
) -> Iterator[tuple[Sequence[PromptStep], Expectation]]:
    """The steps up to one that shows something wrong, and what is wrong with it."""
    printing = [step for step in done if step.gave and "version" not in step.source.lower()]
    if warning := next((told for step in printing if (told := tracebacks.warned(step.gave))), None):
        yield done, warning.expected(failure=Failure.WARNS)
        return
    wrongs = _told(page, at, done)
    if not wrongs:
        said_of = _said(page, at, done)
        apart = len({right for _, right in said_of}) > 1 or len(said_of) == 1 < len(printing)
        wrongs = said_of if apart else []
    for last, right in wrongs:
        yield done[: last + 1], Expectation(Failure.PRINTS, wrong=(*("",) * last, done[last].gave), right=right)
    if not wrongs and printing:
        yield _compared(page, at, done, printing)


def _said(page: ReportPage, at: int, done: Sequence[PromptStep]) -> list[tuple[int, str]]:
    """The steps that show something, with what prose says should come of them: of *it*, the same for each."""
    given = [(number, step) for number, step in enumerate(done) if step.gave]
    shown = [(number, ShownOutput(step.source, step.gave, _sources(done))) for number, step in given]
    told = ((number, page.right_near(at, one), one.gave) for number, one in shown[:_MOST_SAID])
    return [(number, right) for number, right, gave in told if right and right != gave]


def _compared(
    page: ReportPage, at: int, done: Sequence[PromptStep], printing: Sequence[PromptStep]
) -> tuple[Sequence[PromptStep], Expectation]:
    """All that is printed, where no single statement is called wrong."""
    done = done[: done.index(printing[-1]) + 1]
    wrong = tuple(step.gave if step in printing else "" for step in done)
    told = ShownOutput(printing[-1].source, "\n".join(step.gave for step in printing), _sources(done))
    right = page.right_after(at) or page.right_near(at, told)
    if not right and len(printing) == 1 and calls_wrong(page.near(at)):
        right = _OTHER_TRUTH.get(printing[0].gave, "")
    alike = [step for step in printing if right and looks(step.gave) == looks(right)]
    if alike and alike[-1] is not printing[-1]:  # what should come is no other value of the last statement
        done = done[: done.index(alike[-1]) + 1]
        wrong = (*("",) * (len(done) - 1), alike[-1].gave)
    return done, Expectation(Failure.PRINTS, wrong=wrong, right=right)


def _told(page: ReportPage, at: int, done: Sequence[PromptStep]) -> list[tuple[int, str]]:
    """The steps of which the report says that they are wrong, with what would be right, as far as it says so."""
    elsewhere = {
        step.source: step.gave
        for other, typed in page.sessions.items()
        if other != at
        and (classify.is_expected(page.parts[other]) or classify.is_older(page.parts[other], page.parts[at]))
        for step in typed
    }
    found = []
    for number, step in enumerate(done):
        shown = ShownOutput(step.source, step.gave, _sources(done), page.names)
        right = wanted(step.prose, shown, alone=True) or value_in_comment(step.source, shown)
        right = right or elsewhere.get(step.source, "")
        if step.gave and right != step.gave and (right or step.wrong):
            found.append((number, right or _OTHER_TRUTH.get(step.gave, "")))
    return found


_CALL = re.compile(r"(?<![\w.])[A-Za-z_][\w.]{0,80}\(")
_WISHES = pattern("wishes")
_MOST_SENTENCES, _MOST_ENDS = 20, 20  # sentences, and brackets that may end one call
_LONGEST = 1_000  # characters of a sentence


def from_prose(page: ReportPage, context: ExampleContext, known: str) -> Iterator[Reproduction]:
    """known: the code of other examples; what calls the same function is left to them."""
    prose = (each for part in page.parts if not part.code for each in paragraphs(part.text))
    wishes = (each for each in (page.title, *prose) if len(each) <= _LONGEST and _WISHES.search(each))
    for paragraph in islice(wishes, _MOST_SENTENCES):
        calls = dict.fromkeys(_calls(paragraph))
        for said in [paragraph] if len(calls) == 1 else classify.sentences(paragraph):
            for call in dict.fromkeys(_calls(said)):
                if f"{call.partition('(')[0].rpartition('.')[2]}(" not in known:
                    yield from _of_call(page, said, call, context)


def _of_call(page: ReportPage, said: str, call: str, context: ExampleContext) -> Iterator[Reproduction]:
    before, own = context.of(call), context.project.packages
    tree = python.tree_of("\n".join((*(before or ()), call)))
    if before is None or tree is None or (own and not python.imports(tree) & own):
        return
    right = wanted(said, ShownOutput(call, names=page.names))
    if right and right.strip("`") != call and call not in right:
        gave = expected_value.ticked_wrong(said)
        wrong = (gave,) if gave and gave != right else ()
        yield at_prompt(before, [call], Expectation(Failure.PRINTS, wrong=wrong, right=right))
    elif raised := SHOULD_RAISE.search(said):
        yield at_prompt(before, [call], Expectation(Failure.MISSES, raised[1].rpartition(".")[2]))


def _calls(text: str) -> Iterator[str]:
    """The calls in a text that are whole, the longest at each place that parses first."""
    end = 0
    for start in _CALL.finditer(text):
        if start.start() < end:
            continue
        ends = (at + 1 for at in range(start.end(), len(text)) if text[at] == ")")
        for stop in islice(ends, _MOST_ENDS):
            call = text[start.start() : stop]
            if value := python.expression(call):
                if isinstance(value, ast.Call) and (value.args or "()" not in call):
                    yield call
                end = stop
                break
