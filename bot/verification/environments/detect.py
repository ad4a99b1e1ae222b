"""How a program is set up and tested, guessed from its manifests where the policy is silent.

The hashes of its files tell two versions apart: of all files, and of those that decide what is installed.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from bot.child_process import TooLong, run_in_child
from bot.verification.environments.manifests import Detected, Manifests, mapping
from bot.verification.environments.python import detect_python
from bot.verification.values import Program

# Manifests and lock files: what decides which packages are installed.
INPUTS = re.compile(
    r"(pyproject\.toml|setup\.(py|cfg)|tox\.ini|noxfile\.py|Pipfile(\.lock)?|(poetry|uv|pdm)\.lock|\.python-version"
    r"|[\w.-]*(requirements|constraints)[\w.-]*\.(txt|in)|requirements/[\w.-]+\.(txt|in)"
    r"|package(-lock)?\.json|npm-shrinkwrap\.json|\.npmrc|yarn\.lock|pnpm-lock\.yaml"
    r"|go\.(mod|sum|work)|Cargo\.(toml|lock)|rust-toolchain(\.toml)?)"
)
_NO_TESTS = "no test specified"  # what `npm init` writes


def detect(program: Program) -> Detected:
    """What the program's manifests say; the first kind that has tests counts, others are named. Read apart, since
    anybody may have written them."""
    found = run_in_child(detected, replace(program, files=dict(program.files)))
    return Detected((), "", "the manifests take too long to read") if isinstance(found, TooLong) else found


def detected(program: Program) -> Detected:
    """`detect`, in this process and however long it takes."""
    manifests = Manifests(program)
    found = [kind for kind in (detect_python(program, manifests), *_others(manifests)) if kind]
    if not found:
        why = "no way to run tests was detected"
    elif len(found) == 1:
        why = found[0].why
    else:
        why = f"{found[0].why} (there is also {', '.join(kind.test for kind in found[1:])})"
    if manifests.unreadable:
        why += f"; {', '.join(dict.fromkeys(manifests.unreadable))} cannot be read"
    return replace(found[0], why=why) if found else Detected((), "", why)


# Others


def _others(manifests: Manifests) -> Iterator[Detected]:
    package = manifests.json("package.json")
    script = mapping(package, "scripts").get("test")
    if isinstance(script, str) and script.strip() and _NO_TESTS not in script:
        locked = any(manifests.has(name) for name in ("package-lock.json", "npm-shrinkwrap.json"))
        needs = any(mapping(package, key) for key in ("dependencies", "devDependencies")) or "workspaces" in package
        install = (_install(manifests, locked),) if needs else ()
        yield Detected(install, "npm test", "npm test, detected from package.json")
    if manifests.has("go.mod"):
        yield Detected(("go mod download",), "go test ./...", "go test ./..., detected from go.mod")
    if manifests.has("Cargo.toml"):
        fetch = "cargo fetch --locked" if manifests.has("Cargo.lock") else "cargo fetch"
        yield Detected((fetch,), "cargo test", "cargo test, detected from Cargo.toml")


def _install(manifests: Manifests, locked: bool) -> str:
    if locked:
        return "npm ci"
    if manifests.has("pnpm-lock.yaml"):
        return "npx --yes pnpm@9 install --frozen-lockfile"
    if manifests.has("yarn.lock"):
        berry = "__metadata:" in "\n".join(manifests.lines("yarn.lock")[:20])
        newer = "YARN_NODE_LINKER=node-modules npx --yes --package=@yarnpkg/cli-dist yarn install --immutable"
        return newer if berry else "npx --yes yarn@1 install --frozen-lockfile"
    return "npm install --no-package-lock"


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
