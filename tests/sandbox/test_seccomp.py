"""What a sandbox is made of: filters of system calls, run by a small interpreter, toolchains, and which is used."""

import errno
import json
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from bot.sandbox import choose as module
from bot.sandbox import seccomp, toolchains
from bot.sandbox.choose import candidates, choose
from bot.sandbox.protocol import Capabilities, Job, Mount
from bot.settings import Settings
from tests.docs.tables import DOCS, seccomp_profile
from tests.support.cases import cases
from tests.support.needs import program
from tests.support.sandbox import BUBBLEWRAP, StandIn

ALLOWED, KILLED = "allowed", "killed"
MACHINES = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
SOCKET = {"x86_64": 41, "aarch64": 198}
CLONE = {"x86_64": 56, "aarch64": 220}
IOCTL = {"x86_64": 16, "aarch64": 29}


def verdict(program: bytes, architecture: int, number: int, *arguments: int) -> str | int:
    """What a filter says: allowed, killed, or the error number."""
    data = struct.pack("=IIQ6Q", number, architecture, 0, *(list(arguments) + [0] * (6 - len(arguments))))
    code = list(struct.iter_unpack("=HBBI", program))
    place = held = 0
    while True:
        kind, if_true, if_false, value = code[place]
        place += 1
        if kind == 0x06:
            action, detail = value & 0xFFFF_0000, value & 0xFFFF
            return {0x7FFF_0000: ALLOWED, 0x8000_0000: KILLED}.get(action, detail)
        if kind == 0x20:
            (held,) = struct.unpack_from("=I", data, value)
        else:
            test = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[kind]
            place += if_true if test else if_false


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("name", seccomp.ALWAYS)
def test_what_is_refused_always_is_refused_to_bubblewrap_as_well(machine: str, name: str) -> None:
    number = seccomp.ALWAYS[name][list(MACHINES).index(machine)]
    if number is not None:
        assert verdict(seccomp.outer(machine), MACHINES[machine], number) == errno.EPERM


@cases
def test_calls(
    machine: str, call: dict[str, int], arguments: tuple[int, ...], outer: str | int, inner: str | int
) -> None:
    architecture = MACHINES[machine]
    assert verdict(seccomp.outer(machine), architecture, call[machine], *arguments) == outer
    assert verdict(seccomp.inner(machine), architecture, call[machine], *arguments) == inner


def test_another_architecture_is_killed(machine: str) -> None:
    for filters in (seccomp.outer(machine), seccomp.inner(machine)):
        assert verdict(filters, 0x4000_0003, 1) == KILLED


def test_the_x32_abi_does_not_exist() -> None:
    assert verdict(seccomp.inner("x86_64"), MACHINES["x86_64"], 0x4000_0000 | 41, 40) == errno.ENOSYS


def test_only_known_machines_have_filters() -> None:
    assert seccomp.is_supported("x86_64")
    assert not seccomp.is_supported("riscv64")


def test_the_profile_for_containers_is_the_one_described() -> None:
    assert json.loads((DOCS / "seccomp-bouncer.json").read_text()) == seccomp_profile(), "run `make docs`"


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


def fake(name: str, *, usable: bool) -> StandIn:
    return StandIn(name=name, problem="" if usable else f"install {name}")


@pytest.mark.parametrize(
    ("usable", "chosen"), [((True, True), "first"), ((False, True), "second"), ((True, False), "first")]
)
def test_the_first_that_is_usable(monkeypatch: pytest.MonkeyPatch, usable: Sequence[bool], chosen: str) -> None:
    fakes = [fake(name, usable=flag) for name, flag in zip(("first", "second"), usable, strict=True)]
    monkeypatch.setattr(module, "candidates", lambda *_: iter(fakes))
    found = choose(Settings())
    assert not isinstance(found, Capabilities)
    assert found.name == chosen


def test_where_none_is_usable_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    fakes = [fake(name, usable=False) for name in ("first", "second")]
    monkeypatch.setattr(module, "candidates", lambda *_: iter(fakes))
    found = choose(Settings())
    assert isinstance(found, Capabilities)
    assert (found.usable, found.problem) == (False, "first: install first; second: install second")


def test_automatically_code_stays_on_this_machine() -> None:
    assert [executor.name for executor in candidates(Settings(executor="auto"))] == ["bubblewrap", "container"]
    assert [executor.name for executor in candidates(Settings(executor="bubblewrap"))] == ["bubblewrap"]
    assert [executor.name for executor in candidates(Settings(executor="actions"))] == ["actions"]
