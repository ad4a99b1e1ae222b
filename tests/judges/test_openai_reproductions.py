"""A model writes reproductions of a report; what is not in shape is left out."""

import json

from bot.judges.code import Shows, Sketch
from bot.judges.factory import make_reproduction_writer
from bot.judges.openai.questions import OpenAIReproductionWriter
from bot.judges.openai.spend import MemorySpend
from bot.judges.protocol import Answered, NoJudgement
from bot.settings import Settings
from tests.support.model import ScriptedModel, completion

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
