"""One job from request to reply: `request` comes on standard input, the reply goes to standard output.

Both are a value of `marshal`, since launcher and server are the same interpreter; the reply is followed by the result
files as a tar stream. Untrusted bytes occur inside the values only.
"""

import fcntl
import marshal
import os
import resource
import select
import sys
import time

from bot.sandbox.launcher import cgroup, guard, kernel, stage

TYPE_CHECKING = False  # as `typing` says it, which takes longer to import than the rest together
if TYPE_CHECKING:
    from typing import Any

STATUS_FD, FILTER_FD, ARGUMENTS_FD = 3, 4, 5  # as bubblewrap is told
_CHUNK = 1 << 16
_FIRST_UID = 0x7000_0000  # above every range that is given to users and containers, plus the launcher's process id
_NOBODY = 65534
_TAR_BLOCK = 512
_MOST_DESCRIPTORS = 1 << 20


def main(parent: int) -> None:
    """Reply to one request. What is not in the reply, such as a missing module, is on standard error."""
    kernel.die_with_parent(parent)
    kernel.adopt_orphans()
    request: dict[str, Any] = marshal.load(sys.stdin.buffer)  # noqa: S302 - from the server, nobody else has the pipe
    group = cgroup.create(request["memory"], request["processes"])
    step = "no mount namespace can be had"
    try:
        owner = _owner()
        stage.enter(owner)
        kernel.die_with_parent(parent)  # a change of user clears it
        step = "what is to be shown inside cannot be opened or mounted"
        tree = None if request["tree"] is None else os.open(request["tree"], os.O_RDONLY | os.O_DIRECTORY)
        stage.build(request["binds"], request["texts"], request["writable"], owner, request["disk"], request["inodes"])
        step = "the source tree cannot be copied"
        work = os.open(f"{stage.ROOT}/work", os.O_RDONLY | os.O_DIRECTORY)
        if tree is not None:
            stage.copy_tree(tree, work, owner)
        for path, content in request["files"]:
            stage.lay(path, content, work, owner)
        step = "what judges cannot be locked"
        guard.hold(work, request["locked"])
        step = "bubblewrap cannot be started"
        reply = {"user": owner[0], **_run(request, owner, group)}
    except OSError as error:
        reply = {"verdict": "sandbox_error", "problem": f"{step}: {os.strerror(error.errno or 0)}"}
    finally:
        if group is not None:
            group.remove()
    marshal.dump({**reply, "grouped": group is not None}, sys.stdout.buffer)
    sys.stdout.buffer.flush()
    if "status" in reply:
        _send_results()


def _opened() -> guard.OpenedFiles | None:
    """The watch on the tree; nothing where the machine has none left, or the tree is too large for one."""
    try:
        return guard.OpenedFiles(f"{stage.ROOT}/work")
    except OSError:
        return None


def _owner() -> tuple[int, int]:
    """The user a job runs as: one of its own where the server is root, so that limits and signals concern it alone."""
    if os.getuid() != 0:
        return os.getuid(), os.getgid()
    own = _FIRST_UID + os.getpid()
    return (own, own) if _mapped(own, "uid_map") and _mapped(own, "gid_map") else (_NOBODY, _NOBODY)


def _mapped(number: int, kind: str) -> bool:
    """Whether an id exists in this user namespace: containers often have but 65,536."""
    with open(f"/proc/self/{kind}") as file:
        ranges = [[int(word) for word in line.split()] for line in file]
    return any(first <= number < first + count for first, _, count in ranges)


def _run(request: "dict[str, Any]", owner: tuple[int, int], group: cgroup.ControlGroup | None) -> "dict[str, Any]":
    """Start bubblewrap and watch it to its end, and to the end of all it started."""
    out, out_end = os.pipe()
    err, err_end = os.pipe()
    status, status_end = os.pipe()
    arguments = b"".join(os.fsencode(argument) + b"\0" for argument in request["arguments"])
    given, filtered, options = (_memory(text) for text in (request["stdin"], request["inner_filter"], arguments))
    deadline, opened = time.monotonic() + request["wall"], _opened()
    launcher = os.getpid()
    # From here on there is something to put away, also when nobody waits for the answer any more. Being killed would
    # leave a bubblewrap behind that has just been started and does not yet die with its own parent.
    kernel.outlive_parent()
    child = os.fork()
    if child == 0:
        try:
            if group is not None:
                group.join()
            _become(launcher, request, owner, (given, out_end, err_end, status_end, filtered, options), group is None)
        except BaseException as problem:  # noqa: BLE001 - a forked child must never return into the parent's code
            os.write(err_end, f"launcher: {problem}\n".encode())
        os._exit(127)
    for end in (out_end, err_end, status_end):
        os.close(end)
    verdict, texts = _watch(child, (out, err), request["output"], deadline, opened)
    if group is not None and group.count_memory_kills():
        verdict = "memory"
    with open(status, "rb") as told:
        said = {"status": told.read(), "stdout": texts[0], "stderr": texts[1]}
    return {"verdict": verdict, **said, "opened": opened.paths() if opened else None}


def _become(
    launcher: int, request: "dict[str, Any]", owner: tuple[int, int], descriptors: tuple[int, ...], alone: bool
) -> None:
    """Turn this child into bubblewrap: without privileges, environment or descriptors that are not meant for it."""
    for limit, value in request["rlimits"]:
        _limit(limit, value)
    if alone:  # without a control group, each process can at least be bounded by itself
        _limit(resource.RLIMIT_AS, request["memory"])
    if os.getuid() == 0:
        kernel.drop_to(*owner)
    kernel.die_with_parent(launcher)
    # First out of the way of the numbers they are to get.
    apart = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 100) for descriptor in descriptors]
    for number, descriptor in enumerate(apart):
        os.dup2(descriptor, number)
    os.closerange(len(apart), _MOST_DESCRIPTORS)
    kernel.install_filter(request["outer_filter"])
    os.execve(request["bwrap"], ["bwrap", "--args", str(ARGUMENTS_FD), "--", *request["argv"]], {})


def _limit(kind: int, value: int) -> None:
    hard = resource.getrlimit(kind)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (value, value))


def _watch(
    child: int, pipes: tuple[int, int], limit: int, deadline: float, opened: guard.OpenedFiles | None
) -> tuple[str, list[bytes]]:
    """Read both outputs until the child and all its descendants are gone. Returns what ended it, if not itself."""
    texts = {pipe: bytearray() for pipe in pipes}
    verdict = _wait(child, texts, limit, deadline, opened)
    os.kill(child, kernel.SIGKILL)
    while True:  # bubblewrap's first process inside has become a child of this one, and ends after all others inside
        try:
            os.wait()
        except ChildProcessError:
            break
        kernel.kill_children()
    for pipe, text in texts.items():  # nobody can write any more: this comes to an end
        while len(text) <= limit and (chunk := os.read(pipe, _CHUNK)):
            text += chunk
        if len(text) > limit:
            verdict = verdict or "output_limit"
    return verdict, [bytes(text[:limit]) for text in texts.values()]


def _wait(
    child: int, texts: dict[int, bytearray], limit: int, deadline: float, opened: guard.OpenedFiles | None
) -> str:
    """Until the child ends by itself, what it may use is used up, or nobody is there any more to be answered."""
    ended, reader = os.pidfd_open(child), sys.stdout.fileno()
    poll = select.poll()
    poll.register(reader, 0)  # tells that the other end is closed, nothing else
    for descriptor in (*texts, ended, *([opened.descriptor] if opened else [])):
        poll.register(descriptor, select.POLLIN)
    while True:
        left = deadline - time.monotonic()
        ready = [descriptor for descriptor, _ in poll.poll(left * 1000)] if left > 0 else []
        if not ready or reader in ready:
            return "wall"
        if ended in ready:
            return ""
        for descriptor in ready:
            if opened and descriptor == opened.descriptor:
                opened.read()
                continue
            chunk = os.read(descriptor, _CHUNK)
            texts[descriptor] += chunk
            if not chunk:
                poll.unregister(descriptor)
            elif len(texts[descriptor]) > limit:
                return "output_limit"


def _send_results() -> None:
    """`/results` as a tar stream. All processes of the job are gone, so nothing changes while it is read."""
    os.chdir(f"{stage.ROOT}/results")
    if not os.listdir():
        sys.stdout.buffer.write(bytes(2 * _TAR_BLOCK))  # the end of an archive
        return
    import tarfile

    with tarfile.open(fileobj=sys.stdout.buffer, mode="w|", format=tarfile.GNU_FORMAT) as archive:
        for name in sorted(os.listdir()):
            archive.add(name)


def _memory(content: bytes) -> int:
    """An open file in memory that holds `content`."""
    handle = os.memfd_create("bouncer")
    with open(handle, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(handle, 0, os.SEEK_SET)
    return handle
