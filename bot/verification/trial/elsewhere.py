"""Runs inside the sandbox, before a program is imported: other surroundings than those in which its tests run. The
process began ten years ago, in another folder of another machine, so what a program asks of the clock, of its number,
its place or the disk has another answer. No program can know what the other machine is called, and an answer that only
names it is told as if it named the first one. Standard library only."""

# mypy: ignore-errors

import ctypes
import datetime
import gc
import os
import secrets
import shutil
import socket
import tempfile
import time

AGE, STEP = 3650 * 86400.0, 7 * 3600.0 + 1234.5  # seconds that have passed at the first call, and from one to the next
MOST_FILES = 2000  # that are copied
PASSED = [0.0]
NAMES = {}  # what things are called there, and where the tests run
HOME = "/tmp"  # noqa: S108 (where the tests run)
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "node_modules", "__pycache__")


def let_time_pass(calls):
    """From here on it is later, and later still with each call."""
    PASSED[0] = AGE + calls * STEP


def move(paths):
    """Other surroundings from now on, and the paths from which modules are imported there."""
    move_clocks()
    move_machine()
    NAMES[os.environ["HOME"]] = HOME
    count = sum(len(files) for _, _, files in os.walk("/work"))
    if count > MOST_FILES:
        return paths
    folder = tempfile.mkdtemp() + "/home"
    NAMES[folder] = "/work"
    shutil.copytree("/work", folder, symlinks=True, ignore=LEFT_OUT, copy_function=copy)
    os.chdir(folder)
    return [folder + path[len("/work") :] if path.startswith("/work") else path for path in paths]


def as_here(text):
    """An answer, with the names of where the tests run."""
    for name in NAMES:
        text = text.replace(name, NAMES[name])
    return text


def copy(source, target):
    if os.access(source, os.R_OK):
        shutil.copyfile(source, target)


def move_clocks():
    real = dict(vars(time))

    def clock(name, unit):
        return lambda: real[name]() + type(real[name]())(PASSED[0] * unit)

    def written(name, before):
        def write(*given):
            now = time.time() if name not in ("strftime", "asctime") else real["localtime"](time.time())
            return real[name](*given, *([now] if len(given) == before else []))

        return write

    for name in ("time", "monotonic", "perf_counter"):
        setattr(time, name, clock(name, 1))
        setattr(time, name + "_ns", clock(name + "_ns", 10**9))
    for name, unit in (("clock_gettime", 1), ("clock_gettime_ns", 10**9)):
        setattr(time, name, lambda which, real=real[name], unit=unit: real(which) + type(real(which))(PASSED[0] * unit))
    for name in ("gmtime", "localtime", "ctime", "asctime", "strftime"):
        setattr(time, name, written(name, int(name == "strftime")))
    for name in ("now", "utcnow"):  # `today` asks `time`
        in_class(datetime.datetime, name, later(vars(datetime.datetime)[name]))


def later(method):
    def now(kind, *given, **named):
        return method.__get__(None, kind)(*given, **named) + datetime.timedelta(seconds=PASSED[0])

    return classmethod(now)


def in_class(kind, name, method):
    """Put a method into a class of C, which does not let anybody."""
    gc.get_referents(vars(kind))[0][name] = method
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))


def found_as(real, name, here):
    return lambda host, *given, **named: real(here if host == name else host, *given, **named)


def move_machine():
    number, parent, host = os.getpid() + 30011, os.getppid() + 20011, os.uname()
    name = secrets.token_hex(4)
    NAMES[name] = host.nodename
    os.getpid, os.getppid = lambda: number, lambda: parent
    os.uname = lambda: os.uname_result((host.sysname, name, *host[2:]))
    os.cpu_count, os.getloadavg = lambda: 48, lambda: (7.5, 6.25, 5.0)
    for asked in ("getaddrinfo", "gethostbyname", "gethostbyname_ex"):  # a machine finds itself by its name
        setattr(socket, asked, found_as(getattr(socket, asked), name, host.nodename))
    there = os.statvfs
    os.statvfs = lambda path: os.statvfs_result([each * 100 for each in there(path)])
