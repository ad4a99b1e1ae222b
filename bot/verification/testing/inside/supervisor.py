"""Stands above the process that has the program under test in it, and tells the host what really happened.

Started as `python -I -S -c …`. The plan comes on standard input, with a secret that nobody else ever sees: it is read
and erased before any strange code runs, this process cannot be traced or read (`PR_SET_DUMPABLE`), and children are
executed, not forked. The report leaves on standard output, signed with the secret. A report that is missing or not
signed counts as no report, so killing this process wins nothing.

What the children say arrives in packets on a socket. The kernel names the sender of each, so another process cannot
speak for the one that was started.
"""

# mypy: ignore-errors

import base64
import ctypes
import hashlib
import hmac
import json
import os
import random
import re
import socket
import sys
import time

from bot.verification.testing.inside.child import Child, WarmRunner
from bot.verification.testing.inside.descendants import sweep
from bot.verification.testing.inside.judging_files import Tree, WatchedFiles, bounded, contents, remove

PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 4, 36
MOST_SESSIONS = 25
MOST_MESSAGES = 1_000_000  # characters of all messages together
MOST_ENTERED = 500_000  # pairs of a test and a function that it entered, in one session
CANARIES = 9
TOLD = ("collected", "slow", "notes")  # lists of a session, as packets bring them
OF_TESTS = ("ended", "entered", "calls", "replaced")
GO_BUILT = "/go-built"  # as environments/prepare.py has it
NODE = ("/env/node", "/head/node")  # as environments/ has them: what judges, and what else a change installs
WORDS = ("with", "without", "empty", "value", "default", "error", "name", "after", "twice", "returns", "none", "nested")


def main():
    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    started = time.monotonic()
    plan = json.loads(sys.stdin.buffer.read())
    forget_input()
    secret = bytes.fromhex(plan["secret"])
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    if not plan["command"]:
        os.dup2(null, 2)

    show_modules()
    report = {"sessions": [], "seconds": 0.0, "exit": None}
    reports = [report]
    watch = WatchedFiles(plan["watched"])
    if plan["command"]:
        report["exit"] = command(plan)
    else:
        suite = {path: contents(path) for path in plan["suite"]}
        reports = [{**report, **each} for each in variants(plan, suite, started)]
    seconds, written = time.monotonic() - started, watch.written()
    reports = [{**each, "written": written, "seconds": each["seconds"] or seconds} for each in reports]

    body = json.dumps(reports).encode()
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


def command(plan):
    """The exit status of a command, which prints where this process does: 128 + N after signal N."""
    if os.path.isdir(GO_BUILT):
        show_go_cache(os.environ["GOCACHE"])
    actions = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)]
    try:
        pid = os.posix_spawnp(plan["command"][0], plan["command"], os.environ, file_actions=actions)
    except OSError:
        return 127
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    sweep()
    return 128 - status if status < 0 else status


def show_go_cache(place):
    """Go writes where it reads. When it last looked for what is old it writes too, and fails where it cannot; so that
    is now, and its own."""
    link(GO_BUILT, place, lambda _: True, lambda path: path.endswith("/trim.txt"))
    with open(os.path.join(place, "trim.txt"), "w") as file:
        file.write("%d" % time.time())


def show_modules():
    """Show each `node_modules` that setup made in the tree, in place of what a program brings there. Of a change only
    packages that the base's places above do not have either, and no command: a name is enough to call those."""
    for kept in NODE:
        for folder, folders, _ in os.walk(kept):
            above = os.path.relpath(folder, kept)
            if "node_modules" in folders and os.path.isdir(above) and os.path.realpath(above) == os.path.abspath(above):
                place = os.path.join(above, "node_modules")
                if kept == NODE[0] and os.path.lexists(place):
                    remove(place)
                hides = (lambda _: False) if kept == NODE[0] else lambda own: own.endswith("/.bin") or is_of_base(own)
                link(os.path.join(kept, place), place, lambda name: name[0] in "@." and name != ".bin", hides)
            folders[:] = [name for name in folders if name != "node_modules"]


def is_of_base(path):
    above, _, name = path.rpartition("node_modules/")
    folders = above.split("/")
    places = (os.path.join(NODE[0], *folders[:end], "node_modules", name) for end in range(len(folders)))
    return any(map(os.path.lexists, places))


def link(source, place, opens, hides):
    """Fill a folder of the run's own with links to what it may only read. opens, hides: by name, the folders that are
    its own too, and by path, what it does not get."""
    os.makedirs(place, exist_ok=True)
    for entry in os.scandir(source):
        own = os.path.normpath(os.path.join(place, entry.name))
        if opens(entry.name) and entry.is_dir(follow_symlinks=False):
            link(entry.path, own, opens, hides)
        elif not (os.path.lexists(own) or hides(own)):
            os.symlink(entry.path, own)


def variants(plan, suite, started):
    """The sessions of each program, as far as there is time for them and what they find can be put back."""
    asked, deadline = plan["variants"], started + plan["seconds"]
    tree = Tree() if len(asked) > 1 else None
    warm = WarmRunner(plan) if tree and hasattr(socket, "send_fds") else None  # Python 3.8 has not
    for number, variant in enumerate(asked):
        began = time.monotonic() if number else started
        if number and (began > deadline or not tree.put_back()):
            break
        for path, text in variant["files"].items():
            if text is not None:
                restore(path, base64.b64decode(text))
            elif os.path.lexists(path):
                os.unlink(path)
        task = {**plan["task"], "select": variant["select"], "once": variant["once"]}
        one = {**plan, **variant, "task": task, "warm": warm}
        yield {"sessions": sessions(one, suite, deadline), "seconds": time.monotonic() - began}
    sweep()


def sessions(plan, suite, deadline):
    """Sessions of pytest until every test has ended: one that kills or blocks its process is not asked again."""
    done, ignored, slow, all_of_them, room = [], [], [], [], MOST_MESSAGES
    for _ in range(MOST_SESSIONS):
        for path, content in suite.items():
            restore(path, content)
        session = run_session(plan, {"done": done, "ignored": ignored, "slow": slow}, deadline)
        for result in session["ended"]:
            result[2] = result[2][:room]
            room -= len(result[2])
        all_of_them.append(session)
        done += [result[0] for result in session["ended"]]
        culprit = session["running"] or session["collecting"]
        if session["cut"] == "test":
            session["slow"].append(culprit.partition("::")[0])
        slow += session["slow"]
        if session["finished"] or session["cut"] in ("all", "red") or not culprit or culprit in plan["until"]:
            break
        if culprit in session["canaries"] and not session["ended"]:
            break  # the next session's have other names, so it would be as mute as this one
        (done if session["running"] else ignored).append(culprit)
        chosen = {path.partition("::")[0] for path in plan["task"]["select"]}
        if (session["collected"] and set(session["collected"]) <= set(done)) or (chosen and chosen <= set(ignored)):
            break
    return all_of_them


def canary_names(plan):
    """Names like those of the suite's own tests, made of the same words, and nobody's."""
    chance, known, words = random.SystemRandom(), set(), set(WORDS)
    paths = [*plan["suite"], *(path.partition("::")[0] for path in plan["task"]["select"]), *plan["watched"]]
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


def run_session(plan, past, deadline):
    names, until = canary_names(plan), frozenset(plan["until"])
    junit = "/results/" + os.urandom(8).hex() + ".xml"
    session = {"canaries": names, "junit": junit.rpartition("/")[2], **{key: [] for key in (*TOLD, *OF_TESTS)}}
    session.update({"running": "", "collecting": "", "finished": False})
    task = {**plan["task"], "canaries": names, "junit": junit, **past}
    child = Child(plan, plan["runner"], task, plan["warm"])
    for packet in child.reports(deadline, plan["test_seconds"]):
        take(packet, session)
        if packet.get("event") == "end" and packet["status"] in ("failed", "error") and str(packet.get("id")) in until:
            child.cut = "red"
            break
    session["cut"] = child.cut
    session["exit"] = child.kill()
    session["notes"] += child.notes
    return session


def take(packet, session):
    event, name = packet.get("event"), str(packet.get("id", ""))
    for key in TOLD:
        session[key] += packet.get(key, [])
    if event in ("collecting", "collected", "start"):
        session["collecting"] = name if event == "collecting" else ""
    if event in ("start", "end"):
        session["running"] = name if event == "start" else ""
    if event == "end":
        session["ended"].append([name, packet["status"], packet["message"], packet["seconds"]])
    elif event == "entered" and sum(len(seen) for _, seen in session["entered"]) < MOST_ENTERED:
        session["entered"].append([name, packet["seen"]])
    elif event == "called":
        session["calls"] += [[name, *call] for call in packet["calls"]]
    elif event == "replaced":
        session["replaced"] += bounded(map(str, packet["names"]))
    elif event == "finish":
        session["finished"] = not (session["running"] or session["collecting"])  # else something made pytest give up


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
