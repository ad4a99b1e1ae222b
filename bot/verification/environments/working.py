"""An environment in which tests of the base pass: as the repository means it first, then by other ways.

The environment in which a head is judged has the base's interpreter and test tools, and the head's packages beside.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

from bot.policy import Verify
from bot.sandbox.protocol import Mount
from bot.storage.directories import DirectoryCache
from bot.verification.environments.build import BuildFailed, EnvironmentProblem
from bot.verification.environments.detect import detect, inputs_of
from bot.verification.environments.manifests import Detected, Way
from bot.verification.environments.prepare import Prepared, Setup, Trail, prepare
from bot.verification.programs import hashes
from bot.verification.values import Environment, Program

SECONDS = 600.0  # after which no other way is begun
ENOUGH = 0.75  # of the tests that end pass: below it, packages of the commit's time may fit better
MOST_KEPT = 10_000_000  # bytes of remembered ways, which have a few hundred each
_FILE = "trail.json"


def prepare_working(
    setup: Setup, base: Program, head: Program | None, *, works: Callable[[Prepared], float]
) -> Prepared | EnvironmentProblem:
    """As `prepare`, by the first way in which most tests of the base pass; else by that in which most do; without one,
    as the repository means it.

    Where today's packages do not fit, those of the time when the base was made may. works: the share of the base's
    tests that pass; asked of each way that can be set up, and remembered for the same manifests, of a base that shares
    nothing for its very tree. The head has no say in it: it is set up the same way.
    """
    suite = setup.suite or detect(base, paths=setup.policy.paths)
    return _Search(replace(setup, suite=suite), base, head, works, suite).result()


@dataclass(frozen=True, slots=True)
class _Search:
    """For the way to an environment; as `prepare_working` has it. suite: the base's."""

    setup: Setup
    base: Program
    head: Program | None
    works: Callable[[Prepared], float]
    suite: Detected

    def result(self) -> Prepared | EnvironmentProblem:
        trails = tuple(_trails(self.suite, self.setup.policy, self.setup.origin.made))
        if len(trails) == 1:
            return self._or_bare(self._untested(trails[0]))
        cache = DirectoryCache(self.setup.settings.cache_dir / "ways", MOST_KEPT)
        try:
            place = cache.get(self._key(trails), lambda into: (into / _FILE).write_text(json.dumps(self._best(trails))))
        except BuildFailed as nothing:
            return self._or_bare(nothing.problem if nothing.problem.reason else self._untested(trails[0]))
        way, as_of, told = json.loads((place / _FILE).read_text())
        found = prepare(self.setup, self.base, self.head, Trail(Way(way), as_of))
        if isinstance(found, EnvironmentProblem) or not told:
            return found
        return replace(found, without=(*found.without, f"all that they ask for ({told})"))

    def _key(self, trails: tuple[Trail, ...]) -> str:
        """All that decides what is found."""
        policy, whole = self.setup.policy, hashes(self.base)
        ways = [self.suite.set_up(way) for way in self.suite.ways] if policy.setup is None else [policy.setup]
        lines = tuple(line for way in ways for line in way)
        inputs = inputs_of(whole, lines) if self.setup.origin.shared else whole
        tried = [[trail.way, trail.as_of] for trail in trails]
        return json.dumps([*self.setup.key, policy.test, self.suite.test, lines, inputs, tried], sort_keys=True)

    def _best(self, trails: tuple[Trail, ...]) -> tuple[str, str, str]:
        """The way and time of the first by which most tests of the base pass, else of that by which most do; and why
        the very first could not be set up where that installs more. Raises BuildFailed, with why; with no reason where
        the very first can be set up."""
        first: EnvironmentProblem | None = None
        best, share, end = trails[0], 0.0, time.monotonic() + SECONDS
        for trail in trails:
            if trail is not trails[0] and time.monotonic() > end:
                break
            if share and not trail.as_of and trail.way not in (Way.WHOLE, Way.LOCKED):
                continue  # some pass: what other ways bring is no better for the rest
            found = prepare(self.setup, self.base, None, trail)
            if isinstance(found, EnvironmentProblem):
                first = found if trail is trails[0] else first
                continue
            with found:
                passing = self.works(found)
            if passing > share:
                best, share = trail, passing
            if share >= ENOUGH:
                break
        if not share:
            raise BuildFailed(first or EnvironmentProblem(""))
        return best.way or Way.LOCKED, best.as_of, first.told if first and best.way is not Way.WHOLE else ""

    def _untested(self, trail: Trail) -> Prepared | EnvironmentProblem:
        """Where it was not seen yet whether tests of the base pass: before the change is blamed, they have to."""
        found = prepare(self.setup, self.base, self.head, trail)
        if not (isinstance(found, EnvironmentProblem) and found.of_head):
            return found
        alone = prepare(self.setup, self.base, None, trail)
        if isinstance(alone, EnvironmentProblem):
            return replace(found, of_head=False)
        with alone:
            return replace(found, of_head=self.works(alone) > 0)

    def _or_bare(self, found: Prepared | EnvironmentProblem) -> Prepared | EnvironmentProblem:
        """With nothing installed, where nothing can be, the change asks for nothing else, and the tests pass so."""
        if isinstance(found, Prepared) or found.of_head or self.setup.policy.setup is not None:
            return found
        if self.head is not None and inputs_of(hashes(self.base), ()) != inputs_of(hashes(self.head), ()):
            return found
        bare = prepare(self.setup, self.base, self.head, Trail(Way.BARE))
        return bare if isinstance(bare, Prepared) and self.works(bare) >= ENOUGH else found


def _trails(detected: Detected, policy: Verify, made: datetime | None) -> Iterator[Trail]:
    """What the policy says is done as it says; only the time may differ."""
    ways = detected.ways if policy.setup is None else (Way.LOCKED,)
    python = detected.python or policy.setup is not None
    before = [moment for moment in moments_of(made, datetime.now(UTC)) if moment] if made and python else []
    yield Trail(ways[0])
    if len(ways) == 1 and not detected.set_up(ways[0]) and not policy.setup:
        return
    free = Way.LOOSE if Way.LOOSE in ways else ways[0]
    yield from [Trail(Way.WHOLE)] if Way.WHOLE in ways[1:] else []
    yield from (Trail(free, moment) for moment in before)
    yield from (Trail(way) for way in ways[1:] if way is not Way.WHOLE)


RECENT = timedelta(days=365)  # a commit's age up to which the packages of today are tried first


def moments_of(made: datetime, now: datetime) -> tuple[str, ...]:
    """ISO 8601, the best first; empty for what there is today.

    Nothing pins most dependencies of an old commit, and those of today may not fit it. So they are those of the month
    it was made in, or, where there are none for this Python yet, those of Python's first weeks. One of the last year
    has those of its month where those of today do not do.
    """
    month = (made.date().replace(day=1) + timedelta(days=31)).replace(day=1)
    if now - made < RECENT:
        return ("",) if month > now.date() else ("", f"{month}T00:00:00Z")
    python = date(2011 + sys.version_info.minor, 12, 1)  # released in October (PEP 602)
    return (*(f"{each}T00:00:00Z" for each in dict.fromkeys((month, max(month, python)))), "")


_OWN, _BESIDE = "/env", "/head"
_PACKAGES = f"{_BESIDE}/venv"
_MODULES = "node_modules"


def judging_environment(base: Environment, head: Environment, *, by_command: bool) -> Environment:
    """The head's environment, where it is the base's; else the base's, which finds the head's packages as well.

    Who made the head's environment wrote the head, so nothing of it may run the tests. by_command: a command runs them:
    its tools are the base's, and what only the head has is found behind them by Node's `require`. Where no installed
    package can be a tool, as with Go and Rust, it is the head's.
    """
    own = next((mount for mount in head.mounts if mount.inside == _OWN), None)
    node = any(f"{_MODULES}/.bin:" in side.variables.get("PATH", "") for side in (base, head))
    tools = node or base.python if by_command else base.python and head.python
    if head.mounts == base.mounts or own is None or not tools:
        return head
    if by_command:
        variables = {**base.variables, "NODE_PATH": f"{_BESIDE}/node/{_MODULES}"}
        return replace(base, mounts=(*base.mounts, Mount(own.host, _BESIDE)), variables=variables)
    beside = tuple(mount for mount in head.mounts if mount.inside not in {each.inside for each in base.mounts})
    path = f"{base.variables.get('PATH', '')}:{_PACKAGES}/bin"
    return replace(
        base,
        mounts=(*base.mounts, *beside, Mount(own.host, _BESIDE)),
        variables={**base.variables, "PATH": path},
        packages=_PACKAGES,
    )
