"""New files that are loaded by themselves, or instead of what an import means: of the standard library, of a test tool,
of a dependency. Pure."""

import sys
from collections.abc import Iterator
from importlib.machinery import all_suffixes
from posixpath import basename, dirname, join

from bot.changes.readers import MANIFESTS, SENTENCES, globs
from bot.changes.risks.dependencies import About, parts
from bot.changes.risks.lines import first
from bot.changes.risks.locks import plain_name
from bot.changes.risks.values import Risk
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Whole

NEW = (FileStatus.ADDED, FileStatus.RENAMED, FileStatus.COPIED)
_BY_ITSELF = globs("{sitecustomize,usercustomize}.py", "*.pth", "*.egg-link")
_TOOLS = frozenset({"pytest", "_pytest", "pluggy", "py", "iniconfig", "coverage", "xdist", "nose"})
ROOTS = ("", "src", "lib")  # which are where imports begin


def shadows(change: Change, whole: Whole) -> Iterator[Risk]:
    """`tools_shadowed`."""
    for file in change.files:
        if file.status in NEW and (_BY_ITSELF(file.path.lower()) or _stands_before(file, change, whole)):
            yield Risk("tools_shadowed", SENTENCES["shadows"], file.path, first(file))


def _stands_before(file: FileChange, change: Change, whole: Whole) -> bool:
    """Whether Python finds the file before what is called like it. A module of a package has the package's name too."""
    folder, name = import_name(file.path)
    if name in sys.stdlib_module_names:
        return folder in ROOTS or not is_package(folder, change, whole)
    if folder not in ROOTS or not name:
        return False
    return name in _TOOLS or plain_name(name) in _declared(change, whole)


def import_name(path: str) -> tuple[str, str]:
    """Where an import looks for the file, and what it calls it; empty where nothing imports it."""
    ending = next((ending for ending in sorted(all_suffixes(), key=len, reverse=True) if path.endswith(ending)), "")
    if not ending and not path.endswith((".so", ".pyd")):
        return "", ""
    stem = path.partition(".")[0] if "/" not in path else join(dirname(path), basename(path).partition(".")[0])
    whole = dirname(stem) if basename(stem) == "__init__" else stem
    return dirname(whole), basename(whole)


def is_package(folder: str, change: Change, whole: Whole) -> bool:
    """Whether imports of its files begin with its name, or with that of a folder above it."""
    path = f"{folder}/__init__.py"
    there = any(each.path == path and each.status is not FileStatus.DELETED for each in change.files)
    return there or is_there(path, whole)


def is_there(path: str, whole: Whole) -> bool:
    """Whether there is such a file of code, before and after."""
    return whole(_file(path, FileKind.CODE)) is not None


def _declared(change: Change, whole: Whole) -> frozenset[str]:
    """What the project depended on before the change."""
    texts = ((name, whole(_file(name, FileKind.DEPENDENCIES))) for name in MANIFESTS["names"])
    found = (part for name, both in texts if both for part in parts(name, both[0]))
    return frozenset(part.text for part in found if part.about is About.DEPENDENCY)


def _file(path: str, kind: FileKind) -> FileChange:
    return FileChange(path, kind, FileStatus.MODIFIED)
