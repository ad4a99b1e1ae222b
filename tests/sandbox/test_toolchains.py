"""Toolchains of this machine that lie outside of what a sandbox shows."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.sandbox import toolchains
from bot.sandbox.protocol import Job, Mount
from tests.support.needs import program
from tests.support.sandbox import BUBBLEWRAP


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A home with programs of its own, of which this process's user would run the first that is found."""
    monkeypatch.setenv("PATH", str(tmp_path / "shims"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SECRET", "s3cret")
    toolchains.mounts.cache_clear()
    yield tmp_path
    toolchains.mounts.cache_clear()


def script(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!/bin/sh\n{text}\n")
    place.chmod(0o755)


def rust() -> list[Mount]:
    return [each for each in toolchains.mounts() if each.inside.startswith("/opt/rust/")]


def test_what_a_shim_leads_to_is_shown_and_the_home_around_it_is_not(found: Path) -> None:
    root = found / "toolchains/stable"
    script(root / "bin/rustc", "true")
    script(found / "shims/rustc", f'test -z "$SECRET" && test "$*" = "--print sysroot" && echo {root}')
    for name in ("lib", "private"):
        (root / name).mkdir()
    assert rust() == [Mount(root / "bin", "/opt/rust/bin"), Mount(root / "lib", "/opt/rust/lib")]


def test_a_shim_beside_its_toolchains_finds_them_whoever_is_at_home(
    found: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(found / "another"))
    monkeypatch.setenv("PATH", str(found / ".cargo/bin"))
    root = found / ".rustup/toolchains/stable"
    script(root / "bin/rustc", "true")
    script(found / ".cargo/bin/rustc", 'test -d "$RUSTUP_HOME" && echo "$RUSTUP_HOME/toolchains/stable"')
    assert rust() == [Mount(root / "bin", "/opt/rust/bin")]


def test_a_program_at_the_root_has_nothing_beside_it(found: Path) -> None:
    """As where `/bin` is looked through."""
    assert toolchains._root(("sh", "-c", "echo /nowhere")) is None


SAYS = {"system": "echo /usr", "gone": "echo {}/nowhere", "bare": "echo {}", "fails": "exit 1", "mute": "echo"}


@pytest.mark.parametrize("says", SAYS.values(), ids=SAYS)
def test_what_is_no_toolchain_is_not_shown(found: Path, says: str) -> None:
    script(found / "shims/rustc", says.format(found))
    system = Path("/usr/bin/rustc").exists()
    assert rust() == [] or system


def test_cargo_builds_and_runs_inside() -> None:
    """Whichever toolchain this machine has, wherever it lies."""
    program("cargo")
    files = {"Cargo.toml": b'[package]\nname = "a"\nversion = "1.0.0"\n', "src/main.rs": b'fn main() { print!("41") }'}
    told = BUBBLEWRAP.run(Job(("cargo", "run", "--quiet", "--offline"), files=files))
    assert (told.exit_code, told.stdout) == (0, b"41"), told.stderr


def test_go_builds_and_runs_inside() -> None:
    program("go")
    files = {"go.mod": b"module a\n", "a.go": b'package main\n\nfunc main() { print("41") }\n'}
    told = BUBBLEWRAP.run(Job(("go", "run", "."), files=files, environment={"GOCACHE": "/tmp/go"}))
    assert (told.exit_code, told.stderr) == (0, b"41")


def test_nothing_is_asked_twice(found: Path) -> None:
    script(found / "shims/rustc", f"echo x >> {found}/asked; exit 1")
    assert (rust(), rust()) == ([], []) or Path("/usr/bin/rustc").exists()
    assert (found / "asked").read_text() == "x\n"
