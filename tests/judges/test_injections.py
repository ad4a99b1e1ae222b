"""Orders inside a report, with a real model judge whose model obeys every one of them.

`tests/injections` attacks the way from report to comment with judges made up for it; here the model does the harm.
"""

from collections.abc import Iterator

import pytest

from bot.issues.parse import parse
from bot.judges.openai.issues import OpenAIJudge
from bot.judges.openai.spend import MemorySpend
from bot.verdicts import Decision, Item
from tests.injections.corpus import ORDER, Attempt
from tests.injections.test_injections import each_attempt, hopeless, look, strange
from tests.support.model import ScriptedModel, completion, judged

MARK = "f1e2d3c4b5a6978800112233"


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedModel]:
    """One for all attempts: a client and a server for each would take a minute."""
    model = ScriptedModel()
    yield model
    model.close()
    assert not model.unscripted


@pytest.fixture(scope="module")
def judge(server: ScriptedModel) -> OpenAIJudge:
    return OpenAIJudge(server.settings(), MemorySpend(), draw=lambda: MARK)


@each_attempt
def test_an_obeying_model_gets_no_hopeless_report_accepted(
    server: ScriptedModel, judge: OpenAIJudge, attempt: Attempt
) -> None:
    server.script(completion(judged("WELL_SPECIFIED", items=dict.fromkeys(Item, True))))
    verdict, comment = look(hopeless(attempt), judge)
    assert verdict.judge == judge.name
    assert verdict.decision is Decision.UNAVAILABLE
    assert comment == ""


@each_attempt
def test_an_echoing_model_puts_nothing_alive_into_the_comment(
    server: ScriptedModel, judge: OpenAIJudge, attempt: Attempt
) -> None:
    echoes = [{"item": item, "text": f"{attempt.text}?", "quote": attempt.text} for item in ("steps", "observed")]
    items = {"observed": False, "steps": False, "version": False}
    server.script(completion(judged("IMPOSSIBLE_TO_SOLVE", items=items, questions=echoes)))
    verdict, comment = look(hopeless(attempt), judge)
    assert verdict.decision is Decision.BOUNCE
    assert strange(comment) == []


@each_attempt
def test_the_report_stays_inside_its_fence(server: ScriptedModel, judge: OpenAIJudge, attempt: Attempt) -> None:
    server.script(completion())
    judge.judge(parse(hopeless(attempt)))
    system, user = (message["content"] for message in server.requests[-1].body["messages"])
    before, opening, rest = user.partition(f"<<<REPORT {MARK}\n")
    inside, closing, after = rest.partition(f"\nREPORT {MARK}>>>")
    assert opening and closing
    assert ORDER not in system + before + after
    assert MARK not in inside
