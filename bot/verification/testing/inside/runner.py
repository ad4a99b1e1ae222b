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

OLDEST = (6, 2)  # of pytest: the first that can rewrite assertions for Python 3.10 and later


def main():
    with open(0, "rb", closefd=False) as file:
        task = json.loads(file.read())
    os.dup2(1, 0)
    channel = socket.socket(fileno=task.pop("socket"))
    exit_now, send, dumps, key = os._exit, channel.send, json.dumps, task.pop("key")

    def tell(event, **content):
        send(dumps({"key": key, "event": event, **content}).encode())

    gc.disable()  # while pytest is imported; `run` in session.py enables it
    try:
        import pytest
    except ImportError:
        tell("note", note="no pytest")
        exit_now(1)
    except Exception:  # one of long ago stumbles over what Python has dropped since
        tell("note", note="old pytest")
        exit_now(1)
    numbers = pytest.__version__.split(".")[:2]  # none where it does not tell
    if tuple(int(part) for part in numbers if part.isdecimal()) < OLDEST:
        tell("note", note="old pytest")
        exit_now(1)
    names = {"__name__": "__main__"}
    exec(task.pop("session"), names)
    status = names["run"](task, tell)
    tell("finish")
    exit_now(status)  # before anything that the program left for later can run


main()
