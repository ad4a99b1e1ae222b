"""What a program's files are, as hashes: all of them, and those that decide what is installed."""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from bot.verification.environments.detect import INPUTS
from bot.verification.values import Program

Hashes = dict[str, tuple[int, str]]  # path -> size, SHA-256 of the content
_DEEPEST = 3  # directories in which manifests count; fixtures further down only look like them


def hashes(program: Program) -> Hashes:
    """Of every regular file; links count by where they point."""
    found = dict(_of_tree(program.tree)) if program.tree else {}
    for path, content in program.files.items():
        if content is None:
            found.pop(path, None)
        else:
            found[path] = (len(content), hashlib.sha256(content).hexdigest())
    return found


def deciding(found: Hashes, setup: tuple[str, ...]) -> Hashes:
    """Manifests and lock files, and every file that a line of the setup names."""
    named = {str(PurePosixPath(word)) for line in setup for word in line.replace("=", " ").split()}
    return {path: item for path, item in found.items() if _is_manifest(path) or path in named}


def digest(found: Hashes) -> str:
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()


def _is_manifest(path: str) -> bool:
    parts = path.split("/")
    tails = (parts[-1], "/".join(parts[-2:]))
    return len(parts) <= _DEEPEST and any(INPUTS.fullmatch(tail) for tail in tails)


def _of_tree(tree: Path) -> Iterator[tuple[str, tuple[int, str]]]:
    for folder, folders, names in os.walk(tree):
        folders[:] = [name for name in folders if name != ".git"]
        for name in [*names, *folders]:
            path = Path(folder, name)
            relative = path.relative_to(tree).as_posix()
            if path.is_symlink():
                target = os.fsencode(path.readlink())
                yield relative, (0, hashlib.sha256(b"link " + target).hexdigest())
            elif path.is_file():
                yield relative, (path.stat().st_size, _of_file(path))


def _of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
