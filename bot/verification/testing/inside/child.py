"""A process with strange code in it, watched by the supervisor."""

# mypy: ignore-errors

import hmac
import json
import os
import select
import signal
import socket
import struct
import time

from bot.verification.testing.inside.descendants import sweep

STARTING_SECONDS = 30.0  # an interpreter with pytest, or what many tests use, on a busy machine
PACKET = 128 * 1024


def patience(event, seconds):
    """How long nothing may come after it. To be read, a file may take longer than a test: it may load what is large."""
    return max(STARTING_SECONDS, seconds) if event in ("setup", "collecting") else seconds


class Child:
    """A process with strange code in it, and the socket it reports on."""

    def __init__(self, plan, script, task, warm=None):
        """warm: a process that forks it, instead of a new one."""
        self.key = os.urandom(16).hex()
        self.notes = []
        self.status = None
        self.cut = ""
        self.ours, self.pid, self.warm = begin(plan, script, {"key": self.key, **task}, warm)
        self.ours.setblocking(False)

    def reports(self, deadline, seconds):
        """What it sends, until it ends; `cut` afterwards: "all" past the deadline, "test" after so long a silence."""
        clock, allowance = time.monotonic(), STARTING_SECONDS
        while not self.cut:
            ended = self.exited()
            for packet in self.packets():
                clock, allowance = time.monotonic(), patience(packet.get("event"), seconds)
                yield packet
            if ended:
                return
            now = time.monotonic()
            self.cut = "all" if now > deadline else "test" if now - clock > allowance else ""

    def exited(self):
        """Wait a moment for a packet; whether the process has ended."""
        select.select([self.ours, *([self.warm.ours] if self.warm else [])], [], [], 0.05)
        if self.status is None and self.warm:
            self.status = self.warm.status()
        elif self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
        return self.status is not None

    def packets(self):
        while True:
            try:
                data, ancillary, _, _ = self.ours.recvmsg(PACKET, socket.CMSG_SPACE(12))
            except OSError:
                return
            if not data:
                time.sleep(0.005)  # closed, but not ended yet
                return
            sender = sender_of(ancillary)
            try:
                packet = json.loads(data)
                genuine = isinstance(packet, dict) and hmac.compare_digest(str(packet.get("key")), self.key)
            except ValueError:
                genuine = False
            if sender != self.pid:
                self.note("another process reported in its place")
            elif not genuine:
                self.note("something else wrote to the report")
            else:
                yield packet

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def kill(self):
        """End it and all it left behind; its exit status, negative for a signal."""
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            self.status = self.warm.ending() if self.warm else os.waitpid(self.pid, 0)[1]
        sweep(self.warm)
        self.ours.close()
        return os.waitstatus_to_exitcode(self.status)


class WarmRunner:
    """A process that has pytest in it and nothing of the program, and forks one for each session."""

    def __init__(self, plan):
        self.ours, self.pid, _ = begin(plan, plan["runner"], {"key": "", "warm": True})

    def fork(self, task_file, channel):
        """The id of the process that was forked for this task; 0 where none could be."""
        try:
            socket.send_fds(self.ours, [b"."], [task_file, channel.fileno()])
            pid = self.said(STARTING_SECONDS)
        except (OSError, ValueError):  # it has ended, or says why it cannot import pytest: the session tells that
            return 0
        if pid is None:
            os.kill(self.pid, signal.SIGKILL)  # else it would answer later, and be taken for another's answer
        return pid or 0

    def status(self, seconds=0.0):
        """How the fork ended; `None` where it has not. One whose parent was killed counts as killed."""
        try:
            return self.said(seconds)
        except (OSError, ValueError):
            return signal.SIGKILL

    def ending(self):
        """How the fork ended, which was killed."""
        status = self.status(STARTING_SECONDS)
        return signal.SIGKILL if status is None else status

    def said(self, seconds):
        """The number that it sends, and nobody in its place; `None` where none comes in time. Raises OSError where it
        has ended, and ValueError for no number."""
        if not select.select([self.ours], [], [], seconds)[0]:
            return None
        data, ancillary, _, _ = self.ours.recvmsg(PACKET, socket.CMSG_SPACE(12))
        if not data or sender_of(ancillary) != self.pid:
            raise OSError
        return int(data)


def sender_of(ancillary):
    return next((struct.unpack("3i", blob[:12])[0] for _, _, blob in ancillary), 0)


def begin(plan, script, task, warm=None):
    """Our end of its socket, which is told who sends, its id, and the warm process where that forked it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    task_file = os.memfd_create("task")
    with open(task_file, "wb", closefd=False) as file:
        file.write(json.dumps({"socket": 3, **task}).encode())
    os.lseek(task_file, 0, os.SEEK_SET)
    forked = warm.fork(task_file, theirs) if warm else 0
    pid = forked or spawn(plan, script, task_file, theirs)
    theirs.close()
    os.close(task_file)
    return ours, pid, warm if forked else None


def spawn(plan, script, task_file, channel):
    argv = [*plan["python"], "-s", "-c", script]
    return os.posix_spawnp(
        argv[0],
        argv,
        {**os.environ, **plan["environment"]},
        file_actions=[
            (os.POSIX_SPAWN_DUP2, task_file, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_DUP2, channel.fileno(), 3),
        ],
        setpgroup=0,
    )
