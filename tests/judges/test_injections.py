"""Orders inside a report, with a real model judge whose model obeys every one of them.

`tests/injections` attacks the way from report to comment with judges made up for it; here the model does the harm.
"""

import pytest

from bot.issues.parse import parse
from bot.judges.openai.issues import OpenAIJudge
from bot.judges.openai.spend import MemorySpend
from bot.verdicts import Decision, Item
from tests.injections.corpus import MARK, ORDER, Attempt, each_attempt
from tests.injections.test_injections import hopeless, look, strange
from tests.support.model import ScriptedModel, completion, judged


@pytest.fixture(scope="module")
def judge(lasting_model: ScriptedModel) -> OpenAIJudge:
    return OpenAIJudge(lasting_model.settings(), MemorySpend(), draw=lambda: MARK)


@each_attempt
def test_an_obeying_model_gets_no_hopeless_report_accepted(
    lasting_model: ScriptedModel, judge: OpenAIJudge, attempt: Attempt
) -> None:
    lasting_model.script(completion(judged("WELL_SPECIFIED", items=dict.fromkeys(Item, True))))
    verdict, comment = look(hopeless(attempt), judge)
    assert verdict.judge == judge.name
    assert verdict.decision is Decision.UNAVAILABLE
    assert comment == ""


@each_attempt
def test_an_echoing_model_puts_nothing_alive_into_the_comment(
    lasting_model: ScriptedModel, judge: OpenAIJudge, attempt: Attempt
) -> None:
    echoes = [{"item": item, "text": f"{attempt.text}?", "quote": attempt.text} for item in ("steps", "observed")]
    items = {"observed": False, "steps": False, "version": False}
    lasting_model.script(completion(judged("IMPOSSIBLE_TO_SOLVE", items=items, questions=echoes)))
    verdict, comment = look(hopeless(attempt), judge)
    assert verdict.decision is Decision.BOUNCE
    assert strange(comment) == []


@each_attempt
def test_the_report_stays_inside_its_fence(lasting_model: ScriptedModel, judge: OpenAIJudge, attempt: Attempt) -> None:
    lasting_model.script(completion())
    judge.judge(parse(hopeless(attempt)))
    system, user = (message["content"] for message in lasting_model.requests[-1].body["messages"])
    before, opening, rest = user.partition(f"<<<REPORT {MARK}\n")
    inside, closing, after = rest.partition(f"\nREPORT {MARK}>>>")
    assert opening and closing
    assert ORDER not in system + before + after
    assert MARK not in inside
