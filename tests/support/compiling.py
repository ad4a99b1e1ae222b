"""The processes of a whole run compile the tests together: each begins elsewhere, and finds done what others did.

Collecting in the same order at the same time, each of them would rewrite the assertions of every file of a fresh clone.
"""

from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def pytest_sessionstart(session: pytest.Session) -> None:
    config = session.config
    worker: dict[str, int | str] = getattr(config, "workerinput", {})
    if not worker or config.args != config.getini("testpaths"):
        return
    files = sorted(ROOT.glob("tests/**/test_*.py"))
    first = len(files) * int(str(worker["workerid"]).removeprefix("gw")) // int(worker["workercount"])
    for file in [*files[first:], *files[:first]]:
        with suppress(Exception, pytest.skip.Exception):  # collecting it tells what is wrong with it
            import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
