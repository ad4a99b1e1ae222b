"""What `bouncer doctor` says of models, against a small endpoint."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from bot.commands.doctor_lines import CheckOutcome
from fake_github import FakeGitHub
from tests.commands.doctors import KEY, examine, healthy, outcomes
from tests.support.cases import cases

__all__ = ["healthy"]


class Models(BaseHTTPRequestHandler):
    """Lists two models to whoever has the key."""

    def do_GET(self) -> None:
        allowed = self.headers.get("Authorization") == f"Bearer {KEY}"
        body = json.dumps({"data": [{"id": "gpt-4.1"}, {"id": "small"}]} if allowed else {"error": KEY}).encode()
        status = 404 if self.path != "/v1/models" else 200 if allowed else 401
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def models(healthy: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Models) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}"
        settings = {"JUDGE": "openai", "MODEL_BASE_URL": f"{address}/v1", "MODEL_API_KEY": KEY, "MODEL_PRICE_IN": "2"}
        for name, value in {**settings, "MODEL_SPEND_PER_DAY": "5"}.items():
            monkeypatch.setenv(f"BOUNCER_{name}", value)
        yield address
        server.shutdown()


@cases
def test_the_model_is_asked_for_its_name_only(
    models: str, monkeypatch: pytest.MonkeyPatch, changes: dict[str, str], outcome: CheckOutcome, says: str
) -> None:
    for name, value in changes.items():
        monkeypatch.setenv(f"BOUNCER_{name}", value.format(address=models))
    (line,) = examine()["judge"]
    assert (line.outcome, says in line.says) == (outcome, True), line


@cases
def test_money_that_is_not_bounded_is_told(
    models: str, monkeypatch: pytest.MonkeyPatch, changes: dict[str, str], outcome: CheckOutcome
) -> None:
    for name, value in changes.items():
        monkeypatch.setenv(f"BOUNCER_{name}", value)
    assert outcomes(examine()["spend"]) == [outcome]


def test_a_key_sent_in_the_clear_is_worth_a_warning(models: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_MODEL_BASE_URL", "http://127.0.0.2:9/v1")
    assert outcomes(examine()["judge"]) == [CheckOutcome.WARN, CheckOutcome.FAIL]


FURTHER = [
    {"model": "small", "price_in": 1, "own_spend_per_day": 2},
    {"model": "claude-3", "base_url": "http://127.0.0.1:9/v1", "api_key": "k", "price_in": 1},
    {"model": "idle", "price_in": 1},
]


def test_each_model_is_examined_with_its_task(models: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_MODELS", json.dumps(FURTHER))
    monkeypatch.setenv("BOUNCER_FIRST_MODEL", "small")
    monkeypatch.setenv("BOUNCER_EVALUATOR_MODEL", "gpt-4.1")
    monkeypatch.setenv("BOUNCER_WRITER_MODEL", "claude-3")
    lines = examine()
    assert [line.says for line in lines["judge"]] == ["gpt-4.1 at 127.0.0.1: judges, checks reviews"]
    assert [(line.outcome, line.says) for line in lines["model"]] == [
        (CheckOutcome.PASS, "small at 127.0.0.1: is asked first"),
        (CheckOutcome.FAIL, "127.0.0.1 cannot be reached (ConnectionError)"),
        (CheckOutcome.WARN, "idle has no task"),
    ]
    assert "`base_url` of claude-3 in BOUNCER_MODELS" in lines["model"][1].mend
    assert "BOUNCER_VOTER_MODELS" in lines["model"][2].mend
    assert [line.says for line in lines["spend"]] == [
        "gpt-4.1: at most 5 a day",
        "small: at most 2 a day",
        "claude-3: at most 5 a day",
    ]


def test_a_further_model_without_prices_fails_under_a_ceiling(models: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_MODELS", '[{"model": "small"}]')
    monkeypatch.setenv("BOUNCER_VOTER_MODELS", "small")
    line = examine()["spend"][1]
    assert (line.outcome, "small: a ceiling without token prices" in line.says) == (CheckOutcome.FAIL, True)
    assert "`price_in` of small in BOUNCER_MODELS" in line.mend
