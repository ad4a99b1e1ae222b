"""`bouncer` of any checkout, by its command line alone."""

import json
import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.corpus.normal_form import briefly, normalise
from lab.corpus.recording import Item, item

_LIMIT = 900.0  # seconds of one call
_ONE_PROCESS = Path(__file__).with_name("one_process.py")


@dataclass(frozen=True, slots=True)
class Answer:
    """What one call printed."""

    status: int
    out: str
    err: str

    def document(self) -> Any:
        """The JSON document; `None` where there is none."""
        try:
            return json.loads(self.out)
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class Bouncer:
    """path: of the console script. folder: where it keeps what it makes."""

    path: Path
    folder: Path

    def environment(self, **more: str) -> dict[str, str]:
        """Nobody's settings, a cache of its own, and a terminal of one width."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("BOUNCER_", "VIRTUAL_ENV"))}
        own = {"BOUNCER_SETTINGS_FILE": "", "BOUNCER_CACHE_DIR": str(self.folder / "cache")}
        return {**clean, **own, "COLUMNS": "120", "NO_COLOR": "1", **more}

    def call(self, *words: str, environment: Mapping[str, str] | None = None) -> Answer:
        """One call."""
        ran = subprocess.run(
            [self.path, *words],
            env=environment or self.environment(),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_LIMIT,
        )
        return Answer(ran.returncode, ran.stdout, ran.stderr)

    def call_each(self, calls: Iterable[tuple[str, ...]]) -> list[Answer]:
        """Many calls that need little more than what they import, which is imported once for all."""
        interpreter = self.path.read_text("utf-8").splitlines()[0].removeprefix("#!")
        ran = subprocess.run(
            [interpreter, "-P", _ONE_PROCESS, self.path],
            input="".join(json.dumps(words) + "\n" for words in calls),
            env=self.environment(),
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=True,
        )
        return [Answer(*json.loads(line)) for line in ran.stdout.splitlines()]


def judged(answer: Answer, shown: str = "", *folders: str) -> Item:
    """What a call with `--json` said. shown: what people are shown. folders: of this run, which are normalised together
    with all that differs between runs; without them nothing is."""
    document = answer.document()
    text = json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) if document else answer.out + answer.err
    text = f"exit {answer.status}\n{text}\n{shown}"
    return item(briefly(document), normalise(text, *folders) if folders else text)
