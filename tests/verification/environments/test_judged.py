"""A head that installs other packages is judged by the base's Python and pytest."""

import sys
from pathlib import Path

import pytest

from bot.sandbox.protocol import Mount
from bot.verification.environments.judged import judged
from bot.verification.testing.run import run_suite
from bot.verification.values import Environment, Program, Suite
from tests.support.sandbox import usable_executors

EXECUTOR = usable_executors()[0]
QUIT = "import os; os._exit(0)\n"
PYTHON = ("/env/venv/bin/python",)
BASE = Environment((Mount(Path("/base"), "/env"),), {"PATH": "/env/venv/bin"}, PYTHON)
PRIVATE = Mount(Path("/private"), "/env")
MODULES = Mount(Path("/private/node_modules"), "/node_modules")


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
    found = judged(base, head)
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
    run = run_suite(EXECUTOR, Program(tree, {}), Suite(environment=environment), seconds=60)
    assert (run.problem, [(each.name, each.status.value) for each in run.results]) == (
        "",
        [
            ("tests/test_a.py::test_new", "passed"),
            ("tests/test_a.py::test_old", "failed"),
            ("tests/test_a.py::test_paths", "passed"),
        ],
    )
