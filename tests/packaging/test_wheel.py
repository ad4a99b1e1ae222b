"""`pip install .` gives every command, far from the sources. The demo from the wheel is in tests/demo."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterable, Iterator
from importlib.metadata import packages_distributions, requires
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from bot.cli import all_commands
from bot.storage.database import Database
from tests.support.cases import cases
from tests.support.databases import Databases
from tests.support.wheel import ROOT, build

PACKAGES = ("bot", "webhooks", "lab", "fake_github", "prompts")
# They need the tests, or write into the sources.
OF_A_CHECKOUT = ("lab/benchmarks", "lab/corpus", "lab/training", "lab/results", "lab/ceilings")
BY_PIP = [Path(f"bot/verification/environments/{name}_script.py") for name in ("pins", "code")]  # in what is made
OF_AN_EXTRA = {"bot/telemetry/otlp.py": "otel"}  # the only files that import what an extra brings


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


PROGRAM = "solution"  # what the scripts inside the sandbox call a program under test


def bouncer(installed: Path, cwd: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(installed / "bouncer"), *arguments],
        cwd=cwd,
        env={"PATH": os.defpath, "HOME": str(cwd), **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )


def sources() -> Iterator[Path]:
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*"):
            inside = path.relative_to(ROOT)
            if path.is_file() and "__pycache__" not in path.parts and not str(inside).startswith(OF_A_CHECKOUT):
                yield inside


def test_the_wheel_holds_every_file_of_the_packages_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == {str(path) for path in sources()}


@cases
def test_what_is_not_found_by_imports_is_inside(wheel: Path, pattern: str) -> None:
    expected = {str(path.relative_to(ROOT)) for path in ROOT.glob(pattern) if "__pycache__" not in path.parts}
    assert expected
    with zipfile.ZipFile(wheel) as archive:
        assert expected <= set(archive.namelist())


def test_the_source_archive_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    archive = build("sdist", ROOT, tmp_path / "sdist")
    subprocess.run(["tar", "xzf", str(archive), "-C", str(tmp_path)], check=True)
    (unpacked,) = (path for path in tmp_path.iterdir() if (path / "pyproject.toml").exists())
    again = build("wheel", unpacked, tmp_path / "again")
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(again) as other:
        assert sorted(one.namelist()) == sorted(other.namelist())


def test_the_image_builds_the_same_wheel_from_what_it_copies(wheel: Path, tmp_path: Path) -> None:
    """The build stage's own steps, on the files its COPY instructions name."""
    source = tmp_path / "src"
    source.mkdir()
    for line in (ROOT / "Dockerfile").read_text().split("\nFROM ")[1].splitlines():
        if line.startswith("COPY "):
            *names, target = line.split()[1:]
            for name in names:
                if (ROOT / name).is_dir():
                    shutil.copytree(ROOT / name, source / target, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    shutil.copy(ROOT / name, source / target)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "--wheel-dir"]
    subprocess.run([*pip, str(tmp_path / "wheel"), "."], cwd=source, check=True)
    (again,) = (tmp_path / "wheel").iterdir()
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(again) as other:
        assert sorted(one.namelist()) == sorted(other.namelist())


def test_the_packages_import_only_what_an_installation_brings(project: dict[str, Any]) -> None:
    """Development tools are installed here, so only reading the imports can tell that users would miss one."""
    always, extras = project["project"]["dependencies"], project["project"]["optional-dependencies"]
    brought = closure(map(Requirement, always))
    with_extra = {path: closure(map(Requirement, (*always, *extras[name]))) for path, name in OF_AN_EXTRA.items()}
    distributions = packages_distributions()
    missing = {
        f"{path}: {module}"
        for path in sources()
        if path.suffix == ".py" and path not in BY_PIP
        for module in imported(ast.parse((ROOT / path).read_text()))
        if (top := module.split(".")[0]) not in {*PACKAGES, *sys.stdlib_module_names, PROGRAM}
        and not with_extra.get(path.as_posix(), brought)
        & {canonicalize_name(name) for name in distributions.get(top, [])}
    }
    assert missing == set()


def closure(requirements: Iterable[Requirement]) -> set[str]:
    """The distributions that come with these requirements."""
    found: set[str] = set()
    waiting = list(requirements)
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        extras = requirement.extras or {""}
        if any(requirement.marker is None or requirement.marker.evaluate({"extra": extra}) for extra in extras):
            if name not in found:
                waiting += [Requirement(line) for line in requires(name) or [] if "extra ==" not in line]
            found.add(name)
    return found


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module


def test_the_version_is_told(installed: Path, tmp_path: Path, project: dict[str, Any]) -> None:
    told = bouncer(installed, tmp_path, "--version")
    assert told.stdout == f"bouncer, version {project['project']['version']}\n"


def test_help_names_every_command(installed: Path, tmp_path: Path) -> None:
    told = bouncer(installed, tmp_path, "--help")
    assert (told.returncode, told.stderr) == (0, "")
    assert set(re.findall(r"^  ([\w-]+) ", told.stdout.split("Commands:")[1], re.MULTILINE)) == set(all_commands())


HELP_OF_EACH = """
import json
from click.testing import CliRunner
from bot.cli import all_commands, main
done = {name: CliRunner().invoke(main, [name, "--help"], prog_name="bouncer") for name in all_commands()}
print(json.dumps({name: [each.exit_code, each.stderr, each.stdout] for name, each in done.items()}))
"""


def test_every_command_has_help_far_from_the_sources(installed: Path, tmp_path: Path) -> None:
    """All in one process: each would load most of Bouncer anew."""
    done = subprocess.run(
        [str(installed / "python"), "-c", HELP_OF_EACH], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    told = json.loads(done.stdout)
    assert set(told) == set(all_commands())
    for command, (status, errors, text) in told.items():
        assert (status, errors) == (0, "")
        assert text.startswith(f"Usage: bouncer {command}")


def test_migrations_run_far_from_the_sources(installed: Path, tmp_path: Path, databases: Databases) -> None:
    url = databases.empty()
    done = bouncer(installed, tmp_path, "migrate", BOUNCER_DATABASE_URL=url)
    assert done.returncode == 0, done.stderr
    database = Database.open(url)
    database.check()
    database.close()


def test_an_issue_is_judged_far_from_the_sources(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "issue.md").write_text("It doesn't work\n\nPlease fix.\n")
    done = bouncer(installed, tmp_path, "judge", "issue", "issue.md", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["verdict"] == "BOUNCE"


def test_the_code_runs_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    where = subprocess.run(
        [
            str(installed / "python"),
            "-c",
            "import bot, webhooks, prompts; print(bot.__file__, webhooks.__file__, prompts.__file__)",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert all(Path(path).is_relative_to(installed.parent) for path in where)
