"""Runs of a base's own tests, kept: many changes start from the same base, and it says the same to each of them.

Kept is only what the base alone has made: its tree, its tests, the environment that is shared by all who start from it.
Nothing that a change brings is in any of it, and all that such a run depends on is in its key, by content: a branch
that somebody else pushed finds nothing here that was not run on the very same files.
"""

import hashlib
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from bot.sandbox.protocol import Executor
from bot.storage.directories import DirectoryCache
from bot.verification.programs import content, hashes
from bot.verification.syntax import Function
from bot.verification.testing.witnesses import TIME_OUT
from bot.verification.values import BAD, Environment, Experiment, Keeper, Program, TestRun, TestStatus

FORMAT = 1  # of what is kept; a new number leaves old entries unused
MOST_KEPT = 500_000_000  # bytes of all runs together
LARGEST = 32_000_000  # bytes of one
_FILE = "run.json"
_RUNS_IT = ("bot.sandbox", "bot.verification.differential", "bot.verification.testing")


class _Missing(Exception):
    """Leaves a cache's entry unmade."""


class _Entry(BaseModel):
    """A run, with each of its functions written once. entered: of each test, their places among these."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    run: TestRun
    functions: tuple[Function, ...]
    entered: tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(frozen=True)
class KeptRuns(Keeper):
    """Runs of the tests of one base, in its own environment.

    build: the environment's own id; empty where nothing was set up. owner: whose runs these are, such as a repository's
    id. today: the day for which a run is kept, since some tests ask for the date.
    """

    executor: Executor
    program: Program
    environment: Environment
    build: str
    owner: str
    cache: DirectoryCache
    today: Callable[[], date] = lambda: datetime.now(UTC).date()

    def find(self, experiment: Experiment) -> TestRun | None:
        return self._found(self.key(experiment)) if self._is_of_base(experiment) else None

    def keep(self, experiment: Experiment, run: TestRun) -> None:
        """Where it says something that lasts.

        A run in which no test was red is kept at once, and so is one of a broken base, which is asked anew before any
        test is named by it. Any other must have ended the same way twice: a test that fails by chance on the base would
        excuse whoever breaks it, for a whole day.
        """
        broken = bool(experiment.broken)
        lasting = lasts(replace(run, problem="") if broken and TIME_OUT not in run.problem else run)
        if lasting and self._is_of_base(experiment):
            before = self._found(f"{(key := self.key(experiment))} once")
            sure = broken or not _red(run) or (before is not None and _red(before) == _red(run))
            self._keep(key if sure else f"{key} once", run)

    def key(self, experiment: Experiment) -> str:
        """All that the run depends on, except the time that it may take: one that ran out of time is not kept. Which
        tests came first says nothing then."""
        can, suite, order, around = (
            self.executor.probe(),
            experiment.suite,
            experiment.order,
            experiment.suite.environment,
        )
        parts = [
            *(FORMAT, self.owner, self.today().isoformat(), _harness(), sys.version),
            *(can.executor, can.version, can.enforced, can.python),
            *(self._content, self.build, dict(around.variables), around.python, around.image, around.packages),
            [mount.inside for mount in around.mounts],
            {path: _digest(text) for path, text in suite.files.items()},
            *(suite.select, suite.command, suite.test_seconds, suite.folder, suite.detached),
            *(sorted(names) for names in (suite.ignore, suite.until, suite.watched, suite.locked, order.trace)),
            *(order.reverse, order.seed, order.by_tests, order.anew, experiment.once),
            {path: _digest(text) for path, text in experiment.broken.items()},
        ]
        return json.dumps(parts, sort_keys=True)

    def _is_of_base(self, experiment: Experiment) -> bool:
        """Whether nothing of it is anybody else's, and it is not to be made anew."""
        suite = experiment.suite
        own = experiment.program == self.program and suite.environment == self.environment and not experiment.repeats
        return own and all(content(self.program, path) == text for path, text in suite.files.items())

    @cached_property
    def _content(self) -> str:
        return hashlib.sha256(json.dumps(hashes(self.program), sort_keys=True).encode()).hexdigest()

    def _found(self, key: str) -> TestRun | None:
        try:
            place = self.cache.get(key, _nothing)
        except (_Missing, OSError):
            return None
        try:
            return _read((place / _FILE).read_bytes())
        except (OSError, ValueError, IndexError):
            (place / _FILE).unlink(missing_ok=True)  # so that the cache makes it anew
            return None

    def _keep(self, key: str, run: TestRun) -> None:
        try:
            text = _written(run)
            if len(text) <= LARGEST:
                self.cache.get(key, lambda into: (into / _FILE).write_bytes(text))
        except (OSError, ValueError):
            return  # a full disk, a name that is no text: the next one runs it again


def _digest(text: bytes | None) -> str:
    return "" if text is None else hashlib.sha256(text).hexdigest()


def lasts(run: TestRun) -> bool:
    """Whether another run would say the same, for all that is known: it came to its end, and no test by its time."""
    timely = all(result.status not in (TestStatus.TIMEOUT, TestStatus.FLAKY) for result in run.results)
    return bool(run.results) and timely and not (run.problem or run.unavailable or run.late)


@cache
def _harness() -> str:
    """What runs the tests and reads what they say, as it is installed here."""
    found = (hashes(Program(Path(str(files(package))), {})) for package in _RUNS_IT)
    sources = [{path: item for path, item in each.items() if "__pycache__" not in path} for each in found]
    return hashlib.sha256(json.dumps(sources, sort_keys=True).encode()).hexdigest()


def _red(run: TestRun) -> dict[str, str]:
    """How the tests ended that failed."""
    return {each.name: each.status.value for each in run.results if each.status in BAD}


def _written(run: TestRun) -> bytes:
    places: dict[Function, int] = {}
    entered = tuple(
        (test, tuple(places.setdefault(each, len(places)) for each in found)) for test, found in run.entered
    )
    entry = _Entry(run=replace(run, entered=(), left={}), functions=tuple(places), entered=entered)
    return entry.model_dump_json().encode()


def _read(text: bytes) -> TestRun:
    """Raises ValueError or IndexError for what `_written` has not written."""
    entry = _Entry.model_validate_json(text)
    entered = tuple((test, tuple(entry.functions[at] for at in places)) for test, places in entry.entered)
    return replace(entry.run, entered=entered)


def _nothing(_into: Path) -> None:
    raise _Missing
