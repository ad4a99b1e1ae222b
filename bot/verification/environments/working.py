"""An environment in which tests of the base pass: as the repository means it first, then by other ways.

The environment in which a head is judged has the base's interpreter and test tools, and the head's packages beside.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path

from bot.policy import Verify
from bot.sandbox.protocol import Executor, Mount
from bot.settings import Settings
from bot.storage.directories import DirectoryCache
from bot.verification.environments.build import BuildFailed, EnvironmentProblem
from bot.verification.environments.detect import deciding, detect
from bot.verification.environments.manifests import Detected, Way
from bot.verification.environments.prepare import FORMAT, Prepared, prepare
from bot.verification.programs import hashes
from bot.verification.values import Environment, Origin, Program

SECONDS = 600.0  # after which no other way is begun
ENOUGH = 0.75  # of the tests that end pass: below it, packages of the commit's time may fit better
MOST_KEPT = 10_000_000  # bytes of remembered ways, which have a few hundred each


@dataclass(frozen=True, slots=True)
class Trail:
    """One way to an environment. as_of: of what time the packages are; empty for today's."""

    way: Way = Way.LOCKED
    as_of: str = ""


def prepare_working(
    executor: Executor,
    base: Program,
    head: Program | None,
    policy: Verify,
    settings: Settings,
    *,
    origin: Origin,
    works: Callable[[Prepared], float],
    clock: Callable[[], float] = time.monotonic,
    suite: tuple[str, str] = ("", ""),
) -> Prepared | EnvironmentProblem:
    """As `prepare`, by the first way in which most tests of the base pass; else by that in which most do; without one,
    as the repository means it.

    origin: the base's; where today's packages do not fit, those of the time when it was made may. works: the share of
    the base's tests that pass; asked of each way that can be set up, and remembered for the same manifests, of a base
    that shares nothing for its very tree. The head has no say in it: it is set up the same way. suite: see `prepare`.
    """
    detected = detect(base, *suite, policy.paths)

    def by(trail: Trail, changed: Program | None) -> Prepared | EnvironmentProblem:
        way, as_of = trail.way, trail.as_of
        return prepare(executor, base, changed, policy, settings, origin=origin, as_of=as_of, way=way, suite=suite)

    def bare_or(found: Prepared | EnvironmentProblem) -> Prepared | EnvironmentProblem:
        """With nothing installed, where nothing can be, the change asks for nothing else, and the tests pass so."""
        if isinstance(found, Prepared) or found.of_head or policy.setup is not None:
            return found
        if head is not None and deciding(hashes(base), ()) != deciding(hashes(head), ()):
            return found
        bare = by(Trail(Way.BARE), head)
        return bare if isinstance(bare, Prepared) and works(bare) >= ENOUGH else found

    end = clock() + SECONDS

    def search(into: Path) -> None:
        best = _best(trails, lambda trail: by(trail, None), works, lambda: clock() > end)
        (into / "trail.json").write_text(json.dumps([best[0].way, best[0].as_of, best[1].told if best[1] else ""]))

    def key() -> str:
        """All that decides what is found."""
        can, whole = executor.probe(), hashes(base)
        ways = [policy.setup] if policy.setup is not None else [detected.set_up(way) for way in detected.ways]
        setup = tuple(line for way in ways for line in way)
        parts = [
            *(FORMAT, origin.owner, can.executor, can.version, policy.image, policy.test, detected.test, setup),
            *(settings.package_index, settings.package_registry, deciding(whole, setup) if origin.shared else whole),
            [[trail.way, trail.as_of] for trail in trails],
        ]
        return json.dumps(parts, sort_keys=True)

    trails = tuple(_trails(detected, policy, origin.made))
    if len(trails) == 1:
        return bare_or(_untested(partial(by, trails[0]), head, works))
    cache = DirectoryCache(settings.cache_dir / "ways", MOST_KEPT)
    try:
        way, as_of, *told = json.loads((cache.get(key(), search) / "trail.json").read_text())
    except BuildFailed as nothing:
        return bare_or(nothing.problem) if nothing.problem.reason else _untested(partial(by, trails[0]), head, works)
    found = by(Trail(Way(way), as_of), head)
    if isinstance(found, EnvironmentProblem):
        return found
    return replace(found, without=(*found.without, *(f"all that they ask for ({each})" for each in told if each)))


def _best(
    trails: tuple[Trail, ...],
    prepared: Callable[[Trail], Prepared | EnvironmentProblem],
    works: Callable[[Prepared], float],
    late: Callable[[], bool],
) -> tuple[Trail, EnvironmentProblem | None]:
    """The first by which most tests of the base pass, else that by which most do, and why the very first could not be
    set up where that installs more. Raises BuildFailed, with why; with no reason where the very first can be set up."""
    first: EnvironmentProblem | None = None
    best, share, whole = trails[0], 0.0, set[str]()
    for trail in trails:
        if trail is not trails[0] and late():
            break
        if share and not trail.as_of and trail.way not in (Way.WHOLE, Way.LOCKED):
            continue  # some pass: what other ways bring is no better for the rest
        if trail.way is Way.LESS and trail.as_of in whole:
            continue  # nothing has to be left out
        found = prepared(trail)
        if isinstance(found, EnvironmentProblem):
            first = found if trail is trails[0] else first
            continue
        whole.add(trail.as_of)
        with found:
            passing = works(found)
        if passing > share:
            best, share = trail, passing
        if share >= ENOUGH:
            break
    if not share:
        raise BuildFailed(first or EnvironmentProblem(""))
    return best, first if best.way is not Way.WHOLE else None


def _untested(
    prepared: Callable[[Program | None], Prepared | EnvironmentProblem],
    head: Program | None,
    works: Callable[[Prepared], float],
) -> Prepared | EnvironmentProblem:
    """Where it was not seen yet whether tests of the base pass: before the change is blamed, they have to."""
    found = prepared(head)
    if not (isinstance(found, EnvironmentProblem) and found.of_head):
        return found
    alone = prepared(None)
    if isinstance(alone, EnvironmentProblem):
        return replace(found, of_head=False)
    with alone:
        return replace(found, of_head=works(alone) > 0)


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
    if Way.LESS in ways:
        yield from (Trail(Way.LESS, moment) for moment in before)


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
