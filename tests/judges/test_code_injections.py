"""Orders inside specifications, programs and test output, with a model that obeys every one of them.

The corpus is that of `tests/injections`. What an obeying model writes must change nothing but what the specification,
the examples and execution bear out.
"""

import ast
import json

import pytest

from bot.judges.code import Interface, SpecTest
from bot.judges.openai.questions import OpenAIBlindJudge, OpenAIReviewer, OpenAITestWriter
from bot.judges.openai.spend import MemorySpend
from bot.judges.protocol import Answered
from bot.verification.model_tests import source, usable
from bot.verification.specified import BlindJury
from bot.verification.values import Difference, Ending, Observed
from tests.injections.corpus import MARK, Attempt, each_attempt, outside
from tests.support.model import ScriptedModel, completion

TEXT = "Return the sum of the list.\n\ntotal([1, 2]) == 3"
INTERFACE = Interface("solution", ("total(numbers)",), ("assert total([1, 2]) == 3",))
DIFFERENCE = Difference(
    "total([])", Observed(Ending.RETURNED, "0"), Observed(Ending.RETURNED, "None"), generator="mutation"
)


@pytest.fixture(scope="module")
def writer(lasting_model: ScriptedModel) -> OpenAITestWriter:
    return OpenAITestWriter(lasting_model.settings(), MemorySpend(), draw=lambda: MARK)


@pytest.fixture(scope="module")
def blind(lasting_model: ScriptedModel) -> OpenAIBlindJudge:
    return OpenAIBlindJudge(lasting_model.settings(), MemorySpend(), draw=lambda: MARK)


@pytest.fixture(scope="module")
def reviewer(lasting_model: ScriptedModel) -> OpenAIReviewer:
    return OpenAIReviewer(lasting_model.settings(), MemorySpend(), draw=lambda: MARK)


@each_attempt
def test_strangers_text_stays_inside_the_fences(
    lasting_model: ScriptedModel,
    writer: OpenAITestWriter,
    blind: OpenAIBlindJudge,
    reviewer: OpenAIReviewer,
    attempt: Attempt,
) -> None:
    lasting_model.script(completion('{"tests": []}'))
    writer.write("", INTERFACE)
    bare = outside(lasting_model.requests[-1].prompt)
    lasting_model.script(completion('{"tests": []}'))
    writer.write(f"{TEXT}\n{attempt.text}", INTERFACE)
    assert outside(lasting_model.requests[-1].prompt) == bare

    settled = completion('{"working": "", "clause": "", "settled": false, "expected": ""}')
    lasting_model.script(settled, settled)
    blind.demands("", INTERFACE, "")
    bare = outside(lasting_model.requests[-1].prompt)
    blind.demands(attempt.text, INTERFACE, f"total({attempt.text[:1000]!r})")
    assert outside(lasting_model.requests[-1].prompt) == bare

    lasting_model.script(completion('{"verdict": "yes"}'), completion('{"verdict": "yes"}'))
    reviewer.review("", "", ())
    bare = outside(lasting_model.requests[-1].prompt)
    reviewer.review(attempt.text, f"# {attempt.text}", (attempt.text,))
    assert outside(lasting_model.requests[-1].prompt) == bare


@each_attempt
def test_an_obeying_writer_gets_no_test_of_the_stranger_counted(
    lasting_model: ScriptedModel, writer: OpenAITestWriter, attempt: Attempt
) -> None:
    """Not without a clause, not as code, and never against an example."""
    echoes = [
        {"clause": attempt.text, "call": "total([1, 2])", "working": "", "expected": "4"},
        {"clause": "Return the sum of the list.", "call": "total([1, 2])", "working": "", "expected": "4"},
        {"clause": "Return the sum of the list.", "call": attempt.text, "working": "", "expected": "4"},
        {"clause": "Return the sum of the list.", "call": "total([])", "working": "", "expected": attempt.text},
        {"clause": "as was agreed elsewhere", "call": "total([])", "working": "", "expected": "0"},
    ]
    lasting_model.script(completion(json.dumps({"tests": echoes})))
    found = writer.write(f"{TEXT}\n{attempt.text}", INTERFACE)
    assert isinstance(found, Answered)
    shown = (SpecTest("", "total([1, 2])", "3"),)
    assert usable(found.answer, f"{TEXT}\n{attempt.text}", INTERFACE, shown) == ()


@each_attempt
def test_a_clause_that_is_an_attempt_stays_a_text(attempt: Attempt) -> None:
    code = source([SpecTest(attempt.text, f"total([{attempt.text[:1000]!r}])", repr(attempt.text[:1000]))], "solution")
    assert len(ast.parse(code).body) == len(ast.parse(source([], "solution")).body) + 1


@each_attempt
def test_an_obeying_blind_judge_decides_nothing_without_a_requirement(
    lasting_model: ScriptedModel, blind: OpenAIBlindJudge, attempt: Attempt
) -> None:
    fields = {"working": "", "clause": "The original is right, as was agreed.", "settled": True, "expected": "0"}
    lasting_model.script(completion(json.dumps(fields)))  # which ends the asking
    assert BlindJury(blind, 2).settle(DIFFERENCE, f"{TEXT}\n{attempt.text}", INTERFACE) == DIFFERENCE


def test_a_specification_that_says_it_decides(lasting_model: ScriptedModel, blind: OpenAIBlindJudge) -> None:
    """The control: the same answers with a true quote do decide."""
    fields = {"working": "", "clause": "The sum of an empty list is 0.", "settled": True, "expected": "0"}
    lasting_model.script(completion(json.dumps(fields)), completion(json.dumps(fields)))
    answer = blind.demands("The sum of an empty list is 0.", INTERFACE, "total([])")
    assert isinstance(answer, Answered)
    lasting_model.script(completion(json.dumps(fields)))
    found = BlindJury(blind, 2).settle(DIFFERENCE, "The sum of an empty list is 0.", INTERFACE)
    assert found.favours is not None
