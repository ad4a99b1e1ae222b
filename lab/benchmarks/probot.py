"""Probot, the usual framework for GitHub Apps, to send the same deliveries to. It stores nothing."""

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

VERSION = "14.3.2"
CACHE = Path(__file__).parents[2] / ".cache" / f"probot-{VERSION}"
SECONDS_TO_START = 30.0
APP = """\
import { run } from "probot";
await run((app) => app.on("issues", async () => {}));
"""


@contextmanager
def running_probot(environment: Mapping[str, str], settings: Mapping[str, str], log: Path) -> Iterator[tuple[int, str]]:
    """One process with a handler that does nothing, its log in production's form; yields its id and address.
    npm fetches it once. environment: for the process. settings: Bouncer's, with the same App and secret."""
    _install()
    port = _free_port()
    given = {
        "APP_ID": settings["BOUNCER_APP_ID"],
        "PRIVATE_KEY": settings["BOUNCER_PRIVATE_KEY"],
        "WEBHOOK_SECRET": settings["BOUNCER_WEBHOOK_SECRET"],
        "WEBHOOK_PATH": "/webhook",
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "NODE_ENV": "production",
    }
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["node", "app.mjs"], cwd=CACHE, env={**environment, **given}, stdout=output, stderr=output
        )
    try:
        deadline = time.monotonic() + SECONDS_TO_START
        while not _listens(port):
            if process.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"Probot did not start:\n{log.read_text()[-2000:]}")
            time.sleep(0.05)
        yield process.pid, f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


def available() -> bool:
    return shutil.which("npm") is not None and shutil.which("node") is not None


def _install() -> None:
    CACHE.mkdir(parents=True, exist_ok=True)
    if not (CACHE / "node_modules" / "probot").is_dir():
        command = ["npm", "install", "--silent", "--ignore-scripts", "--no-fund", "--no-audit", f"probot@{VERSION}"]
        subprocess.run(command, cwd=CACHE, check=True)
    (CACHE / "app.mjs").write_text(APP)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
