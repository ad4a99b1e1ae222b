"""The recipe for a local model: its settings are taken, and sent as Ollama, vLLM and llama.cpp read them."""

import re
import shlex
from io import StringIO
from pathlib import Path

import pytest
from dotenv import dotenv_values

from bot.judges.factory import make_judge, make_patch_reviewer
from bot.judges.openai.spend import MemorySpend
from bot.judges.protocol import Judgement
from bot.judges.reviews import PatchReview, ReviewMode
from bot.settings import Settings, load
from tests.docs.pages import DOCS
from tests.judges.joiner import subject
from tests.judges.reports import a_report
from tests.judges.test_code_tools import Shelf
from tests.judges.test_openai_review import answer
from tests.support.model import ScriptedModel, completion, failure, wishing

SECTION = (DOCS / "settings.md").read_text(encoding="utf-8").partition("\n## A local model\n")[2].partition("\n## ")[0]
(RECIPE,) = re.findall(r"```sh\n(.*?)```", SECTION, re.DOTALL)
ADDRESSES = re.findall(r"http://localhost:\d+\S*", RECIPE)


def settings(server: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """From a settings file with the recipe, at the scripted server's port."""
    for name in dotenv_values(stream=StringIO(RECIPE)):
        monkeypatch.delenv(name, raising=False)
    assert ADDRESSES[0].startswith("http://localhost:11434/")
    written = tmp_path / "app.env"
    port = server.base_url.rpartition(":")[2].partition("/")[0]
    written.write_text(RECIPE.replace("localhost:11434", f"127.0.0.1:{port}"))
    monkeypatch.setenv("BOUNCER_SETTINGS_FILE", str(written))
    return load()


def test_each_server_has_its_address() -> None:
    """Below /v1, and none at Bouncer's own port."""
    ports = [re.fullmatch(r"http://localhost:(\d+)/v1", address) for address in ADDRESSES]
    assert [port and int(port[1]) for port in ports] == [11434, 8001, 8080]
    assert "--port 8001" in SECTION and Settings.model_fields["port"].default == 8000


def test_each_server_calls_the_model_by_the_name_of_the_recipe() -> None:
    started = [shlex.split(line) for line in re.findall(r"^\$ ((?:.*\\\n)*.*)$", SECTION, re.MULTILINE)]
    (name,) = re.findall(r"^BOUNCER_MODEL=(\S+)", RECIPE, re.MULTILINE)
    assert [name in words for words in started] == [True, True, True]


def test_an_issue_is_judged_with_the_settings_of_the_recipe(
    scripted_model: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted_model.script(completion())
    judged = make_judge(settings(scripted_model, tmp_path, monkeypatch), MemorySpend()).judge(a_report())
    assert isinstance(judged, Judgement)
    (request,) = scripted_model.requests
    assert (request.path, request.form) == ("/v1/chat/completions", "schema")
    assert request.headers["authorization"] == "Bearer local"
    sent = {key: request.body.get(key) for key in ("model", "reasoning_effort", "temperature", "max_completion_tokens")}
    assert sent == {
        "model": "gpt-oss:20b",
        "reasoning_effort": "low",
        "temperature": None,
        "max_completion_tokens": 8000,
    }


def test_a_server_without_schemas_is_asked_by_a_tool_call(
    scripted_model: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = failure(400, "response_format of the type json_schema is not supported")
    scripted_model.script(refused, completion())
    judged = make_judge(settings(scripted_model, tmp_path, monkeypatch), MemorySpend()).judge(a_report())
    assert isinstance(judged, Judgement)
    assert [request.form for request in scripted_model.requests] == ["schema", "tool"]


@pytest.mark.parametrize("tools", [True, False])
def test_a_pull_request_is_reviewed_with_tools_or_without(
    scripted_model: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tools: bool
) -> None:
    no_tools = failure(400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set')
    looked = (wishing(("read", {"path": "src/joiner.py"})), completion("Enough.")) if tools else (no_tools,)
    scripted_model.script(*looked, answer(verdict="yes"))
    made = make_patch_reviewer(settings(scripted_model, tmp_path, monkeypatch), MemorySpend(), ReviewMode.DIRECT)
    found = made.review(subject(), Shelf("def join(self, items):"))
    assert isinstance(found, PatchReview) and not found.rejects
    assert bool(found.calls) == tools
