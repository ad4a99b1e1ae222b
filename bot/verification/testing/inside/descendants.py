"""What a process with strange code in it left running."""

# mypy: ignore-errors

import os
import signal
import time


def sweep(warm=None):
    """Kill every descendant but a warm one: orphans fall to this process, the subreaper, round by round."""
    children, kept = "/proc/self/task/%d/children" % os.getpid(), {str(warm.pid)} if warm else set()
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        with open(children) as file:
            there = set(file.read().split())
        if there <= kept:
            return
        for pid in there - kept:
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.001)
