"""The black-box cases that lie beside the repository, through their own runner."""

import importlib.util
import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from lab.corpus.command_line import Bouncer
from lab.corpus.normal_form import briefly, normalise
from lab.corpus.pulls import each
from lab.corpus.recording import Item, item
from lab.corpus.reports import ROOT

CASES = ROOT.parent / "shared" / "cases"
_LIMIT = 900.0  # seconds of one call


def cases() -> dict[str, Any]:
    """`KIND/FAMILY: NAME` -> what the runner has for it."""
    runner = _runner()
    loaded = [case for kind in runner.KINDS for case in runner.load(kind, None)]
    return {f"{kind}/{family}: {case['name']}": (kind, family, case) for kind, family, case in loaded}


def record_cases(bouncer: Bouncer, chosen: Mapping[str, Any], jobs: int) -> dict[str, Item]:
    """Of each whether it is right, and every document that `bouncer` printed for it."""
    runner, home = _runner(), bouncer.folder / "home"
    home.mkdir()

    class Noting(runner.Bouncer):  # type: ignore[misc, name-defined]
        """Keeps what it is told."""

        def __init__(self) -> None:
            super().__init__(str(bouncer.path), home, _LIMIT)
            self.told: list[Any] = []

        def __call__(self, *words: Any) -> Any:
            self.told.append(super().__call__(*words))
            return self.told[-1]

    def judge(numbered: tuple[int, tuple[str, str, Any]]) -> Item:
        number, (kind, _, case) = numbered
        lacking = [program for program in case.get("needs", ()) if not shutil.which(program)]
        if lacking:
            return item("left out", f"no {', '.join(lacking)} on this machine")
        noting, folder = Noting(), bouncer.folder / f"case{number}"
        folder.mkdir()
        function = {"pulls": "pull", "issues": "issue"}.get(kind, kind)
        try:
            right, said = "right", getattr(runner, function)(noting, folder, case)
        except (runner.Wrong, subprocess.TimeoutExpired) as wrong:
            right, said = "wrong", str(wrong)
        documents = json.dumps(noting.told, indent=1, sort_keys=True, ensure_ascii=False)
        brief = ", ".join((right, *map(briefly, noting.told)))
        text = f"{said}\n{documents}"
        return item(brief, text if kind == "issues" else normalise(text, str(folder), str(bouncer.folder)))

    return each({name: (number, case) for number, (name, case) in enumerate(chosen.items())}, judge, jobs)


def _runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("cases_runner", Path(CASES, "run.py"))
    if spec is None or spec.loader is None:
        raise RuntimeError(f"{CASES}: there is no run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
