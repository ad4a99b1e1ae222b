"""The few system calls that Python's `os` lacks. Each raises OSError."""

import ctypes
import os

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_REMOUNT = 0x1, 0x2, 0x4, 0x20
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 36, 38
_SECCOMP_MODE_FILTER = 2
_BPF_INSTRUCTION = 8  # bytes
_IN_OPEN, _IN_ONLYDIR, _IN_DONT_FOLLOW, IN_Q_OVERFLOW = 0x20, 0x01000000, 0x02000000, 0x4000
SIGKILL = 9  # the module `signal` takes longer to import than the rest together

_libc = ctypes.CDLL(None, use_errno=True)


def unshare(flags: int) -> None:
    """Leave the named namespaces for new ones."""
    _check(_libc.unshare(flags))


def mount_tmpfs(target: str, options: str) -> None:
    """A file system in memory."""
    _check(_libc.mount(b"tmpfs", os.fsencode(target), b"tmpfs", _MS_NOSUID | _MS_NODEV, options.encode()))


def bind(source: str, target: str) -> None:
    """Show `source` and what is mounted below it at `target`."""
    _check(_libc.mount(os.fsencode(source), os.fsencode(target), None, MS_BIND | MS_REC, None))


def make_read_only(target: str) -> None:
    """Refuse writing through the mount that `target` is; not through others of the same files."""
    _check(
        _libc.mount(None, os.fsencode(target), None, MS_BIND | _MS_REMOUNT | _MS_RDONLY | _MS_NOSUID | _MS_NODEV, None)
    )


def inotify() -> int:
    """A descriptor that tells of what is watched, without waiting."""
    return _check(_libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))


def watch_opening(descriptor: int, directory: str) -> int:
    """Have it told what is opened in a directory, through whichever mount; the number by which it is told."""
    wanted = _IN_OPEN | _IN_ONLYDIR | _IN_DONT_FOLLOW
    return _check(_libc.inotify_add_watch(descriptor, os.fsencode(directory), wanted))


def make_private() -> None:
    """Keep every mount of this namespace from the others, and theirs from this one."""
    _check(_libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None))


def die_with_parent(parent: int) -> None:
    """Be killed when the parent is. Raises ProcessLookupError when that has happened already."""
    _prctl(_PR_SET_PDEATHSIG, SIGKILL)
    if os.getppid() != parent:
        raise ProcessLookupError(parent)


def outlive_parent() -> None:
    """Take `die_with_parent` back."""
    _prctl(_PR_SET_PDEATHSIG, 0)


def kill_children() -> None:
    """Kill every child of this process, which has one thread; also those it has only adopted."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            children = [int(number) for number in file.read().split()]
    except OSError:  # a kernel that does not tell
        return
    for child in children:
        try:
            os.kill(child, SIGKILL)
        except ProcessLookupError:
            continue


def drop_to(uid: int, gid: int) -> None:
    """Become an unprivileged user for good."""
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    _prctl(_PR_SET_DUMPABLE, 1)  # else what `/proc` says of this process would still belong to root


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends, so that all can be waited for."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def install_filter(program: bytes) -> None:
    """A seccomp filter for this process and all it starts; privileges cannot be gained afterwards."""

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))

    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(Program(len(program) // _BPF_INSTRUCTION, program)))


def _prctl(option: int, *arguments: object) -> None:
    padded = [*arguments, 0, 0, 0][:4]
    _check(_libc.prctl(option, *[ctypes.c_ulong(a) if isinstance(a, int) else a for a in padded]))


def _check(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
