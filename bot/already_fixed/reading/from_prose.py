"""Calls that prose names, each with what it says should come of it."""

import ast
import re
from collections.abc import Iterator
from itertools import islice

from bot.already_fixed.reading import classify, python, values_in_prose
from bot.already_fixed.reading.drafts import ExampleContext, at_prompt
from bot.already_fixed.reading.expected_value import ShownOutput, wanted
from bot.already_fixed.reading.failing import SHOULD_RAISE
from bot.already_fixed.reading.page import ReportPage
from bot.already_fixed.reading.wording import pattern
from bot.already_fixed.values import Expectation, Failure, Reproduction

_CALL = re.compile(r"(?<![\w.])[A-Za-z_][\w.]{0,80}\(")
_WISHES = pattern("wishes")
_MOST, _MOST_ENDS = 20, 20  # sentences, and brackets that may end one call
_LONGEST = 1_000  # characters of a sentence


def from_prose(page: ReportPage, context: ExampleContext, known: str) -> Iterator[Reproduction]:
    """known: the code of other examples; what calls the same function is left to them."""
    paragraphs = (each for part in page.parts if not part.code for each in re.split(r"\n\s*\n", part.text))
    wishes = (each for each in (page.title, *paragraphs) if len(each) <= _LONGEST and _WISHES.search(each))
    for paragraph in islice(wishes, _MOST):
        calls = dict.fromkeys(_calls(paragraph))
        for said in [paragraph] if len(calls) == 1 else classify.sentences(paragraph):
            for call in dict.fromkeys(_calls(said)):
                if f"{call.partition('(')[0].rpartition('.')[2]}(" not in known:
                    yield from _draft(page, said, call, context)


def _draft(page: ReportPage, said: str, call: str, context: ExampleContext) -> Iterator[Reproduction]:
    before, own = context.of(call), context.project.packages
    tree = python.tree_of("\n".join((*(before or ()), call)))
    if before is None or tree is None or (own and not python.imports(tree) & own):
        return
    right = wanted(said, ShownOutput(call, names=page.names))
    if right and right.strip("`") != call and call not in right:
        gave = values_in_prose.ticked_wrong(said)
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
        for stop in islice((at.end() for at in re.finditer(r"\)", text[start.start() :])), _MOST_ENDS):
            call = text[start.start() : start.start() + stop]
            if value := python.expression(call):
                if isinstance(value, ast.Call) and (value.args or "()" not in call):
                    yield call
                end = start.start() + stop
                break
