"""What Go makes of its standard library, made once and shown to every run of Go's tests, which else makes it anew.

No stranger's code is there while it is made, and none can write to it: a job has links to it where it builds (`command`
in `testing/inside/supervisor.py`), and takes what it built with it when it ends.
"""

import json
from dataclasses import replace
from pathlib import Path

from bot.sandbox.protocol import Executor, Job, Mount, Outcome, Status
from bot.storage.directories import DirectoryCache
from bot.verification.environments.build import LIMITS

PLACE = "/go-built"  # as supervisor.py has it
# With all that these import, nearly everything that tests do. More would take longer than many ever get back.
_IMPORTED = (
    "bufio bytes context embed encoding/json errors flag fmt html/template io/fs log math/rand net/http/httptest"
    " os/exec os/signal regexp sort strconv strings sync testing testing/fstest testing/iotest text/tabwriter time"
)
_FILE = "package probe\n\nimport (\n" + "".join(f'\t_ "{name}"\n' for name in _IMPORTED.split()) + ")\n"
_FILES = {"go.mod": b"module probe\n", "probe_test.go": _FILE.encode()}


def go_built(executor: Executor, cache: DirectoryCache, variables: dict[str, str]) -> Mount | None:
    """Where it lies for this executor's Go; `None` where there is no Go, or it does not build. variables: of a run."""
    told = executor.run(Job(("go", "version"), environment=variables))
    if not _well(told):
        return None
    capabilities = executor.probe()
    key = json.dumps(["go built", capabilities.executor, capabilities.version, told.stdout.decode(errors="replace")])
    job = Job(("go", "test", "."), files=_FILES, environment={**variables, "GOCACHE": "/results/go"}, limits=LIMITS)
    try:
        made = cache.get(key, lambda into: _make(executor, job, into))
    except _NotBuilt:
        return None
    return Mount(made / "go", PLACE)


class _NotBuilt(Exception):
    """Carries it out of the cache's builder."""


def _make(executor: Executor, job: Job, into: Path) -> None:
    if not _well(executor.run(replace(job, results_into=into))):
        raise _NotBuilt


def _well(outcome: Outcome) -> bool:
    return outcome.status is Status.EXITED and outcome.exit_code == 0
