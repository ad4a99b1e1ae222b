"""Test writer, blind judge, reviewer and writer of reproductions against a real server, through the real SDK."""

import json
from typing import Any

import pytest

from bot.judges.code import CodeReview, Interface, Opinion, Shows, Sketch, SpecTest
from bot.judges.factory import make_reproduction_writer
from bot.judges.openai.questions import (
    FAILED_TESTS,
    PROGRAM,
    SPECIFICATION,
    OpenAIBlindJudge,
    OpenAIReproductionWriter,
    OpenAIReviewer,
    OpenAITestWriter,
)
from bot.judges.openai.spend import MemorySpend
from bot.judges.protocol import Answered, NoJudgement
from bot.settings import Settings
from tests.support.model import KEY, Scripted, ScriptedModel, completion, failure

TEXT = "Return the sum of the list. The sum of an empty list is 0."
INTERFACE = Interface("solution", ("total(numbers)",), ("assert total([1]) == 1",))
PROGRAM_TEXT = "def total(numbers):\n    return sum(numbers) or None\n"
TEST = {"clause": "The sum of an empty list is 0.", "call": "total([])", "working": "It is empty.", "expected": "0"}
CHECKED = SpecTest("The sum of an empty list is 0.", "total([])", "0")


def answer(**fields: Any) -> Scripted:
    return completion(json.dumps(fields))


def written(server: ScriptedModel, *answers: Scripted, specification: str = TEXT) -> Answered[Any] | NoJudgement:
    server.script(*answers)
    return OpenAITestWriter(server.settings(), MemorySpend()).write(specification, INTERFACE)


def demanded(server: ScriptedModel, *answers: Scripted) -> Answered[SpecTest | None] | NoJudgement:
    server.script(*answers)
    return OpenAIBlindJudge(server.settings(), MemorySpend()).demands(TEXT, INTERFACE, "total([])")


def reviewed(server: ScriptedModel, *answers: Scripted, failed: tuple[str, ...] = ()) -> CodeReview | NoJudgement:
    server.script(*answers)
    return OpenAIReviewer(server.settings(), MemorySpend()).review(TEXT, PROGRAM_TEXT, failed)


def test_a_writer_sees_specification_and_interface_and_nothing_else(scripted_model: ScriptedModel) -> None:
    found = written(scripted_model, answer(tests=[TEST]))
    assert isinstance(found, Answered)
    assert found.answer == (CHECKED,)
    assert found.judge == "gpt-4.1 with specification-tests/1"
    assert found.usage.calls == 1
    (request,) = scripted_model.requests
    user = request.body["messages"][1]["content"]
    assert TEXT in user
    assert "module solution\ndef total(numbers)\nassert total([1]) == 1" in user
    assert KEY not in json.dumps(request.body)


def test_tests_out_of_shape_are_left_out(scripted_model: ScriptedModel) -> None:
    bad = [{**TEST, "expected": 0}, {"call": "total([])"}, "total([]) == 0", None]
    found = written(scripted_model, answer(tests=[*bad, TEST]))
    assert isinstance(found, Answered)
    assert found.answer == (CHECKED,)


def test_an_endless_list_of_tests_is_cut(scripted_model: ScriptedModel) -> None:
    found = written(scripted_model, answer(tests=[TEST] * 300))
    assert isinstance(found, Answered)
    assert len(found.answer) == 40


def test_a_specification_that_settles_nothing_gives_no_tests(scripted_model: ScriptedModel) -> None:
    found = written(scripted_model, answer(tests=[]))
    assert isinstance(found, Answered)
    assert found.answer == ()


@pytest.mark.parametrize("text", ["no JSON", "{}", '{"tests": "all"}', '{"tests": []}{"tests": []}'])
def test_one_repair_and_then_unavailable(scripted_model: ScriptedModel, text: str) -> None:
    found = written(scripted_model, completion(text), completion(text))
    assert isinstance(found, NoJudgement)
    assert found.retry
    assert found.usage.calls == 2
    assert len(scripted_model.requests) == 2
    found = written(scripted_model, completion(text), answer(tests=[TEST]))
    assert isinstance(found, Answered)
    assert found.usage.calls == 2


def test_what_is_too_long_to_be_read_whole_is_not_asked_about(scripted_model: ScriptedModel) -> None:
    found = written(scripted_model, specification="x" * (SPECIFICATION + 1))
    assert isinstance(found, NoJudgement)
    assert found.reason == "The specification is too long to be judged whole (24,001 characters, at most 24,000)."
    assert not found.retry
    reviewer = OpenAIReviewer(scripted_model.settings(), MemorySpend())
    assert isinstance(reviewer.review(TEXT, "x" * (PROGRAM + 1), ()), NoJudgement)
    assert not scripted_model.requests


def test_a_blind_judge_says_what_is_demanded(scripted_model: ScriptedModel) -> None:
    fields = {"working": "It is empty.", "clause": TEST["clause"], "settled": True, "expected": "0"}
    found = demanded(scripted_model, answer(**fields))
    assert isinstance(found, Answered)
    assert found.answer == CHECKED
    assert found.judge == "gpt-4.1 with blind-demand/1"


def test_a_blind_judge_may_say_that_it_is_not_settled(scripted_model: ScriptedModel) -> None:
    found = demanded(scripted_model, answer(working="", clause=TEST["clause"], settled=False, expected="0"))
    assert isinstance(found, Answered)
    assert found.answer is None


def test_a_blind_judge_sees_no_program_and_no_outcome(scripted_model: ScriptedModel) -> None:
    demanded(scripted_model, answer(working="", clause="", settled=False, expected=""))
    sent = json.dumps(scripted_model.requests[0].body)
    assert "total([])" in sent
    assert "return sum" not in sent


def test_a_yes_is_not_asked_for_anything_more(scripted_model: ScriptedModel) -> None:
    found = reviewed(scripted_model, answer(verdict="yes"))
    assert found == CodeReview(Opinion.YES, "gpt-4.1 with review-verdict/1", usage=found.usage)
    assert len(scripted_model.requests) == 1


def test_a_no_is_asked_for_a_counterexample_and_a_fix(scripted_model: ScriptedModel) -> None:
    fix = "def total(numbers):\n    return sum(numbers)\n"
    found = reviewed(scripted_model, answer(verdict="no"), answer(**TEST, fix=fix), failed=("test_empty: None != 0",))
    assert isinstance(found, CodeReview)
    assert (found.opinion, found.fix, found.counterexample) == (Opinion.NO, fix, CHECKED)
    assert found.usage.calls == 2
    first, second = scripted_model.requests
    assert list(first.body["response_format"]["json_schema"]["schema"]["properties"]) == ["verdict"]
    for request in (first, second):
        assert PROGRAM_TEXT in request.prompt
        assert "test_empty: None != 0" in request.prompt
    assert "fix" not in first.prompt


def test_a_no_may_have_no_fix(scripted_model: ScriptedModel) -> None:
    empty = dict.fromkeys(("clause", "call", "working", "expected", "fix"), "")
    found = reviewed(scripted_model, answer(verdict="no"), answer(**empty))
    assert isinstance(found, CodeReview)
    assert (found.opinion, found.fix, found.counterexample) == (Opinion.NO, None, None)


def test_a_fix_can_be_written_to_a_file(scripted_model: ScriptedModel) -> None:
    found = reviewed(scripted_model, answer(verdict="no"), answer(**TEST, fix="x = '\ud800'"))
    assert isinstance(found, CodeReview)
    assert found.fix == "x = '?'"


def test_a_no_that_cannot_be_shown_is_unavailable(scripted_model: ScriptedModel) -> None:
    found = reviewed(scripted_model, answer(verdict="no"), failure(401, KEY))
    assert isinstance(found, NoJudgement)
    assert found.usage.calls == 1  # the first; a refused call costs nothing
    assert KEY not in found.reason


@pytest.mark.parametrize("verdict", ["maybe", "", True, None, ["no"]])
def test_a_verdict_is_yes_or_no(scripted_model: ScriptedModel, verdict: Any) -> None:
    found = reviewed(scripted_model, answer(verdict=verdict), answer(verdict=verdict))
    assert isinstance(found, NoJudgement)


def test_many_failed_tests_are_cut_in_the_middle(scripted_model: ScriptedModel) -> None:
    failed = tuple(f"test_{n}: it failed" for n in range(2000))
    reviewed(scripted_model, answer(verdict="yes"), failed=failed)
    prompt = scripted_model.requests[0].prompt
    assert "test_0: it failed" in prompt
    assert "test_1999: it failed" in prompt
    assert len(prompt) < FAILED_TESTS + 4_000


def test_every_call_is_paid_from_the_purse(scripted_model: ScriptedModel) -> None:
    scripted_model.script(answer(verdict="no"), answer(**TEST, fix=""))
    spend = MemorySpend()
    OpenAIReviewer(scripted_model.settings(model_price_in=1000.0), spend).review(TEXT, PROGRAM_TEXT, ())
    assert spend.spent_today() == pytest.approx(2.0)


def test_at_the_ceiling_nobody_is_asked(scripted_model: ScriptedModel) -> None:
    settings = scripted_model.settings(model_price_in=1000.0, model_spend_per_day=0.001)
    for found in (
        OpenAITestWriter(settings, MemorySpend()).write(TEXT, INTERFACE),
        OpenAIBlindJudge(settings, MemorySpend()).demands(TEXT, INTERFACE, "total([])"),
        OpenAIReviewer(settings, MemorySpend()).review(TEXT, PROGRAM_TEXT, ()),
    ):
        assert isinstance(found, NoJudgement)
        assert "ceiling" in found.reason
    assert not scripted_model.requests


REPORT = "half() of nothing raises a TypeError.\u202e"
GOOD = {
    "clause": "of nothing raises",
    "code": "import halves\nhalves.half(None)",
    "shows": "raises",
    "exception": "TypeError",
}


def test_the_sketches_in_shape_are_given(scripted_model: ScriptedModel) -> None:
    wrong = [{**GOOD, "shows": "sings"}, {**GOOD, "code": 3}, "import os"]
    scripted_model.script(completion(json.dumps({"reproductions": [*wrong, GOOD]})))
    writer = OpenAIReproductionWriter(scripted_model.settings(model_timeout=60), MemorySpend())
    found = writer.write(REPORT, "halves")
    assert isinstance(found, Answered)
    assert found.answer == (Sketch(GOOD["clause"], GOOD["code"], Shows.RAISES, "TypeError"),)
    assert found.judge == "gpt-4.1 with report-reproduction/1"
    assert found.usage.calls == 1
    asked = scripted_model.requests[0].prompt
    assert "raises a TypeError." in asked
    assert "halves" in asked
    assert "\u202e" not in asked


def test_no_answer_is_unavailable(scripted_model: ScriptedModel) -> None:
    scripted_model.always(completion("I would rather not."))
    writer = OpenAIReproductionWriter(scripted_model.settings(model_timeout=60), MemorySpend())
    assert isinstance(writer.write(REPORT, ""), NoJudgement)


def test_the_offline_judge_writes_none() -> None:
    assert make_reproduction_writer(Settings(judge="offline"), MemorySpend()) is None
    writer = make_reproduction_writer(Settings(judge="openai", model="some-model"), MemorySpend())
    assert writer is not None
    assert writer.name == "some-model with report-reproduction/1"
