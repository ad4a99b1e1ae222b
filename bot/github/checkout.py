"""A commit's files as a directory, straight from git's objects: no index, no filters, no attributes, no hooks.

Names and contents come from strangers. Links stay links only where they lead to a place inside the tree.
"""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from bot.errors import is_disk_trouble
from bot.github import git
from bot.github.errors import Rejected, Unavailable

MAX_FILES = 100_000
MAX_FILE = 100 * 1024 * 1024  # bytes; what GitHub itself takes
MAX_LINK = 4096  # bytes of a link's target

LINK, SUBMODULE, _EXECUTABLE = "120000", "160000", "100755"


def extract(repository: Path, sha: str, into: Path, max_bytes: int) -> dict[str, str]:
    """Write the commit's files into an empty directory. Returns the path of each submodule -> its commit.

    A submodule becomes an empty directory, as in git; a link that leads out of the tree, or cannot be made,
    becomes a file that holds its target. Raises `Rejected` where the tree is too large or its names are none.
    """
    entries = list(_listed(repository, sha))
    if len(entries) > MAX_FILES:
        raise Rejected(f"the commit has {len(entries)} files; at most {MAX_FILES} are checked out")
    if sum(max(entry.size, 0) for entry in entries) > max_bytes:
        raise Rejected("the commit's files are larger than a repository may be here; raise BOUNCER_REPOSITORY_MB")
    try:
        _write(repository, entries, into)
    except OSError as error:
        if is_disk_trouble(error):
            raise
        # Names that are too long, or clash where upper and lower case are one.
        raise Rejected(f"the commit cannot be checked out: {error.strerror}") from None
    return {entry.path: entry.sha for entry in entries if entry.mode == SUBMODULE}


def _listed(repository: Path, sha: str) -> Iterator[git.TreeEntry]:
    for entry in git.entries(git.run(repository, "ls-tree", "-r", "-l", "-z", "--full-tree", sha)):
        if any(part in ("", ".", "..") or part.lower() == ".git" for part in entry.path.split("/")):
            raise Rejected("the commit contains invalid file names")
        if entry.mode != SUBMODULE and entry.size < 0:
            raise Rejected("the commit contains a file that is missing or damaged")
        if entry.size > (MAX_LINK if entry.mode == LINK else MAX_FILE):
            raise Rejected("the commit contains a file that is too large")
        yield entry


def _write(repository: Path, entries: list[git.TreeEntry], into: Path) -> None:
    links = {}
    blobs = [entry for entry in entries if entry.mode != SUBMODULE]
    for entry in entries:  # no link was made yet, so nothing leads astray
        path = into / entry.path
        (path if entry.mode == SUBMODULE else path.parent).mkdir(parents=True, exist_ok=True)
    for entry, content in zip(blobs, _contents(repository, blobs), strict=True):
        if entry.mode == LINK:
            links[into / entry.path] = content
            continue
        with open(into / entry.path, "xb", opener=_executable if entry.mode == _EXECUTABLE else _plain) as file:
            file.write(content)
    _link(into, links)


def _link(into: Path, links: dict[Path, bytes]) -> None:
    root = into.resolve()
    made = [path for path, target in links.items() if target and b"\0" not in target]  # others cannot be
    for path in made:
        path.symlink_to(os.fsdecode(links[path]))
    # All are there before any is followed: a link may lead through another one.
    led = {path for path in made if Path(os.path.realpath(path)).is_relative_to(root)}
    for path, target in links.items():
        if path not in led:
            path.unlink(missing_ok=True)
            path.write_bytes(target)


def _contents(repository: Path, entries: list[git.TreeEntry]) -> Iterator[bytes]:
    """What the objects hold, in order."""
    command = [git.program(), "-C", str(repository), "cat-file", "--batch"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=git.environment(),
    ) as process:
        assert process.stdin and process.stdout
        for entry in entries:
            process.stdin.write(f"{entry.sha}\n".encode())
            process.stdin.flush()
            yield _content(process.stdout, entry)
        process.stdin.close()


def _content(stream: IO[bytes], entry: git.TreeEntry) -> bytes:
    if stream.readline() != f"{entry.sha} blob {entry.size}\n".encode():
        raise Unavailable("the repository's copy on this machine is damaged")
    content = stream.read(entry.size)
    stream.read(1)
    return content


def _plain(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o644)


def _executable(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o755)
