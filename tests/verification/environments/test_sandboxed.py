"""Setup and tests in the real sandbox, with a package index on this machine."""

import shutil
import socket
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bot.policy import Verify
from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.sandbox.protocol import Job, Outcome
from bot.verification.environments.build import EnvironmentProblem
from bot.verification.environments.manifests import Way
from bot.verification.environments.prepare import Prepared, Setup, Trail, prepare
from bot.verification.testing.run import run_suite
from bot.verification.values import Origin, Program
from tests.support.cases import cases, table
from tests.support.needs import missing
from tests.support.postgres import Server
from tests.verification.environments.house import index, settings, widget

# What only reading a package from its source would warn of is no error: it was read when it was installed.
OFFLINE = table(str, __file__, "OFFLINE")

# A package of a workspace needs another version than the other one, whose own it finds through it.
WORKSPACE = table(dict, __file__, "WORKSPACE")


class Counting(BubblewrapExecutor):
    """Counts what runs in it."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def run(self, job: Job) -> Outcome:
        self.jobs.append(job)
        return super().run(job)


@pytest.fixture(scope="module")
def executor() -> Counting:
    made = Counting()
    if not made.probe().usable:
        missing(f"bubblewrap: {made.probe().problem}")
    return made


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    wheels = {
        "helper": "VALUE = 41\nODD = '\\*'\n",
        "spare": "",
        "pytest": "def main(): raise SystemExit('no')\n",
    }
    with index(wheels) as found:
        yield found


def test_what_setup_installs_is_there_and_serves_a_change_that_installs_the_same(
    executor: Counting, address: str, tmp_path: Path
) -> None:
    policy = Verify(test="python tests.py")
    script = OFFLINE % urlsplit(address).port
    base = widget(**{"tests.py": script})
    fixed = widget("VALUE = 41\n", **{"tests.py": script})
    executor.jobs.clear()
    with ready(prepare(Setup(executor, policy, settings(tmp_path, address), Origin("1")), base, fixed)) as same:
        assert same.head is not None
        assert same.head.environment == same.base.environment
        for side in (same.base, same.head):
            run = run_suite(executor, side.program, same.suite(side))
            assert run.passed, run
    assert len([job for job in executor.jobs if job.proxy]) == 1
    assert all(job.proxy is None for job in executor.jobs if job.results_into is None)


@pytest.mark.parametrize("locked", [True, False])
def test_pins_hold_until_nothing_else_leads_on(executor: Counting, address: str, tmp_path: Path, locked: bool) -> None:
    """The index has 1.0 of each package."""
    pinned = '[[package]]\nname = "helper"\nversion = "%s"\n'
    files = {"uv.lock": pinned % "9.0"} if locked else {"requirements-test.txt": "spare==9.0  # of old\n"}
    base = widget(**{"tests.py": "import widget\n"}, **files)
    policy, origin, at = Verify(test="python tests.py"), Origin("1"), settings(tmp_path, address)
    found = prepare(Setup(executor, policy, at, origin), base, None, Trail(Way.LOCKED))
    assert isinstance(found, EnvironmentProblem) and "9.0" in found.output
    with ready(prepare(Setup(executor, policy, at, origin), base, None, Trail(Way.LOOSE))) as free:
        assert run_suite(executor, base, free.suite(free.base)).passed and not free.without
    fits = Program(None, {**base.files, "uv.lock": (pinned % "1.0").encode(), "requirements-test.txt": b"spare==1.0"})
    ready(prepare(Setup(executor, policy, at, origin), fits, None, Trail(Way.LOCKED))).private.close()


def test_setup_reaches_the_index_and_neither_this_machine_nor_its_database(
    executor: Counting, address: str, tmp_path: Path, postgres: Server
) -> None:
    """The program tries every way it can think of, by itself and through the proxy, and says what answered."""
    attack = Path(__file__).with_name("attack.txt").read_text()
    listening = socket.create_server(("", 0))
    with listening:
        ports = f"{postgres.port} {listening.getsockname()[1]}"
        mine = socket.gethostbyname(socket.gethostname())
        led = 'test "$YARN_HTTPS_PROXY" = "$HTTPS_PROXY"'  # yarn asks for no other
        policy = Verify(setup=(led, f"python attack.py {address} {mine} {ports}"), test="true")
        program = Program(None, {"attack.py": attack.encode()})
        found = prepare(Setup(executor, policy, settings(tmp_path, address), Origin("1")), program)
    assert isinstance(found, EnvironmentProblem)
    assert found.command.startswith("python attack.py")
    assert found.output.splitlines()[-1].startswith("the index answered; tried "), found.output
    assert "reached" not in found.output
    assert found.reason.startswith("line 2 of setup failed; it asked for hosts that are not allowed (")
    assert not list((tmp_path / "environments" / "entries").glob("*"))
    assert postgres.create()  # the database is there all along


@cases
def test_links_in_place_of_results_lead_nowhere(executor: Counting, tmp_path: Path, line: str) -> None:
    policy = Verify(setup=(line,), test="true")
    found = prepare(Setup(executor, policy, settings(tmp_path), Origin("1")), Program(None, {}))
    assert isinstance(found, EnvironmentProblem)
    assert "/etc" not in found.reason


def test_output_of_a_failing_setup_is_bounded(executor: Counting, tmp_path: Path) -> None:
    policy = Verify(setup=("yes a-long-line-of-noise | head -c 5000000; echo the end; exit 7",), test="true")
    found = prepare(Setup(executor, policy, settings(tmp_path), Origin("1")), Program(None, {}))
    assert isinstance(found, EnvironmentProblem)
    assert found.reason == "line 1 of setup failed"
    assert found.output.endswith("the end\n")
    assert len(found.output) <= 4000


def test_setup_makes_the_code_of_test_files_as_pytest_does(executor: Counting, tmp_path: Path) -> None:
    policy, test = Verify(setup=("pip install pytest",), test="pytest"), b"def test_a(): assert 1 == 2\n"
    program = Program(None, {"app/tests/test_a.py": test, "app/a.py": b"", "test_b.py": b"def broken("})
    with index({}, ("pytest", "iniconfig", "packaging", "pluggy", "pygments")) as there:
        found = prepare(Setup(executor, policy, settings(tmp_path, there), Origin("1")), program)
    with ready(found) as place:
        (env,) = (mount.host for mount in place.base.environment.mounts if mount.inside == "/env")
        made = {path.name: path.stat().st_size > 0 for path in (env / "code").iterdir()}
        run = run_suite(executor, place.base.program, place.suite(place.base, select=("app/tests/test_a.py",)))
    names = {path: sha256(f"/work/{path}\0".encode() + (program.files[path] or b"")) for path in program.files}
    assert made == {names["app/tests/test_a.py"].hexdigest(): True, names["test_b.py"].hexdigest(): False}
    assert [each.name for each in run.failing] == ["app/tests/test_a.py::test_a"]


def test_what_setup_adds_to_the_tree_is_there_for_the_tests(executor: Counting, tmp_path: Path) -> None:
    policy = Verify(setup=("mkdir -p pkg && echo 'VERSION = 3' > pkg/version.py",), test="test -s pkg/version.py")
    with ready(
        prepare(Setup(executor, policy, settings(tmp_path), Origin("1")), Program(None, {"a.py": b""}))
    ) as found:
        assert found.base.program.files["pkg/version.py"] == b"VERSION = 3\n"
        assert run_suite(executor, found.base.program, found.suite(found.base)).passed


def test_what_asks_git_for_its_version_finds_the_bases_tags_and_all_files_committed(
    executor: Counting, tmp_path: Path
) -> None:
    """The nearest tag is on the commit, others of another custom lie before it; tests then find no repository."""
    asked = "(git describe --tags; git describe --tags --match 'web-*'; git status --short; git ls-files) > made.txt"
    policy = Verify(setup=(asked,), test='cat made.txt; ! git status && getent hosts "$(uname -n)"')
    origin = Origin("1", tags=lambda: ("web-0.9", "v1.2"))
    program = Program(None, {"a.py": b"", ".gitignore": b"*.py\n"})
    with ready(prepare(Setup(executor, policy, settings(tmp_path), origin), program)) as found:
        told = (found.base.program.files["made.txt"] or b"").decode().split("\n")
        assert told[0] == "v1.2" and told[1].startswith("web-0.9-1-g")
        assert told[2:] == ["?? made.txt", ".gitignore", "a.py", ""]
        assert run_suite(executor, found.base.program, found.suite(found.base)).passed


def test_node_finds_what_npm_installed_for_each_package_and_nothing_that_a_change_puts_in_its_place(
    executor: Counting, tmp_path: Path
) -> None:
    if not shutil.which("npm"):
        missing("npm")
    tree = tmp_path / "tree"
    for version in (1, 2):
        package = tmp_path / str(version) / "package"
        written(
            package,
            {
                "package.json": f'{{"name": "left", "version": "{version}.0.0"}}',
                "index.js": f"module.exports = {version}",
            },
        )
        written(tree, {})
        shutil.make_archive(str(tree / f"left{version}"), "gztar", package.parent, "package")
    written(tree, WORKSPACE)
    head = {
        "packages/b/node_modules/left/index.js": "module.exports = 3",  # as its tests do not want it
        "packages/b/node_modules/other/index.js": "module.exports = 3",
        "node_modules/left/index.js": "module.exports = 3",
        "packages/b/fixtures/node_modules/left/index.js": "module.exports = 4",
        "packages/b/fixtures/index.js": "module.exports = require('left')",
        "packages/b/index.js": "module.exports = require('./fixtures')",
    }
    changed = Program(tree, {path: text.encode() for path, text in head.items()})
    with ready(
        prepare(Setup(executor, Verify(), settings(tmp_path), Origin("1")), Program(tree, {}), changed)
    ) as found:
        assert found.described == "npm test, detected from package.json"
        assert found.head and found.head.environment == found.base.environment
        for side in (found.base, found.head):
            run = run_suite(executor, side.program, found.suite(side))
            assert run.passed, run


def written(folder: Path, files: dict[str, str]) -> None:
    for path, text in {"": "", **files}.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text) if path else place.mkdir(exist_ok=True)


def ready(found: Prepared | EnvironmentProblem) -> Prepared:
    assert isinstance(found, Prepared), found
    return found
