"""What runs inside the sandbox at setup, outside of one."""

import os
import subprocess
import sysconfig
import tomllib
from pathlib import Path

import pytest

from bot.verification.environments import setup_script
from bot.verification.environments.setup_script import PIP, pip_wheels
from tests.support.cases import cases

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
