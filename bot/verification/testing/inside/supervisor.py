"""Stands above the process that has the program under test in it, and tells the host what really happened.

Started as `python -I -S -c …`. The plan comes on standard input, with a secret that nobody else ever sees: it is read
and erased before any strange code runs, this process cannot be traced or read (`PR_SET_DUMPABLE`), and children are
executed, not forked. The report leaves on standard output, signed with the secret. A report that is missing or not
signed counts as no report, so killing this process wins nothing.

What the children say arrives in packets on a socket. The kernel names the sender of each, so another process cannot
speak for the one that was started.
"""

# mypy: ignore-errors

import ctypes
import hashlib
import hmac
import json
import os
import random
import re
import select
import signal
import socket
import stat
import struct
import sys
import time

PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 4, 36
STARTING_SECONDS = 30.0  # an interpreter with pytest, on a busy machine
MOST_SESSIONS = 25
MOST_OBSERVERS = 5
MOST_MESSAGES = 1_000_000  # characters of all messages together
MOST_ENTERED = 500_000  # pairs of a test and a function that it entered, in one session
PACKET = 128 * 1024
CANARIES = 9
WORDS = ("with", "without", "empty", "value", "default", "error", "name", "after", "twice", "returns", "none", "nested")
MOST_WRITTEN = 50
LONGEST_PATH = 300
SUFFIXES = (".py", ".pyc", ".pyw", ".so", ".pth", ".egg-link")
STEERING = ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg")


def main():
    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    started = time.monotonic()
    plan = json.loads(sys.stdin.buffer.read())
    forget_input()
    secret = bytes.fromhex(plan["secret"])
    deadline = started + plan["seconds"]
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    if not plan["command"]:
        os.dup2(null, 2)

    report = {"observed": [], "sessions": [], "exit": None}
    watch = Watch(plan["watched"])
    if plan["command"]:
        report["exit"] = command(plan)
    else:
        suite = {path: contents(path) for path in plan["suite"]}
        if plan["calls"]:
            for path in suite:
                os.unlink(path)  # who is asked for a value must not be able to read the expected one
            report["observed"] = observe(plan, deadline)
        report["sessions"] = sessions(plan, suite, deadline)
    report["written"] = watch.written()
    report["seconds"] = time.monotonic() - started

    body = json.dumps(report).encode()
    sign = hmac.new(secret, body, hashlib.sha256).hexdigest().encode()
    sys.stdout.buffer.write(b"\n" + sign + b" " + body + b"\n")
    sys.stdout.buffer.flush()
    if report["exit"] is not None:
        os._exit(report["exit"])


def forget_input():
    """Where the input is a file, other processes of the sandbox have it open as well and could read the secret."""
    try:
        os.ftruncate(0, 0)
    except OSError:
        pass  # a pipe, which is empty now


class Watch:
    """What judges, as it was before any strange code ran, and what lies beside it.

    A file counts as written also where its content is the same again: between two moments it may have been another.
    """

    def __init__(self, paths):
        self.before = {path: state(path) for path in paths}
        self.folders = {parent for path in paths for parent in above(path)}
        self.beside = self.found()

    def found(self):
        return {name for folder in self.folders for name in judging(folder)}

    def written(self):
        changed = [path for path, before in self.before.items() if state(path) != before]
        added = self.found() - self.beside - set(self.before)
        return [path[:LONGEST_PATH] for path in [*sorted(changed), *sorted(added)][:MOST_WRITTEN]]


def state(path):
    """Everything about a file that no write leaves as it was; nothing where there is none."""
    try:
        found = os.lstat(path)
        held = os.readlink(path) if stat.S_ISLNK(found.st_mode) else hashlib.sha256(contents(path)).digest()
    except OSError:
        return None
    return found.st_ino, found.st_mode, found.st_ctime_ns, found.st_size, held


def above(path):
    parts = path.split("/")[:-1]
    return ["/".join(parts[:end]) for end in range(len(parts) + 1)]


def judging(folder):
    """What lies in a folder and could be imported, collected or read as configuration, as paths."""
    try:
        entries = list(os.scandir(folder or "."))
    except OSError:
        return
    for entry in entries:
        name = entry.name
        if entry.is_dir():
            package = os.path.join(entry.path, "__init__.py")
            if name == "__pycache__" or os.path.lexists(package):
                yield os.path.join(folder, name)
        elif name.endswith(SUFFIXES) or name in STEERING:
            yield os.path.join(folder, name)


def command(plan):
    """The exit status of a command, which prints where this process does: 128 + N after signal N."""
    actions = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)]
    try:
        pid = os.posix_spawnp(plan["command"][0], plan["command"], os.environ, file_actions=actions)
    except OSError:
        return 127
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    sweep()
    return 128 - status if status < 0 else status


def observe(plan, deadline):
    """The value of each call, from a process that knows no test; `None` where it gave none."""
    values = []
    for _ in range(MOST_OBSERVERS):
        child = Child(plan, plan["observer"], {"calls": plan["calls"][len(values) :]})
        clock, allowance = time.monotonic(), STARTING_SECONDS
        while True:
            ended = child.exited(0.05)
            for packet in child.packets():
                clock, allowance = time.monotonic(), plan["test_seconds"]
                if "value" in packet:
                    values.append(packet["value"])
            now = time.monotonic()
            if ended or now > deadline or now - clock > allowance:
                break
        child.kill()
        if child.notes or len(values) >= len(plan["calls"]) or now > deadline:
            break
        values.append(None)  # this call ended the process, or took too long; another process goes on behind it
    return [] if child.notes else values


def sessions(plan, suite, deadline):
    """Sessions of pytest until every test has ended: one that kills or blocks its process is not asked again."""
    done, ignored, all_of_them, room = [], [], [], MOST_MESSAGES
    for number in range(MOST_SESSIONS):
        for path, content in suite.items():
            restore(path, content)
        session = run_session(plan, number, done, ignored, deadline)
        for result in session["ended"]:
            result[2] = result[2][:room]
            room -= len(result[2])
        all_of_them.append(session)
        done += [result[0] for result in session["ended"]]
        culprit = session["running"] or session["collecting"]
        if session["finished"] or session["cut"] == "all" or not culprit:
            break
        if culprit in session["canaries"] and not session["ended"]:
            break  # the next session's have other names, so it would be as mute as this one
        (done if session["running"] else ignored).append(culprit)
        chosen = {path.partition("::")[0] for path in plan["select"]}
        if (session["collected"] and set(session["collected"]) <= set(done)) or (chosen and chosen <= set(ignored)):
            break
    return all_of_them


def canary_names(plan):
    """Names like those of the suite's own tests, made of the same words, and nobody's."""
    chance, known, words = random.SystemRandom(), set(), set(WORDS)
    paths = [*plan["suite"], *(path.partition("::")[0] for path in plan["select"]), *plan["watched"]]
    for path in dict.fromkeys(path for path in paths if path.endswith(".py")):
        try:
            known.update(re.findall(r"def test_(\w+)", contents(path).decode(errors="replace")))
        except OSError:
            continue
    words.update(word for name in known for word in name.split("_") if word.isalpha())
    found = set()
    while len(found) < CANARIES:
        name = "_".join(chance.sample(sorted(words), chance.choice((3, 4))))
        if name not in known:
            found.add("test_" + name)
    return chance.sample(sorted(found), CANARIES)


def run_session(plan, number, done, ignored, deadline):
    names = canary_names(plan)
    junit = "/results/" + os.urandom(8).hex() + ".xml"
    shared = (
        "args",
        "paths",
        "select",
        "first",
        "scripts",
        "program",
        "alone",
        "reverse",
        "seed",
        "held",
        "packages",
        "trace",
        "tracer",
    )
    session = {
        "canaries": names,
        "junit": junit.rpartition("/")[2],
        "collected": [],
        "ended": [],
        "functions": [],
        "entered": [],
        "running": "",
        "collecting": "",
        "replaced": [],
        "finished": False,
        "cut": "",
        "exit": None,
        "notes": [],
    }
    task = {key: plan[key] for key in shared}
    task.update(canaries=names, junit=junit, done=done, ignored=ignored)
    child = Child(plan, plan["runner"], task)
    clock, allowance = time.monotonic(), STARTING_SECONDS
    while True:
        ended = child.exited(0.05)
        for packet in child.packets():
            clock, allowance = time.monotonic(), plan["test_seconds"]
            take(packet, session)
        if ended:
            break
        now = time.monotonic()
        if now > deadline or now - clock > allowance:
            session["cut"] = "all" if now > deadline else "test"
            break
    session["exit"] = child.kill()
    session["notes"] += child.notes
    return session


def take(packet, session):
    event, name = packet.get("event"), str(packet.get("id", ""))
    if event == "collecting":
        session["collecting"] = name
    elif event == "collected":
        session["collecting"] = ""
        session["collected"] += packet["ids"]
    elif event == "start":
        session["collecting"] = ""
        session["running"] = name
    elif event == "end":
        session["running"] = ""
        session["ended"].append([name, packet["status"], packet["message"], packet["seconds"]])
    elif event == "entered":
        session["functions"] += packet["new"]
        if sum(len(seen) for _, seen in session["entered"]) < MOST_ENTERED:
            session["entered"].append([name, packet["seen"]])
    elif event == "replaced":
        session["replaced"] += [str(each)[:LONGEST_PATH] for each in packet["names"]][:MOST_WRITTEN]
    elif event == "note":
        session["notes"].append(packet["note"])
    elif event == "finish":
        session["finished"] = not (session["running"] or session["collecting"])  # else something made pytest give up


class Child:
    """A process with strange code in it, and the socket it reports on."""

    def __init__(self, plan, script, task):
        self.key = os.urandom(16).hex()
        self.notes = []
        self.status = None
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

    def exited(self, seconds):
        """Wait for a packet, at most so long; whether the process has ended."""
        select.select([self.ours], [], [], seconds)
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


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def restore(path, content):
    """Put a file of the suite back where the program deleted or changed it."""
    try:
        if not os.path.islink(path) and contents(path) == content:
            return
    except OSError:
        pass
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    if os.path.lexists(path):
        os.unlink(path)
    with open(path, "wb") as file:
        file.write(content)


main()
