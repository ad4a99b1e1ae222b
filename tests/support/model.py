"""A scripted OpenAI-compatible endpoint on loopback, spoken to by the real SDK.

    def test_something(scripted_model):
        scripted_model.script(completion(label="VAGUE"))
        judge = OpenAIJudge(scripted_model.settings(), MemorySpend())

Answers are used up in order; `always` sets the one for every further request. A request nobody scripted gets status 599
and fails the test.
"""

import json
import sys
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from bot.judges.openai import endpoint, prompts
from bot.settings import Settings

KEY = "sk-test-0123456789abcdef-this-must-never-show"


@dataclass(frozen=True, slots=True)
class Scripted:
    """One HTTP answer. stall: send nothing, ever. trickle, head: send a body or a header a byte at a time, without end.
    goes_on: say so again and again, and send nothing else. unmeasured: say not how long the body is."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    stall: bool = False
    trickle: bool = False
    goes_on: bool = False
    head: bool = False
    unmeasured: bool = False
    cut: bool = False  # close the connection half way through the body
    gate: threading.Barrier | None = None  # wait here until as many requests are in


@dataclass(frozen=True, slots=True)
class Recorded:
    """One request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def form(self) -> str:
        """How the answer's shape was asked for: `schema`, `tool` or `text`."""
        return "schema" if "response_format" in self.body else "tool" if "tools" in self.body else "text"

    @property
    def prompt(self) -> str:
        return "\n".join(message["content"] for message in self.body["messages"])


def judged(
    label: str = "WELL_SPECIFIED",
    *,
    kind: str = "bug",
    reasoning: str = "The report says what happens and what should happen.",
    items: Mapping[str, bool | None] | None = None,
    questions: list[dict[str, str]] | None = None,
    **extra: Any,
) -> str:
    """A well-formed answer of the model, as JSON text."""
    answer = {"reasoning": reasoning, "kind": kind, "items": dict(items or {}), "questions": questions or []}
    return json.dumps({**answer, "label": label, **extra})


def completion(
    content: str | None = None,
    *,
    label: str = "WELL_SPECIFIED",
    finish: str = "stop",
    refusal: str | None = None,
    tool: str | None = None,
    usage: tuple[int, int] | None = (1000, 100),
    **kwargs: Any,
) -> Scripted:
    """A chat completion: `content`, else a good answer with `label`. `tool`: arguments of a tool call instead."""
    message: dict[str, Any] = {"role": "assistant", "content": judged(label, **kwargs) if content is None else content}
    if refusal is not None:
        message = {"role": "assistant", "content": None, "refusal": refusal}
    if tool is not None:
        call = {"id": "call_1", "type": "function", "function": {"name": "answer", "arguments": tool}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }
    if usage:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return Scripted(200, json.dumps(body).encode(), {"content-type": "application/json"})


def wishing(*calls: tuple[str, Mapping[str, Any]], usage: tuple[int, int] = (1000, 100)) -> Scripted:
    """A chat completion that calls tools, e.g. `wishing(("read", {"path": "a.py"}))`."""
    made = [
        {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for number, (name, arguments) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": None, "tool_calls": made}
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)},
    }
    return Scripted(200, json.dumps(body).encode(), {"content-type": "application/json"})


def failure(status: int, message: str = "no", *, headers: Mapping[str, str] | None = None, **error: Any) -> Scripted:
    """An error in the shape of the API, e.g. `failure(400, param="response_format")`."""
    body = json.dumps({"error": {"message": message, "type": "error", "code": None, "param": None, **error}})
    return Scripted(status, body.encode(), {"content-type": "application/json", **(headers or {})})


class ScriptedModel:
    """The running server: what it will answer, and what it was asked."""

    def __init__(self) -> None:
        self.requests: list[Recorded] = []
        self.unscripted = 0
        self.closing = threading.Event()
        self._answers: deque[Scripted] = deque()
        self._always: Scripted | None = None
        self._lock = threading.Lock()
        model = self

        class Handler(_Handler):
            server_model = model

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def script(self, *answers: Scripted) -> None:
        self._answers.extend(answers)

    def always(self, answer: Scripted) -> None:
        self._always = answer

    def settings(self, **changes: Any) -> Settings:
        """Settings of a server that uses this endpoint."""
        values = {"judge": "openai", "model_base_url": self.base_url, "model_api_key": KEY, "model_timeout": 5.0}
        return Settings(**{**values, **changes})

    def next_answer(self, request: Recorded) -> Scripted:
        with self._lock:
            self.requests.append(request)
            if self._answers:
                return self._answers.popleft()
            if self._always is None:
                self.unscripted += 1
            return self._always or failure(599, "nothing scripted")

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


class Answering(ScriptedModel):
    """Answers by what it is asked for: the fields of the answer, or tools. A list is used up, its last stays."""

    def __init__(self, **answers: list[Scripted]) -> None:
        super().__init__()
        self.answers = answers

    def next_answer(self, request: Recorded) -> Scripted:
        self.requests.append(request)
        shape = request.body.get("response_format", {}).get("json_schema", {}).get("schema", {})
        asked = next((field for field in self.answers if field in shape.get("required", ["tools"])), None)
        if asked is None:
            self.unscripted += 1
            return failure(599, "nothing scripted")
        given = self.answers[asked]
        return given.pop(0) if len(given) > 1 else given[0]


def says(**answer: Any) -> list[Scripted]:
    return [completion(json.dumps(answer))]


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # clients that lose patience are part of the tests
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server_model: ScriptedModel
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # a body would wait 40 ms for the client to acknowledge the head

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.server_model.next_answer(Recorded(self.path, headers, json.loads(raw)))
        if answer.gate:
            answer.gate.wait(10)
        if answer.stall:
            self.server_model.closing.wait(10)
            self.close_connection = True
            return
        self._send(answer)

    def _send(self, answer: Scripted) -> None:
        if answer.goes_on or answer.head:
            self.wfile.write(b"" if answer.goes_on else b"HTTP/1.1 200 OK\r\nx-long: ")
            while not self.server_model.closing.wait(0.02):
                self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n" if answer.goes_on else b"a")
        length = 1_000_000 if answer.trickle else len(answer.body)
        self.send_response(answer.status)
        for name, value in {**answer.headers, **({} if answer.unmeasured else {"content-length": str(length)})}.items():
            self.send_header(name, value)
        self.end_headers()
        if answer.trickle:
            while not self.server_model.closing.wait(0.02):
                self.wfile.write(b" ")
        elif answer.cut:
            self.wfile.write(answer.body[: len(answer.body) // 2])
            self.close_connection = True
        else:
            self.wfile.write(answer.body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def lasting_model() -> Iterator[ScriptedModel]:
    """One for all tests of a file: a client and a server for each of many attempts would take a minute."""
    model = ScriptedModel()
    yield model
    model.close()
    assert not model.unscripted


@pytest.fixture
def scripted_model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    monkeypatch.setattr(endpoint, "_dialects", {})  # an earlier test's endpoint may have had the same port
    model = ScriptedModel()
    try:
        yield model
    finally:
        model.close()
    assert not model.unscripted, f"{model.unscripted} requests nobody scripted"


def reword(patch: pytest.MonkeyPatch, name: str) -> None:
    """This prompt says something else from now on."""
    load = prompts.load
    changed = replace(load(name), digest="of another text")
    patch.setattr(prompts, "load", lambda wanted: changed if wanted == name else load(wanted))
