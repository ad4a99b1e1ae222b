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

STARTING_SECONDS = 30.0  # an interpreter with pytest, or what many tests use, on a busy machine
PACKET = 128 * 1024


class Child:
    """A process with strange code in it, and the socket it reports on."""

    def __init__(self, plan, script, task):
        self.key = os.urandom(16).hex()
        self.notes = []
        self.status = None
        self.cut = ""
        self.ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.ours.setblocking(False)
        task_file = os.memfd_create("task")
        with open(task_file, "wb", closefd=False) as file:
            file.write(json.dumps({"key": self.key, "socket": 3, **task}).encode())
        os.lseek(task_file, 0, os.SEEK_SET)
        argv = [*plan["python"], "-s", "-c", script]
        self.pid = os.posix_spawnp(
            argv[0],
            argv,
            {**os.environ, **plan["environment"]},
            file_actions=[
                (os.POSIX_SPAWN_DUP2, task_file, 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_DUP2, theirs.fileno(), 3),
            ],
            setpgroup=0,
        )
        theirs.close()
        os.close(task_file)

    def reports(self, deadline, seconds):
        """What it sends, until it ends; `cut` afterwards: "all" past the deadline, "test" after so long a silence."""
        clock, allowance = time.monotonic(), STARTING_SECONDS
        while not self.cut:
            ended = self.exited()
            for packet in self.packets():
                clock, allowance = time.monotonic(), STARTING_SECONDS if packet.get("event") == "setup" else seconds
                yield packet
            if ended:
                return
            now = time.monotonic()
            self.cut = "all" if now > deadline else "test" if now - clock > allowance else ""

    def exited(self):
        """Wait a moment for a packet; whether the process has ended."""
        select.select([self.ours], [], [], 0.05)
        if self.status is None:
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
            sender = next((struct.unpack("3i", blob[:12])[0] for _, _, blob in ancillary), 0)
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
            _, self.status = os.waitpid(self.pid, 0)
        sweep()
        self.ours.close()
        return os.waitstatus_to_exitcode(self.status)


def sweep():
    """Kill every descendant: orphans fall to this process, the subreaper, round by round."""
    children = "/proc/self/task/%d/children" % os.getpid()
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        with open(children) as file:
            for pid in file.read().split():
                try:
                    os.kill(int(pid), signal.SIGKILL)
                except ProcessLookupError:
                    pass
        time.sleep(0.001)
