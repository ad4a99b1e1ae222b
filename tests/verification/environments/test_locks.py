"""What is pinned, what is left when pins lead nowhere, and what runs inside the sandbox at setup, outside of one."""

import json
import os
import subprocess
import sysconfig
import tomllib
from pathlib import Path

import pytest

from bot.verification.environments import setup_script
from bot.verification.environments.detect import detect
from bot.verification.environments.manifests import Way
from bot.verification.environments.pins_script import pins
from bot.verification.environments.setup_script import PIP, drop_pins, line_without_pins, pip_wheels, without_pins
from bot.verification.values import Program
from tests.support.cases import cases, table

PROJECT = '[project]\nname = "widget"\nversion = "1"\n'


UV = table(str, __file__, "UV")
POETRY = table(str, __file__, "POETRY")
PDM = '[[package]]\nname = "lib"\nversion = "1"\n[[package]]\nname = "near"\nversion = "2"\npath = "./near"\n'
PIPFILE = json.dumps(
    {"default": {"lib": {"version": "==1"}, "git": {"ref": "x"}}, "develop": {"dev": {"version": "==2"}}}
)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("uv.lock", UV, ["other-one==2.1"]),
        ("poetry.lock", POETRY, ["lib==1.0"]),
        ("pdm.lock", PDM, ["lib==1"]),
        ("pylock.toml", PDM.replace("package", "packages"), ["lib==1"]),
        ("Pipfile.lock", PIPFILE, ["dev==2", "lib==1"]),
        ("uv.lock", '[[package]]\nname = "a --index-url=x"\nversion = "1"\n', []),
        ("uv.lock", '[[package]]\nname = "a"\nversion = "1\\n--index-url=x"\n', []),
    ],
)
def test_what_a_lock_file_pins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, expected: list[str]
) -> None:
    (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    assert pins() == expected


@cases
def test_what_is_asked_for_without_pins(text: str, expected: str) -> None:
    assert without_pins(" " * 100_000 + text) == " " * 100_000 + expected


@cases
def test_a_line_of_setup_without_pins(text: str, expected: str) -> None:
    assert line_without_pins(" " * 100_000 + text) == " " * 100_000 + expected


def test_which_files_lose_their_pins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that a line of setup names, in its folder, those that these name, and those that are called so."""
    called = {"dev-requirements.txt", "requirements/a.txt", "constraints.txt"}
    loose = {"app/need.txt", "app/more.in", "app/c.txt", *called}
    others = {"app/config.h.in", "CMakeLists.txt", "need.txt", "app/data.txt"}
    monkeypatch.setattr(setup_script, "WORK", tmp_path)
    for name in loose | others:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("a==1\n#if X == 1\n-r more.in\n")
    drop_pins(["cd app && pip install -r need.txt -c 'c.txt' -r none.txt", "pip install data.txt"])
    assert {name for name in loose | others if "==1\n" not in (tmp_path / name).read_text()} == loose
    assert "#if X == 1" in (tmp_path / "constraints.txt").read_text()


@pytest.mark.parametrize(
    ("pinning", "words"),
    [
        ({"uv.lock": UV}, ["-c /tmp/pins.txt -e . pytest"]),
        ({"requirements.txt": "a==1\n"}, ["-e . -r requirements.txt pytest"]),
        ({"requirements-test.txt": "a==1 --hash=sha256:0\n"}, ["-r requirements-test.txt", "-e . pytest"]),
        ({"constraints.txt": "a==1\n"}, ["-c constraints.txt -e . pytest"]),
        ({}, ["-e . pytest"]),
    ],
)
def test_the_ways_of_a_setup(pinning: dict[str, str], words: list[str]) -> None:
    files = {"pyproject.toml": PROJECT, **pinning}
    detected = detect(Program(None, {name: text.encode() for name, text in files.items()}))
    ways = (Way.LOCKED, *([Way.LOOSE] if pinning else []))
    lines = tuple(f"pip install {each}" for each in words)
    assert {way: detected.set_up(way) for way in detected.ways} == dict.fromkeys(ways, lines)


# Builds cffi only where it may be as young as this Python is, and brotlipy only with a compiler; says what it did.
BUILDING = """#!/bin/sh
echo "$CC $(grep -c cffi {config})" >>{log}
grep -q '^"cffi" = "2022-12-01' {config} || told='hint: `brotlipy==0.7.0` failed: Failed to build `cffi==1.14.6`'
[ "$CC" != false ] || [ "$told" ] || told='Failed to build `brotlipy==0.7.0`'
[ -z "$told" ] || {{ echo "$told" >&2; exit 1; }}
"""


@cases
def test_code_in_c_that_this_python_does_not_fit_is_taken_younger_and_compiled_at_last(
    compiler: str, asked: list[str], status: int, tmp_path: Path
) -> None:
    log, config = tmp_path / "log", tmp_path / "uv.toml"
    config.write_text("[exclude-newer-package]\n")
    script = PIP.format(uv=tmp_path / "uv", told=tmp_path / "told", config=config, known="2022-12-01T00:00:00Z")
    for name, text in {"uv": BUILDING.format(log=log, config=config), "wrapped": script}.items():
        setup_script.write_script(tmp_path / name, text)
    environment = {"PATH": os.defpath, "CC": compiler}
    done = subprocess.run([tmp_path / "wrapped", "install", "httpbin"], capture_output=True, text=True, env=environment)
    assert done.returncode == status, done.stderr
    assert log.read_text().splitlines() == asked
    tomllib.loads(config.read_text())


def test_what_calls_a_package_manager_by_its_name_gets_the_projects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup_script, "COMMANDS", tmp_path / "commands")
    setup_script.make_manager("pnpm", "A=b printf %s,")
    done = subprocess.run([tmp_path / "commands/pnpm", "a b", "c"], capture_output=True, text=True)
    assert done.stdout == "a b,c,"


def test_pip_is_found_where_the_system_keeps_it_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Debian 13 has nothing below ensurepip, so that no environment could be begun there."""
    apart = tmp_path / "python-wheels"
    apart.mkdir()
    (apart / "pip-25.1.1-py3-none-any.whl").touch()
    (tmp_path / "ensurepip").mkdir()
    monkeypatch.setattr("ensurepip.__file__", str(tmp_path / "ensurepip/__init__.py"))
    monkeypatch.setattr(sysconfig, "get_config_var", {}.get)
    assert pip_wheels() == []
    monkeypatch.setattr(sysconfig, "get_config_var", {"WHEEL_PKG_DIR": f"{apart}/"}.get)
    assert [wheel.name for wheel in pip_wheels()] == ["pip-25.1.1-py3-none-any.whl"]
