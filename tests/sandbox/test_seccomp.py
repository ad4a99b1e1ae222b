"""The system call filters, run by a small interpreter of classic BPF: no other kernel is needed for another machine."""

import errno
import json
import struct

import pytest

from bot.sandbox import seccomp
from tests.docs.tables import DOCS, seccomp_profile
from tests.support.cases import cases

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
    for program in (seccomp.outer(machine), seccomp.inner(machine)):
        assert verdict(program, 0x4000_0003, 1) == KILLED


def test_the_x32_abi_does_not_exist() -> None:
    assert verdict(seccomp.inner("x86_64"), MACHINES["x86_64"], 0x4000_0000 | 41, 40) == errno.ENOSYS


def test_only_known_machines_have_filters() -> None:
    assert seccomp.is_supported("x86_64")
    assert not seccomp.is_supported("riscv64")


def test_the_profile_for_containers_is_the_one_described() -> None:
    assert json.loads((DOCS / "seccomp-bouncer.json").read_text()) == seccomp_profile(), "run `make docs`"
