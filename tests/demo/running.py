"""`bouncer demo` as people start it, from the wheel, and as a background job of a shell."""

import json
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import requests

from tests.support.waiting import eventually

IGNORES_SIGINT = 'trap "" INT; exec "$0" "$@"'  # as a shell starts a background job
HOSTILE = {"BOUNCER_DATABASE_URL": "postgresql://nowhere/none", "BOUNCER_JUDGE": "openai"}


@dataclass(frozen=True)
class Demo:
    """It has told its stories. temporary: its directory for temporary files. printed, shown: its stdout and stderr.

    page: the last verdict page that was shown, as a browser gets it. front: what the link to Bouncer itself leads to.
    """

    process: "subprocess.Popen[bytes]"
    temporary: Path
    printed: Path
    shown: Path
    page: str
    front: str

    @property
    def show(self) -> str:
        return self.shown.read_text()

    @property
    def unwrapped(self) -> str:
        """The show, no address broken over two lines."""
        return self.show.replace("\n", "")

    @cached_property
    def outcome(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.printed.read_text())
        assert "subjects" in found, f"the demo ended early: {found}"
        return found

    @property
    def subjects(self) -> dict[str, Any]:
        found: dict[str, Any] = self.outcome["subjects"]
        return found


@contextmanager
def demo(programs: Path, folder: Path, temporary: Path, options: Sequence[str]) -> Iterator[Demo]:
    """Nothing but what the programs bring: no settings of this process, and its own ones make no difference."""
    environment = {"PATH": os.defpath, "HOME": str(folder), "TMPDIR": str(temporary), **HOSTILE}
    words = [
        "sh",
        "-c",
        IGNORES_SIGINT,
        str(programs / "bouncer"),
        "demo",
        "--json",
        *options,
    ]
    printed, shown = folder / "printed", folder / "shown"
    with printed.open("w") as stdout, shown.open("w") as stderr:
        process = subprocess.Popen(words, cwd=folder, env=environment, stdout=stdout, stderr=stderr)
    try:
        eventually(lambda: process.poll() is not None or "Your turn" in shown.read_text(), seconds=200)
        pages = re.findall(r"http://127\.0\.0\.1:\d+/verdicts/[\w-]{32}", shown.read_text().replace("\n", ""))
        page = requests.get(pages[-1], timeout=60).text if pages else ""
        fronts = re.findall(r"Bouncer itself\s+(http://127\.0\.0\.1:\d+)", shown.read_text())
        front = requests.get(fronts[0], timeout=60).text if fronts else ""
        yield Demo(process, temporary, printed, shown, page, front)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(300)
