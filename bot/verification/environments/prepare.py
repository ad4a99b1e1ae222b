"""Two versions of a program made ready to be tested: each with the environment it needs, shared where that is safe.

The environment of a base that nobody pushes to unasked is kept for all who start from the same tree. Any other base,
and a head that changes what is installed, gets its own: strangers wrote it, so nobody else is given it, and it is
deleted when its tests have run.
"""

import hashlib
import json
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from bot.policy import Verify
from bot.sandbox import toolchains
from bot.sandbox.protocol import Executor, Job, Mount
from bot.settings import Settings
from bot.storage.directories import DirectoryCache
from bot.verification.environments.build import BuildFailed, EnvironmentPlan, EnvironmentProblem, build, made
from bot.verification.environments.commands import in_folder, parse
from bot.verification.environments.detect import as_judged, detect, inputs_of
from bot.verification.environments.manifests import SHELL, Detected, Manifests, Way
from bot.verification.programs import Hashes, hashes
from bot.verification.values import Environment, Origin, Program, Suite

FORMAT = 10  # of what is kept; a new number leaves old entries unused
ABANDONED = 24 * 3600.0  # seconds after which a private environment's process is certainly gone
# What cargo builds takes a fraction of the room and the time without what only a debugger reads.
_SMALL = {"CARGO_PROFILE_DEV_DEBUG": "0", "CARGO_PROFILE_TEST_DEBUG": "0", "CARGO_INCREMENTAL": "0"}
_GO_CACHE = "/tmp/go"  # noqa: S108 - inside
GO_BUILT = "/go-built"  # as supervisor.py has it
# With all that these import, nearly everything that tests do. More would take longer than many ever get back.
_OF_GO = (
    "bufio bytes context embed encoding/json errors flag fmt html/template io/fs log math/rand net/http/httptest"
    " os/exec os/signal regexp sort strconv strings sync testing testing/fstest testing/iotest text/tabwriter time"
)
_IMPORTS = "package probe\n\nimport (\n" + "".join(f'\t_ "{name}"\n' for name in _OF_GO.split()) + ")\n"
_PROBE = Program(None, {"go.mod": b"module probe\n", "probe_test.go": _IMPORTS.encode()})
# "/usr/local/cargo/bin" is where images have it.
_PATH = ("/opt/bouncer/bin", *toolchains.PATH.split(":"), "/usr/local/cargo/bin")


@dataclass(frozen=True, slots=True)
class Ready:
    """A program with what it needs. program: with what setup added to its tree. build: the environment's own id, a new
    one each time it is built; empty where nothing is set up. recipe: a digest of all that decides what is installed."""

    program: Program
    environment: Environment
    build: str = ""
    recipe: str = ""


@dataclass(frozen=True)
class Prepared(AbstractContextManager["Prepared"]):
    """Both versions, ready to be tested. Use it as a context manager: at the end what was a stranger's is deleted.

    test: the suite, without its environment. described: one line for people, such as `pytest,
    detected from pyproject.toml`. seconds: for one run. without: what the tests run without, as noun phrases.
    """

    base: Ready
    head: Ready | None
    test: Suite
    described: str
    seconds: float
    private: ExitStack = field(default_factory=ExitStack, repr=False, compare=False)
    without: tuple[str, ...] = ()

    def suite(self, side: Ready, files: Mapping[str, bytes] | None = None, select: tuple[str, ...] = ()) -> Suite:
        """The suite for one side: these test files laid over it, these tests or all that the command names."""
        select = select or self.test.select
        return replace(self.test, files=files or {}, select=select, environment=side.environment)

    def __exit__(self, *_: object) -> None:
        self.private.close()


@dataclass(frozen=True, slots=True)
class Setup:
    """By what versions of a program are set up. policy, origin, suite: the base's; without a suite its first."""

    executor: Executor
    policy: Verify
    settings: Settings
    origin: Origin
    suite: Detected | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """What every environment depends on, whatever is installed."""
        can, settings = self.executor.probe(), self.settings
        here = (FORMAT, sys.version, can.executor, can.version, self.policy.image)
        return (*here, self.origin.owner, settings.package_index, settings.package_registry)


@dataclass(frozen=True, slots=True)
class Trail:
    """One way to an environment, where the policy leaves that open.

    as_of: an ISO 8601 moment; what was published on a package index of Python later is not there for setup. Empty: all
    is. packages: distributions for Python that are installed last, by names of Bouncer's own choice.
    """

    way: Way | None = None
    as_of: str = ""
    packages: tuple[str, ...] = ()


def prepare(
    setup: Setup, base: Program, head: Program | None = None, trail: Trail = Trail()
) -> Prepared | EnvironmentProblem:
    """Set up base and head as the base's policy says, or as its manifests do where that is silent; without a way as
    they mean it."""
    capabilities, policy = setup.executor.probe(), setup.policy
    if not capabilities.usable:
        return EnvironmentProblem(f"nothing may run here: {capabilities.problem}")
    detected = setup.suite or detect(base, paths=policy.paths)
    test = policy.test or detected.test
    if not test:
        return EnvironmentProblem(f"{detected.why}; say in the policy how: `verify: {{test: …}}`")
    manifests = Manifests(base, "" if policy.test else detected.folder)
    bare = bool(policy.image and not (detected.setup if policy.setup is None else policy.setup))
    (suite, needs), described = parse(test, manifests, bare=bare), _described(policy, detected)
    plans = _Plans(setup, replace(trail, way=trail.way or detected.ways[0]), test, needs)
    described += "; nothing is installed" if trail.way is Way.BARE else ""
    if policy.test is None:
        suite = in_folder(suite, detected.folder, dict(detected.variables))
    with ExitStack() as private:
        try:
            plan = plans.of(base, detected)
            directory = plans.shared(base, plan) if setup.origin.shared else plans.alone(base, plan, private)
            described += "".join(f"; without {each}" for each in setup.origin.without)
            ready, other = plans.ready(base, directory, plan, suite), None
            if head is not None:
                same = detect(as_judged(head, base), detected.language, detected.folder, policy.paths)
                changed = plans.of(head, same)
                alone = directory is not None and _about(directory).get("holds_source")
                if alone or (changed.setup, changed.inputs) != (plan.setup, plan.inputs):
                    try:
                        directory = plans.alone(head, changed, private)
                    except BuildFailed as failure:
                        of_head = plans.still_builds(base, plan, private)
                        return replace(failure.problem, of_head=of_head)
                other = plans.ready(head, directory, changed, suite)
        except BuildFailed as failure:
            return failure.problem
        return Prepared(ready, other, suite, described, float(policy.timeout), private.pop_all(), setup.origin.without)


@dataclass
class _Plans:
    """Builds environments, or finds them built. test: a command line, needs: what it needs besides. built: one was
    anew."""

    by: Setup
    trail: Trail
    test: str
    needs: tuple[str, ...]
    built: bool = False

    def __post_init__(self) -> None:
        self._root = self.by.settings.cache_dir / "environments"
        self._cache = DirectoryCache(self._root, self.by.settings.cache_mb * 1_000_000)

    def of(self, program: Program, detected: Detected) -> EnvironmentPlan:
        given, found = self.by.policy.setup, hashes(program)
        way = self.trail.way if given is None and self.trail.way else Way.LOCKED
        lines = detected.set_up(way) if given is None else given
        needs = (each for each in self.needs if lines and not any(each in line for line in lines))
        packages = (*self.trail.packages, *needs)
        more = (f"pip install {shlex.join(packages)}",) if packages else ()
        setup = (*lines, *more)
        python = detected.python or detected.language == SHELL or given is not None or bool(more)
        told = (setup, python, inputs_of(found, setup), found, way is Way.LOOSE, self.trail.as_of)
        return EnvironmentPlan(*told, self.by.policy.image, self.by.origin.tags)

    def shared(self, program: Program, plan: EnvironmentPlan) -> Path | None:
        """The kept environment of this very tree, any file of which setup may run; `None` where there is no setup."""
        if not plan.setup:
            return None
        return self._cache.get(self._key(plan, plan.whole), lambda into: self._build(program, plan, into))

    def alone(self, program: Program, plan: EnvironmentPlan, private: ExitStack) -> Path | None:
        """An environment that nobody else is given."""
        if not plan.setup:
            return None
        self._root.mkdir(parents=True, exist_ok=True)
        for left in self._root.glob("private-*"):
            if time.time() - left.stat().st_mtime > ABANDONED:
                shutil.rmtree(left, ignore_errors=True)
        into = Path(tempfile.mkdtemp(prefix="private-", dir=self._root))
        private.callback(shutil.rmtree, into, ignore_errors=True)
        into.chmod(0o755)
        self._build(program, plan, into)
        return into

    def still_builds(self, base: Program, plan: EnvironmentPlan, private: ExitStack) -> bool:
        """Whether the base can be set up now: what was kept from better days says nothing of an index that is away."""
        if self.built or not plan.setup:
            return True
        try:
            self.alone(base, plan, private)
        except BuildFailed:
            return False
        return True

    @cached_property
    def _go(self) -> Mount | None:
        """What Go makes of its standard library, once: every run would make it anew. No stranger's code is there
        meanwhile, and none can write to it: a job has links to it where it builds (`command` in
        `testing/inside/supervisor.py`). Nothing where Go is not there, does not build, or is an image's."""
        told = self.by.executor.run(Job(("go", "version"), environment={"PATH": ":".join(_PATH)}))
        if self.by.policy.image or told.exit_code != 0:
            return None
        race = " -race" if "-race" in self.test.split() else ""  # with it, all is made otherwise
        line = f"GOCACHE=/results/env/go-built go test{race} .  # {told.stdout.decode(errors='replace').strip()}"
        anybodys = _Plans(replace(self.by, origin=Origin("")), Trail(), "", ())
        try:
            place = anybodys.shared(_PROBE, EnvironmentPlan((line,), False, {}, hashes(_PROBE)))
        except BuildFailed:
            return None
        return Mount(place / "exported/env/go-built", GO_BUILT) if place else None

    def _build(self, program: Program, plan: EnvironmentPlan, into: Path) -> None:
        build(self.by.executor, self.by.settings, program, plan, into)
        self.built = True

    def ready(self, program: Program, directory: Path | None, plan: EnvironmentPlan, test: Suite) -> Ready:
        """The version with its environment, which lies in the directory; `None` where nothing was set up."""
        variables, image = dict(test.environment.variables), self.by.policy.image
        if directory is None:
            return Ready(program, Environment(variables=variables, image=image), recipe=self._key(plan, {}))
        exported = directory / "exported"
        mounts = [Mount(exported / "env", "/env")]
        path = list(_PATH)
        node = exported / "env" / "node"
        if image and (node / "node_modules").is_dir():  # nobody shows it in the tree there
            mounts.append(Mount(node / "node_modules", "/node_modules"))
            path.insert(0, "/node_modules/.bin")
        else:
            places = [each / "node_modules/.bin" for each in PurePosixPath(test.folder, "here").parents]
            path[:0] = [f"/env/node/{each}" for each in places if (node / each).is_dir()]
        if plan.python:
            path.insert(0, "/env/venv/bin")
            variables["VIRTUAL_ENV"] = "/env/venv"
        variables |= {"PATH": ":".join(path), "GOMODCACHE": "/env/go", "GOPROXY": "off", "GOCACHE": _GO_CACHE}
        if Manifests(program).has("go.mod") and self._go:
            mounts.append(self._go)
        variables |= {"CARGO_HOME": "/env/cargo", "CARGO_NET_OFFLINE": "true", **_SMALL}
        python = ("/env/venv/bin/python",) if plan.python else ()
        environment = Environment(tuple(mounts), variables, python, image)
        added = {path: text for path, text in made(exported).items() if path not in plan.whole}
        whole, built = Program(program.tree, {**added, **program.files}), str(_about(directory)["made"])
        return Ready(whole, environment, built, self._key(plan, {}))

    def _key(self, plan: EnvironmentPlan, whole: Hashes) -> str:
        parts = [*self.by.key, plan.setup, plan.python, plan.inputs, whole, plan.loose, self.trail.as_of]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _described(policy: Verify, detected: Detected) -> str:
    if policy.test is None:
        return detected.why if policy.setup is None else f"{detected.why}; setup from the policy"
    setup = "" if policy.setup is not None else "; setup detected" if detected.setup else ""
    return f"{policy.test}, from the policy{setup}"


def _about(directory: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((directory / "about.json").read_text())
    return found
