"""A head that installs other packages is judged by the base's Python and pytest."""

import shutil
import sys
from pathlib import Path

import pytest

from bot.sandbox.protocol import Mount
from bot.verification.environments.working import judging_environment
from bot.verification.patch_evidence import PatchEvidence, Standing
from bot.verification.testing.run import run_suite
from bot.verification.trial.trial import on_trial
from bot.verification.values import Base, Environment, Program, Suite
from tests.support.needs import missing
from tests.support.sandbox import BUBBLEWRAP

EXECUTOR = BUBBLEWRAP
QUIT = "import os; os._exit(0)\n"
PYTHON = ("/env/venv/bin/python",)
BASE = Environment((Mount(Path("/base"), "/env"),), {"PATH": "/env/venv/bin"}, PYTHON)
PRIVATE = Mount(Path("/private"), "/env")
MODULES = Mount(Path("/private/go"), "/go-built")


@pytest.mark.parametrize(
    ("base", "head", "changed"),
    [
        (BASE, BASE, False),
        (BASE, Environment((PRIVATE, MODULES), BASE.variables, PYTHON), True),
        (Environment(), Environment((PRIVATE,), {}, PYTHON), False),
        (BASE, Environment(), False),
    ],
)
def test_the_bases_environment_judges_where_the_heads_is_another(
    base: Environment, head: Environment, changed: bool
) -> None:
    found = judging_environment(base, head, by_command=False)
    if not changed:
        assert found is head
        return
    assert found.mounts == (*BASE.mounts, MODULES, Mount(PRIVATE.host, "/head"))
    assert (found.python, found.packages) == (PYTHON, "/head/venv")


def test_the_heads_packages_are_found_and_do_not_run_the_tests(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    packages = tmp_path / f"head/venv/lib/python3.{sys.version_info.minor}/site-packages"
    for path, text in {
        "dependency.py": "VERSION = 2\n",
        "pytest.py": QUIT,
        "_pytest/runner.py": QUIT,
        "pluggy/__init__.py": QUIT,
        "sitecustomize.py": QUIT,
        "evil.py": QUIT,
        "evil-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n",
        "evil-1.0.dist-info/entry_points.txt": "[pytest11]\nevil = evil\n",
        "some.pth": f"{QUIT}/work/lib\n/tmp\n",
        "__editable___shop_1_0_finder.py": "MAPPING: dict[str, str] = {'shop': '/work/code/shop', 'x': '/tmp/x'}\n"
        + QUIT,
    }.items():
        (packages / path).parent.mkdir(parents=True, exist_ok=True)
        (packages / path).write_text(text)
    tree = tmp_path / "tree"
    for path, text in {
        "code/shop/__init__.py": "",
        "lib/more.py": "",
        "tests/test_a.py": "import dependency, more, shop, sys, importlib.metadata\n"
        "def test_new(): assert dependency.VERSION == 2 and importlib.metadata.version('evil') == '1.0'\n"
        "def test_old(): assert dependency.VERSION == 1\n"
        "def test_paths(): assert '/tmp' not in sys.path\n",
    }.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    environment = Environment(
        (Mount(tmp_path / "head", "/head"),), python=EXECUTOR.probe().python, packages="/head/venv"
    )
    run = run_suite(EXECUTOR, Program(tree, {}), Suite(environment=environment), seconds=600)
    assert (run.problem, [(each.name, each.status.value) for each in run.results]) == (
        "",
        [
            ("tests/test_a.py::test_new", "passed"),
            ("tests/test_a.py::test_old", "failed"),
            ("tests/test_a.py::test_paths", "passed"),
        ],
    )


NODE = Environment((Mount(Path("/base"), "/env"),), {"PATH": "/env/node/node_modules/.bin:/x"})


@pytest.mark.parametrize(
    ("base", "head", "kept"),
    [
        (NODE, NODE, False),
        (NODE, Environment((PRIVATE, MODULES)), True),
        (Environment(), Environment((PRIVATE,), NODE.variables), True),
        (BASE, Environment((PRIVATE,), {}, PYTHON), True),
        (Environment(NODE.mounts), Environment((PRIVATE,)), False),  # Go, Rust: no package of theirs runs tests
        (NODE, Environment(), False),
    ],
)
def test_the_bases_tools_judge_where_a_command_does(base: Environment, head: Environment, kept: bool) -> None:
    found = judging_environment(base, head, by_command=True)
    if not kept:
        assert found is head
        return
    assert found.mounts == (*base.mounts, Mount(PRIVATE.host, "/head"))
    assert found.variables == {**base.variables, "NODE_PATH": "/head/node/node_modules"}


def test_a_tool_that_a_head_installs_does_not_judge_it_and_its_other_packages_are_found(tmp_path: Path) -> None:
    if not shutil.which("node"):
        missing("node")
    tmp_path.chmod(0o755)
    tool = "if (require(process.cwd() + '/toll').toll(1) !== 3) throw Error('toll')\n"
    for path, text in {
        "base/node/node_modules/tool/index.js": tool,
        "base/node/packages/c/node_modules/more/index.js": "",
        "head/node/node_modules/tool/index.js": "",
        "head/node/packages/c/node_modules/tool/index.js": "",
        "head/node/node_modules/.bin/node": "#!/bin/sh",
        "head/node/node_modules/extra/index.js": "exports.price = 3\n",
        "tree/check.test.js": "require('./packages/c')\n",
        "tree/packages/c/index.js": "require('tool'); require('more')\n",
        "tree/toll.js": "exports.toll = (axles) => axles * 3\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
        (tmp_path / path).chmod(0o755)

    def of(side: str) -> Suite:
        places = "/work/node_modules/.bin:/env/node/node_modules/.bin:/usr/bin:/bin"  # as npm has them
        around = Environment((Mount(tmp_path / side, "/env"),), {"PATH": places})
        return Suite(command=("node", "check.test.js"), environment=around)

    base = Base(Program(tmp_path / "tree", {}), of("base"))

    def tried(code: bytes) -> PatchEvidence:
        return on_trial(EXECUTOR, base, Program(tmp_path / "tree", {"toll.js": code}), of("head"), seconds=600).found

    broken = tried(b"exports.toll = (axles) => axles\n")
    assert broken.standing is not Standing.PLAUSIBLE
    assert broken.regressions + broken.unlike == ("node check.test.js",)
    honest = tried(b"const { price } = require('extra')\nexports.toll = (axles) => axles * price\n")
    assert honest.standing is Standing.PLAUSIBLE, honest.reasons
