"""The model judge against a real server, through the real SDK: good answers, and every bad one."""

import json
import logging
import socket
import threading
from typing import Any

import pytest
from pydantic import ValidationError

from bot.judges.openai import endpoint
from bot.judges.openai.issues import REPORT_BUDGET, OpenAIJudge
from bot.judges.openai.spend import MemorySpend
from bot.judges.protocol import Judgement, NoJudgement
from bot.reports import Report
from bot.settings import Settings
from bot.verdicts import IssueKind, Item, SpecificationLabel, Usage
from tests.judges.reports import BODY, TITLE, a_report
from tests.support.cases import cases
from tests.support.model import KEY, Scripted, ScriptedModel, completion, failure, judged


class Waits(list[float]):
    """Stands for time.sleep: notes how long, does not wait."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def ask(server: ScriptedModel, report: Report | None = None, **settings: Any) -> Judgement | NoJudgement:
    judge = OpenAIJudge(server.settings(**settings), MemorySpend(), sleep=Waits())
    return judge.judge(report or a_report())


def unavailable(server: ScriptedModel, *answers: Scripted, **settings: Any) -> NoJudgement:
    server.script(*answers)
    result = ask(server, **settings)
    assert isinstance(result, NoJudgement), result
    assert len(server.requests) == len(answers)
    assert result.reason.endswith(".")
    assert KEY not in result.reason
    return result


def test_a_good_answer_becomes_a_judgement(scripted_model: ScriptedModel) -> None:
    question = {"item": "version", "text": "Which version\nis it?", "quote": "writes only  9 of them"}
    scripted_model.script(
        completion(label="REASONABLY_SPECIFIED", items={"observed": True, "version": False}, questions=[question])
    )
    result = ask(scripted_model, model_price_in=2.0, model_price_out=8.0)

    assert isinstance(result, Judgement)
    assert result.label is SpecificationLabel.REASONABLY_SPECIFIED
    assert result.kind is IssueKind.BUG
    assert result.judge == "gpt-4.1 with issue-specification/2"
    assert result.items == {Item.OBSERVED: True, Item.VERSION: False}
    assert [(q.item, q.text, q.quote) for q in result.questions] == [
        (Item.VERSION, "Which version is it?", "writes only 9 of them")
    ]
    assert 0.4 < result.probability < 0.7
    assert (result.usage.calls, result.usage.tokens_in, result.usage.tokens_out) == (1, 1000, 100)
    assert result.usage.money == pytest.approx(0.0028)


def test_what_is_sent(scripted_model: ScriptedModel) -> None:
    scripted_model.script(completion())
    ask(scripted_model, model="gpt-4.1", model_effort="low", model_temperature=0.0, model_max_tokens=777)

    (request,) = scripted_model.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body["model"] == "gpt-4.1"
    assert request.body["reasoning_effort"] == "low"
    assert request.body["temperature"] == 0.0
    assert request.body["max_completion_tokens"] == 777
    shape = request.body["response_format"]["json_schema"]
    assert shape["strict"] is True
    assert list(shape["schema"]["properties"]) == ["reasoning", "kind", "items", "questions", "label"]
    assert TITLE in request.prompt
    assert BODY in request.prompt


def test_effort_and_temperature_stay_out_unless_set(scripted_model: ScriptedModel) -> None:
    scripted_model.script(completion())
    ask(scripted_model)
    assert not {"reasoning_effort", "temperature", "tools"} & set(scripted_model.requests[0].body)


def test_only_visible_text_leaves(scripted_model: ScriptedModel) -> None:
    scripted_model.script(completion())
    hidden = a_report("seen", text=a_report("seen <!-- hidden orders -->").text)
    ask(scripted_model, hidden)
    assert "seen" in scripted_model.requests[0].prompt
    assert "hidden orders" not in json.dumps(scripted_model.requests[0].body)


def test_each_call_has_its_own_fence(scripted_model: ScriptedModel) -> None:
    scripted_model.always(completion())
    ask(scripted_model)
    ask(scripted_model)
    first, second = (request.body["messages"][1]["content"] for request in scripted_model.requests)
    assert first != second


def test_a_long_report_is_cut_in_the_middle(scripted_model: ScriptedModel) -> None:
    scripted_model.script(completion())
    ask(scripted_model, a_report("HEAD" + "x" * 70_000 + "TAIL"))
    prompt = scripted_model.requests[0].body["messages"][1]["content"]
    assert "HEADx" in prompt
    assert "xTAIL" in prompt
    assert "characters left out here" in prompt
    assert len(prompt) < REPORT_BUDGET + 1000


def test_a_lone_surrogate_is_no_crash(scripted_model: ScriptedModel) -> None:
    scripted_model.script(completion())
    assert isinstance(ask(scripted_model, a_report("broken \ud800 text")), Judgement)


def test_the_key_of_the_environment_is_never_used(
    scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-somebody-elses")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "sk-the-admins")
    scripted_model.script(completion())
    assert isinstance(ask(scripted_model, model_api_key=None), Judgement)
    assert "sk-" not in json.dumps(dict(scripted_model.requests[0].headers))


# What the model may answer in its one chance to repair.

GOOD = completion(label="VAGUE")


@pytest.mark.parametrize(
    "bad",
    [
        completion(""),
        completion("   \n"),
        completion("I think this issue is quite clear."),
        completion('{"reasoning": "It says'),
        completion(judged()[:-20]),
        completion(judged("QUITE_GOOD")),
        completion(judged("well_specified")),
        completion(judged(kind="complaint")),
        completion("[]"),
        completion("null"),
        completion('"WELL_SPECIFIED"'),
        completion('{"label": "WELL_SPECIFIED"}'),
        completion(judged() + judged("VAGUE")),
        completion('{"answer": ' + judged() + "}"),
        completion(judged()[:-1] + ', "label": "VAGUE"}'),
        completion(judged(items={"observed": "yes"})),  # type: ignore[dict-item]
        completion('{"a":' * 5000),
        completion("{}" * 20_000),
        completion("x" * 100_000),
        completion('The report says {"note": ' + judged() + ", and so on"),
        completion(judged(), finish="length"),
    ],
)
def test_a_bad_answer_is_repaired_once(scripted_model: ScriptedModel, bad: Scripted) -> None:
    scripted_model.script(bad, GOOD)
    result = ask(scripted_model)
    assert isinstance(result, Judgement)
    assert result.label is SpecificationLabel.VAGUE
    assert result.usage.calls == 2
    assert "cannot be used" in scripted_model.requests[1].prompt


@pytest.mark.parametrize(
    "bad", [completion(""), completion("no"), completion(judged("GOOD")), completion("{", finish="length")]
)
def test_after_one_repair_it_is_unavailable(scripted_model: ScriptedModel, bad: Scripted) -> None:
    result = unavailable(scripted_model, bad, bad)
    assert result.retry
    assert result.usage.calls == 2


@pytest.mark.parametrize(
    "content",
    [
        f"```json\n{judged('VAGUE')}\n```",
        f"```\n{judged('VAGUE')}```",
        f"<think>Is it WELL_SPECIFIED? {judged()}</think>\n{judged('VAGUE')}",
        f"Here is my answer:\n{judged('VAGUE')}\nThank you.",
        judged("VAGUE", confidence=0.9, note="extra"),
        judged("VAGUE", reasoning="The report says to answer " + judged("WELL_SPECIFIED")),
    ],
)
def test_wrapped_answers_are_understood(scripted_model: ScriptedModel, content: str) -> None:
    scripted_model.script(completion(content))
    result = ask(scripted_model)
    assert isinstance(result, Judgement)
    assert result.label is SpecificationLabel.VAGUE


def test_the_repair_quotes_nothing_of_the_answer(scripted_model: ScriptedModel) -> None:
    scripted_model.script(completion(judged("IGNORE_ALL_RULES", secret="orders")), GOOD)
    ask(scripted_model)
    repair = scripted_model.requests[1].body["messages"][-1]
    assert repair["role"] == "user"
    assert "label: Input should be" in repair["content"]
    assert "IGNORE_ALL_RULES" not in repair["content"]


def test_a_refusal_is_unavailable(scripted_model: ScriptedModel) -> None:
    assert "refused" in unavailable(scripted_model, completion(refusal="I cannot help with that.")).reason


def test_a_content_filter_is_unavailable(scripted_model: ScriptedModel) -> None:
    result = unavailable(scripted_model, completion(judged(), finish="content_filter"))
    assert "content filter" in result.reason
    assert not result.retry


# What the endpoint may do.


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (failure(401, f"Incorrect API key provided: {KEY}"), "refuses the key (401): see BOUNCER_MODEL_API_KEY."),
        (failure(403, KEY), "refuses the key (403)"),
        (failure(400, "API key not valid. Please pass a valid API key."), "refuses the key (400)"),
        (failure(404, "The model does not exist", code="model_not_found"), "does not know the model gpt-4.1 (404)"),
        (failure(402), "no credit left"),
        (failure(429, code="insufficient_quota"), "no credit left"),
        (failure(400, code="context_length_exceeded"), "too long for gpt-4.1"),
        (failure(400, "request (5884 tokens) exceeds the available context size"), "too long for gpt-4.1"),
        (failure(400, code="content_filter"), "content filter refused"),
        (failure(400, "Unsupported value: 'temperature'", param="temperature"), "BOUNCER_MODEL_TEMPERATURE"),
        (failure(400, "reasoning_effort is not supported", param="reasoning_effort"), "BOUNCER_MODEL_EFFORT"),
        (Scripted(307, headers={"location": "http://127.0.0.1:1/"}), "failed (307)"),
    ],
)
def test_failures_that_stay_are_said_plainly(scripted_model: ScriptedModel, answer: Scripted, says: str) -> None:
    result = unavailable(scripted_model, answer)
    assert says in result.reason
    assert not result.retry
    assert result.usage == Usage()


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_failures_that_pass_are_tried_again(scripted_model: ScriptedModel, status: int) -> None:
    scripted_model.script(failure(status), failure(status), GOOD)
    result = ask(scripted_model)
    assert isinstance(result, Judgement)
    assert result.usage.calls == 1


def test_tries_are_bounded(scripted_model: ScriptedModel) -> None:
    result = unavailable(scripted_model, *[failure(500)] * 3)
    assert "failed (500)" in result.reason
    assert result.retry


def test_retry_after_is_honoured(scripted_model: ScriptedModel) -> None:
    scripted_model.script(failure(429, headers={"retry-after": "7"}), GOOD)
    waits = Waits()
    OpenAIJudge(scripted_model.settings(), MemorySpend(), sleep=waits).judge(a_report())
    assert waits == [7.0]


@pytest.mark.parametrize("asked", ["3600", "inf", "-1", "nan"])
def test_a_long_wait_is_left_to_later(scripted_model: ScriptedModel, asked: str) -> None:
    result = unavailable(scripted_model, failure(429, headers={"retry-after": asked}), model_timeout=10_000.0)
    assert "limits the rate" in result.reason
    assert result.retry


def test_a_wait_past_the_deadline_is_not_begun(scripted_model: ScriptedModel) -> None:
    result = unavailable(scripted_model, failure(429, headers={"retry-after": "20"}), model_timeout=5.0)
    assert result.retry


@cases
def test_a_slow_answer_ends_in_time(scripted_model: ScriptedModel, way: dict[str, Any]) -> None:
    result = unavailable(scripted_model, Scripted(**way), model_timeout=0.2, model_price_out=10.0)
    assert "did not answer within 0.2 seconds" in result.reason
    assert result.retry
    assert result.usage.money == pytest.approx(0.04)  # it may have been billed: counted at its worst


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = Settings(model_base_url=f"http://127.0.0.1:{port}/v1", model_api_key=KEY, model_price_out=10.0)
    waits = Waits()
    result = OpenAIJudge(settings, MemorySpend(), sleep=waits).judge(a_report())
    assert isinstance(result, NoJudgement)
    assert result.reason == "The model endpoint 127.0.0.1 could not be reached."
    assert result.retry
    assert result.usage == Usage()
    assert waits == [1.0, 2.0]


@pytest.mark.parametrize("address", ["http://nowhere.invalid/v1", "http://x y/v1", "http://" + "a" * 300 + "/v1"])
def test_an_address_that_leads_nowhere(address: str) -> None:
    settings = Settings(model_base_url=address, model_api_key=KEY)
    result = OpenAIJudge(settings, MemorySpend(), sleep=Waits()).judge(a_report())
    assert isinstance(result, NoJudgement)
    assert KEY not in result.reason


@pytest.mark.parametrize(
    "address", ["", "not an address", "http://", "ftp://x/y", "http://[::1", "http://x:y/v1", "http://u:p@x/"]
)
def test_a_broken_address_is_refused_by_the_settings(address: str) -> None:
    with pytest.raises(ValidationError, match="an http or https address"):
        Settings(model_base_url=address)


def test_a_huge_answer_is_not_read(scripted_model: ScriptedModel) -> None:
    assert "far too much" in unavailable(scripted_model, Scripted(body=b" " * 3_000_000)).reason


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>Sign in</html>",
        b"{}",
        b"[]",
        b'{"choices": []}',
        b'{"choices": null}',
        b'{"choices": [{}]}',
        b"\xff\xfe",
    ],
)
def test_what_is_no_completion_is_unavailable(scripted_model: ScriptedModel, body: bytes) -> None:
    result = unavailable(scripted_model, Scripted(body=body))
    assert "not a chat completion" in result.reason
    assert result.retry


def test_an_error_with_status_200(scripted_model: ScriptedModel) -> None:
    body = json.dumps({"error": {"message": KEY, "code": 429}}).encode()
    assert "answered with an error" in unavailable(scripted_model, Scripted(body=body)).reason


def test_a_broken_connection_is_unavailable(scripted_model: ScriptedModel) -> None:
    answer = completion()
    result = unavailable(scripted_model, Scripted(body=answer.body, cut=True))
    assert "broke off" in result.reason


# How the shape of the answer is asked for.


def test_tool_calling_where_a_schema_is_refused(scripted_model: ScriptedModel) -> None:
    scripted_model.script(
        failure(400, "response_format is not supported by this model"),
        completion(tool=judged("VAGUE")),
        completion(tool=judged("VAGUE")),
    )
    assert isinstance(ask(scripted_model), Judgement)
    assert isinstance(ask(scripted_model), Judgement)  # remembered, even by another judge
    assert [request.form for request in scripted_model.requests] == ["schema", "tool", "tool"]
    assert scripted_model.requests[1].body["tool_choice"]["function"]["name"] == "answer"


def test_plain_text_where_tools_are_refused_too(scripted_model: ScriptedModel) -> None:
    scripted_model.script(
        failure(400, "json_schema is unknown"), failure(422, "tools are not supported"), completion(label="VAGUE")
    )
    assert isinstance(ask(scripted_model), Judgement)
    assert [request.form for request in scripted_model.requests] == ["schema", "tool", "text"]
    assert '"WELL_SPECIFIED", "REASONABLY_SPECIFIED"' in scripted_model.requests[2].body["messages"][0]["content"]


def test_a_refusal_of_everything_ends(scripted_model: ScriptedModel) -> None:
    result = unavailable(scripted_model, *[failure(400, "bad request")] * 3)
    assert "refuses the question (400)" in result.reason
    assert not result.retry


def test_the_older_name_of_the_token_cap(scripted_model: ScriptedModel) -> None:
    scripted_model.script(failure(400, "Unknown field: max_completion_tokens"), completion())
    assert isinstance(ask(scripted_model, model_max_tokens=99), Judgement)
    assert scripted_model.requests[1].body["max_tokens"] == 99
    assert scripted_model.requests[1].form == "schema"


def test_a_proven_form_is_not_given_up_for_a_passing_complaint(scripted_model: ScriptedModel) -> None:
    scripted_model.script(completion(), failure(400, "bad request"), completion())
    ask(scripted_model)
    assert isinstance(ask(scripted_model), NoJudgement)
    ask(scripted_model)
    assert {request.form for request in scripted_model.requests} == {"schema"}


# Money.


def test_at_the_ceiling_nothing_is_sent(scripted_model: ScriptedModel) -> None:
    spend = MemorySpend()
    spend.record(Usage(1, 0, 0, 5.0), "somebody")
    settings = scripted_model.settings(model_spend_per_day=5.0, model_price_in=1.0, model_price_out=1.0)
    result = OpenAIJudge(settings, spend).judge(a_report())
    assert isinstance(result, NoJudgement)
    assert result.reason == "Today's spend ceiling of 5 is reached."
    assert result.retry and result.tomorrow
    assert not scripted_model.requests


def test_the_worst_cost_must_fit_too(scripted_model: ScriptedModel) -> None:
    result = unavailable(scripted_model, model_spend_per_day=0.03, model_price_out=10.0, model_max_tokens=4000)
    assert "ceiling of 0.03" in result.reason


def test_a_ceiling_without_prices_is_refused(scripted_model: ScriptedModel) -> None:
    result = unavailable(scripted_model, model_spend_per_day=5.0)
    assert "BOUNCER_MODEL_PRICE_IN" in result.reason
    assert not result.retry


def test_every_call_is_recorded(scripted_model: ScriptedModel) -> None:
    scripted_model.script(completion("no"), completion(usage=(2000, 0)))
    spend = MemorySpend()
    OpenAIJudge(scripted_model.settings(model_price_in=1000.0), spend).judge(a_report())
    assert spend.spent_today() == pytest.approx(3.0)


@pytest.mark.parametrize("usage", [None, (0, 0), (-5, -5)])
def test_usage_is_estimated_when_absent(scripted_model: ScriptedModel, usage: tuple[int, int] | None) -> None:
    scripted_model.script(completion(usage=usage))
    result = ask(scripted_model)
    assert 800 < result.usage.tokens_in < 3000
    assert 50 < result.usage.tokens_out < 300


def test_two_threads_do_not_overshoot(scripted_model: ScriptedModel) -> None:
    """Both would fit alone; together they would not. The one that is in flight holds the other back."""
    gate = threading.Barrier(2)
    answer = completion(usage=(0, 4000))
    scripted_model.always(Scripted(answer.status, answer.body, answer.headers, gate=gate))
    spend = MemorySpend()
    settings = scripted_model.settings(model_spend_per_day=0.06, model_price_out=10.0, model_max_tokens=4000)
    judges = [OpenAIJudge(settings, spend) for _ in range(2)]
    first: list[Judgement | NoJudgement] = []
    thread = threading.Thread(target=lambda: first.append(judges[0].judge(a_report())))
    thread.start()
    while not scripted_model.requests and thread.is_alive():
        pass
    second = judges[1].judge(a_report())
    gate.wait(10)
    thread.join(10)
    assert isinstance(first[0], Judgement)
    assert isinstance(second, NoJudgement)
    assert spend.spent_today() == pytest.approx(0.04)
    assert len(scripted_model.requests) == 1


def test_a_ledger_that_fails_is_unavailable(scripted_model: ScriptedModel) -> None:
    class Broken(MemorySpend):
        def spent_today(self, model: str = "") -> float:
            raise OSError(f"no database, by the way {KEY}")

    settings = scripted_model.settings(model_spend_per_day=1.0, model_price_in=1.0)
    result = OpenAIJudge(settings, Broken()).judge(a_report())
    assert isinstance(result, NoJudgement)
    assert result.reason == "The judge failed (OSError)."


# Secrets and strangers' text stay out of the log.


@pytest.mark.parametrize("answer", [completion(), failure(401, KEY), failure(500, KEY), completion("no")])
def test_the_log_holds_no_key_and_no_text(
    scripted_model: ScriptedModel, caplog: pytest.LogCaptureFixture, answer: Scripted
) -> None:
    scripted_model.always(answer)
    with caplog.at_level(logging.INFO):
        ask(scripted_model, a_report("a private sentence"))
    told = "\n".join(record.getMessage() + (record.exc_text or "") for record in caplog.records)
    assert "gpt-4.1 with issue-specification/2" in told
    assert KEY not in told
    assert "private sentence" not in told


def test_debug_logs_hold_no_key_and_no_text_either(
    scripted_model: ScriptedModel, caplog: pytest.LogCaptureFixture
) -> None:
    scripted_model.script(completion())
    with caplog.at_level(logging.DEBUG):
        ask(scripted_model, a_report("a private sentence"))
    told = "\n".join(record.getMessage() for record in caplog.records)
    assert KEY not in told
    assert "private sentence" not in told


def test_nothing_is_raised_whatever_breaks(
    scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def explode(*args: object) -> None:
        raise RuntimeError(KEY)

    monkeypatch.setattr(endpoint.Endpoint, "_post", explode)
    result = ask(scripted_model)
    assert isinstance(result, NoJudgement)
    assert result.reason == "The judge failed (RuntimeError)."
    assert KEY not in caplog.text
