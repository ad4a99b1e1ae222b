"""Runs pytest in the process that also holds the program under test, and reports each test as it ends.

Strange code in the same process can do anything, so nothing said here is believed alone: among the real tests run
canaries with random names, some of which must fail, and the functions of the runner are compared before and after.
"""

# mypy: ignore-errors

import sys

sys.path[:] = [entry for entry in sys.path if entry]  # `-c` puts the working directory first

import gc
import json
import os
import socket

PR_SET_DUMPABLE = 4
OLDEST = (6, 2)  # of pytest: the first that can rewrite assertions for Python 3.10 and later


def main():
    with open(0, "rb", closefd=False) as file:
        task = json.loads(file.read())
    os.dup2(1, 0)
    gc.disable()  # while pytest is imported; `run` in session.py enables it
    note = import_pytest()
    if task.get("warm") and not note:
        task = fork_when_asked(socket.socket(fileno=task["socket"]))
    channel = socket.socket(fileno=task.pop("socket"))
    exit_now, send, dumps, key = os._exit, channel.send, json.dumps, task.pop("key")

    def tell(event, **content):
        send(dumps({"key": key, "event": event, **content}).encode())

    if note:
        tell("note", notes=[note])
        exit_now(1)
    names = {"__name__": "__main__"}
    exec(task.pop("session"), names)
    status = names["run"](task, tell)
    tell("finish")
    exit_now(status)  # before anything that the program left for later can run


def import_pytest():
    """Import pytest; why it cannot be used, or nothing."""
    try:
        import pytest
    except ImportError:
        return "no pytest"
    except Exception:  # one of long ago stumbles over what Python has dropped since
        return "old pytest"
    numbers = pytest.__version__.split(".")[:2]  # none where it does not tell
    return "old pytest" if tuple(int(part) for part in numbers if part.isdecimal()) < OLDEST else ""


def fork_when_asked(asked):
    """Never run the program here, but fork for each session that is asked for; the task, in such a fork.

    Nobody may write to this process, of which all later ones are copies.
    """
    import ctypes
    from importlib import import_module

    from _pytest.config import default_plugins

    for name in default_plugins:  # each session imports them first of all
        import_module("_pytest." + name)
    prctl = ctypes.CDLL(None).prctl
    for name in [name for name in sys.modules if name.lstrip("_").partition(".")[0] == "ctypes"]:
        del sys.modules[name]  # a program would not find it there
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    while True:
        _, (file, channel), _, _ = socket.recv_fds(asked, 1, 2)
        pid = os.fork()
        if not pid:
            prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
            os.setpgid(0, 0)
            with open(file, "rb") as task:
                asked.close()
                return {**json.loads(task.read()), "socket": channel}
        os.close(file)
        os.close(channel)
        asked.send(b"%d" % pid)
        asked.send(b"%d" % os.waitpid(pid, 0)[1])


main()
