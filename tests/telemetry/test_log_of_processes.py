"""The log of the real processes as JSON: each line can be read, and says which delivery it is about."""

import json
from pathlib import Path

import requests

from tests.support.databases import Databases
from tests.support.waiting import eventually
from tests.webhooks.sending import SECRET, encoded, payload, signed
from tests.webhooks.serving import serving

GUID = "7f0c9a52-0000-4000-8000-000000000001"


def test_the_web_process_logs_json_when_it_is_told_to(tmp_path: Path, databases: Databases) -> None:
    body = encoded(payload())
    with serving(databases.empty(), tmp_path, log_format="json", log_level="DEBUG") as web:
        requests.post(f"{web.address}/webhook", data=body, headers=signed(body, guid=GUID), timeout=60)
        requests.post(f"{web.address}/webhook", data=b"{", headers=signed(body), timeout=60)
        text = eventually(lambda: "401 refused" in web.errors.read_text() and web.errors.read_text())
    lines = [json.loads(line) for line in text.splitlines()]
    assert any(line["logger"] == "gunicorn.error" for line in lines), "gunicorn has no form of its own"
    (told,) = [line for line in lines if line.get("delivery") == GUID]
    assert told["message"].startswith("202 queued: issues opened")
    assert told["subject"] == "acme/widgets#3"
    assert SECRET not in text
