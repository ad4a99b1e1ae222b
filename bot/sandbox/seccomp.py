"""seccomp filters as classic BPF: which system calls a job may not make.

Two filters stand behind one another. `OUTER` is installed before bubblewrap starts and so binds bubblewrap's first
process inside as well, which a job could otherwise write to through `/proc/1/mem`. `INNER` adds what bubblewrap itself
needs for its work, and is installed by it right before the job. Everything that is not named is allowed: jobs run test
suites of any language, and each refused call removes an attack surface, not a right that namespaces leave open.
"""

import errno
import platform
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT, _SECOND_ARGUMENT = 0, 4, 16, 24  # offsets in struct seccomp_data
_KILL, _REFUSE, _ALLOW = 0x8000_0000, 0x0005_0000, 0x7FFF_0000
_X32 = 0x4000_0000  # system calls of the x32 ABI, which shares x86_64's architecture
_NEW_NAMESPACES = 0x7E02_0000  # CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID and NET
_TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX: type into a terminal
_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16


@dataclass(frozen=True, slots=True)
class _Machine:
    architecture: int
    column: int
    x32: bool = False


_MACHINES = MappingProxyType({"x86_64": _Machine(0xC000_003E, 0, x32=True), "aarch64": _Machine(0xC000_00B7, 1)})
# Name: (x86_64, aarch64); from 424 on the numbers are the same everywhere.
ALWAYS = {
    # other processes' memory and descriptors
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    # wide and often broken kernel interfaces
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "fanotify_init": (300, 262),
    "memfd_secret": (447, 447),
    "modify_ldt": (154, None),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    # the kernel's keyrings, which no namespace separates
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # files without a path
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    # the machine
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "vhangup": (153, 58),
    "iopl": (172, None),
    "ioperm": (173, None),
    "uselib": (134, None),
    "sysfs": (139, None),
}
_INSIDE = {
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "unshare": (272, 97),
    "setns": (308, 268),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
}
_CLONE, _CLONE3, _SOCKET, _SOCKETPAIR, _IOCTL = (56, 220), (435, 435), (41, 198), (53, 199), (16, 29)


def is_supported(machine: str | None = None) -> bool:
    """Whether filters can be built for this machine (`platform.machine()`)."""
    return (machine or platform.machine()) in _MACHINES


def outer(machine: str | None = None) -> bytes:
    """The filter that bubblewrap itself runs under. Raises KeyError where the machine is not supported."""
    return _program(_machine(machine), ALWAYS, (_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK), inside=False)


def inner(machine: str | None = None) -> bytes:
    """The filter that the job runs under in addition. Raises KeyError where the machine is not supported."""
    return _program(_machine(machine), _INSIDE, (_AF_UNIX, _AF_INET, _AF_INET6), inside=True)


def _machine(name: str | None) -> _Machine:
    return _MACHINES[name or platform.machine()]


def _program(
    machine: _Machine, refused: Mapping[str, tuple[int, int | None]], families: Iterable[int], *, inside: bool
) -> bytes:
    code = [_instruction(_LOAD, _ARCHITECTURE)]
    code += [_instruction(_JUMP_EQUAL, machine.architecture, 1, 0), _instruction(_RETURN, _KILL)]
    code.append(_instruction(_LOAD, _NUMBER))
    if machine.x32:
        code += [_instruction(_JUMP_AT_LEAST, _X32, 0, 1), _refuse(errno.ENOSYS)]
    for numbers in refused.values():
        number = numbers[machine.column]
        if number is not None:
            code += [_instruction(_JUMP_EQUAL, number, 0, 1), _refuse(errno.EPERM)]
    for call in (_SOCKET, _SOCKETPAIR):
        allowed = [step for number in families for step in (_instruction(_JUMP_EQUAL, number, 0, 1), _allow())]
        code += _when(
            call[machine.column], [_instruction(_LOAD, _FIRST_ARGUMENT), *allowed, _refuse(errno.EAFNOSUPPORT)]
        )
    if inside:
        # Its flags lie in memory, where a filter cannot look; every C library falls back to `clone`.
        code += [_instruction(_JUMP_EQUAL, _CLONE3[machine.column], 0, 1), _refuse(errno.ENOSYS)]
        flags = [_instruction(_LOAD, _FIRST_ARGUMENT), _instruction(_JUMP_ANY_BIT, _NEW_NAMESPACES, 0, 1)]
        code += _when(_CLONE[machine.column], [*flags, _refuse(errno.EPERM), _allow()])
        requests = [
            step for kind in _TERMINAL_INPUT for step in (_instruction(_JUMP_EQUAL, kind, 0, 1), _refuse(errno.EPERM))
        ]
        code += _when(_IOCTL[machine.column], [_instruction(_LOAD, _SECOND_ARGUMENT), *requests, _allow()])
    return b"".join([*code, _allow()])


def _when(number: int, steps: list[bytes]) -> list[bytes]:
    """Steps for one system call; they end by returning."""
    return [_instruction(_JUMP_EQUAL, number, 0, len(steps)), *steps]


def _refuse(number: int) -> bytes:
    return _instruction(_RETURN, _REFUSE | number)


def _allow() -> bytes:
    return _instruction(_RETURN, _ALLOW)


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
