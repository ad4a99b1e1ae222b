"""Commits that a benchmark makes: of clones on this machine, in git directories of its own."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

_MESSAGE = "A patch"
_FIRST = "2024-01-01T00:00:00Z"  # the date of a commit without a parent


def directories(repos: Path) -> dict[str, Path]:
    """`OWNER/NAME` -> its git directory, for `OWNER+NAME/repo`, `OWNER+NAME.git` and `OWNER+NAME` below `repos`."""
    found = {}
    for entry in sorted(repos.iterdir()) if repos.is_dir() else ():
        owner, plus, name = entry.name.removesuffix(".git").partition("+")
        if plus and entry.is_dir():
            found[f"{owner}/{name}"] = entry / "repo" if (entry / "repo").is_dir() else entry
    return found


def make_borrower(place: Path, directory: Path) -> Path:
    """A git directory of our own that holds the other's objects."""
    git(place, "init", "--quiet", "--bare", str(directory))
    objects = git(place, "rev-parse", "--path-format=absolute", "--git-path", "objects").decode().strip()
    (directory / "objects" / "info" / "alternates").write_text(f"{objects}\n")
    return directory


def with_patch(directory: Path, base: str, patch: str) -> str | None:
    """The commit on top of `base`; `None` where the patch does not fit."""
    index = {"GIT_INDEX_FILE": str(directory / "index")}
    git(directory, "read-tree", base, environment=index)
    applied = git(
        directory, "apply", "--cached", "--recount", "-C1", stdin=patch.encode(), environment=index, fails=b"no"
    )
    return None if applied == b"no" else commit_index(directory, base, index)


def with_files(
    directory: Path,
    base: str | None,
    files: Mapping[str, str | None],
    start: str | None = None,
    message: str = _MESSAGE,
) -> str:
    """The commit on top of `base`, or the first one, that has these files; `None` is one that it has not.

    start: the commit whose other files it has; `base` without.
    """
    index = {"GIT_INDEX_FILE": str(directory / "index")}
    git(directory, "read-tree", start or base or "--empty", environment=index)
    for path, text in files.items():
        if text is None:
            nothing = f"0 {'0' * 40}\t{path}\n".encode()  # `--remove` wants a work tree
            git(directory, "update-index", "--index-info", stdin=nothing, environment=index)
            continue
        blob = git(directory, "hash-object", "-w", "--stdin", stdin=text.encode()).decode().strip()
        git(directory, "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", environment=index)
    return commit_index(directory, base, index, message)


def file_at(directory: Path, sha: str, path: str) -> str | None:
    """A file of a commit; `None` where it has none, or none that is UTF-8 text."""
    try:
        return git(directory, "cat-file", "blob", f"{sha}:{path}", fails=b"\xff").decode()
    except UnicodeDecodeError:
        return None


def paths_between(directory: Path, base: str, head: str) -> list[str]:
    """The paths that differ between two commits."""
    return git(directory, "diff-tree", "-r", "--name-only", "--no-renames", base, head).decode().split()


def commit_index(directory: Path, base: str | None, index: dict[str, str], message: str = _MESSAGE) -> str:
    """What the index holds, as a commit. The same code is the same commit."""
    made = git(directory, "write-tree", environment=index).decode().strip()
    author = {f"GIT_{who}_{what}": "states" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    date = git(directory, "log", "-1", "--format=%cI", base).decode().strip() if base else _FIRST
    author |= {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    parent = ("-p", base) if base else ()
    return git(directory, "commit-tree", *parent, "-m", message, made, environment=author).decode().strip()


def git(
    place: Path, *words: str, stdin: bytes = b"", environment: Mapping[str, str] | None = None, fails: bytes = b""
) -> bytes:
    """Its output, `fails` where it fails."""
    command = ["git", "-C", str(place), *words]
    done = subprocess.run(command, input=stdin, capture_output=True, env={**os.environ, **(environment or {})})
    return fails if done.returncode else done.stdout
