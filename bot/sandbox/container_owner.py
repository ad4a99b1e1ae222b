"""Which process a container belongs to, so that those of a killed Bouncer are found and those of a living one kept."""

import os
import socket
from pathlib import Path


def mark() -> str:
    """This machine, this process, and when it started: a process id alone is used again."""
    return f"{socket.gethostname()}/{os.getpid()}/{_start(os.getpid())}"


def is_gone(owner: str) -> bool:
    """Whether the owner was a process of this machine that has ended; of another machine's nothing is known."""
    host, _, rest = owner.rpartition("/")[0].rpartition("/")
    start = owner.rpartition("/")[2]
    return host == socket.gethostname() and rest.isdigit() and _start(int(rest)) != start


def _start(pid: int) -> str:
    """In ticks since the machine started; empty when there is no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("ascii", errors="replace")
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]
