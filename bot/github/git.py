"""Runs git where strangers' history is read: no hooks, no configuration but ours, no prompts, bounded, no secret shown.

The Authorization header travels in git's environment: not in its arguments, not on disk. git tells it nobody but the
address it was given, since redirects are not followed.
"""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, cast

from bot.github.errors import Forbidden, GitHubError, NoGit, NotFound, Rejected, Unauthorized, Unavailable

TIMEOUT = 300.0  # seconds

# What the operator says about the way to GitHub.
_ROUTE = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy")
_TRUST = ("GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE")

_CONFIG = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "credential.helper": "",
    "fetch.recurseSubmodules": "false",
    "fetch.unpackLimit": "1",
    "gc.auto": "0",
    "http.followRedirects": "false",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "30",
    "maintenance.auto": "false",
    "transfer.bundleURI": "false",
    "transfer.fsckObjects": "true",
    # Faults of old tools in honest histories; they endanger nothing.
    "fetch.fsck.badTimezone": "ignore",
    "fetch.fsck.missingSpaceBeforeDate": "ignore",
    "fetch.fsck.zeroPaddedFilemode": "ignore",
}


def program() -> str:
    """git itself. Raises `NoGit`."""
    found = shutil.which("git")
    if found is None:
        raise NoGit("git is not installed on Bouncer's server; install it and start Bouncer again")
    return found


def run(
    directory: Path,
    *words: str,
    stdin: bytes = b"",
    protocol: str = "",
    authorization: str = "",
    largest_file: int = 0,
    timeout: float = TIMEOUT,
) -> bytes:
    """git's standard output. Raises a `GitHubError` that holds neither addresses nor secrets.

    protocol: `https` or `http`; without one git reaches nothing. authorization: the header's value.
    largest_file: the most bytes any one file may get that git writes; 0 means no limit.
    """
    command = [program(), "-C", str(directory), *words]
    if largest_file:  # in blocks of 512 bytes
        command = ["sh", "-c", 'ulimit -f "$0" && exec "$@"', str(-(-largest_file // 512)), *command]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(protocol, authorization),
        start_new_session=True,
    )
    try:
        output, complaint = process.communicate(stdin, timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise Unavailable(f"git {words[0]} took longer than {timeout:.0f} seconds") from None
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    if process.returncode:
        raise _problem(words[0], complaint.decode(errors="replace"))
    return output


@contextmanager
def _reading(
    directory: Path, words: tuple[str, ...], stdin: "int | IO[bytes]", timeout: float
) -> Iterator["subprocess.Popen[bytes]"]:
    """git at work, whose standard output is read meanwhile. Raises `Unavailable` behind the block where it took longer
    than `timeout` seconds."""
    late = threading.Event()
    with subprocess.Popen(
        [program(), "-C", str(directory), "--no-pager", "--literal-pathspecs", *words],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
    ) as process:

        def stop() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(timeout, stop)
        timer.start()
        try:
            yield process
        finally:
            timer.cancel()
    if late.is_set():
        raise Unavailable(f"git {words[0]} took longer than {timeout:.0f} seconds")


def read(directory: Path, *words: str, most: int, timeout: float = TIMEOUT, fine: tuple[int, ...] = (0,)) -> bytes:
    """git's standard output, cut after `most` bytes: for reading what may have any size.

    fine: the exit statuses that mean that all went well. Raises `NotFound` for any other, and `Unavailable` where git
    takes longer than `timeout` seconds.
    """
    with _reading(directory, words, subprocess.DEVNULL, timeout) as process:
        assert process.stdout
        output = process.stdout.read(most)
        whole = len(output) < most
        if not whole:
            process.kill()
    if whole and process.returncode not in fine:
        raise NotFound(f"git {words[0]}: no such thing in this repository")
    return output


@contextmanager
def stream(directory: Path, *words: str, stdin: bytes = b"", timeout: float = TIMEOUT) -> Iterator[BinaryIO]:
    """git's standard output to read from, of any length: what is not read is not made.

    Raises `Unavailable` behind the block where all was read and git took longer than `timeout` seconds, or failed:
    then the end is missing.
    """
    with tempfile.TemporaryFile() as asked:
        asked.write(stdin)
        asked.seek(0)
        with _reading(directory, words, asked, timeout) as process:
            assert process.stdout
            try:
                yield cast("BinaryIO", process.stdout)
                whole = not process.stdout.read(1)
                if whole:
                    process.wait()
            finally:
                process.kill()
    if whole and process.returncode:
        raise Unavailable(f"git {words[0]}: no usable answer")


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """What a tree has at a path. size: -1 of what is no file, is damaged, or was not asked for."""

    mode: str
    sha: str
    size: int
    path: str


def entries(listed: bytes) -> Iterator[TreeEntry]:
    """What `ls-tree -z` prints, with `-l` or without, as far as it is whole."""
    for line in listed.split(b"\0")[:-1]:
        head, _, name = line.partition(b"\t")
        mode, _, sha, *size = head.decode().split()
        yield TreeEntry(mode, sha, int(size[0]) if size and size[0].isdigit() else -1, os.fsdecode(name))


def environment(protocol: str = "", authorization: str = "") -> dict[str, str]:
    """All that git may know. `GIT_ALLOW_PROTOCOL` empty: no way out at all."""
    config: Mapping[str, str] = _CONFIG
    if authorization:
        config = {**_CONFIG, "http.extraHeader": f"Authorization: {authorization}"}
    kept = {name: os.environ[name] for name in ("PATH", *_ROUTE, *_TRUST) if name in os.environ}
    numbered = {
        f"GIT_CONFIG_{part}_{number}": text
        for number, item in enumerate(config.items())
        for part, text in zip(("KEY", "VALUE"), item, strict=True)
    }
    return {
        **kept,
        "HOME": os.devnull,
        "LC_ALL": "C",
        "GIT_ALLOW_PROTOCOL": protocol,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CONFIG_COUNT": str(len(config)),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        **numbered,
    }


_COMPLAINTS: tuple[tuple[str, type[GitHubError], str], ...] = (
    (r"could not read Username|Authentication failed|error: 401", Unauthorized, "GitHub does not accept the token"),
    (r"error: 403", Forbidden, "the App may not read the repository's contents"),
    (r"error: 30\d", NotFound, "the repository has moved"),
    (r"not our ref|find remote ref|unadvertised object", NotFound, "GitHub does not have that commit"),
    (r"repository '[^']*' not found|error: 404", NotFound, "no such repository, or it cannot be seen"),
    (r"fsck error|fsck-objects|error: object [0-9a-f]+: ", Rejected, "its objects are malformed, and git refuses them"),
    (r"dubious ownership", Forbidden, "it belongs to another user of this machine"),
    (r"No space left|Disk quota", Unavailable, "this machine's disk is full: make room, or set BOUNCER_CACHE_DIR"),
    (r"Read-only file system", Unavailable, "this machine's disk cannot be written: set BOUNCER_CACHE_DIR"),
)


def _problem(what: str, complaint: str) -> GitHubError:
    """In our own words: what git prints may quote addresses and whatever the other side says."""
    for pattern, kind, words in _COMPLAINTS:
        if re.search(pattern, complaint):
            return kind(f"git {what}: {words}")
    return Unavailable(f"git {what}: no usable answer")
